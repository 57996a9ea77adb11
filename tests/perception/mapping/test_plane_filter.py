"""How planes of one surface are fused."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.perception.mapping.plane_filter import PoseError, express_plane, express_surface, fuse, move_pose
from handhold.perception.planes.plane import Plane

EXACT = 1e-9


def make_plane(normal, distance, covariance=None):
    return Plane(
        coefficients=-np.asarray(normal) / distance,
        covariance=np.eye(3) * 1e-8 if covariance is None else covariance,
        label=1,
        samples=100,
        noise_ratio=1.0,
    )


def random_pose(random):
    return pin.SE3(pin.exp3(random.normal(0.0, 0.5, 3)), random.normal(0.0, 1.0, 3)).homogeneous


@pytest.mark.parametrize("seed", range(5))
def test_a_plane_in_a_surfaces_axes_has_the_same_points(seed):
    random = np.random.default_rng(seed)
    normal = np.array([0.1, -0.2, -1.0]) / np.linalg.norm([0.1, -0.2, -1.0])
    plane = make_plane(normal, 1.7)
    # axes near the plane's own
    z = normal + random.normal(0.0, 0.2, 3)
    z /= np.linalg.norm(z)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    transform = np.linalg.inv(
        pin.SE3(np.column_stack([x, np.cross(z, x), z]), -1.6 * normal + random.normal(0.0, 0.1, 3)).homogeneous
    )
    (a, b, c), _ = express_plane(plane, transform)
    tangents = np.linalg.svd(normal[None])[2][1:]
    for _ in range(5):
        point = -1.7 * normal + random.normal(size=2) @ tangents
        u = transform[:3, :3] @ point + transform[:3, 3]
        assert a * u[0] + b * u[1] + c == pytest.approx(u[2], abs=EXACT)


def test_the_covariance_is_that_of_finite_differences():
    plane = make_plane([0.0, 0.0, -1.0], 2.0, np.diag([1e-4, 2e-4, 3e-4]))
    transform = np.linalg.inv(pin.SE3(pin.exp3(np.array([3.0, 0.1, 0.05])), np.array([0.3, 0.1, 1.9])).homogeneous)
    value, covariance = express_plane(plane, transform)
    step, columns = 1e-6, []
    for k in range(3):
        moved = plane.coefficients + step * np.eye(3)[k]
        other = Plane(coefficients=moved, covariance=plane.covariance, label=1, samples=1, noise_ratio=1.0)
        columns.append((express_plane(other, transform)[0] - value) / step)
    jacobian = np.column_stack(columns)
    assert np.allclose(covariance, jacobian @ plane.covariance @ jacobian.T, rtol=1e-3, atol=1e-12)


def test_many_measurements_of_noise_are_a_better_one():
    random = np.random.default_rng(0)
    pose, true = np.eye(4), 0.02
    covariance, noise = np.eye(3) * 1e-2, np.eye(3) * 1e-4
    for _ in range(300):
        measured = np.array([0.0, 0.0, true - pose[2, 3]]) + random.normal(0.0, 0.01, 3)
        change, covariance = fuse(covariance, measured, noise)
        pose = move_pose(pose, change)
    assert pose[2, 3] == pytest.approx(true, abs=3e-3)
    assert np.allclose(np.diag(covariance), 1e-4 / 301, rtol=0.1)


def test_a_moved_pose_has_its_plane_where_it_was_moved_to():
    pose = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([1.0, 2.0, 3.0])).homogeneous
    a, b, c = 0.05, -0.02, 0.01
    moved = move_pose(pose, np.array([a, b, c]))
    assert np.allclose(moved[:3, :3] @ moved[:3, :3].T, np.eye(3), atol=EXACT)
    for x, y in ((0.0, 0.0), (1.0, 0.5), (-0.3, 0.7)):
        point = pose @ np.array([x, y, a * x + b * y + c, 1.0])
        assert moved[:3, 2] @ (point[:3] - moved[:3, 3]) == pytest.approx(0.0, abs=EXACT)


def test_a_turn_of_the_camera_moves_what_is_aside_of_it():
    error = PoseError(angle=0.01, position=0.001)
    assert error.compute_covariance(np.array([2.0, 0.0, 1.0]))[2, 2] == pytest.approx(0.02**2 + 0.001**2)
    assert error.compute_covariance(np.array([0.0, 0.0, 1.0]))[2, 2] == pytest.approx(0.001**2)


@pytest.mark.parametrize("seed", range(5))
def test_a_surface_in_anothers_axes_has_the_same_points(seed):
    random = np.random.default_rng(seed)
    turn = pin.exp3(np.array([0.02, -0.03, random.uniform(-3.0, 3.0)]))
    transform = pin.SE3(turn, random.normal(0.0, 1.0, 3)).homogeneous
    (a, b, c), _ = express_surface(np.eye(3), transform)
    for _ in range(5):
        x, y, z = (transform @ np.array([*random.normal(size=2), 0.0, 1.0]))[:3]
        assert a * x + b * y + c == pytest.approx(z, abs=EXACT)


def test_the_covariance_of_a_surface_in_anothers_axes_is_that_of_finite_differences():
    transform = pin.SE3(pin.exp3(np.array([1e-3, -2e-3, 0.7])), np.array([0.8, -0.4, 0.02])).homogeneous
    before = np.diag([1e-4, 2e-4, 3e-4])
    value, covariance = express_surface(before, transform)
    step, columns = 1e-6, []
    for change in step * np.eye(3):
        columns.append((express_surface(before, transform @ move_pose(np.eye(4), change))[0] - value) / step)
    jacobian = np.column_stack(columns)
    assert np.allclose(covariance, jacobian @ before @ jacobian.T, atol=2e-6)
