"""What two palms hold: where it is to go, what it weighs, how hard they press, and whether it is still there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.objects.compliant_object import CompliantObject
from handhold.retarget.bracing.objects.load_estimate import LoadEstimate
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.objects.object_push import ObjectPush
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.grasp import NO_LOAD, NO_PUSH
from handhold.robots.model import GRAVITY
from handhold.robots.rotation import compute_turn, norm
from handhold.robots.tasks.object_rows import compute_twist_transform

GRIP_RATIO = 0.35
"""Part of the largest normal force that each palm presses with at least [-]: nobody knows what an object weighs before it is
lifted."""

MAX_GRIP_RATIO, EASING_TIME = 0.8, 2.0
"""Part of it that a grip which tightens takes at most [-], and the time constant with which it eases again [s]."""

SPEED, MAX_LAG, MAX_LAG_ANGLE = 0.3, 0.05, 0.2
"""Largest speed of an object [m/s], and how far what is asked of it may be ahead of where it has come to [m], [rad]."""

MAX_CHANGE, MIN_EAGERNESS = 15.0, 0.03
"""Change of weight at which an object is hardly moved any further [N], and how fast it is moved at least, as a part of what is
asked for [-]: what is lifted is taken up bit by bit."""

MAX_SLIP, MAX_TURN = 0.015, 0.3
"""How far the palms may be measured to have moved [m], and turned [rad], against each other."""

LOST, LOST_TIME = 2.0, 0.1
"""Normal force under which a palm holds nothing any more [N], once it has lasted so long [s]."""

LET_GO = 1.0
"""Normal force of the reference under which both hands are let go of [N]."""

UNHELD, UNHELD_TIME = 5.0, 0.3
"""Weight or push that is measured and not balanced from which on the operator is told [N], once it has lasted so long [s]."""


class HeldObject:
    """An object from the moment on in which it is grasped.

    Attributes:
        first: Hand by which its pose is told.
        second: The other one.
        target: Where the first hand is to go but for what the object is led by, shape ``(4, 4)``.
    """

    balances_push = True
    """Whether who pushes it is part of its equilibrium."""

    def __init__(
        self, seiko: Seiko, hands: tuple[int, int], max_grip: float, friction: float, compliance: CompliantObject
    ) -> None:
        """Begin with what SEIKO has just grasped.

        Args:
            seiko: The reference.
            hands: The palms.
            max_grip: Largest normal force of a palm [N].
            friction: Part of the normal force that friction along a palm may be [-].
            compliance: How it gives way to people.
        """
        self._seiko, (self.first, self.second) = seiko, hands
        self._compliance, self._push = compliance, ObjectPush()
        self._max_grip, self._friction, self._grip = max_grip, friction, GRIP_RATIO * max_grip
        first, second = (pin.SE3(seiko.kinematics.poses[hand]) for hand in hands)
        placement = first.actInv(second)
        self._placement, self._back = placement.homogeneous, placement.inverse().homogeneous
        self._transform = compute_twist_transform(self._placement)
        self._estimate = LoadEstimate(0.5 * placement.translation)
        self.target = first.homogeneous
        self._leader: int | None = None
        self._light_for = self._unheld_for = self._unbalanced_for = 0.0

    @property
    def is_loose(self) -> bool:
        """Whether the reference presses so little that both hands may let go."""
        return max(self._seiko.compute_normal_force(hand) for hand in (self.first, self.second)) < LET_GO

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        excess = self._seiko.measured_load.mass - self._seiko.load.mass
        held = f"held: {self._seiko.load.mass:.1f} kg"
        too_heavy = (f"the object is {excess:.1f} kg heavier than the arms can hold",)
        pushed = (f"the object is pushed by {self._compute_unbalanced_push():.0f} N more than can be balanced",)
        return (
            held,
            *(too_heavy if self._unheld_for > UNHELD_TIME else ()),
            *(pushed if self._unbalanced_for > UNHELD_TIME else ()),
            *self._compliance.messages,
        )

    def stay(self) -> None:
        """Ask for nothing but that it stays where it has come to, by the reference."""
        self.target, self._leader = self._find_here().copy(), None

    def absorb(self) -> None:
        """Count as where it was led to."""
        self.target, self._leader = self.led_target.copy(), None
        self._compliance.forget()

    @property
    def led_target(self) -> np.ndarray:
        """Where the first hand is to go with what the object is led by, shape ``(4, 4)``."""
        return self._shift(self.target, 1.0)

    def _find_here(self) -> np.ndarray:
        """Return where the first hand has come to but for what the object is led by, shape ``(4, 4)``."""
        return self._shift(self._seiko.kinematics.poses[self.first], -1.0)

    def _shift(self, pose: np.ndarray, part: float) -> np.ndarray:
        displacement = self._compliance.displacement
        if displacement is None:
            return pose
        shifted = pose.copy()
        shifted[:3, 3] += part * displacement
        return shifted

    def lead(self, dt: float, *, hold: bool) -> None:
        """Give way for a period [s] to who pushes the object, or ``hold``: neither that, nor go back."""
        lag = self.led_target[:3, 3] - self._seiko.kinematics.poses[self.first, :3, 3]
        self._compliance.lead(self._push.force, lag, dt, hold=hold)

    def observe(self, measured: MeasuredHands, dt: float, *, opening: bool) -> None:
        """Take in what the object exerts on the hands.

        Args:
            measured: What is measured of the hands.
            dt: Length of the period [s].
            opening: Whether the hands let go: what stands weighs nothing.
        """
        pose, total = measured.poses[self.first], np.empty(6)
        sums = measured.wrenches, measured.unobserved, self._transform, total
        tangential, pressed = _sum_wrenches(self.first, self.second, *sums)
        load = self._estimate.update(total, pose[:3, :3], dt)
        # What stands on something, and what is just being lifted, is held by that as well.
        if self._estimate.known and self.balances_push:
            self._push.update(total, load, pose, measured.velocities[self.first], dt)
        elif self._push.active:
            self._push = ObjectPush()
        pushed = load if self._push.wrench is NO_PUSH else replace(load, push=self._push.wrench)
        self._seiko.measured_load = NO_LOAD if opening else pushed
        unheld = GRAVITY * (load.mass - self._seiko.load.mass) > UNHELD and not opening
        self._unheld_for = self._unheld_for + dt if unheld else 0.0
        unbalanced = self._compute_unbalanced_push() > UNHELD and not opening
        self._unbalanced_for = self._unbalanced_for + dt if unbalanced else 0.0
        # Whether the hands press is what is measured alone.
        self._light_for = self._light_for + dt if pressed < LOST else 0.0
        if not opening:
            self.tighten(tangential, dt)

    def _compute_unbalanced_push(self) -> float:
        """Compute the force with which the object is pushed and that is not balanced [N]."""
        before, after = self._seiko.load.push, self._push.wrench
        return 0.0 if before is after else float(np.linalg.norm(after[:3] - before[:3]))

    def tighten(self, tangential: float, dt: float) -> None:
        r"""Press as hard at once as what is measured along the palms takes, and less again bit by bit.

        :math:`N \geq \|f_t\| / \mu`: before the load is known an object would slip while it is lifted.

        Args:
            tangential: Largest force along a palm [N].
            dt: Length of the period [s].
        """
        stance = self._seiko.stance
        first, second = stance.measure_grip(self._seiko.wrenches)
        # A push along the normals is one palm's on top of the grip.
        most = min(MAX_GRIP_RATIO * self._max_grip, self._max_grip - abs(first - second))
        needed = min(most, tangential / self._friction)
        least = GRIP_RATIO * self._max_grip
        eased = least + (self._grip - least) * math.exp(-dt / EASING_TIME)
        self._grip = max(least, needed, min(most, eased))
        stance.set_grip(self._grip)
        min_forces = self._seiko.terms.min_forces
        min_forces[self.first] = min_forces[self.second] = self._grip

    def find_loss(self, poses: np.ndarray) -> str:
        """Find whether it is in the hands no more, in words; empty where it is."""
        slip, turn = _measure_slip(poses[self.first], self._placement, poses[self.second])
        if slip > MAX_SLIP or turn > MAX_TURN:
            return "the palms slipped"
        return "a palm presses on nothing" if self._light_for > LOST_TIME else ""

    def follow(self, commands: Mapping[int, EffectorCommand], dt: float) -> frozenset[int]:
        """Go where the hand that leads takes it, no faster than an object may; return the hands whose clutch begins anew.

        One clutch moves both hands: that which was closed first, the other one opens. Without one it stays where it is.
        """
        engaged = [hand for hand in (self.first, self.second) if hand in commands and commands[hand].engaged]
        if not engaged:
            if self._leader is not None:
                self.stay()
            return frozenset()
        if self._leader not in engaged:
            self.stay()
            self._leader = engaged[0]
        desired = commands[self._leader].desired_pose
        if self._leader == self.second:
            desired = desired @ self._back
        self.target = self.retarget(desired, dt)
        return frozenset(engaged) - {self._leader}

    def retarget(self, desired: np.ndarray, dt: float) -> np.ndarray:
        """Return where the first hand is to go in a period [s] for the pose that is commanded, shape ``(4, 4)`` both."""
        eagerness = max(MIN_EAGERNESS, 1.0 - self._estimate.change / MAX_CHANGE)
        return self._stay_near(_go_towards(self.target, desired, eagerness * SPEED * dt))

    def _stay_near(self, target: np.ndarray) -> np.ndarray:
        """Return a target no further ahead of where the reference has come to than may be."""
        here = self._find_here()
        distance, angle = _measure_shift(here, target)
        far = max(distance / MAX_LAG, angle / MAX_LAG_ANGLE)
        if far <= 1.0:
            return target
        near: np.ndarray = pin.SE3.Interpolate(pin.SE3(here), pin.SE3(target), 1.0 / far).homogeneous
        return near


def _go_towards(pose: np.ndarray, desired: np.ndarray, distance: float) -> np.ndarray:
    """Return a pose nearer to a desired one, by a distance at most [m], and as many half metres as radians."""
    shift, angle = _measure_shift(pose, desired)
    far = max(shift, 0.5 * angle)
    if far <= distance:
        return desired.copy()
    nearer: np.ndarray = pin.SE3.Interpolate(pin.SE3(pose), pin.SE3(desired), distance / far).homogeneous
    return nearer


@njit(cache=True)
def _sum_wrenches(
    first: int, second: int, wrenches: np.ndarray, unobserved: np.ndarray, transform: np.ndarray, total: np.ndarray
) -> tuple[float, float]:
    """Sum what an object exerts on two hands.

    Args:
        first: Hand at whose contact frame they are summed.
        second: The other one.
        wrenches: Measured of all effectors, in their contact frames, shape ``(effectors, 6)`` [N, Nm].
        unobserved: What to add to them, likewise.
        transform: Takes a twist from the first hand's frame to the second's, shape ``(6, 6)``.
        total: Filled, shape ``(6,)`` [N, Nm].

    Returns:
        The largest force along a palm, and the least measured one against a palm [N].
    """
    on_first, on_second = wrenches[first] + unobserved[first], wrenches[second] + unobserved[second]
    for i in range(6):
        total[i] = on_first[i]
        for j in range(6):
            total[i] += transform[j, i] * on_second[j]
    tangential = max(math.hypot(on_first[0], on_first[1]), math.hypot(on_second[0], on_second[1]))
    return tangential, min(wrenches[first, 2], wrenches[second, 2])


@njit(cache=True)
def _measure_slip(first: np.ndarray, placement: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Measure how far two hands have moved [m] and turned [rad] against each other.

    Args:
        first: Pose of one, shape ``(4, 4)``.
        placement: Of the other one in its frame, when it was grasped, likewise.
        second: Of the other one now, likewise.
    """
    expected = np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                expected[i, j] += first[i, k] * placement[k, j]
    return _measure_shift(expected, second)


@njit(cache=True)
def _measure_shift(start: np.ndarray, end: np.ndarray) -> tuple[float, float]:
    """Measure how far a pose is from another one, shape ``(4, 4)`` each: the distance [m] and the angle [rad]."""
    return norm(end[:3, 3] - start[:3, 3]), norm(compute_turn(start, end))
