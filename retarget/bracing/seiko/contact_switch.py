r"""Adding and removing a contact smoothly: Algorithm 1 of [Rouxel2022]_ as a pure, stepped state machine.

The weight of the contact's wrench in SEIKO's cost goes through a transition

.. math::

    w_{k+1} = \alpha^{\pm dt / 1\,\mathrm{ms}} \, w_k, \qquad w \in [w^{enabled}, w^{disabled}]

that drives posture and forces towards the remaining contacts (removing) or lets them spread over a new one (adding). A
contact whose force has come down to nothing is removed, if the others hold the robot then; one that is still needed when its
time is over stays: its weight goes back, and with it the centre of mass. One that was added and does not reach its
minimum force goes the same way: its weight goes back to what it was without a load, and with it the centre of mass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

DISABLED_WEIGHT = 1e5
"""Weight of a wrench that is to vanish, in multiples of an enabled contact's (Table I: 1 over 1e-5) [-]."""

TRANSITION_RATE = 4.9875
"""Rate at which the weight grows [1/s]: the logarithm of Table I's 1.005 a millisecond."""

RETURN_RATE = 10.0
"""Rate at which the weight of a contact that could not be switched goes back [1/s]."""

UNLOADED_FORCE = 0.2
"""Force under which a contact may be removed [N]; at 3 N the jump made SEIKO infeasible for good (measured)."""

BALANCE = "balance"
"""Name of the constraint that keeps the robot balanced, and that stands in the way of removing a contact it needs."""

RETURN_TOLERANCE = 0.01
"""Distance of the centre of mass from where it was at which it has gone back [m]."""

MAX_RETURN_TIME = 6.0
"""How long it may take to go back, once the weight has [s]."""

SWITCH_TIMEOUT = 4.0
"""How long a contact may stay loaded at its full weight before removing it has failed, and how long an added one may take to
reach its target force [s]: by then it must reach its minimum force at least."""


class SwitchKind(Enum):
    """What is to become of a contact."""

    ADD = "add"
    REMOVE = "remove"


class SwitchPhase(Enum):
    """How far a switch has come.

    ``UNDER_WAY``: the weight changes, or the last of the force is waited for. ``GOING_BACK``: it failed, or removing was
    called off, and the weight goes back. ``DONE``, ``FAILED``: over.
    """

    UNDER_WAY = "under way"
    GOING_BACK = "going back"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactSwitch:
    """One switch of one contact.

    Attributes:
        effector: Index of the effector.
        kind: What is to become of its contact.
        phase: How far it has come.
        weight: Weight of the contact's wrench, in multiples of an enabled contact's [-].
        start_com: Centre of mass in world when it began [m].
        waited: How long the weight has been what it is to become [s].
        obstacles: Names of the constraints that stood in the way when it failed.
        cancelled: Whether the operator cancelled it.
    """

    effector: int
    kind: SwitchKind
    phase: SwitchPhase
    weight: float
    start_com: tuple[float, float, float]
    waited: float = 0.0
    obstacles: tuple[str, ...] = ()
    cancelled: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.phase in (SwitchPhase.DONE, SwitchPhase.FAILED)

    @property
    def is_unloading(self) -> bool:
        """Whether the contact is being unloaded: it is being removed, or was added in vain."""
        back = self.phase in (SwitchPhase.GOING_BACK, SwitchPhase.FAILED)
        return (self.kind is SwitchKind.ADD) is back


def begin_removing(effector: int, start_com: tuple[float, float, float]) -> ContactSwitch:
    """Begin to unload a contact, with the centre of mass where it is now [m]."""
    return ContactSwitch(
        effector=effector, kind=SwitchKind.REMOVE, phase=SwitchPhase.UNDER_WAY, weight=1.0, start_com=start_com
    )


def begin_adding(effector: int, start_com: tuple[float, float, float]) -> ContactSwitch:
    """Begin to load a contact that was just added, with the centre of mass where it is now [m]."""
    return ContactSwitch(
        effector=effector,
        kind=SwitchKind.ADD,
        phase=SwitchPhase.UNDER_WAY,
        weight=DISABLED_WEIGHT,
        start_com=start_com,
    )


def cancel_switch(switch: ContactSwitch) -> ContactSwitch:
    """Cancel a switch half-way: what was being removed stays, what was being added is removed again."""
    if switch.phase is not SwitchPhase.UNDER_WAY:
        return switch
    if switch.kind is SwitchKind.ADD:
        return replace(switch, kind=SwitchKind.REMOVE, waited=0.0, cancelled=True)
    return replace(switch, phase=SwitchPhase.GOING_BACK, waited=0.0, cancelled=True)


