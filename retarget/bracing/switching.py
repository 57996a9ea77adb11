"""Contact switches carried out on SEIKO: the same steps for the robot's reference and for a look ahead."""

from __future__ import annotations

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

WELL_LOADED = 0.8
"""Part of its share of the robot's weight at which a foot that was put down is loaded [-]."""


def start_removing(seiko: Seiko, effector: int) -> ContactSwitch:
    """Begin to take the load off a contact."""
    seiko.terms.leave(effector, leaving=True)
    return begin_removing(effector)


def start_adding(seiko: Seiko, effector: int, normal: np.ndarray) -> ContactSwitch:
    """Make a contact where the effector is and let it begin to bear.

    Args:
        seiko: Its stance changes at once; the contact has no force yet.
        effector: Place of the effector.
        normal: Outward normal in world of the surface under a point contact, unit, shape ``(3,)``.
    """
    seiko.terms.weights[effector] = DISABLED_WEIGHT
    seiko.add_contact(effector, normal)
    return begin_adding(effector)


def finish_switch(seiko: Seiko, switch: ContactSwitch) -> None:
    """Before the next step: drop the contact whose removing is done."""
    if switch.phase is SwitchPhase.DONE and switch.kind is SwitchKind.REMOVE:
        seiko.remove_contact(switch.effector)


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
    switch = step_switch(switch, seiko.compute_force(switch.effector), active, dt, enough=enough)
    seiko.terms.weights[switch.effector] = switch.weight
    removing = switch.kind is SwitchKind.REMOVE and switch.phase in (SwitchPhase.UNDER_WAY, SwitchPhase.DONE)
    if bool(seiko.terms.leaving[switch.effector]) is not removing:
        seiko.terms.leave(switch.effector, leaving=removing)
    return switch
