r"""Whether a camera sits where its mounting is described to, from what is always in sight: the floor, and the robot's body.

The pose of the camera in its described optical frame is a small rotation vector and a displacement, :math:`x = (\phi, t)`.
The floor, :math:`n^T p + c = 0` as the camera sees it and :math:`n_0^T p + c_0 = 0` as the soles have it in the described
frame, says of a change of x

.. math:: R n - n_0 = n_0 \times \delta\phi, \qquad c - c_0 - n_0^T t = n_0^T \delta t ,

which is how the camera is turned about two axes, and its height. The robot's own arms say the rest (``body_alignment.py``),
with the information :math:`H` of the image, less what kinematics are off by in one posture, of covariance Q:

.. math:: (H^{-1} + Q)^{-1} = (1 + H Q)^{-1} H .

Both are summed as information of x, :math:`\Lambda`. What kinematics are off by in all postures alike, of covariance S, no
number of images tells from the mounting: x is known with :math:`\Lambda^{-1} + S`. A camera may be knocked at any time: where
the last seconds surely say something else than what is known, they alone, and they little, count from then on.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.perception.body.body_alignment import BodyAlignment
from handhold.perception.body.fading_information import FadingInformation
from handhold.perception.body.mounting_estimate import MountingEstimate, exponentiate, is_surely_beyond, make_pose
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.triangles import Triangles

MEMORY, LATELY = 60.0, 5.0
"""Time constants of what is known, and of the last seconds that it is compared with [s]."""

LEFT = 0.2
"""What the last seconds count once they contradict what is known [-]: their first ones may be from before the knock."""

INDEPENDENT = 1.0
"""Time after which another image says something new of errors that depend on the posture [s]."""

MOST_AT_ONCE = 0.5
"""What one image may count, of an independent one [-]: none alone shall raise an alarm over two degrees."""

PRIOR_TURN, PRIOR_SHIFT = math.radians(5.0), 0.03
"""Standard deviations of a mounting of which nothing has been seen [rad, m]."""

JOINT_TURN, JOINT_SHIFT = math.radians(0.3), 0.002
"""Standard deviations of where kinematics have an arm in one posture [rad, m]: its joints, and how links give way."""

COMMON_TURN, COMMON_SHIFT = math.radians(0.2), 0.001
"""Standard deviations of the same in all postures [rad, m]: how well the joints of neck and trunk are calibrated."""

FLOOR_TILT, FLOOR_HEIGHT = math.radians(0.3), 0.004
"""Standard deviations of the floor against the soles [rad, m]: uneven floors, soft soles, the legs' joints."""

GATE_TILT, GATE_HEIGHT = math.radians(8.0), 0.08
"""What a plane may be off the soles' [rad, m]: further off is something else that the camera sees."""

ITERATIONS = 3
"""Times that the body is drawn anew with what has been found."""

_SETTLED = 1e-5
"""Change of the estimate from which on another iteration is of no use [rad, m]."""


