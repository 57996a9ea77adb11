r"""What a depth image of the robot's own body says of where the camera is.

The body is drawn as kinematics and the mounting so far have it. A pixel that sees the point p where the plane of a drawn face,
:math:`n^T p + c = 0` with n towards the camera, is expected, is off that plane by :math:`e = n^T p + c`. With the mounting's
correction (R, t), which is in the axes of the mounting as described, changed by a small rotation vector and displacement,

.. math:: e(\delta\phi, \delta t) = e + (R p \times R n)^T \delta\phi + (R n)^T \delta t ,

which is to be zero at all pixels: linear least squares, as Chen and Medioni, Object modelling by registration of multiple
range images (1992), and with pixels paired by projection as Blais and Levine, Registering multiview range data (1995).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import BadFrame
from handhold.perception.simulation.bodies import Bodies
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.triangles import Triangles

STRIDE = 4
"""Every how many rows and columns a pixel is taken: those next to each other are matched from the same neighbourhood."""

GATE = 0.05
"""Distance from the expected face from which on something else is seen [m]: what two degrees and 10 mm displace, twice."""

LEAST_COSINE = 0.25
"""Cosine of the angle between face and ray below which a face is seen too much from the side to be measured [-]."""

NOISE = 0.0025
"""Standard deviation of inverse depth that is reckoned with [1/m]: a tenth of a pixel's disparity of a D455."""

SHAPE = 0.002
"""Standard deviation of what the shapes are off and what depth is rounded by [m]."""

LEAST_PIXELS = 60
"""Pixels on the body below which it is not in sight."""

TUKEY = 4.685
"""Standard deviations beyond which a pixel counts nothing; of noise without outliers 5 % of the information are lost."""

MAD = 1.4826
"""Standard deviation of normal noise by its median absolute value."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Alignment:
    r"""What one image says of a change of the mounting, :math:`x = (\delta\phi, \delta t)` [rad, m].

    Attributes:
        information: Of x, shape ``(6, 6)``.
        vector: Information times the change that fits best, shape ``(6,)``.
        pixels: On the body, that were used; 0 where it is not in sight, and then all is zero.
        spread: Standard deviation of what remains, as a multiple of the noise reckoned with [-].
    """

    information: np.ndarray
    vector: np.ndarray
    pixels: int
    spread: float


class BodyAlignment:
    """Compares images of the robot's own body with where kinematics have it."""

    def __init__(self, intrinsics: Intrinsics, bodies: tuple[Triangles, ...]) -> None:
        """Make an image of every few pixels for the expected body.

        Args:
            intrinsics: Of the images.
            bodies: Shapes of the body, as they are, each in a frame of its own.
        """
        i = intrinsics
        self.intrinsics = intrinsics
        self._bodies = Bodies(bodies)
        self._expected = Rasteriser(
            Intrinsics(
                width=-(-i.width // STRIDE),
                height=-(-i.height // STRIDE),
                fx=max(i.fx / STRIDE, 1.0),
                fy=max(i.fy / STRIDE, 1.0),
                cx=i.cx / STRIDE,
                cy=i.cy / STRIDE,
            )
        )
        size = self._expected.faces.size
        self._jacobian, self._errors, self._deviations = np.zeros((size, 6)), np.zeros(size), np.zeros(size)

    def compare(self, frame: DepthFrame, camera_pose: np.ndarray, body_poses: np.ndarray, correction: np.ndarray) -> Alignment:
        """Compare an image with where the body is expected.

        Args:
            frame: The image.
            camera_pose: Optical frame of the camera as described, when the image was exposed, shape ``(4, 4)``.
            body_poses: Poses of the shapes at that time, in the same frame as the camera's, shape ``(bodies, 4, 4)``.
            correction: Pose of the camera in its described optical frame, as far as known, shape ``(4, 4)``.

        Raises:
            BadFrame: The frame has other intrinsics than the expected image.
        """
        i = self.intrinsics
        if frame.intrinsics != i:
            raise BadFrame("a frame of another camera than the one whose mounting is checked", "make a check for this camera")
        self._expected.clear()
        corners = self._bodies.place(camera_pose @ correction, body_poses)
        self._expected.draw(corners, self._bodies.triangles)
        count = _fill_rows(
            (frame.depth, frame.unit, np.array([i.fx, i.fy, i.cx, i.cy])),
            (corners, self._expected.faces),
            np.ascontiguousarray(correction[:3, :3]),
            (self._jacobian, self._errors, self._deviations),
        )
        if count < LEAST_PIXELS:
            return Alignment(information=np.zeros((6, 6)), vector=np.zeros(6), pixels=0, spread=0.0)
        J, e, s = self._jacobian[:count], self._errors[:count], self._deviations[:count]
        ratios = np.abs(e) / s
        spread = max(1.0, MAD * float(np.median(ratios)))
        u = ratios / (TUKEY * spread)
        weights = np.where(u < 1.0, (1.0 - u * u) ** 2, 0.0) / (s * spread) ** 2
        weighted = J * weights[:, None]
        return Alignment(information=weighted.T @ J, vector=-(weighted.T @ e), pixels=count, spread=spread)


@njit(cache=True)
def _fill_rows(
    image: tuple[np.ndarray, float, np.ndarray],
    expected: tuple[np.ndarray, np.ndarray],
    rotation: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> int:
    """Fill one row for each pixel that sees the body, and return how many do.

    Args:
        image: Depth, its unit [m] and the pinhole's ``fx, fy, cx, cy``.
        expected: Corners of the body's triangles in the camera's frame, and which of them every few pixels see.
        rotation: Of the correction.
        rows: Filled: Jacobian, distance from the expected face [m], its standard deviation [m].
    """
    depth, unit, (fx, fy, cx, cy) = image
    corners, faces = expected
    jacobian, errors, deviations = rows
    count = 0
    for i in range(faces.shape[0]):
        for j in range(faces.shape[1]):
            z = unit * depth[STRIDE * i, STRIDE * j]
            if faces[i, j] < 0 or z <= 0.0:
                continue
            a, b, c = corners[faces[i, j]]
            normal = np.cross(b - a, c - a)
            normal /= np.sqrt(np.sum(normal * normal))
            ray = np.array([(STRIDE * j - cx) / fx, (STRIDE * i - cy) / fy, 1.0])
            along = np.sum(normal * ray)
            if along > 0.0:
                normal, along = -normal, -along
            point = z * ray
            error = np.sum(normal * (point - a))
            if abs(error) > GATE or -along < LEAST_COSINE * np.sqrt(np.sum(ray * ray)):
                continue
            turned = rotation @ normal
            jacobian[count, :3] = np.cross(rotation @ point, turned)
            jacobian[count, 3:] = turned
            errors[count] = error
            deviations[count] = np.hypot(SHAPE, NOISE * z * z * along)
            count += 1
    return count