def suspend(switch: ContactSwitch) -> ContactSwitch:
    """Stop a switch where it is: half-way it may go on later; one that goes back has nothing to wait for and is over."""
    if switch.phase is not SwitchPhase.GOING_BACK:
        return switch
    return replace(switch, phase=SwitchPhase.FAILED)


def step_suspended_switch(switch: ContactSwitch, dt: float) -> ContactSwitch:
    """Let a suspended switch wait for a step of SEIKO: a contact that was to be removed is loaded like any other."""
    if switch.kind is SwitchKind.ADD:
        return switch
    return _fade(switch, RETURN_RATE, dt, then=switch.phase)


def step_switch(
    switch: ContactSwitch,
    force: float,
    active: tuple[str, ...],
    dt: float,
    *,
    min_force: float = 0.0,
    sufficient_force: float = 0.0,
    com_distance: float = 0.0,
    needed: bool = False,
) -> ContactSwitch:
    """Advance a switch by one step of SEIKO.

    Args:
        switch: The switch so far.
        force: Norm of the reference's force at the contact after the step [N].
        active: Names of the constraints that held the reference back in the step.
        dt: Length of the step [s].
        min_force: Minimum force of an added contact when its time is over [N].
        sufficient_force: Force at which an added contact counts as loaded, and is not waited for any longer [N].
        needed: Whether the others would not hold the robot without an unloaded contact.
        com_distance: Distance of the centre of mass from where it was at the beginning, and how far it goes on by itself [m].

    Returns:
        The switch after the step; ``DONE`` tells the caller to drop a contact that was to be removed, ``FAILED`` one that was
        added in vain.
    """
    if switch.over:
        return switch
    if switch.phase is SwitchPhase.GOING_BACK:
        return _go_back(switch, force, com_distance, dt)
    if switch.kind is SwitchKind.ADD:
        return _add(switch, force, (min_force, sufficient_force), active, dt)
    return _remove(switch, force, (BALANCE, *active) if needed else active, dt, needed=needed)


def _go_back(switch: ContactSwitch, force: float, com_distance: float, dt: float) -> ContactSwitch:
    adding = switch.kind is SwitchKind.ADD
    if adding and switch.weight < DISABLED_WEIGHT:
        return replace(switch, weight=_grow(switch, RETURN_RATE, dt))
    if not adding and switch.weight > 1.0:
        return _fade(switch, RETURN_RATE, dt, then=SwitchPhase.GOING_BACK)
    waited = switch.waited + dt
    is_back = com_distance < RETURN_TOLERANCE and not (adding and force >= UNLOADED_FORCE)
    over = is_back or waited >= MAX_RETURN_TIME
    return replace(switch, waited=waited, phase=SwitchPhase.FAILED if over else switch.phase)


def _grow(switch: ContactSwitch, rate: float, dt: float) -> float:
    return min(DISABLED_WEIGHT, switch.weight * math.exp(rate * dt))


def _fade(switch: ContactSwitch, rate: float, dt: float, *, then: SwitchPhase) -> ContactSwitch:
    weight = max(1.0, switch.weight * math.exp(-rate * dt))
    return replace(switch, weight=weight, phase=then if weight == 1.0 else switch.phase)


def _add(
    switch: ContactSwitch, force: float, thresholds: tuple[float, float], active: tuple[str, ...], dt: float
) -> ContactSwitch:
    if switch.weight > 1.0:
        return _fade(switch, TRANSITION_RATE, dt, then=SwitchPhase.UNDER_WAY)
    min_force, sufficient_force = thresholds
    is_last = switch.waited + dt >= SWITCH_TIMEOUT
    if force >= (min_force if is_last else sufficient_force):
        return replace(switch, phase=SwitchPhase.DONE)
    if is_last:
        return replace(switch, phase=SwitchPhase.GOING_BACK, waited=0.0, obstacles=active)
    return replace(switch, waited=switch.waited + dt)


def _remove(switch: ContactSwitch, force: float, active: tuple[str, ...], dt: float, *, needed: bool) -> ContactSwitch:
    if force < UNLOADED_FORCE and not needed:
        return replace(switch, phase=SwitchPhase.DONE)
    weight = _grow(switch, TRANSITION_RATE, dt)
    if weight < DISABLED_WEIGHT:
        return replace(switch, weight=weight)
    if switch.waited + dt < SWITCH_TIMEOUT:
        return replace(switch, weight=weight, waited=switch.waited + dt)
    return replace(switch, weight=weight, phase=SwitchPhase.GOING_BACK, waited=0.0, obstacles=active)