class MountingCheck:
    """Learns where a camera really is on its robot."""

    def __init__(self, intrinsics: Intrinsics, bodies: tuple[Triangles, ...]) -> None:
        """Begin without knowledge.

        Args:
            intrinsics: Of the camera.
            bodies: Shapes of the robot, as they are, each in a frame of its own.
        """
        self._alignment = BodyAlignment(intrinsics, bodies)
        self._prior = np.linalg.inv(_make_covariance(PRIOR_TURN, PRIOR_SHIFT))
        self._kinematics = _make_covariance(JOINT_TURN, JOINT_SHIFT)
        self._common = _make_covariance(COMMON_TURN, COMMON_SHIFT)
        self._known, self._lately = FadingInformation(6, MEMORY), FadingInformation(6, LATELY)
        self._time, self._floor_time, self._body_time = -math.inf, -math.inf, -math.inf

    @property
    def estimate(self) -> MountingEstimate:
        """What is known now."""
        x = self._known.solve(self._prior, np.zeros(6))
        covariance = np.linalg.inv(self._prior + self._known.information) + self._common
        return MountingEstimate(rotation=x[:3], translation=x[3:], covariance=covariance)

    def see_floor(self, time: float, seen: np.ndarray, expected: np.ndarray) -> bool:
        """Learn from the floor.

        Args:
            time: When it was seen [s].
            seen: Its plane as the camera sees it, ``(n, c)`` with :math:`n^T p + c = 0`, n of unit length and towards the
                camera, shape ``(4,)`` [-, m].
            expected: The plane through the soles by kinematics, in the described optical frame, the same way.

        Returns:
            Whether it counted: not where it is too far off to be the floor that the soles are on.
        """
        x = self._locate()
        turned, normal = exponentiate(x[:3]) @ seen[:3], expected[:3]
        height = float(seen[3] - expected[3] - normal @ x[3:])
        if float(turned @ normal) < math.cos(GATE_TILT) or abs(height) > GATE_HEIGHT:
            return False
        part = self._pass_time(time, self._floor_time)
        self._floor_time = time
        rows = np.zeros((4, 6))
        rows[:3, :3] = np.cross(normal, np.eye(3)).T
        rows[3, 3:] = normal
        weighted = part * rows.T / np.array([FLOOR_TILT, FLOOR_TILT, FLOOR_TILT, FLOOR_HEIGHT]) ** 2
        self._add(weighted @ rows, weighted @ (np.append(turned - normal, height) + rows @ x))
        return True

    def see_body(self, frame: DepthFrame, camera_pose: np.ndarray, body_poses: np.ndarray) -> int:
        """Learn from the robot's own body.

        Args:
            frame: What the camera saw.
            camera_pose: Its optical frame as described, when the frame was exposed, shape ``(4, 4)``.
            body_poses: Poses of the shapes at that time, in the same frame as the camera's, shape ``(bodies, 4, 4)``.

        Returns:
            Pixels on the body that were compared; 0 where too little of it is in sight.

        Raises:
            BadFrame: The frame is of another camera.
        """
        part = self._pass_time(frame.time, self._body_time)
        x, pixels = self._locate(), 0
        information, vector = np.zeros((6, 6)), np.zeros(6)
        for _ in range(ITERATIONS):
            found = self._alignment.compare(frame, camera_pose, body_poses, make_pose(x))
            if found.pixels == 0:
                break
            pixels = found.pixels
            limited = part * np.linalg.inv(np.eye(6) + found.information @ self._kinematics)
            information = limited @ found.information
            vector = limited @ found.vector + information @ x
            before, x = x, self._locate(information, vector)
            if np.abs(x - before).max() < _SETTLED:
                break
        if pixels:
            self._body_time = frame.time
            self._add(0.5 * (information + information.T), vector)
        return pixels

    def _locate(self, information: np.ndarray | float = 0.0, vector: np.ndarray | float = 0.0) -> np.ndarray:
        """Return where the last seconds have the camera, with another measurement; what they do not say is as it is known."""
        known = self._known.solve(self._prior, np.zeros(6))
        total = self._prior + self._lately.information + information
        return np.asarray(np.linalg.solve(total, self._prior @ known + self._lately.vector + vector))

    def _add(self, information: np.ndarray, vector: np.ndarray) -> None:
        self._known.add(information, vector)
        self._lately.add(information, vector)
        known = self._known.solve(self._prior, np.zeros(6))
        change = self._lately.solve(self._prior, known) - known
        covariance = sum(np.linalg.inv(self._prior + each.information) for each in (self._known, self._lately))
        if is_surely_beyond(change, np.asarray(covariance), 0.0, 0.0):
            self._lately.scale(LEFT)
            self._known.take_over(self._lately)

    def _pass_time(self, time: float, before: float) -> float:
        """Let what is known fade, and return how much of something new another look says since the one before."""
        if time > self._time:
            duration = time - self._time if math.isfinite(self._time) else 0.0
            self._known.fade(duration)
            self._lately.fade(duration)
            self._time = time
        return min(MOST_AT_ONCE, max(0.0, time - before) / INDEPENDENT)


def _make_covariance(turn: float, shift: float) -> np.ndarray:
    return np.diag([turn**2] * 3 + [shift**2] * 3)
