"""What the leg in the air does to the ZMP: the robot's angular momentum, and a foot that goes as it was foreseen."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.walking.entry import find_walking_feet
from handhold.retarget.walking.swing import SwingFoot
from handhold.retarget.walking.swing_moment import compute_swing_moment, preview_swings
from handhold.retarget.walking.timing import Phase, Segment
from handhold.robots.model import load_model

MOMENT = 5e-3  # [s^2]
DT = 1e-4
CELL = 0.1


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_the_zmp_of_all_bodies_is_moved_by_it(robot, axis):
    """Inverse dynamics of a leg whose foot is accelerated while the centre of mass is not: the ZMP from the ground's force."""
    model = load_model(robot)
    _, (foot, other) = find_walking_feet(model)
    body, data, q = model.pinocchio, model.pinocchio.createData(), model.q_nominal
    acceleration = np.zeros(6)
    acceleration[axis] = 2.0
    pin.computeJointJacobians(body, data, q)
    pin.updateFramePlacements(body, data)
    jacobian = pin.getFrameJacobian(body, data, model.effector_frames[foot], pin.LOCAL_WORLD_ALIGNED)
    a = np.zeros(model.nv)
    a[6:] = np.linalg.pinv(jacobian[:, 6:]) @ acceleration
    com, base = pin.centerOfMass(body, data, q).copy(), pin.XYZQUATToSE3(q[:7])
    a[:3] = -base.rotation.T @ (pin.jacobianCenterOfMass(body, data, q) @ a)
    wrench = base.act(pin.Force(pin.rnea(body, data, q, np.zeros(model.nv), a)[:6]))
    zmp = np.array([-wrench.angular[1], wrench.angular[0]]) / wrench.linear[2]
    assert zmp[axis] - com[axis] == pytest.approx(2.0 * compute_swing_moment(model, foot), rel=0.06)
    assert compute_swing_moment(model, other) == pytest.approx(compute_swing_moment(model, foot), rel=1e-3)


@pytest.mark.parametrize(("elapsed", "turned"), [(0.0, 0.05), (0.24, 0.05), (0.41, 0.02)])
def test_the_foot_in_the_air_goes_as_it_was_foreseen(walking, elapsed, turned):
    """The mean accelerations of the swing's own law, about each cell's end, are those of the preview."""
    duration, target = walking.single_support, np.array([0.25 + turned, 0.2 + turned, 0.1, 0.0, 0.0, 0.0])
    foot = SwingFoot.lift_off(np.eye(4), 0.06)
    for k in range(round(elapsed / DT)):
        foot = foot.advance(np.array([0.25, 0.2, 0.1, 0.0, 0.0, 0.0]), k * DT, duration, DT)
    start, present = foot.position[:2], foot
    segments = [
        Segment(phase=Phase.SINGLE, duration=duration, elapsed=elapsed, feet=(0, 1)),
        Segment(phase=Phase.DOUBLE, duration=1.0, elapsed=0.0, feet=(1, 2)),
    ]
    times = np.arange(np.floor(elapsed / CELL + 1e-9) * CELL + CELL, duration + 0.25, CELL) - elapsed
    effect = preview_swings(segments, times, 6, present, MOMENT)
    # Rows: foot 0 is where it is now, foot 2 its goal.
    feet = np.zeros((6, 2))
    feet[0], feet[2] = start, target[:2]
    foreseen = effect.gains @ feet + effect.offsets
    velocities = [foot.velocity[:2]]
    for k in range(round((times[-1] + CELL) / DT)):
        time = elapsed + k * DT
        foot = foot.advance(target, time, duration, DT) if time < duration else foot.freeze()
        velocities.append(foot.velocity[:2])
    for k, time in enumerate(times):
        begin, end = max(0.0, time - 0.5 * CELL), time + 0.5 * CELL
        mean = (velocities[round(end / DT)] - velocities[round(begin / DT)]) / (end - begin)
        assert foreseen[k] == pytest.approx(MOMENT * mean, abs=2.5e-3)  # [m] of 20: the last 60 ms are braked, not planned


def test_coming_swings_go_from_rest_to_rest(walking):
    segments = [
        Segment(phase=Phase.DOUBLE, duration=0.2, elapsed=0.0, feet=(0, 1)),
        Segment(phase=Phase.SINGLE, duration=walking.single_support, elapsed=0.0, feet=(1, 1)),
        Segment(phase=Phase.DOUBLE, duration=1.0, elapsed=0.0, feet=(1, 2)),
    ]
    times = np.arange(1, 13) * CELL
    effect = preview_swings(segments, times, 6, None, MOMENT)
    moved = np.flatnonzero(np.abs(effect.gains).max(axis=0))
    assert list(moved) == [0, 2]
    assert np.allclose(effect.gains[:, 0], -effect.gains[:, 2])
    # What the foot is given in speed is taken from it again, and nothing is left when it stands.
    assert effect.gains[:, 2].sum() == pytest.approx(0.0, abs=1e-12)
    assert effect.gains[:2, 2] == pytest.approx([0.0, effect.gains[1, 2]])
    assert np.all(effect.gains[10:] == 0.0)
    assert np.all(effect.offsets == 0.0)


def test_a_foot_that_has_touched_early_swings_no_more(walking):
    segments = [Segment(phase=Phase.SINGLE, duration=walking.single_support, elapsed=0.4, feet=(0, 1))]
    effect = preview_swings(segments, np.arange(1, 3) * CELL, 6, None, MOMENT)
    assert not effect.gains.any()


def test_a_standing_robot_swings_nothing():
    segments = [Segment(phase=Phase.STANDING, duration=np.inf, elapsed=0.0, feet=(0, 1))]
    effect = preview_swings(segments, np.arange(1, 21) * CELL, 6, None, MOMENT)
    assert not effect.gains.any()
    assert not effect.offsets.any()
