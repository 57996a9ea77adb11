"""Contact switches carried out on SEIKO: the same steps for the robot's reference and for a look ahead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from handhold.retarget.bracing.contact_switch import (
    DISABLED_WEIGHT,
    GONE,
    RETURN_RATE,
    ContactSwitch,
    SwitchKind,
    SwitchPhase,
    begin_adding,
    begin_removing,
    rest_switch,
    step_switch,
)
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets

WELL_LOADED = 0.8
"""Part of its share of the robot's weight at which a foot that was put down is loaded [-]."""

LEAST_WANTED = 1.5
"""What a hand that is added is asked to press with, in parts of its least force: else it would stay below [-]."""

SPEED_BACK = 0.1
"""Speed with which the centre of mass goes back after a switch that failed [m/s]."""

RATE_BACK = 2.0
"""Rate at which it comes nearer to where it was, at the end [1/s]."""


def start_removing(seiko: Seiko, effector: int) -> ContactSwitch:
    """Begin to take the load off a contact."""
    seiko.terms.leave(effector, leaving=True)
    return begin_removing(effector, _take_com(seiko))


def start_adding(seiko: Seiko, effector: int, normal: np.ndarray) -> ContactSwitch:
    """Make a contact where the effector is and let it begin to bear.

    Args:
        seiko: Its stance changes at once; the contact has no force yet.
        effector: Place of the effector.
        normal: Outward normal in world of the surface under a point contact, unit, shape ``(3,)``.
    """
    seiko.terms.weights[effector] = DISABLED_WEIGHT
    seiko.add_contact(effector, normal)
    return begin_adding(effector, _take_com(seiko))


def _take_com(seiko: Seiko) -> tuple[float, float, float]:
    x, y, z = seiko.kinematics.position_com_in_world.tolist()
    return x, y, z


def finish_switch(seiko: Seiko, switch: ContactSwitch) -> None:
    """Before the next step: drop the contact whose removing is done, or that was added in vain.

    One added in vain that bears all the same stays: without it the robot would not stand in equilibrium.
    """
    removed = switch.phase is SwitchPhase.DONE and switch.kind is SwitchKind.REMOVE
    in_vain = switch.phase is SwitchPhase.FAILED and switch.kind is SwitchKind.ADD
    if removed or (in_vain and seiko.compute_force(switch.effector) < GONE):
        seiko.remove_contact(switch.effector)
    else:
        abandon_switch(seiko, switch)


def abandon_switch(seiko: Seiko, switch: ContactSwitch) -> None:
    """Let the contact of a switch that goes no further bear like any other; its weight returns by itself."""
    if seiko.terms.leaving[switch.effector]:
        seiko.terms.leave(switch.effector, leaving=False)


def can_do_without(seiko: Seiko, effector: int, dt: float) -> bool:
    """Whether the other contacts could take over at once what a contact is wanted to bear."""
    fork = seiko.fork()
    fork.remove_contact(effector)
    step = fork.step(SeikoTargets(effector_poses=fork.kinematics.poses.copy(), velocity_com_in_world=np.zeros(3)), dt)
    return step.solved and not step.relaxed


def follow_forces(seiko: Seiko, forces: Mapping[int, float], switch: ContactSwitch | None, dt: float) -> None:
    """Before a step: command the normal forces that are asked of contacts, and let those asked of them before fade.

    Args:
        seiko: Before its step.
        forces: Normal forces asked of contacts, by effector [N]; the contact that is switched is not asked.
        switch: The switch under way, which commands what a contact that is added is to bear; None where there is none.
        dt: Length of the step [s].
    """
    for effector in seiko.stance.effectors:
        if switch is None or effector != switch.effector:
            seiko.terms.command_force(effector, forces.get(effector), dt)
        elif switch.kind is SwitchKind.REMOVE or switch.unloads:
            seiko.terms.command_force(effector, None, dt)


def let_weights_return(seiko: Seiko, switch: ContactSwitch | None, dt: float) -> None:
    """Before a step: let the weights of contacts that were left half-way, and that no switch holds now, go back."""
    for effector in seiko.stance.effectors:
        weight = seiko.terms.weights[effector]
        if weight > 1.0 and (switch is None or effector != switch.effector):
            seiko.terms.weights[effector] = max(1.0, weight * math.exp(-RETURN_RATE * dt))


def guide_back(seiko: Seiko, switch: ContactSwitch | None, targets: SeikoTargets) -> SeikoTargets:
    """Before a step: let a switch that goes back take the centre of mass to where it was; else return the targets as they are.

    Without it the robot would stay leaning as it did when the switch failed: nothing in SEIKO's cost knows where it stood.
    """
    if switch is None or switch.phase is not SwitchPhase.GOING_BACK:
        return targets
    velocity = RATE_BACK * _compute_way_back(seiko, switch)
    speed = float(np.linalg.norm(velocity))
    return replace(targets, velocity_com_in_world=velocity * min(1.0, SPEED_BACK / max(speed, SPEED_BACK)))


def _compute_way_back(seiko: Seiko, switch: ContactSwitch) -> np.ndarray:
    return np.array(switch.start_com) - seiko.kinematics.position_com_in_world


def advance_switch(seiko: Seiko, switch: ContactSwitch, active: tuple[str, ...], dt: float) -> ContactSwitch:
    """After a step: move the switch on and set the weight of its contact for the next one.

    Args:
        seiko: After its step.
        switch: The switch before it.
        active: Names of the constraints that held the step back.
        dt: Length of the step [s].
    """
    least, share = seiko.compute_least_force(switch.effector), seiko.compute_share(switch.effector)
    wanted, enough = (share, WELL_LOADED * share) if share > 0.0 else (LEAST_WANTED * least, least)
    if switch.kind is SwitchKind.ADD and not switch.unloads and wanted > 0.0:
        seiko.terms.command_force(switch.effector, wanted, dt)
    # One that passes by, or still moves away, is not back yet.
    way_on = float(np.linalg.norm(seiko.velocity_com)) / seiko.pendulum_frequency
    away = float(np.linalg.norm(_compute_way_back(seiko, switch))) + way_on
    force = seiko.compute_force(switch.effector)
    needed = switch.kind is SwitchKind.REMOVE and force < GONE and not seiko.let_others_hold(switch.effector)
    switch = step_switch(switch, force, active, dt, least=least, enough=enough, away=away, needed=needed)
    seiko.terms.weights[switch.effector] = switch.weight
    if bool(seiko.terms.leaving[switch.effector]) is not switch.unloads:
        seiko.terms.leave(switch.effector, leaving=switch.unloads)
    return switch


def wait_with_switch(seiko: Seiko, switch: ContactSwitch, dt: float) -> ContactSwitch:
    """After a step that something else asked for: let a suspended switch wait, and set the weight of its contact."""
    switch = rest_switch(switch, dt)
    seiko.terms.weights[switch.effector] = switch.weight
    return switch
