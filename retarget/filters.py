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

_NEARLY_HALF_TURN = math.pi - 0.2
"""Beyond this angle [rad] the short way round may change sides from one sample to the next."""


class UnusableLimits(RetargetError):
    """The limits of the effector filter contradict each other."""

    def __init__(self, name: str, value: float, mend: str) -> None:
        self.name = name
        self.value = value
        super().__init__(f"{name} = {value:g} of the effector filter cannot be used; {mend}")


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

        The target is kept within the lead of the reached pose by slowing it on the way out (exactly on a straight way; by less
        than one step at full velocity on a bent one). Where the reached pose itself moves away, the target comes back.

        Args:
            command: Commanded pose in world, homogeneous, shape ``(4, 4)``.
            reached: Pose in world that the robot's reference has reached, homogeneous, shape ``(4, 4)``.
            dt: Length of the step [s].
            speed: Share of the largest velocities allowed now, 0 to 1. Where it falls faster than the largest acceleration
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
def compute_relative_command(hand: np.ndarray, hand_at_start: np.ndarray, reference_at_start: np.ndarray) -> np.ndarray:
    r"""Compute where a hand's motion since the clutch closed asks its effector to go.

    .. math::

        p = p_{ref,0} + (p_{hand} - p_{hand,0}), \qquad R = R_{hand} R_{hand,0}^T R_{ref,0}

    Args:
        hand: Pose of the operator's hand now, in world, homogeneous, shape ``(4, 4)``.
        hand_at_start: The same when the clutch closed.
        reference_at_start: Reference pose of the effector when the clutch closed, homogeneous, shape ``(4, 4)``.

    Returns:
        Commanded pose of the effector in world, homogeneous, shape ``(4, 4)``.
    """
    turn = _multiply_transposed(hand, hand_at_start)
    command = np.eye(4)
    for i in range(3):
        command[i, 3] = reference_at_start[i, 3] + (hand[i, 3] - hand_at_start[i, 3])
        for j in range(3):
            command[i, j] = (
                turn[i, 0] * reference_at_start[0, j]
                + turn[i, 1] * reference_at_start[1, j]
                + turn[i, 2] * reference_at_start[2, j]
            )
    return command


@njit(cache=True)
def compute_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Compute the rotation vector that turns one pose's orientation into another's: ``log(R_end R_start^T)``.

    Args:
        start: Homogeneous pose or rotation; only its upper left ``(3, 3)`` is read.
        end: The same.

    Returns:
        Rotation vector in the common axes, shape ``(3,)`` [rad], at most pi long.
    """
    return _log(_multiply_transposed(end, start))


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
    speed = _norm(velocity)
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
    distance = _norm(lead)
    outward = lead / distance if distance > 0.0 else lead
    # Slowing in proportion to the way left takes no more than the largest acceleration, at full velocity too.
    bound = (maximum_lead - distance) * maximum_acceleration / full_velocity
    change = (velocity + (frequency * frequency * dt) * error) / (1.0 + frequency * dt) ** 2
    change -= max(_dot(change, outward) - bound, 0.0) * outward
    _clip(change, maximum_velocity)
    change -= velocity
    _clip(change, maximum_acceleration * dt)
    _turn_inward(change, outward, max(bound, 0.0) - _dot(velocity, outward), maximum_acceleration * dt)
    velocity += change


@njit(cache=True)
def _turn_inward(change: np.ndarray, outward: np.ndarray, largest: float, size: float) -> None:
    """Let a change of velocity go outward no more than ``largest``, and take what that costs from its other directions."""
    along = _dot(change, outward)
    if along <= largest:
        return
    change -= along * outward
    along = max(largest, -size)
    _clip(change, math.sqrt(size * size - along * along))
    change += along * outward


@njit(cache=True)
def _keep_going_round(turn: np.ndarray, angular_velocity: np.ndarray) -> np.ndarray:
    """Go on the way already taken where the short way round is about to change sides."""
    angle = _norm(turn)
    if angle < _NEARLY_HALF_TURN:
        return turn
    if _dot(turn, angular_velocity) >= 0.0:
        return turn
    return turn * (1.0 - 2.0 * math.pi / angle)


@njit(cache=True)
def _integrate(pose: np.ndarray, twist: np.ndarray, dt: float) -> None:
    """Move a pose by a twist; the columns of the rotation are made orthonormal again, or it would drift in hours."""
    x = _rotate(twist[3:] * dt, pose[:3, 0])
    y = _rotate(twist[3:] * dt, pose[:3, 1])
    x /= _norm(x)
    y -= _dot(x, y) * x
    y /= _norm(y)
    for i in range(3):
        pose[i, 0] = x[i]
        pose[i, 1] = y[i]
        pose[i, 3] += twist[i] * dt
    pose[0, 2] = x[1] * y[2] - x[2] * y[1]
    pose[1, 2] = x[2] * y[0] - x[0] * y[2]
    pose[2, 2] = x[0] * y[1] - x[1] * y[0]


@njit(cache=True)
def _rotate(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Turn a vector by a rotation vector (Rodrigues' formula)."""
    angle = _norm(turn)
    if angle < 1e-12:
        return vector.copy()
    axis = turn / angle
    along = _dot(axis, vector) * (1.0 - math.cos(angle))
    sine = math.sin(angle)
    cosine = math.cos(angle)
    turned = np.empty(3)
    turned[0] = cosine * vector[0] + sine * (axis[1] * vector[2] - axis[2] * vector[1]) + along * axis[0]
    turned[1] = cosine * vector[1] + sine * (axis[2] * vector[0] - axis[0] * vector[2]) + along * axis[1]
    turned[2] = cosine * vector[2] + sine * (axis[0] * vector[1] - axis[1] * vector[0]) + along * axis[2]
    return turned


