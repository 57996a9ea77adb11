"""A mode that begins radians from where the robot stands leads it there, and is not drawn back by where it is measured."""

from dataclasses import replace

import numpy as np

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.blend import BLENDING, Blend
from handhold.retarget.bracing.entry_lead import EntryLead
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

DT = 1e-3
MAX_JUMP = 5e-3  # [rad] a millisecond
FAR = 0.9  # [rad] more than a measured joint may be off before it counts as pushed away
STRETCHED = {"arm_left_2_joint": 1.3, "arm_left_4_joint": -0.1, "arm_right_2_joint": -1.3, "arm_right_4_joint": -0.1}
AWAY = np.full((4, 4), np.nan)


def stretch_arms(model):
    """Return a posture whose shoulders carry more than the reference may."""
    q = find_standing_posture(model)
    for joint, angle in STRETCHED.items():
        q[7 + model.joint_names.index(joint)] = angle
    return q


def test_what_is_left_of_the_way_begins_with_all_of_it_and_ends_with_nothing():
    first = np.array([0.1, -0.8, 0.0])
    lead = EntryLead(first, np.array([0.02, 0.0, 0.0]))
    np.testing.assert_array_equal(lead.joints, first)
    np.testing.assert_array_equal(lead.com, [0.02, 0.0, 0.0])
    before = np.abs(lead.joints)
    for _ in range(round(2.0 * BLENDING / DT)):
        lead.advance(DT)
        assert (np.abs(lead.joints) <= before).all()
        before = np.abs(lead.joints)
    assert 0.1 < before[1] < 0.8  # a larger difference takes longer
    for _ in range(round(2.0 / DT)):
        lead.advance(DT)
    np.testing.assert_allclose([lead.joints, lead.com], 0.0, atol=1e-12)


def test_a_mode_that_begins_far_from_the_robot_leads_it_there_without_a_jump(talos):
    q = stretch_arms(talos)
    wrenches = np.zeros((len(talos.effectors), 6))
    state = RobotState(time=0.0, q=q, v=np.zeros(talos.nv), joint_torques=np.zeros(talos.n), contact_wrenches=wrenches)
    mode = BracingMode(talos, DaqpSolver())
    first = mode.enter(state)
    assert np.abs(first.reference.q[7:] - q[7:]).max() > FAR
    before = replace(first.reference, q=q, effector_poses=talos.effector_poses(q))
    blend, shown = Blend(before, first.reference), before
    command = OperatorCommand.of_hands(left=HandCommand.released(AWAY), right=HandCommand.released(AWAY))
    for tick in range(round(blend.duration / DT) + 100):
        # The robot is where it is led, as far as it is measured, and nothing is commanded.
        state = replace(state, time=tick * DT, q=shown.q, contact_wrenches=shown.contact_wrenches)
        output = mode.update(command, state, (), DT, hold=True)
        blend.advance(DT)
        joints, shown = shown.q[7:], blend.apply(output.reference)
        assert np.abs(shown.q[7:] - joints).max() < MAX_JUMP
        assert not any("pushes" in message for message in output.status.messages)
    assert output.status.failures == 0
    assert blend.over
