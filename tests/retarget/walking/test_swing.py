"""The swing foot: smooth, on time, and soft when it lands."""

import numpy as np
import pytest

from handhold.retarget.walking.swing import LANDING_SPEED, SEARCH_SPEED, SwingFoot

DT = 1e-3
DURATION = 0.7
HEIGHT = 0.06
TARGET = np.array([0.4, 0.02, 0.3, 0.0, 0.0, 0.0])


def swing(target=lambda _t: TARGET, until=DURATION):
    foot = SwingFoot.lift_off(np.eye(4), HEIGHT)
    feet = [foot]
    for k in range(round(until / DT)):
        foot = foot.advance(target(k * DT), k * DT, DURATION, DT)
        feet.append(foot)
    return feet


def test_a_foot_lands_where_and_when_it_should():
    last = swing()[-1]
    assert np.abs(last.position[:3] - TARGET[:3]).max() < 2e-3  # [m, rad] a fiftieth of a sole
    assert abs(last.position[5]) < 3e-3  # [m] the ground is found by touch anyway


def test_a_foot_is_lifted_as_high_as_asked():
    heights = [foot.position[5] for foot in swing()]
    assert HEIGHT - 2e-3 < max(heights) < HEIGHT + 5e-3  # [m] the rise bends over into the way down


def test_a_foot_lands_softly_and_without_slipping():
    last = swing()[-1]
    assert abs(last.velocity[5] + LANDING_SPEED) < 0.02  # [m/s]
    assert np.abs(last.velocity[:2]).max() < 0.02  # [m/s]


def test_position_and_velocity_do_not_jump_where_the_target_does():
    feet = swing(lambda t: TARGET if t < 0.4 else TARGET + np.array([0.05, -0.05, 0.1, 0.0, 0.0, 0.0]))
    positions, velocities = np.array([f.position for f in feet]), np.array([f.velocity for f in feet])
    assert np.abs(np.diff(positions, axis=0)).max() < 2.0 * DT  # [m, rad] no faster than 2 m/s
    assert np.abs(np.diff(velocities, axis=0)).max() < 60.0 * DT  # [m/s] no harder than 60 m/s^2
    assert np.abs(positions[-1, :2] - [0.45, -0.03]).max() < 3e-3  # [m]


def test_a_foot_that_finds_no_ground_feels_for_it():
    feet = swing(until=DURATION + 0.3)
    fallen = feet[-1].position[5] - feet[-101].position[5]
    assert fallen == pytest.approx(-100 * DT * SEARCH_SPEED, rel=0.05)
    assert np.abs(feet[-1].position[:2] - feet[-201].position[:2]).max() < 1e-4  # [m] straight down


def test_it_feels_for_it_also_while_the_gait_waits_for_its_touch():
    foot = swing()[-1]
    for _ in range(100):
        foot = foot.advance(TARGET, DURATION - DT, DURATION, DT)
    assert foot.velocity[5] == pytest.approx(-SEARCH_SPEED, rel=0.05)


@pytest.mark.parametrize("climb", [0.03, 0.05])
def test_a_foot_that_climbs_is_over_the_step_before_it_moves_on(climb):
    feet = swing(lambda _t: TARGET + np.array([0.0, 0.0, 0.0, 0.0, 0.0, climb]))
    ahead = next(foot for foot in feet if foot.position[0] > 0.015)  # [m] less than there is between a sole and an edge
    assert ahead.position[5] > climb
    assert feet[-1].position[:3] == pytest.approx(TARGET[:3], abs=2e-3)
    assert feet[-1].position[5] == pytest.approx(climb, abs=3e-3)


def test_a_tilted_foot_comes_down_flat():
    import pinocchio as pin

    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.08, -0.06, 0.1)
    foot = SwingFoot.lift_off(pose, HEIGHT)
    assert np.allclose(foot.pose, pose)
    for k in range(round(DURATION / DT)):
        foot = foot.advance(TARGET, k * DT, DURATION, DT)
    assert np.abs(foot.position[3:5]).max() < 2e-3  # [rad]