@njit(cache=True)
def _log(rotation: np.ndarray) -> np.ndarray:
    """Rotation vector of a rotation, by way of the largest component of its quaternion: exact near half a turn too."""
    squares = np.empty(4)
    trace = rotation[0, 0] + rotation[1, 1] + rotation[2, 2]
    squares[3] = 1.0 + trace
    for i in range(3):
        squares[i] = 1.0 + 2.0 * rotation[i, i] - trace
    largest = 0
    for i in range(1, 4):
        if squares[i] > squares[largest]:
            largest = i
    quat_xyzw = _complete_quaternion(rotation, largest, squares[largest])
    vector = quat_xyzw[:3]
    length = _norm(vector)
    if length < 1e-12:
        return 2.0 * vector
    return (2.0 * math.atan2(length, quat_xyzw[3]) / length) * vector


@njit(cache=True)
def _complete_quaternion(rotation: np.ndarray, largest: int, square: float) -> np.ndarray:
    """Fill four times the quaternion times its largest component, then make it a unit with a positive real part."""
    quat_xyzw = np.empty(4)
    if largest == 3:
        quat_xyzw[0] = rotation[2, 1] - rotation[1, 2]
        quat_xyzw[1] = rotation[0, 2] - rotation[2, 0]
        quat_xyzw[2] = rotation[1, 0] - rotation[0, 1]
        quat_xyzw[3] = square
    else:
        i = largest
        j = (i + 1) % 3
        k = (i + 2) % 3
        quat_xyzw[i] = square
        quat_xyzw[j] = rotation[j, i] + rotation[i, j]
        quat_xyzw[k] = rotation[k, i] + rotation[i, k]
        quat_xyzw[3] = rotation[k, j] - rotation[j, k]
    length = math.sqrt(np.sum(quat_xyzw * quat_xyzw))
    if quat_xyzw[3] < 0.0:
        length = -length
    return quat_xyzw / length


@njit(cache=True)
def _multiply_transposed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            product[i, j] = a[i, 0] * b[j, 0] + a[i, 1] * b[j, 1] + a[i, 2] * b[j, 2]
    return product


@njit(cache=True)
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _norm(vector: np.ndarray) -> float:
    return math.sqrt(_dot(vector, vector))


@njit(cache=True)
def _clip(vector: np.ndarray, maximum: float) -> None:
    length = _norm(vector)
    if length > maximum:
        vector *= maximum / length
