"""Room that the bodies of a robot take in a motion, and whether a wall, a table or a ceiling that is known is in their way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.motion import Motion
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses

SAMPLE = 0.1
"""Time between two postures that are looked at [s]."""

POINTS = np.array([0.0, 0.5, 1.0])
"""Parts of a capsule's segment at which its spheres are looked at [-]."""

CLEARANCE = 0.02
"""Distance that a body keeps from a face [m]: a robot is a centimetre beside its reference."""

MIN_APPROACH = 0.01
"""How much nearer than it begins a body must come for a face to be in its way [m]: a robot may stand at a wall and wave."""

STEP_HEIGHT = 0.2
"""Height over the ground up to which a face belongs to what feet step over and onto [m]; see ``landing``."""

UPRIGHT = 0.7
"""Largest vertical part of a wall's normal [-]."""


class BodySweep:
    """Spheres of the bodies of a robot all through a motion, in the motion frame; feet are left out."""

    def __init__(self, motion: Motion, model: RobotModel) -> None:
        """Sample a motion."""
        feet = [j for j, effector in zip(model.effector_joints, model.effectors, strict=True) if effector.is_foot]
        # a shank is a part of a leg as well
        parts = {(body.joint, body.capsule.ends.tobytes()): body for body in model.bodies if body.joint not in feet}
        bodies = list(parts.values())
        self._names = [body.body.replace("_", " ") for body in bodies for _ in POINTS]
        self._radii = np.repeat([body.capsule.radius for body in bodies], len(POINTS))
        ends = np.array([body.capsule.ends for body in bodies]).reshape(-1, 2, 3)
        centres = (ends[:, :1] + POINTS[:, None] * (ends[:, 1:] - ends[:, :1])).reshape(-1, 3)
        joints = np.repeat([body.joint for body in bodies], len(POINTS)).astype(int)
        data = model.pinocchio.createData()
        poses = view_joint_poses(data, model.pinocchio.njoints)
        times = np.arange(0.0, motion.duration + SAMPLE, SAMPLE)
        self._positions = np.zeros((len(times), len(centres), 3))
        for k, time in enumerate(times):
            q = compute_body_state(motion.sample(float(time)), pin.SE3.Identity()).q
            pin.forwardKinematics(model.pinocchio, data, q)
            placed = poses[joints]
            # the transposed rotation is what a view shows, the translation below it
            self._positions[k] = np.einsum("pi,pij->pj", centres, placed[:, :3]) + placed[:, 3]
        self._corners = self._find_corners()

    def _find_corners(self) -> np.ndarray:
        """Return the corners of a box about all spheres in the motion frame, shape ``(8, 3)`` [m]."""
        if not self._positions.size:
            return np.zeros((0, 3))
        radii = self._radii[:, None] + CLEARANCE
        bounds = (self._positions - radii).min(axis=(0, 1)), (self._positions + radii).max(axis=(0, 1))
        return np.array(list(itertools.product(*zip(*bounds, strict=True))))

    def find_obstacle(self, frame: pin.SE3, surfaces: tuple[Surface, ...]) -> str:
        """Find what the motion would strike that is known, in words; empty where nothing is in its way.

        Behind a face all is taken for solid, over its bounds. A body that begins behind it is not held up by it.

        Args:
            frame: Motion frame in world.
            surfaces: What is known of the surroundings.
        """
        worst, words = 0.0, ""
        for surface in surfaces:
            if not self._may_reach(surface, frame):
                continue
            gaps = self._measure_gaps(self._positions @ frame.rotation.T + frame.translation, surface)
            excess = np.where(gaps < gaps[0] - MIN_APPROACH, CLEARANCE - gaps, 0.0).max(axis=0)
            if excess.max() > worst:
                worst = float(excess.max())
                body = self._names[int(excess.argmax())]
                words = f"the {body} would come {math.ceil(1e2 * worst)} cm too near {_describe(surface)}"
        return f"{words}: move away from it first" if words else ""

    def _may_reach(self, surface: Surface, frame: pin.SE3) -> bool:
        """Say whether the box about the motion reaches a face that is higher than a step; it takes a few microseconds."""
        heights = surface.boundary @ surface.pose[2, :2] + surface.pose[2, 3]
        if not len(self._corners) or heights.max() < frame.translation[2] + STEP_HEIGHT:
            return False
        local = (self._corners @ frame.rotation.T + frame.translation - surface.pose[:3, 3]) @ surface.pose[:3, :3]
        lower, upper = local.min(axis=0), local.max(axis=0)
        beside = (lower[:2] > surface.boundary.max(axis=0)) | (upper[:2] < surface.boundary.min(axis=0))
        return bool(lower[2] < 0.0 < upper[2] and not beside.any())

    def _measure_gaps(self, positions: np.ndarray, surface: Surface) -> np.ndarray:
        """Return the distances of all spheres from what is behind a face, shape ``(samples, spheres)`` [m]."""
        local = (positions - surface.pose[:3, 3]) @ surface.pose[:3, :3]
        lower, upper = surface.boundary.min(axis=0), surface.boundary.max(axis=0)
        beside = np.linalg.norm(np.maximum(np.maximum(lower - local[..., :2], local[..., :2] - upper), 0.0), axis=-1)
        heights = local[..., 2]
        outside = (heights > 0.0) | (beside > 0.0)
        gaps = np.where(outside, np.hypot(np.maximum(heights, 0.0), beside), heights) - self._radii
        gaps[:, heights[0] <= 0.0] = np.inf
        return np.asarray(gaps)


def _describe(surface: Surface) -> str:
    upwards = float(surface.pose[2, 2])
    return "a wall" if abs(upwards) < UPRIGHT else "what is below" if upwards > 0.0 else "what is above"
