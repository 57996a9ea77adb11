"""Limits of the joints: which joints are locked, and what stands in for limits that a URDF leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.proposal.anatomy import Anatomy
from handhold.robots.tables import MAX_NUMBER

USUAL_VELOCITY = 6.0
"""Joint velocity that stands in for a missing or impossible one [rad/s]."""

MAX_SPEED = 40.0
"""Joint velocity from which a URDF's is a placeholder [rad/s]."""

TORQUE_OF_LEG, TORQUE_OF_ARM = 0.2, 0.04
"""Joint torque that stands in for a missing one, as a lever that the robot's weight has [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a description says of joints and their limits.

    Attributes:
        locked: Positions of the joints that are held fixed [rad or m], by name.
        fingers: Names of those among them that are behind a hand or a foot.
        endless: Names of those among them that turn without end, or about several axes.
        velocities: Velocity limits that replace the URDF's [rad/s], by name.
        torques: Torque limits that replace the URDF's [Nm], by name.
        velocity_scale: Fraction of the velocity limits in use [-].
    """

    locked: dict[str, float]
    fingers: tuple[str, ...]
    endless: tuple[str, ...]
    velocities: dict[str, float]
    torques: dict[str, float]
    velocity_scale: float


def find_limits(model: pin.Model, anatomy: Anatomy) -> Limits:
    """Find which joints are locked, and limits for those whose URDF has none that are of use."""
    limbs = (*anatomy.legs, *(anatomy.arms or ()))
    fingers = [joint for limb in limbs for joint in limb.beyond]
    moved = [joint for joint in range(2, model.njoints) if joint not in fingers]
    endless = [joint for joint in moved if not _has_range(model, joint)]
    moved = [joint for joint in moved if joint not in endless]
    velocities = np.array([float(model.velocityLimit[model.joints[joint].idx_v]) for joint in moved])
    usable = (velocities > 0.0) & (velocities < MAX_SPEED)
    weight = 9.81 * pin.computeTotalMass(model)
    legs = {joint for leg in anatomy.legs for joint in leg.joints} | set(anatomy.trunk)
    torques = {}
    for joint in moved:
        if not 0.0 < model.effortLimit[model.joints[joint].idx_v] <= MAX_NUMBER:
            torques[model.names[joint]] = round((TORQUE_OF_LEG if joint in legs else TORQUE_OF_ARM) * weight, 1)
    typical = float(np.median(velocities[usable])) if usable.any() else USUAL_VELOCITY
    return Limits(
        locked={model.names[joint]: _find_rest_position(model, joint) for joint in sorted((*fingers, *endless))},
        fingers=tuple(model.names[joint] for joint in fingers),
        endless=tuple(model.names[joint] for joint in endless),
        velocities={model.names[joint]: USUAL_VELOCITY for joint, good in zip(moved, usable, strict=True) if not good},
        torques=torques,
        velocity_scale=round(float(np.clip(USUAL_VELOCITY / typical, 0.3, 0.8)), 2),
    )


def _has_range(model: pin.Model, joint: int) -> bool:
    kind = model.joints[joint]
    if kind.nq != 1:
        return False
    lower, upper = model.lowerPositionLimit[kind.idx_q], model.upperPositionLimit[kind.idx_q]
    return bool(upper - lower > 1e-3 and lower > -MAX_NUMBER and upper < MAX_NUMBER)


def _find_rest_position(model: pin.Model, joint: int) -> float:
    """Return the position nearest to zero that a joint can have."""
    kind = model.joints[joint]
    if kind.nq != 1:
        return 0.0
    return round(float(np.clip(0.0, model.lowerPositionLimit[kind.idx_q], model.upperPositionLimit[kind.idx_q])), 4)
