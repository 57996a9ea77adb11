"""SEIKO standing, for the tests of bracing."""

import numpy as np

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.bracing.contacts.switching import advance_switch, command_com_return, finish_switch, start_adding
from handhold.retarget.bracing.seiko.contact_switch import SwitchPhase
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.contact import Stance
from handhold.robots.qp import DaqpSolver

DT = 2e-3  # [s] of a step as the mode takes it
MAX_DURATION = 14.0  # [s] of a contact switch: transition, patience and the way back
NOT_COMMANDED = np.full(3, np.nan)


def stand(model, effectors=None, **settings):
    """SEIKO in equilibrium on the feet, or on other effectors where they are in the standing posture."""
    if effectors is None:
        effectors = [i for i, effector in enumerate(model.effectors) if effector.standing]
    stance = Stance.of_reference(model, effectors)
    seiko = Seiko(model, stance, find_standing_posture(model), DaqpSolver(), **settings)
    seiko.project_to_equilibrium()
    return seiko


def stand_astride(talos, angle=0.4):
    """SEIKO on a Talos whose legs are spread by an angle [rad] at both hips: neither foot can go."""
    q = talos.q_nominal.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        q[7 + talos.joint_names.index(f"leg_{side}_2_joint")] += sign * angle
        q[7 + talos.joint_names.index(f"leg_{side}_6_joint")] -= sign * angle
    q[2] -= talos.effector_poses(q)[0, 2, 3]
    seiko = Seiko(talos, Stance.of_reference(talos, (0, 1)), q, DaqpSolver())
    seiko.project_to_equilibrium()
    return seiko


def ask(seiko, hand=None, offset=(0.0, 0.0, 0.0), *, velocity_com=NOT_COMMANDED, start=None):
    """Targets with one effector moved from its start, the others left."""
    poses = (seiko.kinematics.poses if start is None else start).copy()
    if hand is not None:
        poses[hand, :3, 3] += offset
    return SeikoTargets(effector_poses=poses, velocity_com_in_world=np.asarray(velocity_com, dtype=float))


def choose_hand(model):
    return next(e for e, about in enumerate(model.effectors) if about.hand is not None)


def run_switch(seiko, switch, targets, *, duration=MAX_DURATION, check=lambda: None):
    """Step until the switch is over or time is; returns it."""
    for _ in range(round(duration / DT)):
        step = seiko.step(command_com_return(seiko, switch, targets), DT)
        assert step.solved
        check()
        switch = advance_switch(seiko, switch, step.active, DT)
        if switch.over:
            finish_switch(seiko, switch)
            break
    return switch


def brace(seiko, hand, normal):
    """Load a hand where it is; returns targets that leave everything where it is."""
    switch = run_switch(seiko, start_adding(seiko, hand, normal), ask(seiko))
    assert switch.phase is SwitchPhase.DONE
    return ask(seiko)


def take_steps(seiko, targets, duration, check=lambda: None):
    for _ in range(round(duration / DT)):
        assert seiko.step(targets, DT).solved
        check()
