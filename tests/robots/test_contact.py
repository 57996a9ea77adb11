"""Wrench cones and stances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.robots.contact import Stance, compute_friction_pyramid, compute_tangents, compute_wrench_cone
from handhold.robots.model import load_model

HALF_LENGTHS = (0.1, 0.06)
FRICTION = 0.6

unit = st.floats(0.0, 1.0)


def wrench_of_corner_forces(corner_forces: np.ndarray) -> np.ndarray:
    x, y = HALF_LENGTHS
    corners = np.array([[x, y, 0], [-x, y, 0], [-x, -y, 0], [x, -y, 0]], dtype=float)
    return np.concatenate([corner_forces.sum(axis=0), np.cross(corners, corner_forces).sum(axis=0)])


@given(st.lists(st.tuples(unit, unit, unit), min_size=4, max_size=4))
def test_any_forces_inside_the_pyramids_of_the_corners_make_a_feasible_wrench(shares):
    forces = np.array([[FRICTION * (2 * a - 1) * n, FRICTION * (2 * b - 1) * n, n] for a, b, n in shares])
    assert np.all(compute_wrench_cone(HALF_LENGTHS, FRICTION) @ wrench_of_corner_forces(forces) <= 1e-12)


@pytest.mark.parametrize(
    ("kind", "wrench"),
    [
        ("slip", [FRICTION * 100 + 1, 0, 100, 0, 0, 0]),
        ("tilt over x", [0, 0, 100, 0, -100 * (HALF_LENGTHS[0] + 0.01), 0]),
        ("tilt over y", [0, 0, 100, 100 * (HALF_LENGTHS[1] + 0.01), 0, 0]),
        ("twist", [0, 0, 100, 0, 0, FRICTION * 100 * sum(HALF_LENGTHS) + 1]),
        ("pull", [0, 0, -1, 0, 0, 0]),
    ],
)
def test_a_wrench_that_makes_the_sole_fail_is_outside_the_cone(kind, wrench):
    assert np.any(compute_wrench_cone(HALF_LENGTHS, FRICTION) @ np.array(wrench, dtype=float) > 0.0), kind


@pytest.mark.parametrize("sides", [4, 8])
def test_the_friction_pyramid_is_inside_the_round_cone_with_its_edges_on_it(sides):
    normal = np.array([-1.0, 0.0, 0.2]) / np.linalg.norm([-1.0, 0.0, 0.2])
    pyramid = compute_friction_pyramid(normal, FRICTION, sides)
    first, second = compute_tangents(normal)
    assert pyramid.shape == (sides, 3)
    assert np.all(pyramid @ normal < 0.0)
    for k, angle in enumerate(math.pi * np.arange(2 * sides) / sides):
        along = math.cos(angle) * first + math.sin(angle) * second
        reach = FRICTION if k % 2 else FRICTION * math.cos(math.pi / sides)
        assert np.all(pyramid @ (normal + 0.999 * reach * along) < 0.0)
        assert np.any(pyramid @ (normal + 1.001 * reach * along) > 0.0)


def test_a_stance_stacks_planes_first_and_takes_wrenches_apart_again():
    model = load_model("talos")
    hand, foot = model.effector_index("left_hand"), model.effector_index("left_foot")
    stance = Stance(model, [hand, foot], inset=0.01)
    assert stance.effectors == (foot, hand)
    assert stance.size == 9
    wrenches = np.arange(9.0)
    rows = stance.unstack(wrenches, len(model.effectors))
    assert np.array_equal(stance.stack(rows), wrenches)
    assert len(stance.cone_names) == stance.cone.shape[0] == 24
