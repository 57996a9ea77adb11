r"""From the reference of one mode to that of the next without a jump.

What the first reference of the new mode differs by is added to all that follow, and fades:

.. math:: x(t) = x_{new}(t) + b(t) \, (x_{old} - x_{new}(0)), \quad b = 1 - 10 s^3 + 15 s^4 - 6 s^5, \; s = t / T,

with positions and forces as vectors and orientations by their rotation vectors.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder
from handhold.robots.reference import Reference

BLENDING = 0.5
"""Least time T in which the difference fades [s]."""

MAX_SPEED = 1.0
"""Largest speed that the fading gives a joint [rad/s]: a larger difference takes longer."""

_PEAK = 1.875
"""Largest rate of b, in 1 / T."""


class Blend:
    """Fades from a reference at rest to those of another mode.

    Attributes:
        duration: Time T in which the difference fades [s].
        over: Whether nothing is left of the difference.
    """

    def __init__(self, old: Reference, new: Reference) -> None:
        """Begin with the last reference of the old mode and the first of the new one, on the same contacts."""
        self._joints, self._base = old.q[7:] - new.q[7:], old.q[:3] - new.q[:3]
        self._turn = pin.log3(_rotation(new.q).T @ _rotation(old.q))
        self._com = old.position_com_in_world - new.position_com_in_world
        self._torques = old.joint_torques - new.joint_torques
        self._wrenches = old.contact_wrenches - new.contact_wrenches
        self._external = _list_forces(old) - _list_forces(new)
        self._positions = old.effector_poses[:, :3, 3] - new.effector_poses[:, :3, 3]
        self._turns = [pin.log3(a[:3, :3] @ b[:3, :3].T) for a, b in zip(old.effector_poses, new.effector_poses, strict=True)]
        largest = max(float(np.abs(self._joints).max(initial=0.0)), float(np.linalg.norm(self._turn)))
        self.duration = find_duration(largest)
        self._elapsed = 0.0

    @property
    def over(self) -> bool:  # noqa: D102
        return self._elapsed >= self.duration

    def advance(self, dt: float) -> None:
        """Go on by ``dt`` [s]."""
        self._elapsed += dt

    def apply(self, new: Reference) -> Reference:
        """Return a reference of the new mode with what is left of the difference."""
        ratio, rate, change = fade(self._elapsed, self.duration)
        turned = _rotation(new.q) @ pin.exp3(ratio * self._turn)
        q = np.concatenate([new.q[:3] + ratio * self._base, pin.Quaternion(turned).coeffs(), new.q[7:] + ratio * self._joints])
        moving = np.concatenate([turned.T @ (rate * self._base), rate * self._turn, rate * self._joints])
        poses, velocities = new.effector_poses.copy(), new.effector_velocities.copy()
        poses[:, :3, 3] += ratio * self._positions
        velocities[:, :3] += rate * self._positions
        for k, turn in enumerate(self._turns):
            poses[k, :3, :3] = pin.exp3(ratio * turn) @ poses[k, :3, :3]
            velocities[k, 3:] += rate * turn
        return replace(
            new,
            q=q,
            v=new.v + moving,
            joint_torques=new.joint_torques + ratio * self._torques,
            position_com_in_world=new.position_com_in_world + ratio * self._com,
            velocity_com_in_world=new.velocity_com_in_world + rate * self._com,
            acceleration_com_in_world=new.acceleration_com_in_world + change * self._com,
            effector_poses=poses,
            effector_velocities=velocities,
            external_forces=_list_forces(new) + ratio * self._external if self._external.any() else new.external_forces,
            contact_wrenches=new.contact_wrenches + ratio * self._wrenches * new.contacts[:, None],
        )


def _list_forces(reference: Reference) -> np.ndarray:
    """List the forces of others of a reference, shape ``(touched, 3)`` [N]; one row of zeros for none at all."""
    forces = reference.external_forces
    return np.zeros((1, 3)) if forces is None else forces


def _rotation(q: np.ndarray) -> np.ndarray:
    return np.asarray(pin.Quaternion(q[3:7]).toRotationMatrix())


def find_duration(largest: float) -> float:
    """Find the time T in which a difference fades whose largest joint or turn is so large [rad]."""
    return max(BLENDING, _PEAK * largest / MAX_SPEED)


def fade(elapsed: float, duration: float) -> tuple[float, float, float]:
    """Return b, its rate [1/s] and the change of that [1/s^2], a time [s] after a difference began to fade in another [s]."""
    ratio, rate, change = compute_remainder(elapsed / duration)
    return ratio, rate / duration, change / duration**2
