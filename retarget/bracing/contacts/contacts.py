"""The contacts under the operator: made where they are measured, loaded, pushed, unloaded; one switch at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contact_making import (
    AT_EDGE,
    NOTHING_THERE,
    OUT_OF_REACH,
    TOO_LIGHT,
    TURN,
    ContactMaking,
)
from handhold.retarget.bracing.contacts.contact_phase import ContactDemand, ContactPhase
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.contacts.effector_contacts import EffectorContacts
from handhold.retarget.bracing.contacts.effector_targets import EffectorTargets
from handhold.retarget.bracing.contacts.surfaces import find_normal
from handhold.retarget.bracing.contacts.switch_execution import SwitchExecution
from handhold.retarget.bracing.contacts.switching import is_redundant
from handhold.retarget.bracing.contacts.touch import Touch
from handhold.retarget.bracing.seiko.contact_switch import ContactSwitch, SwitchKind
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Approach, ContactState, Support
from handhold.retarget.timed_messages import TimedMessages, list_names, say_name
from handhold.robots.model import RobotModel

RETRY_AFTER = 5.0
"""Time after which a slipping hand that could not be unloaded is tried again, so that others can be switched meanwhile [s]."""

MIN_CHECK_PERIOD = 0.25
"""Time between two checks whether a hand that bears nothing any more could be done without [s]."""

MIN_PUSH = 0.05
"""Trigger under which no force is commanded [-]."""

_PUBLISHED = (NOTHING_THERE, OUT_OF_REACH, TOO_LIGHT, TURN, AT_EDGE, "stopped by an impact")
"""Prefixes of the ends of an approach that are reported to the operator."""


class Contacts:
    """Establishes, loads and unloads the contacts of one SEIKO.

    Attributes:
        commanded: Normal forces that the operator commands now, by effector [N].
        refused: Presses of the contact button refused so far.
        restarted: Effectors whose pose is not the operator's in this step or has just become so again: a clutch begins anew.
    """

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        """Begin with the contacts of the stance."""
        self._model, self._seiko = model, seiko
        self._effectors = EffectorContacts(model, seiko)
        self._targets = EffectorTargets(seiko)
        self._execution = SwitchExecution(seiko)
        self._messages = TimedMessages()
        self.commanded: dict[int, float] = {}
        self.refused = 0
        self.restarted: frozenset[int] = frozenset()
        self._time = 0.0
        # When a hand that could not be unloaded, or not be released, is tried again [s].
        self._retry_at: dict[int, float] = {}
        self._check_at: dict[int, float] = {}

    @property
    def switch(self) -> ContactSwitch | None:
        """Switch under way, or None."""
        return self._execution.switch

    @property
    def suspended(self) -> bool:
        """Whether that switch was stopped half-way and goes on only when the operator says so."""
        return self._execution.suspended

    @property
    def busy(self) -> bool:
        """Whether something that a button began is still under way."""
        return self._execution.busy or self._effectors.busy

    @property
    def hold_reason(self) -> str:
        """Why everything must hold, in words: a foot that slips or is unloaded; empty where nothing is wrong."""
        for effector, making in enumerate(self._effectors.makings):
            if making.demand is ContactDemand.HOLD and effector != self._execution.unloading:
                return f"{self._name(effector)}: {making.message}"
        return ""

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know of the contacts."""
        lasting = [
            f"{self._name(effector)}: {making.message}"
            for effector, making in enumerate(self._effectors.makings)
            if making.message and making.demand is not ContactDemand.HOLD
        ]
        if self.suspended and self.switch is not None:
            lasting.append(f"{self._name(self.switch.effector)} is half-way: press A/X to go on")
        return (*lasting, *self._messages.texts)

    @property
    def rest_obstacle(self) -> str:
        """What stands half-way and must be brought to an end first, in words; empty where nothing does."""
        if self.switch is None:
            return ""
        name = self._name(self.switch.effector)
        if self.suspended:
            return f"{name} is half-way: press A/X to go on, and wait until it is done"
        return f"{name} is being {'unloaded' if self.switch.is_unloading else 'loaded'}: wait until it is done"

    @property
    def states(self) -> tuple[ContactState, ...]:
        """State of every effector's contact."""
        return tuple(self._find_state(effector) for effector in range(len(self._model.effectors)))

    def _find_state(self, effector: int) -> ContactState:
        if self.switch is not None and self.switch.effector == effector:
            loads = self.switch.kind is SwitchKind.ADD and not self.switch.is_unloading
            return ContactState.LOADING if loads else ContactState.UNLOADING
        return self._effectors.find_state(effector)

    def is_moving(self, effector: int) -> bool:
        """Whether an effector moves on its own, which a button began."""
        return self._effectors.is_moving(effector)

    def measure_touch(self, effector: int, dt: float) -> Touch:
        """Return what touches a free effector, with periods of a length [s]."""
        return self._effectors.measure_touch(effector, dt)

    def find_approach(self, effector: int, pose: np.ndarray, surfaces: tuple[Surface, ...]) -> Approach | None:
        """Find the known surface in front of an effector at a measured pose, shape ``(4, 4)``; None for one in contact."""
        return self._effectors.find_approach(effector, pose, surfaces)

    def describe_support(self, effector: int, margin_gain: float) -> Support | None:
        """Describe the support by an effector that adds so much to the stability margin [m]; None for one not in contact."""
        return self._effectors.describe_support(effector, margin_gain)

    def publish(self, text: str) -> None:
        """Show the operator a message for a while."""
        self._messages.publish(text)

    def begin_step(
        self,
        commands: Mapping[int, EffectorCommand],
        measured: tuple[np.ndarray, np.ndarray],
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        hold: bool,
        frozen: bool = False,
    ) -> np.ndarray:
        """Follow the buttons and what is measured, and return the free effectors' targets, shape ``(effectors, 4, 4)``.

        Args:
            commands: What the operator asks of the effectors under command.
            measured: Poses of all effectors in world, shape ``(effectors, 4, 4)``, and the forces exerted on them by the
                environment, measured or estimated, in world axes, shape ``(effectors, 3)`` [N].
            surfaces: Surfaces that could support an effector.
            dt: Length of the step [s].
            hold: Whether everything holds for a reason: nothing goes on.
            frozen: Whether no step of SEIKO will follow.
        """
        self._time += dt
        self._messages.advance(dt)
        if not frozen:
            self._execution.finish()
        self._execution.update_suspension(hold=hold)
        pressed = {e for e, command in commands.items() if command.pressed and not hold and self._press(e, dt)}
        self.restarted = self._effectors.step(
            commands, self._targets.poses, measured, surfaces, dt, pressed=pressed, hold=hold
        )
        self._publish_events()
        if not frozen:
            self._remove_lost_hands(dt)
        if not hold:
            self._handle_demands(surfaces)
        self._push(commands, 0.0 if frozen else dt)
        self._targets.update(commands, self._effectors.makings, self.restarted)
        return self._targets.poses.copy()

    def end_step(self, active: tuple[str, ...], dt: float, *, hold: bool) -> None:
        """Move the switch on after a step of SEIKO, whose constraints held it back by the names given."""
        failed = None if hold else self._execution.advance(active, dt)
        if failed is None:
            return
        stays = failed.kind is SwitchKind.REMOVE
        if stays:
            self._retry_at[failed.effector] = self._time + RETRY_AFTER
        what = "stays" if stays else "cannot bear"
        self.publish(f"{self._name(failed.effector)} {what}: {list_names(failed.obstacles)} in the way")

    def _press(self, effector: int, dt: float) -> bool:
        """Follow the contact button; says whether an approach is to begin or to stop."""
        if self.is_moving(effector):
            return True
        if self.switch is not None:
            if self.switch.effector == effector:
                self._execution.answer_button()
            else:
                self._refuse(f"wait: {self._name(self.switch.effector)} first")
            return False
        if not self._effectors.in_contact(effector):
            return True
        self._begin_unloading(effector, dt)
        return False

    def _begin_unloading(self, effector: int, dt: float) -> None:
        if self._seiko.stance.holds(effector):
            self._refuse("let go of the object first")
        elif self._is_sole_support(effector):
            self._refuse(f"{self._name(effector)} must stay: nothing else bears the robot")
        elif self._effectors.makings[effector].demand is ContactDemand.HOLD and is_redundant(self._seiko, effector, dt):
            # A foot that is lost is unloaded, but the reference may still count on it.
            self._remove(effector)
        else:
            self._execution.start_removing(effector)

    def _is_sole_support(self, effector: int) -> bool:
        described = self._model.effectors
        return all(e == effector or described[e].hand is not None for e in self._seiko.stance.supporting)

    def _refuse(self, reason: str) -> None:
        self.refused += 1
        self.publish(f"refused: {reason}")

    def _publish_events(self) -> None:
        for effector, making in enumerate(self._effectors.makings):
            if self._is_published(effector, making):
                self.publish(f"{self._name(effector)}: {making.event}")

    def _is_published(self, effector: int, making: ContactMaking) -> bool:
        failed = making.phase in (ContactPhase.SLIPPING, ContactPhase.LOST)
        fault = bool(making.event) and failed and effector != self._execution.unloading
        return fault or making.event.startswith(_PUBLISHED)

    def _handle_demands(self, surfaces: tuple[Surface, ...]) -> None:
        for effector, making in enumerate(self._effectors.makings):
            # One that was just removed still asks to be unloaded.
            unload = making.demand is ContactDemand.UNLOAD and self._effectors.in_contact(effector)
            if self.switch is not None:
                if unload and self._execution.adding == effector:
                    self._execution.cancel_switch()
            elif making.demand is ContactDemand.ADD:
                self._execution.start_adding(effector, find_normal(making.start, surfaces))
            elif unload and self._time >= self._retry_at.get(effector, 0.0):
                self._execution.start_removing(effector)

    def _remove_lost_hands(self, dt: float) -> None:
        """Remove hands at once that slipped away and bear nothing any more, where the others can do without.

        Unloaded bit by bit like any other, such a hand would be counted on for seconds, and its load be missing.
        """
        for effector, making in enumerate(self._effectors.makings):
            if making.demand is not ContactDemand.UNLOAD or self._effectors.is_loaded(effector):
                continue
            if self._time < self._check_at.get(effector, 0.0):
                continue
            self._check_at[effector] = self._time + MIN_CHECK_PERIOD
            if is_redundant(self._seiko, effector, dt):
                self._remove(effector)

    def _remove(self, effector: int) -> None:
        self._seiko.remove_contact(effector)
        self._execution.forget(effector)
        self.publish(f"{self._name(effector)} is given up")

    def _push(self, commands: Mapping[int, EffectorCommand], dt: float) -> None:
        described = self._model.effectors
        self.commanded = {
            effector: command.push * described[effector].max_normal_force
            for effector, command in commands.items()
            if described[effector].hand is not None and command.push > MIN_PUSH and effector != self._execution.effector
            if not self._seiko.stance.holds(effector)
        }
        self._execution.command_forces(self.commanded, dt)

    def _name(self, effector: int) -> str:
        return say_name(self._model.effectors[effector].name)
