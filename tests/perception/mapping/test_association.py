"""Which surfaces a patch of an image may be."""

from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

from handhold.perception.mapping.association import associate, compute_cells
from handhold.perception.mapping.evidence import CELL, Seen
from handhold.perception.mapping.plane_filter import PoseError
from handhold.perception.mapping.tracked_surface import TrackedSurface
from handhold.perception.planes.noise import Noise
from handhold.perception.planes.plane import Plane

DISTANCE, LABEL = 2.0, 1
PINHOLE = np.array([-0.25, 0.01, -0.25, 0.01])
SQUARE = np.array([[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]])


def make_patch():
    """A patch of 0.6 m by 0.6 m across the camera's axis."""
    pose = np.eye(4)
    pose[:3, :3] = np.diag([1.0, -1.0, -1.0])
    pose[2, 3] = DISTANCE
    plane = Plane(
        coefficients=np.array([0.0, 0.0, 1.0 / DISTANCE]),
        covariance=np.eye(3) * 1e-8,
        label=LABEL,
        samples=2500,
        noise_ratio=1.0,
    )
    return SimpleNamespace(plane=plane, pose=pose, boundary=SQUARE)


def make_surface(identity, *, offset=0.0, turn=(0.0, 0.0, 0.0), size=0.6, sd=0.003):
    """A surface about the patch's middle, offset along its normal and turned."""
    cells = round(size / CELL)
    pose = np.eye(4)
    pose[:3, :3] = np.diag([1.0, -1.0, -1.0]) @ pin.exp3(np.array(turn))
    pose[:3, 3] = 0.0, 0.0, DISTANCE - offset
    return TrackedSurface(
        identity=identity,
        pose=pose,
        first_seen=0.0,
        last_seen=0.0,
        covariance=np.diag([sd**2, sd**2, sd**2]),
        evidence=np.full((cells, cells), 5, dtype=np.int8),
        first=np.full(2, -cells // 2, dtype=np.int64),
    )


def find(surfaces, time=0.0):
    patch = make_patch()
    planes = np.full((2, 3), np.nan)
    planes[LABEL] = patch.plane.coefficients
    shape = (51, 51)
    inverse = np.full(shape, 1.0 / DISTANCE, dtype=np.float32)
    seen = Seen(inverse, np.full(shape, LABEL, dtype=np.int32), planes, np.zeros(2), PINHOLE, Noise(0.002, 0.0, 0.0))
    view = SimpleNamespace(camera=np.eye(4), patches=(patch,), time=time)
    found = associate(surfaces, view, seen, pose_error=PoseError(), min_overlap=0.1, drift=0.002)
    return [surface.identity for surface in found.get(LABEL, [])]


def test_the_one_in_its_plane_is_found_and_not_the_one_beside():
    assert find([make_surface(1), make_surface(2, offset=0.03)]) == [1]
    assert find([make_surface(1), make_surface(2, turn=(0.05, 0.0, 0.0))]) == [1]


def test_a_sliver_of_which_little_is_known_does_not_come_before_what_is_known_well():
    assert find([make_surface(1, offset=0.004), make_surface(2, size=0.15, sd=0.05)]) == [1, 2]


@pytest.mark.parametrize("turn", [(np.pi, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0)])
def test_the_back_of_a_board_and_what_stands_upright_on_it_are_no_candidates(turn):
    assert find([make_surface(1, turn=turn, offset=0.005, sd=0.05)]) == []


def test_what_was_not_seen_for_long_may_have_drifted():
    drifted = make_surface(1, offset=0.03)
    assert find([drifted]) == []
    assert find([drifted], time=10.0) == [1]


def test_cells_of_a_patch_are_its_area():
    assert compute_cells(make_patch()) == pytest.approx(0.36 / CELL**2)
