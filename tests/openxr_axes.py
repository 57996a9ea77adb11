"""The way back to OpenXR's axes, for a runtime that is told where hands are."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.devices.openxr.poses import ROTATION_OPENXR_TO_HANDHOLD


def convert_pose_to_openxr(pose: pin.SE3) -> tuple[np.ndarray, np.ndarray]:
    """Convert a pose from Handhold's axes to OpenXR's.

    Args:
        pose: Pose in a space with Handhold's axes.

    Returns:
        Position, shape ``(3,)`` [m], and orientation as a unit quaternion in OpenXR's order x, y, z, w, shape ``(4,)``.
    """
    C = ROTATION_OPENXR_TO_HANDHOLD
    quat_xyzw = pin.Quaternion(C.T @ pose.rotation @ C).normalized().coeffs()
    return C.T @ pose.translation, np.array(quat_xyzw)
