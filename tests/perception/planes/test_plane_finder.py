"""Planes of depth images."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.planes.boundary import find_boundaries
from handhold.perception.planes.plane_finder import PlaneFinder
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box, make_capsule

D455 = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)
GOOD = StereoNoise()
ANGLE = 0.3  # of a normal [deg]
OFFSET = 3e-3  # of a plane [m]


def see(*shapes, noise=GOOD, seed=0):
    """Return the image of shapes given as corners in the camera's axes."""
    rasteriser = Rasteriser(D455)
    for corners in shapes:
        rasteriser.draw(corners, np.zeros(len(corners)))
    depth = noise.apply(rasteriser.inverse_depth, D455, np.random.default_rng(seed))
    return DepthFrame(time=0.0, number=0, depth=depth, unit=UNIT, intrinsics=D455)


def wall(distance, width=6.0, height=6.0, x=0.0, y=0.0, turned=0.0):
    rotation = np.array([[np.cos(turned), 0.0, np.sin(turned)], [0.0, 1.0, 0.0], [-np.sin(turned), 0.0, np.cos(turned)]])
    return make_box((0.5 * width, 0.5 * height, 0.05)).corners @ rotation.T + np.array([x, y, distance + 0.05])


def find(frame):
    return PlaneFinder(D455).find(frame)


def angle_between(a, b):
    return np.degrees(np.arccos(np.clip(a @ b, -1.0, 1.0)))


@pytest.mark.parametrize("sigma", [0.05, 0.15, 0.25])
def test_a_wall_is_where_it_is_whatever_the_noise(sigma):
    image = find(see(wall(2.0), noise=StereoNoise(sigma=sigma)))
    (plane,) = image.planes
    assert angle_between(plane.normal, np.array([0.0, 0.0, -1.0])) < ANGLE
    assert plane.distance == pytest.approx(2.0, abs=OFFSET)
    assert image.sigma * D455.fx * D455.baseline == pytest.approx(sigma, rel=0.1)
    assert plane.noise_ratio == pytest.approx(1.0, abs=0.1)


def test_errors_are_as_large_as_the_covariance_says():
    # steps of disparity and rounded depths make the same few numbers again and again, whose error is no chance
    errors, noise = [], StereoNoise(step=1e-4)
    for seed in range(30):
        (plane,) = find(see(wall(1.5, turned=0.4), noise=noise, seed=seed)).planes
        normal = np.array([-np.sin(0.4), 0.0, -np.cos(0.4)])
        # of the face, which the wall turns about its middle
        distance = -float(normal @ (np.array([0.0, 0.0, 1.55]) + 0.05 * normal))
        error = plane.coefficients - (-normal / distance)
        errors.append(error @ np.linalg.solve(plane.covariance, error))
    # three degrees of freedom each: 3 on average, with a standard deviation of 0.45 over 30
    assert 1.5 < np.mean(errors) < 4.5


def test_surfaces_in_one_plane_that_do_not_touch_are_two():
    image = find(see(wall(1.5, width=0.6, x=-0.6), wall(1.5, width=0.6, x=0.6), wall(3.0)))
    ahead = [plane for plane in image.planes if plane.distance < 2.0]
    assert len(ahead) == 2
    # the wall behind is seen to both sides of them and between them
    assert len(image.planes) == 2 + 3


def test_a_narrow_gap_divides_as_well():
    image = find(see(wall(1.0, width=0.6, x=-0.315), wall(1.0, width=0.6, x=0.315), wall(2.0)))
    assert sum(plane.distance < 1.5 for plane in image.planes) == 2


def test_a_crease_does_not_bend_the_planes_beside_it():
    left, right = wall(2.0, turned=0.25), wall(2.0, turned=-0.25)
    normals = [np.array([-np.sin(angle), 0.0, -np.cos(angle)]) for angle in (0.25, -0.25)]
    image = find(see(left, right, noise=StereoNoise(sigma=0.25)))
    for normal in normals:
        assert min(angle_between(plane.normal, normal) for plane in image.planes) < ANGLE


def test_what_is_round_is_no_plane():
    ball = make_capsule(0.5, 0.0).corners + np.array([0.0, 0.0, 1.2])
    image = find(see(ball))
    assert sum(plane.samples for plane in image.planes) < 0.25 * (image.labels.size)


def test_nothing_is_found_where_nothing_is_seen():
    frame = see(wall(2.0))
    assert find(replace(frame, depth=np.zeros_like(frame.depth))).planes == ()


def test_noise_without_a_surface_is_no_plane():
    frame = see(wall(2.0))
    depth = np.random.default_rng(0).integers(300, 6000, frame.depth.shape).astype(np.uint16)
    assert find(replace(frame, depth=depth)).planes == ()


def test_the_same_image_gives_the_same_planes():
    frame, finder = see(wall(2.0), wall(1.0, width=0.5, height=0.5)), PlaneFinder(D455)
    first, second = finder.find(frame), finder.find(frame)
    assert np.array_equal(first.labels, second.labels)
    for a, b in zip(first.planes, second.planes, strict=True):
        assert np.array_equal(a.coefficients, b.coefficients)


def area(polygon):
    x, y = polygon.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def test_a_boundary_is_the_rectangle_that_is_there():
    image = find(see(wall(1.5, width=0.8, height=0.5), wall(3.0)))
    patch = next(patch for patch in find_boundaries(image, 6.0) if patch.plane.distance < 2.0)
    corners = patch.pose[:3, 3] + patch.boundary @ patch.pose[:3, :2].T
    pixel = 1.5 / D455.fx
    assert np.allclose(np.abs(corners[:, 0]).max(), 0.4, atol=2.0 * pixel)
    assert np.allclose(np.abs(corners[:, 1]).max(), 0.25, atol=2.0 * pixel)
    assert area(patch.boundary) == pytest.approx(0.4, rel=0.03)
    assert np.allclose(corners[:, 2], 1.5, atol=OFFSET)
    assert not patch.holes


def test_a_hole_and_a_concavity_are_kept():
    frame = wall(1.5, width=1.0, height=0.2, y=-0.4), wall(1.5, width=1.0, height=0.2, y=0.4)
    sides = wall(1.5, width=0.2, height=1.0, x=-0.4), wall(1.5, width=0.2, height=1.0, x=0.4)
    (patch,) = [p for p in find_boundaries(find(see(*frame, *sides, wall(3.0))), 6.0) if p.plane.distance < 2.0]
    assert len(patch.holes) == 1
    # the strip that one imager does not see is beside it, on the wall behind
    assert area(patch.holes[0]) == pytest.approx(-0.36, rel=0.05)
    (open_patch,) = [p for p in find_boundaries(find(see(*frame, sides[0], wall(3.0))), 6.0) if p.plane.distance < 2.0]
    assert not open_patch.holes
    assert area(open_patch.boundary) == pytest.approx(0.2 + 0.2 + 0.12, rel=0.05)


def test_a_floor_ends_where_it_is_seen():
    floor = make_box((20.0, 0.1, 20.0)).corners + np.array([0.0, 1.3, 0.0])
    (patch,) = find_boundaries(find(see(floor)), 6.0)
    corners = patch.pose[:3, 3] + patch.boundary @ patch.pose[:3, :2].T
    assert corners[:, 2].max() <= 6.0 + OFFSET
    assert np.allclose(corners[:, 1], 1.2, atol=0.02)
    assert np.allclose(patch.pose[:3, 2], [0.0, -1.0, 0.0], atol=0.01)
