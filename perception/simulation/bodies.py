r"""Bodies that move, as triangles in a camera's frame.

.. math:: p_{camera} = T_{camera}^{-1} T_{body} \, p_{body}
"""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.perception.simulation.triangles import Triangles


class Bodies:
    """The triangles of several bodies, one after the other, and where a camera has them.

    Attributes:
        owners: Body that each triangle belongs to, shape ``(triangles,)``, int32.
        triangles: Numbers of the triangles, for who wants to know which of them a pixel sees, shape ``(triangles,)``, int32.
        corners: Corners in the camera's optical frame as last placed, shape ``(triangles, 3, 3)`` [m] (view).
    """

    def __init__(self, bodies: tuple[Triangles, ...]) -> None:
        counts = [len(body.corners) for body in bodies]
        self.owners = np.repeat(np.arange(len(bodies), dtype=np.int32), counts)
        self.triangles = np.arange(len(self.owners), dtype=np.int32)
        self._in_body = np.concatenate([np.zeros((0, 3, 3)), *(body.corners for body in bodies)])
        self.corners = np.zeros_like(self._in_body)

    def place(self, camera_pose: np.ndarray, body_poses: np.ndarray) -> np.ndarray:
        """Place all bodies before a camera.

        Args:
            camera_pose: Optical frame of the camera, shape ``(4, 4)``, homogeneous.
            body_poses: Poses of the bodies in the same frame as the camera's, in their order, shape ``(bodies, 4, 4)``.

        Returns:
            ``corners``, a view that the next call writes over.
        """
        _place(self._in_body, self.owners, np.ascontiguousarray(camera_pose), np.ascontiguousarray(body_poses), self.corners)
        return self.corners


@njit(cache=True)
def _place(
    in_body: np.ndarray, owners: np.ndarray, camera_pose: np.ndarray, body_poses: np.ndarray, in_camera: np.ndarray
) -> None:
    rotation, origin = np.empty((3, 3)), np.empty(3)
    last = -1
    for t in range(len(in_body)):
        if owners[t] != last:
            last = owners[t]
            for i in range(3):
                origin[i] = 0.0
                for k in range(3):
                    origin[i] += camera_pose[k, i] * (body_poses[last, k, 3] - camera_pose[k, 3])
                for j in range(3):
                    rotation[i, j] = 0.0
                    for k in range(3):
                        rotation[i, j] += camera_pose[k, i] * body_poses[last, k, j]
        for corner in range(3):
            x, y, z = in_body[t, corner, 0], in_body[t, corner, 1], in_body[t, corner, 2]
            for i in range(3):
                in_camera[t, corner, i] = rotation[i, 0] * x + rotation[i, 1] * y + rotation[i, 2] * z + origin[i]
