r"""How far a robot is from where it thinks it is, and what is around it as it is seen from there.

A point :math:`p` of the world is at :math:`D p` for a robot whose base is at :math:`T` and thought to be at :math:`\hat T`,
with the drift :math:`D = \hat T T^{-1}`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface

NOTICED = 3e-3
"""How far what is known moves at once [m]: each time everything that was made of it is made anew."""

SIGHT = 2.0
"""Distance from the base at which that counts [m]."""

NO_DRIFT = np.eye(4)
"""Of a robot that is where it thinks it is."""


def find_drift(q: np.ndarray, true_q: np.ndarray) -> np.ndarray:
    """Return where the world is for a robot, shape ``(4, 4)``.

    Args:
        q: Its configuration as it is thought to be, shape ``(nq,)``.
        true_q: As it is, likewise.
    """
    thought, true = pin.XYZQUATToSE3(q[:7]), pin.XYZQUATToSE3(true_q[:7])
    return np.asarray((thought * true.inverse()).homogeneous)


def is_noticed(drift: np.ndarray, known: np.ndarray, position: np.ndarray) -> bool:
    """Whether a drift is another one than was known, shape ``(4, 4)`` each, for a base at a position, shape ``(3,)`` [m]."""
    change = drift @ np.linalg.inv(known)
    shift = np.linalg.norm(change[:3, :3] @ position + change[:3, 3] - position)
    return bool(shift + SIGHT * np.linalg.norm(pin.log3(change[:3, :3])) > NOTICED)


def move_surfaces(surfaces: tuple[Surface, ...], drift: np.ndarray) -> tuple[Surface, ...]:
    """Return surfaces of the world as they are for a robot with a drift, shape ``(4, 4)``."""
    return tuple(replace(surface, pose=drift @ surface.pose) for surface in surfaces)
