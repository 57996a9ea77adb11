"""An object between both hands: they close on it, move it as one, weigh it, and let go."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.objects.load_estimate import LoadEstimate
from handhold.retarget.bracing.objects.palms import ClosingPalms, face_each_other
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.robots.contact import INSIDE_CONE
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel
from handhold.robots.tasks.object_rows import compute_twist_transform

TOGGLE = "hold-object"

GRIP_RATIO = 0.35
"""Part of the largest normal force that each palm presses with at least [-]: nobody knows what an object weighs before it is
lifted."""

MAX_GRIP_RATIO, EASING_TIME = 0.8, 2.0
"""Part of it that a grip which tightens takes at most [-], and the time constant with which it eases again [s]."""

SPEED = 0.3
"""Largest speed of an object [m/s]."""

MAX_CHANGE, MIN_EAGERNESS = 15.0, 0.03
"""Change of weight at which an object is hardly moved any further [N], and how fast it is moved at least, as a part of what is
asked for [-]: what is lifted is taken up bit by bit."""

MAX_SLIP = 0.015
"""How far the second hand may be measured from where the grasp has it [m]."""

LOST, LOST_TIME = 2.0, 0.1
"""Normal force under which a palm holds nothing any more [N], once it has lasted so long [s]."""

LET_GO = 1.0
"""Normal force of the reference under which both hands are let go of [N]."""

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

    Attributes:
        phase: What the hands do about it.
        restarted: Hands that have just been taken over or given back, so that their clutch begins anew.
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the robot's hands; ``begin`` comes first."""
        hands = [model.effector_of_hand(side) for side in ("left", "right")]
        palms = [hand for hand in hands if hand is not None and model.effectors[hand].contact is ContactKind.PLANE]
        self._hands: tuple[int, int] | None = (palms[0], palms[1]) if len(palms) == 2 else None
        self._max_grip = min((model.effectors[palm].max_normal_force for palm in palms), default=0.0)
        self._friction = model.description.scales.friction * min((model.effectors[p].friction for p in palms), default=1.0)

        self._forget()

    def _forget(self) -> None:
        self.phase = HoldingPhase.NOTHING
        self.restarted: frozenset[int] = frozenset()
        self._asked = False
        self._lost_for = 0.0

    def begin(self, seiko: Seiko, contacts: Contacts) -> None:
        """Begin with nothing between the hands of a reference."""
        self._seiko, self._contacts = seiko, contacts
        self._forget()

    @property
    def busy(self) -> bool:
        """Whether hands move on their own."""
        return self.phase in (HoldingPhase.CLOSING, HoldingPhase.OPENING)

    @property
    def holds(self) -> bool:
        """Whether something is held."""
        return self.phase in (HoldingPhase.HELD, HoldingPhase.OPENING)

    @property
    def rest_obstacle(self) -> str:
        """What must be brought to an end before another mode takes charge, in words; empty where nothing must."""
        return "an object is held: put it down and let go of it" if self.phase is not HoldingPhase.NOTHING else ""

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """Whether something is held with both hands; none on a robot without two palms."""
        on = self.phase in (HoldingPhase.CLOSING, HoldingPhase.HELD)
        return (Toggle(name=TOGGLE, title="Hold with both hands", on=on),) if self._hands else ()

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        if self.phase is HoldingPhase.CLOSING:
            return ("both palms close on what is between them",)
        return (f"held: {self._seiko.load.mass:.1f} kg",) if self.holds else ()

    def turn_over(self, name: str) -> bool:
        """Ask for what the toggle says; says whether it is its name."""
        if name != TOGGLE or self._hands is None:
            return False
        self._asked = True
        return True

    def step(
        self,
        targets: np.ndarray,
        commands: Mapping[int, EffectorCommand],
        measured: tuple[np.ndarray, np.ndarray],
        dt: float,
        *,
        hold: bool,
    ) -> np.ndarray:
        """Go on for a period and return the targets of the effectors, shape ``(effectors, 4, 4)``.

        Args:
            targets: What they are without an object; changed in place.
            commands: What the operator asks of the effectors under command.
            measured: Poses of all effectors in world, shape ``(effectors, 4, 4)``, and the wrenches exerted on them in their
                contact frames, shape ``(effectors, 6)`` [N, Nm].
            dt: Length of the period [s].
            hold: Whether everything holds: hands that close or open stay.
        """
        self.restarted = frozenset()
        if self._hands is None:
            return targets
        if self._asked and not hold:
            self._asked = False
            self._answer()
        if self.phase is HoldingPhase.CLOSING:
            self._close(targets, measured[1], 0.0 if hold else dt)
        elif self.holds:
            self._carry(targets, commands, measured, dt)
        return targets

    def _answer(self) -> None:
        """Do what was asked for: close, give up closing, or let go."""
        seiko, hands = self._seiko, self._hands
        assert hands is not None, "asked for by a robot without palms"
        poses = [seiko.kinematics.poses[hand] for hand in hands]
        if self.phase is HoldingPhase.CLOSING:
            self._give_back()
        elif self.phase is HoldingPhase.HELD:
            self._open()
        elif any(hand in seiko.stance.effectors or self._contacts.is_moving(hand) for hand in hands):
            self._contacts.publish("refused: a hand bears on something; take it off first")
        elif not face_each_other(poses[0], poses[1]):
            self._contacts.publish("refused: turn the palms to each other, with the object between them")
        else:
            self._palms, self.phase = ClosingPalms(poses), HoldingPhase.CLOSING

    def _open(self) -> None:
        if self._seiko.load.mass > STANDS:
            self._contacts.publish(f"refused: put the object down first, {self._seiko.load.mass:.1f} kg hang in the hands")
            return
        self.phase = HoldingPhase.OPENING
        for hand in self._seiko.stance.grasp.effectors if self._seiko.stance.grasp else ():
            self._seiko.terms.set_unloading(hand, unloading=True)

    def _give_back(self, *texts: str) -> None:
        """Give the hands back to the operator, with what there is to say."""
        self.phase = HoldingPhase.NOTHING
        self.restarted = frozenset(self._hands or ())
        for text in texts:
            self._contacts.publish(text)

    def _close(self, targets: np.ndarray, wrenches: np.ndarray, dt: float) -> None:
        assert self._hands is not None, "closed by a robot without palms"
        self.restarted = frozenset(self._hands)
        hands = list(self._hands)
        targets[hands] = self._palms.step(wrenches[hands, 2].tolist(), dt)
        if self._palms.closed:
            self._grip = GRIP_RATIO * self._max_grip
            self._seiko.hold(self._hands, self._grip)
            self._transform, self._target = self._list_geometry()
            self.phase, self._lost_for = HoldingPhase.HELD, 0.0
        elif self._palms.missed:
            self._give_back("nothing is between the palms")

    def _list_geometry(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the transform of the hands' twists, and the first hand's pose; the load begins midway between them."""
        grasp = self._seiko.stance.grasp
        assert grasp is not None, "just grasped"
        self._estimate = LoadEstimate(0.5 * grasp.placement[:3, 3])
        return compute_twist_transform(grasp.placement), self._seiko.kinematics.poses[grasp.effectors[0]].copy()

    def _carry(
        self,
        targets: np.ndarray,
        commands: Mapping[int, EffectorCommand],
        measured: tuple[np.ndarray, np.ndarray],
        dt: float,
    ) -> None:
        seiko, (poses, wrenches) = self._seiko, measured
        grasp = seiko.stance.grasp
        assert grasp is not None, "something is held"
        first, second = grasp.effectors
        if self.phase is HoldingPhase.HELD:
            desired = _choose_target(commands, grasp.effectors, grasp.placement, self._target)
            eagerness = max(MIN_EAGERNESS, 1.0 - self._estimate.change / MAX_CHANGE)
            self._target = _go_towards(self._target, desired, eagerness * SPEED * dt)
        else:
            # Where it stands: hands that go on pushing it would slide off.
            self._target = poses[first].copy()
        targets[first] = self._target
        total = wrenches[first] + self._transform.T @ wrenches[second]
        seiko.measured_load = self._estimate.update(total, poses[first, :3, :3], dt)
        self._tighten(wrenches[[first, second]], dt)
        slip = float(np.linalg.norm((poses[first] @ grasp.placement)[:3, 3] - poses[second, :3, 3]))
        weakest = float(wrenches[[first, second], 2].min())
        self._lost_for = self._lost_for + dt if weakest < LOST else 0.0
        opening = self.phase is HoldingPhase.OPENING
        if opening and max(seiko.compute_normal_force(hand) for hand in grasp.effectors) < LET_GO:
            self._release()
        elif not opening and (self._lost_for > LOST_TIME or slip > MAX_SLIP):
            self._release("the object is lost: it slipped out of the hands" if slip > MAX_SLIP else "the object is lost")

    def _tighten(self, wrenches: np.ndarray, dt: float) -> None:
        r"""Press as hard at once as what is felt along the palms takes, and less again bit by bit.

        :math:`N \geq \|f_t\| / (\mu / \sqrt 2)`: before the load is known an object would slip while it is lifted.
        """
        tangential = float(np.linalg.norm(wrenches[:, :2], axis=1).max())
        needed = min(MAX_GRIP_RATIO * self._max_grip, tangential / (INSIDE_CONE * self._friction))
        least = GRIP_RATIO * self._max_grip
        eased = least + (self._grip - least) * math.exp(-dt / EASING_TIME)
        self._grip = max(least, needed, eased)
        if self.phase is HoldingPhase.HELD:
            self._seiko.stance.set_grip(self._grip)
            self._seiko.terms.min_forces[list(self._hands or ())] = self._grip

    def _release(self, *texts: str) -> None:
        self._seiko.release()
        self._give_back(*texts)


def _go_towards(pose: np.ndarray, desired: np.ndarray, distance: float) -> np.ndarray:
    """Return a pose nearer to a desired one, by a distance at most [m], and as many half metres as radians."""
    start, end = pin.SE3(pose), pin.SE3(desired)
    turn = 0.5 * float(np.linalg.norm(pin.log3(start.rotation.T @ end.rotation)))
    far = max(float(np.linalg.norm(end.translation - start.translation)), turn)
    if far <= distance:
        return desired
    nearer: np.ndarray = pin.SE3.Interpolate(start, end, distance / far).homogeneous
    return nearer


def _choose_target(
    commands: Mapping[int, EffectorCommand], hands: tuple[int, int], placement: np.ndarray, before: np.ndarray
) -> np.ndarray:
    """Choose where the first hand is to go: one clutch moves both hands, the first one's where both are closed."""
    first, second = (commands.get(hand) for hand in hands)
    if first is not None and first.engaged:
        return first.desired_pose
    if second is not None and second.engaged:
        pose: np.ndarray = (pin.SE3(second.desired_pose) * pin.SE3(placement).inverse()).homogeneous
        return pose
    return before
