r"""The filter between the operator's hand and the pose an effector is asked to take [Rouxel2023, III]_.

Low pass, maximum velocity and maximum acceleration in one: a critically damped second-order system whose velocity and
acceleration saturate, for the position and, on SO(3), for the orientation. With the error :math:`e` from the target to the
commanded pose, :math:`v` the target's velocity and :math:`\omega` the natural frequency, a step by the implicit Euler rule is

.. math::

    v^* = \frac{v + \omega^2 e \, dt}{(1 + \omega dt)^2}, \qquad
    v^+ = v + Clip_{a_{max} dt}(Clip_{v_{max}}(v^*) - v), \qquad x^+ = x + v^+ dt.

Both poles are at :math:`1 / (1 + \omega dt)`: stable for every dt, and no overshoot from rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.retarget.errors import RetargetError
from handhold.robots.rotation import clip, compute_turn, dot, norm, rotate

_NEARLY_HALF_TURN = math.pi - 0.2
"""Beyond this angle [rad] the short way round may change sides from one sample to the next."""


class UnusableLimits(RetargetError):
    """The limits of the effector filter contradict each other."""

    def __init__(self, name: str, value: float, remedy: str) -> None:
        self.name = name
        self.value = value
        super().__init__(f"{name} = {value:g} of the effector filter cannot be used; {remedy}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterLimits:
    """How fast the target of an effector may follow the operator.

    Attributes:
        natural_frequency: Of the critically damped low pass [rad/s].
        velocity: Largest speed [m/s].
        acceleration: Largest acceleration [m/s^2]; by default the one that stops the hand between the first sign that the
            operator's link is late and the hold: 0.4 m/s in 50 ms.
        angular_velocity: Largest angular speed [rad/s].
        angular_acceleration: Largest angular acceleration [rad/s^2]; also stops within 50 ms.
        lead: How far the target may run away from the pose really reached [m].
        lead_angle: The same of the orientation [rad].
    """

    natural_frequency: float = 6.0
    velocity: float = 0.4
    acceleration: float = 8.0
    angular_velocity: float = 1.5
    angular_acceleration: float = 30.0
    lead: float = 0.05
    lead_angle: float = 0.3

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise UnusableLimits(name, value, "give a positive number")
        # A target at full speed brakes with 2 / e of this at most: below it the target would overshoot.
        if self.acceleration < self.natural_frequency * self.velocity:
            raise UnusableLimits("acceleration", self.acceleration, "give at least natural_frequency * velocity")
        if self.angular_acceleration < self.natural_frequency * self.angular_velocity:
            raise UnusableLimits(
                "angular_acceleration", self.angular_acceleration, "give at least natural_frequency * angular_velocity"
            )


class EffectorFilter:
    """Target pose of one effector, which follows commanded poses within the limits.

    Attributes:
        target: Pose of the target in world, homogeneous, shape ``(4, 4)``, read-only.
    """

    def __init__(self, limits: FilterLimits, pose: np.ndarray) -> None:
        """Begin at rest at a pose, homogeneous, shape ``(4, 4)``."""
        self._limits = np.array([getattr(limits, name) for name in limits.__slots__])
        self._twist = np.zeros(6)
        # The compiled step is made for one kind of array only: read-only and strided poses are copied into these.
        self._pose, self._command, self._reached = np.empty((3, 4, 4))
        self.reset(pose)

    @property
    def velocity(self) -> np.ndarray:
        """Linear [m/s] and angular [rad/s] velocity of the target in world axes, shape ``(6,)``."""
        return self._twist.copy()

    @property
    def at_rest(self) -> bool:
        """Whether the target stands still."""
        return not self._twist.any()

    def reset(self, pose: np.ndarray) -> None:
        """Put the target at rest at a pose, homogeneous, shape ``(4, 4)``."""
        self._twist[:] = 0.0
        self._pose[:] = pose
        self._publish()

    def follow(self, command: np.ndarray, reached: np.ndarray, dt: float, speed: float = 1.0) -> np.ndarray:
        """Move the target one step towards a commanded pose.

        The target is kept within the lead of the reached pose by slowing it on the way out (exactly on a straight line; by
        less than one step at full velocity on a bent one). Where the reached pose itself moves away, the target comes back.

        Args:
            command: Commanded pose in world, homogeneous, shape ``(4, 4)``.
            reached: Pose in world that the robot's reference has reached, homogeneous, shape ``(4, 4)``.
            dt: Length of the step [s].
            speed: Ratio of the largest velocities allowed now, 0 to 1. Where it falls faster than the largest acceleration
                can follow, the acceleration is kept.

        Returns:
            The new target in world, homogeneous, shape ``(4, 4)``, read-only.
        """
        self._command[:] = command
        self._reached[:] = reached
        _follow(self._pose, self._twist, self._command, self._reached, self._limits, speed, dt)
        return self._publish()

    def brake(self, dt: float) -> np.ndarray:
        """Slow the target at its largest acceleration for one step [s]; it stops dead and turns back to nothing.

        Returns:
            The new target in world, homogeneous, shape ``(4, 4)``, read-only.
        """
        _brake(self._pose, self._twist, self._limits, dt)
        return self._publish()

    def _publish(self) -> np.ndarray:
        self.target = self._pose.copy()
        self.target.setflags(write=False)
        return self.target


@njit(cache=True)
def _follow(
    pose: np.ndarray,
    twist: np.ndarray,
    command: np.ndarray,
    reached: np.ndarray,
    limits: np.ndarray,
    speed: float,
    dt: float,
) -> None:
    error = np.empty(3)
    lead = np.empty(3)
    for i in range(3):
        error[i] = command[i, 3] - pose[i, 3]
        lead[i] = pose[i, 3] - reached[i, 3]
    _accelerate(twist[:3], error, lead, limits[0], speed * limits[1], limits[2], limits[5], limits[1], dt)
    turn = _keep_going_round(compute_turn(pose, command), twist[3:])
    lead = compute_turn(reached, pose)
    _accelerate(twist[3:], turn, lead, limits[0], speed * limits[3], limits[4], limits[6], limits[3], dt)
    _integrate(pose, twist, dt)


@njit(cache=True)
def _brake(pose: np.ndarray, twist: np.ndarray, limits: np.ndarray, dt: float) -> None:
    _slow_down(twist[:3], limits[2] * dt)
    _slow_down(twist[3:], limits[4] * dt)
    _integrate(pose, twist, dt)


@njit(cache=True)
def _slow_down(velocity: np.ndarray, change: float) -> None:
    speed = norm(velocity)
    if speed <= change:
        velocity[:] = 0.0
    else:
        velocity *= 1.0 - change / speed


@njit(cache=True)
def _accelerate(
    velocity: np.ndarray,
    error: np.ndarray,
    lead: np.ndarray,
    frequency: float,
    maximum_velocity: float,
    maximum_acceleration: float,
    maximum_lead: float,
    full_velocity: float,
    dt: float,
) -> None:
    distance = norm(lead)
    outward = lead / distance if distance > 0.0 else lead
    # Slowing in proportion to the distance left takes no more than the largest acceleration, at full velocity too.
    bound = (maximum_lead - distance) * maximum_acceleration / full_velocity
    change = (velocity + (frequency * frequency * dt) * error) / (1.0 + frequency * dt) ** 2
    change -= max(dot(change, outward) - bound, 0.0) * outward
    clip(change, maximum_velocity)
    change -= velocity
    clip(change, maximum_acceleration * dt)
    _turn_inward(change, outward, max(bound, 0.0) - dot(velocity, outward), maximum_acceleration * dt)
    velocity += change


@njit(cache=True)
def _turn_inward(change: np.ndarray, outward: np.ndarray, largest: float, size: float) -> None:
    """Let a change of velocity go outward no more than ``largest``, and take what that costs from its other directions."""
    along = dot(change, outward)
    if along <= largest:
        return
    change -= along * outward
    along = max(largest, -size)
    clip(change, math.sqrt(size * size - along * along))
    change += along * outward


@njit(cache=True)
def _keep_going_round(turn: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """Go on the way already taken where the short way round is about to change sides."""
    angle = norm(turn)
    if angle < _NEARLY_HALF_TURN:
        return turn
    if dot(turn, angular_velocity) >= 0.0:
        return turn
    return turn * (1.0 - 2.0 * math.pi / angle)


@njit(cache=True)
def _integrate(pose: np.ndarray, twist: np.ndarray, dt: float) -> None:
    """Move a pose by a twist; the columns of the rotation are made orthonormal again, or it would drift in hours."""
    x = rotate(twist[3:] * dt, pose[:3, 0])
    y = rotate(twist[3:] * dt, pose[:3, 1])
    x /= norm(x)
    y -= dot(x, y) * x
    y /= norm(y)
    for i in range(3):
        pose[i, 0] = x[i]
        pose[i, 1] = y[i]
        pose[i, 3] += twist[i] * dt
    pose[0, 2] = x[1] * y[2] - x[2] * y[1]
    pose[1, 2] = x[2] * y[0] - x[0] * y[2]
    pose[2, 2] = x[0] * y[1] - x[1] * y[0]
