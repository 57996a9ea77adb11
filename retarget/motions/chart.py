r"""Coordinates in which whole postures add, blend and interpolate as vectors do.

A posture is :math:`x = (p, r, \theta)`: position of the base [m], rotation vector of the base [rad] and joints [rad], both in
the *motion frame*: level, on the ground, so that a motion can be put anywhere. With the frame's pose :math:`(R_f, p_f)`,

.. math::

    p^{world} = p_f + R_f p, \qquad R^{world} = R_f \exp(r), \qquad
    v = \exp(r)^T \dot p, \qquad \omega = J_r(r) \dot r,

velocities in the base's own axes as in Pinocchio, :math:`J_r` the right Jacobian of the exponential. They fail
where the base has made half a turn: a robot that stands on its head, or looks back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

# Step of the numerical derivative of the exponential's Jacobian [s]: the error goes with its square.
_STEP = 1e-4


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ChartState:
    """A posture in motion coordinates and how it changes with time.

    Attributes:
        x: Coordinates, shape ``(nv,)``.
        rate: Their first derivative, shape ``(nv,)``.
        acceleration: Their second derivative, shape ``(nv,)``.
    """

    x: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray

    @staticmethod
    def at_rest(x: np.ndarray) -> ChartState:
        """Return a posture that does not change."""
        return ChartState(x=x, rate=np.zeros_like(x), acceleration=np.zeros_like(x))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BodyState:
    """A posture as Pinocchio has it.

    Attributes:
        q: Configuration, shape ``(nq,)``.
        v: Velocity, shape ``(nv,)``.
        a: Time derivative of ``v``, shape ``(nv,)``.
    """

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


def compute_coordinates(q: np.ndarray, frame: pin.SE3) -> np.ndarray:
    """Compute the motion coordinates of a configuration, shape ``(nv,)``.

    Args:
        q: Configuration, shape ``(nq,)``.
        frame: Motion frame in world.
    """
    base = frame.actInv(pin.SE3(pin.Quaternion(q[3:7]).normalized().toRotationMatrix(), q[:3]))
    return np.concatenate([base.translation, pin.log3(base.rotation), q[7:]])


def compute_body_state(state: ChartState, frame: pin.SE3) -> BodyState:
    """Compute configuration, velocity and acceleration of motion coordinates.

    Args:
        state: Motion coordinates and their derivatives.
        frame: Motion frame in world.
    """
    r, r_rate, r_acceleration = state.x[3:6], state.rate[3:6], state.acceleration[3:6]
    rotation, jacobian = pin.exp3(r), pin.Jexp3(r)
    jacobian_rate = (pin.Jexp3(r + _STEP * r_rate) - pin.Jexp3(r - _STEP * r_rate)) / (2.0 * _STEP)
    turning = jacobian @ r_rate
    linear = rotation.T @ state.rate[:3]
    base = frame * pin.SE3(rotation, state.x[:3])
    quaternion = pin.Quaternion(base.rotation).coeffs()
    return BodyState(
        q=np.concatenate([base.translation, quaternion, state.x[6:]]),
        v=np.concatenate([linear, turning, state.rate[6:]]),
        a=np.concatenate(
            [
                rotation.T @ state.acceleration[:3] - pin.skew(turning) @ linear,
                jacobian @ r_acceleration + jacobian_rate @ r_rate,
                state.acceleration[6:],
            ]
        ),
    )


def shift_base(state: BodyState, shift: np.ndarray) -> BodyState:
    """Return a state whose base is displaced in world, by a displacement with its two derivatives, shape ``(3, 3)``."""
    rotation = pin.Quaternion(state.q[3:7]).toRotationMatrix()
    q, v, a = state.q.copy(), state.v.copy(), state.a.copy()
    velocity = rotation.T @ shift[1]
    q[:3] += shift[0]
    v[:3] += velocity
    a[:3] += rotation.T @ shift[2] - pin.skew(state.v[3:6]) @ velocity
    return BodyState(q=q, v=v, a=a)
