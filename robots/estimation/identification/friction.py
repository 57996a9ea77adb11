r"""Friction of a joint, from a way that it travelled slowly there and back.

At one position and one speed all that turns a joint but its friction is the same in both directions, whatever its links weigh:

.. math:: \tau = p(q) + f_c \operatorname{sgn} v + f_v v,

with a cubic p for its weight, Coulomb friction :math:`f_c` and viscous friction :math:`f_v`. Half of the hysteresis of the
torques is the friction; they are those that the drive tells, so that it is told in the drive's own Nm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.estimation.identification.joint_record import JointRecord

SETTLED = 0.05
"""For how long a joint has had its speed before its torques count [s]."""

SAME = 1e-6
"""Difference of two desired velocities that are the same [rad/s]."""

DEGREE = 3
"""Of the polynomial of the weight: over 0.2 rad a cosine leaves 2e-5 of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Friction:
    """Of one joint.

    Attributes:
        coulomb: What is the same at every speed [Nm].
        viscous: What grows with the speed [Nms/rad].
    """

    coulomb: float
    viscous: float


def fit_friction(record: JointRecord) -> Friction:
    """Fit the friction of a joint to a slow travel; neither part is below 0."""
    steady = find_steady(record)
    q, v = record.positions[steady, record.joint], record.desired_velocities[steady]
    torques = record.torques[steady, record.joint]
    weight = np.vander((q - q.mean()) / np.ptp(q), DEGREE + 1)
    # The sign of the velocity, which is no smaller at the lower speed; then what grows with it.
    for columns in ((np.sign(v), v), (np.sign(v),)):
        fitted = np.linalg.lstsq(np.column_stack([weight, *columns]), torques, rcond=None)[0][DEGREE + 1 :]
        coulomb, viscous = float(fitted[0]), float(fitted[1]) if len(fitted) > 1 else 0.0
        if viscous >= 0.0:
            break
    return Friction(coulomb=max(0.0, coulomb), viscous=viscous)


def find_steady(record: JointRecord) -> np.ndarray:
    """Return during which periods a joint was to have had one speed for long enough, shape ``(k,)``, bool."""
    v, times = record.desired_velocities, record.times
    changed = np.abs(np.diff(v, prepend=np.nan)) < SAME
    since = np.maximum.accumulate(np.where(changed, -np.inf, times))
    return np.asarray((np.abs(v) > SAME) & (times - since > SETTLED))
