"""Stances that the benchmarks time: on both feet, and with a hand on a wall."""

from __future__ import annotations

import numpy as np

from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.phrases import compute_turn_to_face
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.contacts.switching import advance_switch, command_com_return, finish_switch, start_adding
from handhold.retarget.bracing.seiko.contact_switch import SwitchPhase
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver

AHEAD = 0.3
"""How far ahead of its standing place the hand braces [m]."""

REACHING = 3.0
"""Time the hand has for the way to the wall [s]."""

NORMAL = np.array([-1.0, 0.0, 0.0])
"""Outward normal of the wall."""


class NotBraced(AssertionError):
    """SEIKO did not get the hand loaded: the benchmark's own motion is at fault."""


def brace(model: RobotModel) -> Seiko:
    """Make SEIKO with the left hand in contact with a wall in front."""
    seiko, hand = make_seiko(model), model.effector_index("left_hand")
    poses = seiko.kinematics.poses.copy()
    turn = compute_turn_to_face(poses[hand], (-1.0, 0.0, 0.0))
    poses[hand, :3, 3] += (AHEAD, 0.0, 0.0)
    poses[hand, :3, :3] = turn @ poses[hand, :3, :3]
    targets = SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan))
    for _ in range(round(REACHING / PERIOD)):
        seiko.step(targets, PERIOD)
    switch = start_adding(seiko, hand, NORMAL)
    while not switch.over:
        step = seiko.step(command_com_return(seiko, switch, targets), PERIOD)
        switch = advance_switch(seiko, switch, step.active, PERIOD)
    finish_switch(seiko, switch)
    if switch.phase is not SwitchPhase.DONE:
        raise NotBraced(f"the hand's contact ended as {switch.phase}")
    return seiko


def make_seiko(model: RobotModel) -> Seiko:
    """Make SEIKO standing on all feet at the robot's standing posture."""
    standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
    stance = Stance.of_reference(model, standing)
    seiko = Seiko(model, stance, find_standing_posture(model), DaqpSolver())
    seiko.project_to_equilibrium()
    return seiko
