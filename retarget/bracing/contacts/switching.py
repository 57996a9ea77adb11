"""Contact switches carried out on SEIKO: the same steps for the robot's reference and for a preview."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from handhold.retarget.bracing.seiko.contact_switch import (
    DISABLED_WEIGHT,
    RETURN_RATE,
    UNLOADED_FORCE,
    ContactSwitch,
    SwitchKind,
    SwitchPhase,
    begin_adding,
    begin_removing,
    step_suspended_switch,
    step_switch,
)
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets

LOADED_RATIO = 0.8
"""Ratio of its nominal load at which a foot that was put down counts as loaded [-]."""

LOADING_FORCE_RATIO = 1.5
"""Target force of a hand that is added, as a ratio of its minimum force: else it would stay below [-]."""

RETURN_SPEED = 0.1
"""Speed with which the centre of mass goes back after a switch that failed [m/s]."""

RETURN_GAIN = 2.0
"""Rate at which it comes nearer to where it was, at the end [1/s]."""


def start_removing(seiko: Seiko, effector: int) -> ContactSwitch:
    """Begin to unload a contact."""
    seiko.terms.set_unloading(effector, unloading=True)
    return begin_removing(effector, _read_com(seiko))


def start_adding(seiko: Seiko, effector: int, normal: np.ndarray) -> ContactSwitch:
    """Add a contact where the effector is and begin to load it.

    Args:
        seiko: Its stance changes at once; the contact has no force yet.
        effector: Index of the effector.
        normal: Outward normal in world of the surface under a point contact, unit, shape ``(3,)``.
    """
    seiko.terms.weights[effector] = DISABLED_WEIGHT
    seiko.add_contact(effector, normal)
    return begin_adding(effector, _read_com(seiko))


def _read_com(seiko: Seiko) -> tuple[float, float, float]:
    x, y, z = seiko.kinematics.position_com_in_world.tolist()
    return x, y, z


def finish_switch(seiko: Seiko, switch: ContactSwitch) -> None:
    """Before the next step: drop the contact whose removing is done, or that was added in vain.

    One added in vain that is loaded all the same stays: without it the robot would not stand in equilibrium.
    """
    removed = switch.phase is SwitchPhase.DONE and switch.kind is SwitchKind.REMOVE
    in_vain = switch.phase is SwitchPhase.FAILED and switch.kind is SwitchKind.ADD
    if removed or (in_vain and seiko.compute_force(switch.effector) < UNLOADED_FORCE):
        seiko.remove_contact(switch.effector)
    else:
        abandon_switch(seiko, switch)


def abandon_switch(seiko: Seiko, switch: ContactSwitch) -> None:
    """Load the contact of an abandoned switch like any other; its weight returns by itself."""
    if seiko.terms.unloading[switch.effector]:
        seiko.terms.set_unloading(switch.effector, unloading=False)


def is_redundant(seiko: Seiko, effector: int, dt: float) -> bool:
    """Whether the other contacts could take over the desired load of a contact at once."""
    fork = seiko.fork()
    fork.remove_contact(effector)
    step = fork.step(SeikoTargets(effector_poses=fork.kinematics.poses.copy(), velocity_com_in_world=np.zeros(3)), dt)
    return step.solved and not step.relaxed


def command_forces(seiko: Seiko, forces: Mapping[int, float], switch: ContactSwitch | None, dt: float) -> None:
    """Before a step: command the normal forces that are asked of contacts, and let those asked of them before fade.

    Args:
        seiko: Before its step.
        forces: Normal forces asked of contacts, by effector [N]; the contact that is switched is not asked.
        switch: The switch under way, which commands the load of a contact that is added; None where there is none.
        dt: Length of the step [s].
    """
    for effector in seiko.stance.effectors:
        if switch is None or effector != switch.effector:
            seiko.terms.command_force(effector, forces.get(effector), dt)
        elif switch.kind is SwitchKind.REMOVE or switch.is_unloading:
            seiko.terms.command_force(effector, None, dt)


def restore_weights(seiko: Seiko, switch: ContactSwitch | None, dt: float) -> None:
    """Before a step: restore the weights of contacts whose switch was abandoned half-way."""
    for effector in seiko.stance.effectors:
        weight = seiko.terms.weights[effector]
        if weight > 1.0 and (switch is None or effector != switch.effector):
            seiko.terms.weights[effector] = max(1.0, weight * math.exp(-RETURN_RATE * dt))


def command_com_return(seiko: Seiko, switch: ContactSwitch | None, targets: SeikoTargets) -> SeikoTargets:
    """Before a step: command the centre of mass back for a switch that goes back; else return the targets unchanged.

    Without it the robot would stay leaning as it did when the switch failed: nothing in SEIKO's cost knows where it stood.
    """
    if switch is None or switch.phase is not SwitchPhase.GOING_BACK:
        return targets
    velocity = RETURN_GAIN * _compute_com_error(seiko, switch)
    speed = float(np.linalg.norm(velocity))
    return replace(targets, velocity_com_in_world=velocity * min(1.0, RETURN_SPEED / max(speed, RETURN_SPEED)))


def _compute_com_error(seiko: Seiko, switch: ContactSwitch) -> np.ndarray:
    return np.array(switch.start_com) - seiko.kinematics.position_com_in_world


def advance_switch(seiko: Seiko, switch: ContactSwitch, active: tuple[str, ...], dt: float) -> ContactSwitch:
    """After a step: move the switch on and set the weight of its contact for the next one.

    Args:
        seiko: After its step.
        switch: The switch before it.
        active: Names of the constraints that held the step back.
        dt: Length of the step [s].
    """
    min_force, nominal_load = seiko.compute_min_force(switch.effector), seiko.compute_nominal_load(switch.effector)
    target_force, sufficient_force = (
        (nominal_load, LOADED_RATIO * nominal_load) if nominal_load > 0.0 else (LOADING_FORCE_RATIO * min_force, min_force)
    )
    if switch.kind is SwitchKind.ADD and not switch.is_unloading and target_force > 0.0:
        seiko.terms.command_force(switch.effector, target_force, dt)
    # One that passes by, or still moves away, is not back yet.
    stopping_distance = float(np.linalg.norm(seiko.velocity_com)) / seiko.pendulum_frequency
    com_distance = float(np.linalg.norm(_compute_com_error(seiko, switch))) + stopping_distance
    force = seiko.compute_force(switch.effector)
    needed = switch.kind is SwitchKind.REMOVE and force < UNLOADED_FORCE and not seiko.transfer_support(switch.effector)
    switch = step_switch(
        switch,
        force,
        active,
        dt,
        min_force=min_force,
        sufficient_force=sufficient_force,
        com_distance=com_distance,
        needed=needed,
    )
    seiko.terms.weights[switch.effector] = switch.weight
    if bool(seiko.terms.unloading[switch.effector]) is not switch.is_unloading:
        seiko.terms.set_unloading(switch.effector, unloading=switch.is_unloading)
    return switch


def hold_switch(seiko: Seiko, switch: ContactSwitch, dt: float) -> ContactSwitch:
    """After a step that something else asked for: let a suspended switch wait, and set the weight of its contact."""
    switch = step_suspended_switch(switch, dt)
    seiko.terms.weights[switch.effector] = switch.weight
    return switch
