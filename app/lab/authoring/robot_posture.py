"""What of a robot's nominal posture a person should look at: legs, soles, and joints near their limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from handhold.app.lab.authoring.robot_findings import Finding, join_names
from handhold.app.lab.scenarios.needs import list_standing
from handhold.app.limbs import list_limb
from handhold.robots.model import RobotModel
from handhold.robots.proposal.bend import STRETCHED
from handhold.robots.proposal.remarks import MAX_TILT

MAX_STEP = 0.005
"""Difference of the soles' heights in the nominal posture from which on it is reported [m]."""

NEAR_LIMIT = 0.02
"""Part of a joint's range within which it counts as near a limit in the nominal posture [-]."""

_KNEE_ANGLES = 100


def list_posture_findings(model: RobotModel) -> tuple[Finding, ...]:
    """List what is to be looked at in the nominal posture."""
    return (*_find_straight_legs(model), *_find_uneven_soles(model), *_find_joints_at_limits(model))


def list_near_limits(model: RobotModel, positions: np.ndarray, part: float) -> list[str]:
    """List the joints that come within a part of their range of a limit, those nearest to one first.

    Args:
        model: Robot.
        positions: Joint positions, shape ``(times, n)`` [rad].
        part: Part of the range [-].
    """
    inside = np.minimum(positions - model.lower, model.upper - positions).min(axis=0)
    margins = inside / np.maximum(model.upper - model.lower, np.finfo(float).tiny)
    return [model.joint_names[j] for j in np.argsort(margins, kind="stable").tolist() if margins[j] < part]


def _find_straight_legs(model: RobotModel) -> Iterator[Finding]:
    for effector in list_standing(model):
        if model.effectors[effector].is_fixed:
            continue
        stretched, knee = measure_stretch(model, effector)
        if stretched > STRETCHED:
            yield Finding(
                f"the leg of {model.effectors[effector].name} is stretched to {1e2 * stretched:.1f} % of its length in the "
                f"nominal posture: it can neither step nor give way; bend {knee} in [posture]"
            )


def measure_stretch(model: RobotModel, effector: int) -> tuple[float, str]:
    """Measure how far a leg is stretched in the nominal posture.

    Returns:
        Distance of hip and ankle (of a leg that ends at its knee: hip and sole) as a part of the largest one that the knee
        allows [-], and the name of the knee.
    """
    chain, data, q = list_limb(model, effector), model.pinocchio.createData(), model.q_nominal.copy()
    pin.forwardKinematics(model.pinocchio, data, q)
    sole = data.oMi[chain[-1]].act(model.effector_placements[effector][:3, 3])
    points = np.array([*(data.oMi[joint].translation for joint in chain), sole])
    lengths = [float(min(np.linalg.norm(point - points[0]), np.linalg.norm(point - sole))) for point in points[:-1]]
    knee = int(np.argmax(lengths))
    # The ankle counts and not the sole: how a foot is tilted says nothing of the knee.
    end = pin.SE3(model.effector_placements[effector]) if knee == len(chain) - 1 else pin.SE3.Identity()
    index = model.pinocchio.joints[chain[knee]].idx_q
    distances = []
    for angle in [q[index], *np.linspace(model.lower[index - 7], model.upper[index - 7], _KNEE_ANGLES)]:
        q[index] = angle
        pin.forwardKinematics(model.pinocchio, data, q)
        distances.append(float(np.linalg.norm((data.oMi[chain[-1]] * end).translation - data.oMi[chain[0]].translation)))
    return distances[0] / max(distances), model.pinocchio.names[chain[knee]]


def _find_uneven_soles(model: RobotModel) -> Iterator[Finding]:
    poses = model.effector_poses(model.q_nominal)
    standing = list_standing(model)
    for i in standing:
        tilt = float(np.arccos(np.clip(poses[i, 2, 2], -1.0, 1.0)))
        if model.effectors[i].half_lengths is not None and tilt > MAX_TILT:
            yield Finding(
                f"{model.effectors[i].name} is tilted by {np.degrees(tilt):.1f} deg in the nominal posture; change the ankle "
                "in [posture], or the effector's offset.rpy"
            )
    heights = {model.effectors[i].name: float(poses[i, 2, 3]) - model.effectors[i].radius for i in standing}
    lowest, highest = (choose(heights, key=heights.__getitem__, default="") for choose in (min, max))
    if heights and heights[highest] - heights[lowest] > MAX_STEP:
        step = 1e3 * (heights[highest] - heights[lowest])
        yield Finding(
            f"{highest} is {step:.0f} mm above {lowest} in the nominal posture; change [posture], or the effectors' "
            "offset.translation"
        )


def _find_joints_at_limits(model: RobotModel) -> Iterator[Finding]:
    near = list_near_limits(model, model.q_nominal[None, 7:], NEAR_LIMIT)
    if near:
        yield Finding(
            f"within {1e2 * NEAR_LIMIT:.0f} % of a limit in the nominal posture: {join_names(near)}; change [posture]"
        )
