"""Contact switches carried out on SEIKO: the same steps for the robot's reference and for a look ahead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.retarget.bracing.contact_switch import (
    DISABLED_WEIGHT,
    ContactSwitch,
    SwitchKind,
    SwitchPhase,
    begin_adding,
    begin_removing,
    step_switch,
)
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets

WELL_LOADED = 0.8
"""Part of its share of the robot's weight at which a foot that was put down is loaded [-]."""

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
    """Before the next step: drop the contact whose removing is done."""
    if switch.phase is SwitchPhase.DONE and switch.kind is SwitchKind.REMOVE:
        seiko.remove_contact(switch.effector)


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
    share = seiko.compute_share(switch.effector)
    if switch.kind is SwitchKind.ADD and share > 0.0:
        seiko.terms.command_force(switch.effector, share, dt)
    enough = WELL_LOADED * share
    # One that passes by, or still moves away, is not back yet.
    way_on = float(np.linalg.norm(seiko.velocity_com)) / seiko.pendulum_frequency
    away = float(np.linalg.norm(_compute_way_back(seiko, switch))) + way_on
    switch = step_switch(switch, seiko.compute_force(switch.effector), active, dt, enough=enough, away=away)
    seiko.terms.weights[switch.effector] = switch.weight
    removing = switch.kind is SwitchKind.REMOVE and switch.phase in (SwitchPhase.UNDER_WAY, SwitchPhase.DONE)
    if bool(seiko.terms.leaving[switch.effector]) is not removing:
        seiko.terms.leave(switch.effector, leaving=removing)
    return switch
