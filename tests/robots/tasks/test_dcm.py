"""The controller's task of the centre of mass, and what it learns of what the model does not know of."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from handhold.robots.model import GRAVITY, MIN_PENDULUM_HEIGHT
from handhold.robots.tasks.dcm import DcmTask, fill_dcm_rows

HEIGHT, MOST = 0.9, 0.04
OMEGA = np.sqrt(GRAVITY / HEIGHT)
WEIGHT, STIFFNESS, GAIN, INTEGRAL = 1000.0, 60.0, 3.0, 0.5
SUPPORT = np.array([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])


def ask(com, velocity, displacement, dt, frequency=0.0):
    """Return the acceleration that is asked for a centre of mass whose reference stands over the origin."""
    rows, targets = np.zeros((3, 9)), np.zeros(3)
    fill_dcm_rows(
        (com, velocity, np.zeros(3), np.eye(3, 9)),
        (np.array([0.0, 0.0, HEIGHT]), np.zeros(3), np.zeros(3)),
        (0.0, frequency),
        SUPPORT,
        np.eye(4)[None],
        np.zeros(1, dtype=np.int64),
        (WEIGHT, STIFFNESS, GAIN),
        (rows, targets),
        (displacement, INTEGRAL * dt, MOST),
    )
    return targets / np.sqrt(WEIGHT)


def settle(offset, seconds, dt=2e-3):
    """Let a pendulum whose centre of mass is really elsewhere by an offset [m] follow what is asked of the one believed."""
    com, velocity, displacement = np.array([0.0, 0.0, HEIGHT]), np.zeros(3), np.zeros(2)
    for _ in range(round(seconds / dt)):
        asked = ask(com, velocity, displacement, dt)
        pressure = com[:2] - asked[:2] / OMEGA**2
        acceleration = np.array([*(OMEGA**2 * (com[:2] + offset - pressure)), 0.0])
        velocity = velocity + dt * acceleration
        com = com + dt * velocity
    return com, displacement


def test_a_constant_error_is_learnt_and_costs_nothing_in_the_end():
    com, displacement = settle(np.array([0.02, -0.01]), 12.0)
    assert displacement == pytest.approx([0.02, -0.01], abs=2e-4)
    assert com[:2] == pytest.approx([0.0, 0.0], abs=2e-4)


def test_nothing_is_learnt_at_the_edge_of_the_support():
    displacement = np.zeros(2)
    ask(np.array([0.2, 0.0, HEIGHT]), np.zeros(3), displacement, 2e-3)
    assert not displacement.any()


def test_no_more_is_learnt_than_a_sole_can_make_up_for():
    displacement = np.array([MOST, 0.0])
    ask(np.array([0.01, 0.0, HEIGHT]), np.zeros(3), displacement, 0.1)
    assert displacement[0] == MOST


@pytest.mark.parametrize("height", [0.0, -0.3, 1e-9])
def test_a_centre_of_mass_on_or_under_the_ground_asks_for_something_finite(height):
    asked = ask(np.array([0.01, 0.0, height]), np.zeros(3), np.zeros(2), 2e-3)
    assert np.isfinite(asked).all()
    # Back over the origin, no harder than a pendulum of the least height.
    assert -GRAVITY / MIN_PENDULUM_HEIGHT * 0.2 < asked[0] < 0.0


def test_the_pendulum_is_the_references_where_it_says_one():
    """What the plan asks of a centre of mass that is where it was planned is asked whatever its height is."""
    com = np.array([0.01, 0.0, 1.3 * HEIGHT])
    asked = ask(com, np.zeros(3), np.zeros(2), 2e-3, frequency=OMEGA)
    pressure = (1.0 + GAIN / OMEGA) * 0.01
    assert asked[0] == pytest.approx(OMEGA**2 * (0.01 - pressure))
    assert ask(com, np.zeros(3), np.zeros(2), 2e-3)[0] != pytest.approx(asked[0], rel=0.05)


def test_the_zmp_may_be_beyond_the_support_where_a_leg_or_a_push_takes_it_back():
    far = np.array([0.2, 0.0, HEIGHT])
    kinematics: Any = SimpleNamespace(position_com_in_world=far, jacobian_com=np.eye(3, 9), poses=np.eye(4)[None])
    task = DcmTask(
        kinematics,
        (np.zeros(3), np.zeros(3)),
        np.zeros(1, dtype=np.int64),
        np.zeros(2),
        weight=WEIGHT,
        stiffness=STIFFNESS,
        gain=GAIN,
    )
    for shift, edge in ((None, 0.1), (np.array([-0.03, 0.0]), 0.13)):
        reference: Any = SimpleNamespace(
            time=0.0,
            position_com_in_world=np.array([0.0, 0.0, HEIGHT]),
            velocity_com_in_world=np.zeros(3),
            acceleration_com_in_world=np.zeros(3),
            support_polygon=SUPPORT,
            zmp_shift=shift,
            natural_frequency=OMEGA,
        )
        task.rows, task.targets = np.zeros((3, 9)), np.zeros(3)
        task.follow(reference, 0.0, 0.0)
        task.fill()
        pressure = far[0] - task.targets[0] / np.sqrt(WEIGHT) / OMEGA**2
        assert pressure == pytest.approx(edge)
