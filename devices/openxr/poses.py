r"""Poses between OpenXR's axes and Handhold's.

OpenXR has x right, y up and -z forward; Handhold has x forward, y left and z up. Both are right-handed, so that one constant
rotation relates them, and it changes the space a pose is given in and the axes of the posed body alike:

.. math:: p' = C p, \qquad R' = C R C^T

A body that lies straight in its space (identity) does so before and after, and its x axis is where its -z axis was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pinocchio as pin

ROTATION_OPENXR_TO_HANDHOLD = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
ROTATION_OPENXR_TO_HANDHOLD.setflags(write=False)


def convert_pose_from_openxr(position: Sequence[float] | np.ndarray, quat_xyzw: Sequence[float] | np.ndarray) -> pin.SE3:
    """Convert a pose from OpenXR's axes to Handhold's.

    The quaternion is normalised: runtimes send single precision. One that is not finite or is zero gives a pose of NaN, for
    whoever screens samples to refuse: it is not the device's to guess.

    Args:
        position: Position in a space with OpenXR's axes, shape ``(3,)`` [m].
        quat_xyzw: Orientation in that space, shape ``(4,)``, in OpenXR's order x, y, z, w.

    Returns:
        Pose in the same space with Handhold's axes.
    """
    right, up, back = position
    x, y, z, w = quat_xyzw
    norm = math.hypot(x, y, z, w)
    scale = 1.0 / norm if 0.0 < norm < math.inf else math.nan
    # C turns the axis of a rotation as it does any vector: by a change of places and signs.
    rotation = pin.Quaternion(scale * w, -scale * z, -scale * x, scale * y)
    return pin.SE3(rotation, np.array((-back, -right, up)))


def compute_heading(rotation: np.ndarray) -> float:
    r"""Compute the heading of a head, whatever its tilt.

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
