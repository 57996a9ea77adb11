"""Legs reach where feet stand, with the velocities and accelerations that belong to it, and nothing else moves."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.motions.body import MovingBody
from handhold.retarget.motions.chart import BodyState, ChartState, compute_body_state, compute_coordinates
from handhold.retarget.motions.leg_placement import FootTarget, LegPlacement
from handhold.retarget.motions.stance_tracking import measure_offset, shift_pose

STEP = 1e-3  # [s] of the finite differences, whose errors go with its square
DISPLACEMENT = np.array([0.01, -0.02, 0.005, 0.02, -0.03, 0.08])  # [m, rad] of the left foot


def squat(model, time: float) -> BodyState:
    """Return a squat under way, that turns and leans: by cubes, so that nothing is at rest."""
    x = compute_coordinates(model.q_nominal, pin.SE3.Identity())
    rate = np.zeros(model.nv)
    rate[[0, 2, 4]] = 0.05, -0.1, 0.2
    rate[6:] = 0.1 * np.sin(np.arange(model.n))
    s = time + time**2 + time**3
    state = ChartState(x=x + s * rate, rate=(1.0 + 2.0 * time + 3.0 * time**2) * rate, acceleration=(2.0 + 6.0 * time) * rate)
    return compute_body_state(state, pin.SE3.Identity())


def stand_still(pose: np.ndarray) -> FootTarget:
    return FootTarget(pose=pose, velocity=np.zeros(6), acceleration=np.zeros(6))


@pytest.mark.parametrize("robot", ["talos", "g1", "icub"])
def test_feet_stand_where_they_are_while_the_body_goes_on(humanoids, robot):
    model = humanoids[robot]
    left, right = [k for k, effector in enumerate(model.effectors) if effector.is_foot]
    begun = model.effector_poses(model.q_nominal)
    targets = {left: stand_still(shift_pose(begun[left], DISPLACEMENT)), right: stand_still(begun[right])}
    legs, body = LegPlacement(model), MovingBody(model)
    before, state, after = (legs.place(squat(model, time), targets) for time in (0.1 - STEP, 0.1, 0.1 + STEP))
    body.update(state)
    for foot in (left, right):
        assert np.abs(measure_offset(body.poses[foot], targets[foot].pose)).max() < 1e-8
        assert np.abs(body.velocities[foot]).max() < 1e-6
        assert np.abs(body.accelerations[foot]).max() < 1e-5
    difference = (after.q[7:] - before.q[7:]) / (2.0 * STEP)
    assert difference == pytest.approx(state.v[6:], abs=1e-4)
    assert (after.v - before.v) / (2.0 * STEP) == pytest.approx(state.a, abs=1e-3)


def test_a_swing_is_followed_and_the_rest_of_the_body_keeps_to_the_motion(talos):
    velocity, acceleration = np.array([0.1, 0.05, 0.3, 0.1, -0.2, 0.05]), np.array([1.0, -0.5, 2.0, 0.3, 0.2, -0.1])
    begun = talos.effector_poses(talos.q_nominal)
    pose = shift_pose(begun[0], np.array([0.02, 0.01, 0.05, 0.0, 0.1, 0.0]))
    motion, body = squat(talos, 0.1), MovingBody(talos)
    state = LegPlacement(talos).place(motion, {0: FootTarget(pose=pose, velocity=velocity, acceleration=acceleration)})
    body.update(state)
    assert body.velocities[0] == pytest.approx(velocity, abs=1e-6)
    assert body.accelerations[0] == pytest.approx(acceleration, abs=1e-5)
    moved = np.flatnonzero(np.abs(state.q[7:] - motion.q[7:]) > 0.0)
    assert {talos.joint_names[joint].split("_")[1] for joint in moved} == {"left"}
    assert state.q[:7] == pytest.approx(motion.q[:7])


def test_a_motion_that_is_met_is_left_as_it_is(talos):
    motion, body = squat(talos, 0.1), MovingBody(talos)
    body.update(motion)
    target = FootTarget(pose=body.poses[0], velocity=body.velocities[0], acceleration=body.accelerations[0])
    state = LegPlacement(talos).place(motion, {0: target})
    assert state.q == pytest.approx(motion.q, abs=1e-12)
    assert state.v == pytest.approx(motion.v, abs=1e-6)
    assert state.a == pytest.approx(motion.a, abs=1e-5)


def test_what_a_leg_does_not_reach_moves_its_joints_a_little_and_then_no_more(humanoids):
    """The leg is straight; without damping its joints went by radians, and on and on."""
    model = humanoids["g1"]
    q = model.q_nominal.copy()
    for joint in ("hip_pitch", "knee", "ankle_pitch"):
        q[7 + model.joint_names.index(f"left_{joint}_joint")] = 0.0
    motion = BodyState(q=q, v=np.zeros(model.nv), a=np.zeros(model.nv))
    legs, target = LegPlacement(model), stand_still(shift_pose(model.effector_poses(q)[0], np.array([0, 0, -2e-3, 0, 0, 0])))
    states = [legs.place(motion, {0: target}) for _ in range(50)]
    assert np.abs(states[0].q - q).max() < 0.06
    assert np.abs(states[-1].q - states[-2].q).max() < 1e-6
    assert np.all(states[-1].q[7:] >= model.lower - 1e-12)
