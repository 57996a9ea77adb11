"""Where a hand braces: the tip of what its last joint carries, or the wrist where that is too weak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.proposal.anatomy import Limb
from handhold.robots.proposal.source import Source

FRICTION = 0.5
TIP_RADIUS, WRIST_RADIUS = 0.02, 0.03
"""Radius of the sphere at the tip of a hand, and of the one about a wrist [m]."""

PRESS = 0.1
"""Force that a hand must support to be of use, as a part of the robot's weight [-]."""

_WRIST = 0.04
"""Distance from the last joint within which those before it are joints of the wrist [m]."""
_SPREAD = 0.02
"""Length of a hand below which its direction is that of the forearm [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandContact:
    """Where and with which direction a hand touches.

    Attributes:
        placement: Contact frame in the frame of the last joint: z points back from the tip along the hand.
        radius: Radius of its sphere [m].
        weak: Whether the wrist is too weak for the tip.
    """

    placement: pin.SE3
    radius: float
    weak: bool


def find_hand(source: Source, arm: Limb, weight: float) -> HandContact:
    """Find where a hand braces.

    A force F along the hand asks nothing of the wrist, and friction up to a torque of mu F l, with l the length from the
    wrist to the tip. A wrist that cannot support it for ``PRESS`` of the weight gets a sphere about itself, which no force
    through its axes turns.

    Args:
        source: The robot.
        arm: The arm.
        weight: Of the robot [N].
    """
    last = arm.joints[-1]
    wrist = source.poses[last]
    points = np.vstack([source.place_points(joint) for joint in (last, *arm.beyond)])
    direction, length = _measure(points, wrist.translation, _find_forearm(source, arm))
    weak = _find_weakest(source, arm) < FRICTION * PRESS * weight * length
    radius = WRIST_RADIUS if weak else TIP_RADIUS
    centre = wrist.translation + (0.0 if weak else max(length - radius, 0.0)) * direction
    contact = pin.SE3(_complete(-direction), centre)
    return HandContact(placement=wrist.actInv(contact), radius=radius, weak=weak)


def _measure(points: np.ndarray, wrist: np.ndarray, forearm: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the direction of a hand and how far from the wrist it reaches [m]."""
    if not len(points):
        return forearm, 0.0
    arrow = points.mean(axis=0) - wrist
    direction = arrow / np.linalg.norm(arrow) if np.linalg.norm(arrow) > _SPREAD else forearm
    return direction, max(float(((points - wrist) @ direction).max()), 0.0)


def _find_forearm(source: Source, arm: Limb) -> np.ndarray:
    """Return the direction from the last joint that is apart from the wrist to the wrist, unit."""
    positions = source.positions
    wrist = positions[arm.joints[-1]]
    for joint in reversed(arm.joints[:-1]):
        arrow = wrist - positions[joint]
        if np.linalg.norm(arrow) > _WRIST:
            return np.asarray(arrow / np.linalg.norm(arrow))
    return np.array([1.0, 0.0, 0.0])


def _find_weakest(source: Source, arm: Limb) -> float:
    """Return the minimum torque limit of the joints about the wrist [Nm]; infinite where the URDF has none."""
    wrist = source.positions[arm.joints[-1]]
    near = [joint for joint in arm.joints if np.linalg.norm(source.positions[joint] - wrist) < _WRIST]
    torques = [float(source.model.effortLimit[source.model.joints[joint].idx_v]) for joint in near]
    return min((torque for torque in torques if torque > 0.0), default=np.inf)


def _complete(normal: np.ndarray) -> np.ndarray:
    """Return axes with a z; their x is as far up as can be, or ahead for a z that is vertical."""
    up = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.7 else np.array([1.0, 0.0, 0.0])
    x = up - (up @ normal) * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
