"""Every shipped motion begun with feet that stand elsewhere: nothing of its reference jumps, and feet that bear stay."""

import numpy as np
import pinocchio as pin
import pytest
from motions import HUMANOIDS

from handhold.retarget.motions.chart import BodyState, compute_body_state
from handhold.retarget.motions.leg_placement import FootTarget, LegPlacement
from handhold.retarget.motions.loading import load_known_motions
from handhold.retarget.motions.path import find_max_foot_offset
from handhold.retarget.motions.performer import Performer
from handhold.robots.robot import RobotState

DT = 1e-2
MAX_FOOT_ERROR = 2.5e-3  # [m] of a foot that bears, where its leg is straight
MAX_ACCELERATION = 3.0  # [m/s^2] of the centre of mass: the shipped ones have up to 1.3
MAX_SPEED_RATIO = 1.2  # of a joint to its limit: iCub's knee has 0.95 as planned

# Directions of the left and the right foot along x and y.
STANCES = {
    "as planned": ((0.0, 0.0), (0.0, 0.0)),
    "apart": ((0.0, 1.0), (0.0, -1.0)),
    "together": ((0.0, -1.0), (0.0, 1.0)),
    "left ahead": ((1.0, 0.0), (-1.0, 0.0)),
}


def displace_feet(model, q, stance):
    """Return a configuration with its first two effectors displaced, and all else as it is."""
    zero, poses, targets = np.zeros(model.nv), model.effector_poses(q), {}
    for foot, displacement in enumerate(stance):
        poses[foot, :2, 3] += displacement
        targets[foot] = FootTarget(pose=poses[foot], velocity=np.zeros(6), acceleration=np.zeros(6))
    return LegPlacement(model).place(BodyState(q=q, v=zero, a=zero), targets).q


def play(model, checked, start, *, error=(0.0, 0.0)):
    """Play a motion on a robot that does all it asks, but stands beside its reference by an error; return the references."""
    performer, time, references = Performer(model), 0.0, []
    wrenches = np.zeros((len(model.effectors), 6))

    def measure(q):
        q = q.copy()
        q[:2] += error
        return RobotState(time=time, q=q, v=np.zeros(model.nv), joint_torques=np.zeros(model.n), contact_wrenches=wrenches)

    reference = performer.enter(measure(start), start)
    performer.start(checked, measure(start))
    while not performer.player.finished:
        time += DT
        # Feet are felt where the motion has them bear.
        supporting = checked.motion.list_supporting(max(performer.player.path_time, 0.0))
        wrenches = np.zeros((len(model.effectors), 6))
        wrenches[[effector.name in supporting for effector in model.effectors], 2] = 100.0
        reference = performer.step(measure(reference.q), DT)
        references.append(reference)
    return references


@pytest.mark.parametrize("stance", STANCES)
@pytest.mark.parametrize("robot", HUMANOIDS)
def test_no_motion_jumps_wherever_its_feet_stood(humanoids, robot, stance):
    model = humanoids[robot]
    for checked in load_known_motions(model)[0]:
        first = compute_body_state(checked.motion.sample(0.0), pin.SE3.Identity()).q
        displaced = displace_feet(model, first, 0.9 * find_max_foot_offset(checked) * np.array(STANCES[stance]))
        played = play(model, checked, displaced)
        q, com = (np.array([getattr(each, name) for each in played]) for name in ("q", "position_com_in_world"))
        speeds = np.abs(np.diff(q[:, 7:], axis=0)).max(axis=0) / DT
        assert (speeds / model.velocity_limits).max() < MAX_SPEED_RATIO, checked.motion.name
        assert np.abs(np.diff(com, n=2, axis=0)).max() < DT**2 * MAX_ACCELERATION, checked.motion.name
        for reference in played[::5]:
            bears = np.flatnonzero(reference.contacts[:2])
            off = model.effector_poses(reference.q)[bears, :3, 3] - reference.effector_poses[bears, :3, 3]
            assert np.abs(off).max(initial=0.0) < MAX_FOOT_ERROR, checked.motion.name


@pytest.mark.parametrize("error", [(0.01, 0.0), (0.0, -0.01)])
def test_the_body_comes_over_where_feet_are_measured(humanoids, error):
    model = humanoids["g1"]
    checked = next(each for each in load_known_motions(model)[0] if each.motion.name == "squat")
    first = compute_body_state(checked.motion.sample(0.0), pin.SE3.Identity()).q
    reference = play(model, checked, first, error=error)[-1]
    feet = reference.effector_poses[:2, :2, 3].mean(axis=0)
    planned = model.effector_poses(first)[:2, :2, 3].mean(axis=0)
    assert feet == pytest.approx(planned + error, abs=1e-6)
    com = np.array(pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), first))[:2]
    assert reference.position_com_in_world[:2] - feet == pytest.approx(com - planned, abs=2e-3)
