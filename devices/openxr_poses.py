r"""Poses between OpenXR's axes and Handhold's.

OpenXR has x right, y up and -z forward; Handhold has x forward, y left and z up. Both are right-handed, so that one constant
rotation relates them, and it changes the space a pose is given in and the axes of the posed body alike:

.. math:: p' = C p, \qquad R' = C R C^T

A body that lies straight in its space (identity) does so before and after, and its x axis is where its -z axis was.
"""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin

ROTATION_OPENXR_TO_HANDHOLD = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
ROTATION_OPENXR_TO_HANDHOLD.setflags(write=False)


def convert_pose_from_openxr(position: np.ndarray, quat_xyzw: np.ndarray) -> pin.SE3:
    """Convert a pose from OpenXR's axes to Handhold's.

    The quaternion is normalised: runtimes send single precision. One that is not finite or is zero gives a pose of NaN, for
    whoever screens samples to refuse: it is not the device's to guess.

    Args:
        position: Position in a space with OpenXR's axes, shape ``(3,)`` [m].
        quat_xyzw: Orientation in that space, shape ``(4,)``, in OpenXR's order x, y, z, w.

    Returns:
        Pose in the same space with Handhold's axes.
    """
    with np.errstate(invalid="ignore"):
        x, y, z, w = quat_xyzw / np.linalg.norm(quat_xyzw)
    C = ROTATION_OPENXR_TO_HANDHOLD
    return pin.SE3(C @ pin.Quaternion(w, x, y, z).matrix() @ C.T, C @ position)


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


def compute_heading(rotation: np.ndarray) -> float:
    r"""Compute which way a head faces, whatever it is tilted.

    It is the angle of the rotation's twist about the vertical, :math:`2 \operatorname{atan2}(q_z, q_w)`, which is defined
    for a head that looks straight down, as the projection of its forward axis is not.

    Args:
        rotation: Orientation of the head in a space with z up, shape ``(3, 3)``.

    Returns:
        Angle about the vertical in (-pi, pi] [rad]; 0 is forward, to the left is positive.
    """
    quaternion = pin.Quaternion(rotation)
    return math.remainder(2.0 * math.atan2(quaternion.z, quaternion.w), math.tau)


def compute_origin_below(head: pin.SE3) -> pin.SE3:
    """Compute the origin that an operator standing here would have: on the floor below the head, x where it faces.

    Args:
        head: Pose of the head in a space with z up and its floor at 0.

    Returns:
        Pose of that origin in the same space; its z axis stays vertical and its height 0.
    """
    return pin.SE3(
        pin.utils.rotate("z", compute_heading(head.rotation)), np.array([head.translation[0], head.translation[1], 0.0])
    )
