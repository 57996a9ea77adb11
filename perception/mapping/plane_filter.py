r"""Fuses the planes that images show of one surface.

In the surface's own axes a plane near its own is :math:`z = a x + b y + c`. What an image shows of it is a measurement of
(a, b, c) that is 0 where nothing is new, with the covariance R of its pixels and of the camera's pose, and

.. math:: K = P (P + R)^{-1}, \qquad \delta = K (a, b, c), \qquad P \leftarrow (I - K) P,

after which the axes are moved by :math:`\delta`. The error of the camera's pose is no noise: a part of it is the same in the
next image (``SHARED`` in the map), and so P stays near it however many images there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.perception.planes.plane import Plane


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseError:
    """How well the camera's pose in world is known.

    Attributes:
        angle: Standard deviation of its orientation [rad].
        position: Of its position [m].
    """

    angle: float = 0.003
    position: float = 0.002

    def compute_covariance(self, camera: np.ndarray) -> np.ndarray:
        r"""Return the covariance of (a, b, c) that comes from it, shape ``(3, 3)``.

        A turn of the camera turns what it sees about the camera: :math:`c = -(a, b) \cdot t`.

        Args:
            camera: Position of the camera in the surface's axes, t, shape ``(3,)`` [m].
        """
        turn = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-camera[0], -camera[1], 1.0]])
        return turn @ np.diag([self.angle**2, self.angle**2, self.position**2]) @ turn.T


def express_plane(plane: Plane, transform_camera_to_surface: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Express a plane, :math:`k^T p = 1` in the camera's axes, as (a, b, c) in a surface's, with its covariance.

    With :math:`p = R^T (u - t)`, R and t from the camera to the surface, the plane is :math:`h^T u = 1 + h^T t` where
    :math:`h = R k`, so that :math:`a = -h_x / h_z, \; b = -h_y / h_z, \; c = (1 + h^T t) / h_z`.

    Args:
        plane: As the camera sees it.
        transform_camera_to_surface: Shape ``(4, 4)``.

    Returns:
        (a, b, c), shape ``(3,)`` [-, -, m], and its covariance by the noise of the pixels, shape ``(3, 3)``.
    """
    rotation, t = transform_camera_to_surface[:3, :3], transform_camera_to_surface[:3, 3]
    h = rotation @ plane.coefficients
    value = np.array([-h[0] / h[2], -h[1] / h[2], (1.0 + h @ t) / h[2]])
    by_h = np.array(
        [
            [-1.0 / h[2], 0.0, h[0] / h[2] ** 2],
            [0.0, -1.0 / h[2], h[1] / h[2] ** 2],
            [t[0] / h[2], t[1] / h[2], t[2] / h[2] - value[2] / h[2]],
        ]
    )
    jacobian = by_h @ rotation
    return value, jacobian @ plane.covariance @ jacobian.T


def express_surface(covariance: np.ndarray, transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Express the plane of one surface in the axes of another that is nearly parallel.

    Args:
        covariance: Of the plane in its own axes, shape ``(3, 3)``.
        transform: From its axes to the other's, shape ``(4, 4)``.

    Returns:
        (a, b, c), shape ``(3,)`` [-, -, m], and its covariance, shape ``(3, 3)``.
    """
    normal, t = transform[:3, 2], transform[:3, 3]
    value = np.array([-normal[0] / normal[2], -normal[1] / normal[2], normal @ t / normal[2]])
    jacobian = np.zeros((3, 3))
    jacobian[:2, :2] = transform[:2, :2]
    jacobian[2] = *(-t[:2] @ transform[:2, :2]), 1.0
    return value, jacobian @ covariance @ jacobian.T


def fuse(covariance: np.ndarray, measured: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far a surface moves by a measurement of its plane, and the covariance afterwards.

    Args:
        covariance: Of (a, b, c) before, shape ``(3, 3)``.
        measured: (a, b, c), shape ``(3,)``.
        noise: Covariance of what the pixels and the camera's pose make of it, shape ``(3, 3)``.
    """
    gain = covariance @ np.linalg.inv(covariance + noise)
    rest = np.eye(3) - gain
    # Joseph's form stays positive where (I - K) P does not, by rounding.
    return gain @ measured, rest @ covariance @ rest.T + gain @ noise @ gain.T


def move_pose(pose: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return a surface's pose, shape ``(4, 4)``, with its plane moved to (a, b, c) in its own axes, along its normal."""
    a, b, c = change
    normal = np.array([-a, -b, 1.0]) / np.sqrt(a * a + b * b + 1.0)
    x = np.array([1.0, 0.0, a]) / np.sqrt(1.0 + a * a)
    moved = pose.copy()
    moved[:3, :3] = pose[:3, :3] @ np.column_stack([x, np.cross(normal, x), normal])
    moved[:3, 3] = pose[:3, 3] + c * pose[:3, 2]
    return moved
