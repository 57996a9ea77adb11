"""An object between both hands: they close on it, move it as one, weigh it, and let go."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.objects.commanded_object import CommandedObject
from handhold.retarget.bracing.objects.compliant_object import TOGGLE as COMPLIANT
from handhold.retarget.bracing.objects.compliant_object import CompliantObject
from handhold.retarget.bracing.objects.held_object import GRIP_RATIO, HeldObject
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.objects.palms import ClosingPalms, face_each_other
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.robots.contact import INSIDE_CONE
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel

TOGGLE = "hold-object"

STANDS = 0.3
"""Mass up to which an object counts as put down [kg]."""


class HoldingPhase(StrEnum):
    """What the hands do about an object."""

    NOTHING = "nothing"
    CLOSING = "closing"
    HELD = "held"
    OPENING = "opening"


class ObjectHolding:
    """The object that a robot with two flat palms holds between them.

    It is bolted down: what a robot on feet holds would have to count for its balance.

    Attributes:
        hands: The palms by their indices among the effectors; None on a robot that cannot hold anything between them.
        phase: What the hands do about it.
        restarted: Hands whose clutch begins anew: taken over, given back, or closed while the other one leads.
    """

    def __init__(self, model: RobotModel, *, retargets: bool = True) -> None:
        """Take the robot's hands; ``begin`` comes first.

        Args:
            model: Robot.
            retargets: Whether what is commanded of an object is retargeted; where not, for comparison, it goes where it is
                commanded, with the grip at which the palms closed.
        """
        self._retargets = retargets
        hands = [model.effector_of_hand(side) for side in ("left", "right")] if model.description.is_fixed else []
        palms = [hand for hand in hands if hand is not None and model.effectors[hand].contact is ContactKind.PLANE]
        self.hands: tuple[int, int] | None = (palms[0], palms[1]) if len(palms) == 2 else None
        self._max_grip = min((model.effectors[palm].max_normal_force for palm in palms), default=0.0)
        friction = model.description.scales.friction * min((model.effectors[p].friction for p in palms), default=1.0)
        self._friction = INSIDE_CONE * friction
        self._compliance = CompliantObject()
        self._forget()

    def _forget(self) -> None:
        self.phase = HoldingPhase.NOTHING
        self.restarted: frozenset[int] = frozenset()
        self._asked = self._absorbed = False
        self._palms: ClosingPalms | None = None
        self._held: HeldObject | None = None
        # What is measured of the hands with nothing between them, shape (effectors, 6) [N, Nm].
        self._bias: np.ndarray | None = None
        self._compliance.forget()

    def begin(self, seiko: Seiko, contacts: Contacts) -> None:
        """Begin with nothing between the hands of a reference."""
        self._seiko, self._contacts = seiko, contacts
        self._forget()

    @property
    def can_hold(self) -> bool:
        """Whether the robot has what it takes; without, ``step`` does nothing."""
        return self.hands is not None

    @property
    def busy(self) -> bool:
        """Whether hands move on their own."""
        return self.phase in (HoldingPhase.CLOSING, HoldingPhase.OPENING)

    @property
    def holds(self) -> bool:
        """Whether something is held."""
        return self._held is not None

    @property
    def rest_obstacle(self) -> str:
        """What must be brought to an end before another mode takes charge, in words; empty where nothing must."""
        return "an object is held: put it down and let go of it" if self.phase is not HoldingPhase.NOTHING else ""

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """Whether something is held with both hands, and gives way; none on a robot that cannot."""
        on = self.phase in (HoldingPhase.CLOSING, HoldingPhase.HELD)
        return (Toggle(name=TOGGLE, title="Hold with both hands", on=on), self._compliance.toggle) if self.hands else ()

    @property
    def led(self) -> bool:
        """Whether what is held gives way, or goes back."""
        return self._compliance.displacement is not None

    @property
    def displacements(self) -> Mapping[int, np.ndarray]:
        """How far hands are from where they are commanded, by effector, in world, shape ``(3,)`` [m]."""
        displacement = self._compliance.displacement
        return {} if displacement is None else dict.fromkeys(self.hands or (), displacement)

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        if self.phase is HoldingPhase.CLOSING:
            return ("both palms close on what is between them",)
        if self.phase is HoldingPhase.OPENING:
            return ("both palms let go",)
        return self._held.messages if self._held is not None else ()

    def absorb(self) -> None:
        """Let what is held count as where it was led to."""
        if self._held is not None and self._compliance.displacement is not None:
            self._held.absorb()
            self._absorbed = True

    def turn_over(self, name: str) -> bool:
        """Ask for what the toggle says; says whether it is its name."""
        if self.hands is None or name not in (TOGGLE, COMPLIANT):
            return False
        if name == COMPLIANT:
            self._compliance.turn_over()
        else:
            self._asked = True
        return True

    def step(
        self,
        targets: np.ndarray,
        commands: Mapping[int, EffectorCommand],
        measured: MeasuredHands,
        dt: float,
        *,
        hold: bool,
        leads: bool = True,
    ) -> np.ndarray:
        """Go on for a period and return the targets of the effectors, shape ``(effectors, 4, 4)``.

        Args:
            targets: What they are without an object; changed in place.
            commands: What the operator asks of the effectors under command.
            measured: What is measured of the hands.
            dt: Length of the period [s].
            hold: Whether everything holds: what hands do on their own ends there.
            leads: Whether what is held may be led by people just now, and go back.
        """
        self.restarted = frozenset()
        if self.hands is None:
            return targets
        if hold and self.busy:
            self._stop()
        if self._asked:
            self._asked = False
            self._answer(measured.wrenches, self.hands, hold=hold)
        hands = measured.subtract(self._bias)
        if self._palms is not None:
            self._close(targets, hands.wrenches, self._palms, self.hands, dt)
        elif self._held is not None:
            self._carry(targets, commands, hands, self._held, dt, leads=leads and not hold)
        return targets

    def _stop(self) -> None:
        """End what the hands do on their own: closing is given up, and what is being let go of is held again."""
        if self._held is None:
            self._give_back("stopped: the palms do not close any further")
        else:
            self.phase = HoldingPhase.HELD
            self._set_unloading(unloading=False)

    def _answer(self, wrenches: np.ndarray, hands: tuple[int, int], *, hold: bool) -> None:
        """Do what was asked for: close, give up closing, let go, or hold on after all."""
        first, second = (self._seiko.kinematics.poses[hand] for hand in hands)
        if hold:
            self._contacts.publish("refused: the robot is held; go on first")
        elif self.busy:
            self._stop()
        elif self._held is not None:
            self._open(self._held)
        elif self._is_taken(hands):
            self._contacts.publish("refused: a hand bears on something; take it off first")
        elif not face_each_other(first, second, self._friction):
            self._contacts.publish("refused: turn the palms to each other, with the object between them")
        else:
            self._palms, self._bias = ClosingPalms((first, second)), wrenches.copy()
            self.phase = HoldingPhase.CLOSING

    def _is_taken(self, hands: tuple[int, int]) -> bool:
        """Whether a hand is in contact, or on its way to one."""
        return any(hand in self._seiko.stance.effectors or self._contacts.is_moving(hand) for hand in hands)

    def _open(self, held: HeldObject) -> None:
        mass = max(self._seiko.load.mass, self._seiko.measured_load.mass)
        if mass > STANDS:
            self._contacts.publish(f"refused: put the object down first, {mass:.1f} kg hang in the hands")
            return
        held.stay()
        self.phase = HoldingPhase.OPENING
        self._set_unloading(unloading=True)

    def _set_unloading(self, *, unloading: bool) -> None:
        for hand in self.hands or ():
            self._seiko.terms.set_unloading(hand, unloading=unloading)

    def _give_back(self, *texts: str) -> None:
        """Give the hands back to the operator, with what there is to say."""
        self._forget()
        self.restarted = frozenset(self.hands or ())
        for text in texts:
            self._contacts.publish(text)

    def _close(
        self, targets: np.ndarray, wrenches: np.ndarray, palms: ClosingPalms, hands: tuple[int, int], dt: float
    ) -> None:
        if self._is_taken(hands):
            self._give_back("the palms do not close: a hand bears on something")
            return
        self.restarted = frozenset(hands)
        targets[list(hands)] = palms.step(wrenches[list(hands), 2].tolist(), dt)
        if palms.closed:
            self._seiko.hold(hands, GRIP_RATIO * self._max_grip)
            self._palms, self._held = None, self._begin_holding(hands)
            self.phase = HoldingPhase.HELD
        elif palms.missed:
            self._give_back("nothing is between the palms")

    def _begin_holding(self, hands: tuple[int, int]) -> HeldObject:
        about = (self._seiko, hands, self._max_grip, self._friction, self._compliance)
        return HeldObject(*about) if self._retargets else CommandedObject(*about)

    def _carry(
        self,
        targets: np.ndarray,
        commands: Mapping[int, EffectorCommand],
        measured: MeasuredHands,
        held: HeldObject,
        dt: float,
        *,
        leads: bool,
    ) -> None:
        opening = self.phase is HoldingPhase.OPENING
        held.observe(measured, dt, opening=opening)
        lost = held.find_loss(measured.poses)
        if opening and held.is_loose:
            self._release()
        elif lost and not opening:
            self._release(f"the object is lost: {lost}")
        else:
            held.lead(dt, hold=opening or not leads)
            self.restarted = held.follow({} if opening else commands, dt).union((self.hands or ()) if self._absorbed else ())
            self._absorbed = False
            targets[held.first] = held.led_target

    def _release(self, *texts: str) -> None:
        self._seiko.release()
        self._give_back(*texts)
