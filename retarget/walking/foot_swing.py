"""One swing of a foot: lifted, on its way to the footstep of the latest plan, and in contact where it touches.

The trajectory itself is that of ``SwingFoot``; here is where it leads to, and what ends it. A touch is a force above the
sensor's noise in the last part of the swing. Near the ground that is expected it counts at once, higher up only once it has
lasted: what brushes the foot on its way is no ground.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.retarget.walking.gait_sample import GaitMeasurement
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.step_planner import StepPlan
from handhold.retarget.walking.swing import SwingFoot


class FootSwing:
    """A foot in the air.

    Attributes:
        foot: State on its trajectory.
        target: Where it is to land, as ``SwingFoot.position``, shape ``(6,)`` [m, rad]; zero before the first plan.
        missed: Whether it found no ground where it may look for it.
    """

    def __init__(self, index: int, pose: np.ndarray, step_height: float, parameters: GaitParameters) -> None:
        """Lift a foot.

        Args:
            index: Which: 0 for the left one, 1 for the right one.
            pose: Of its sole in world, homogeneous, shape ``(4, 4)``.
            step_height: How high to lift it [m].
            parameters: When it touches.
        """
        self._index, self._step_height, self._parameters = index, step_height, parameters
        self.foot = SwingFoot.lift_off(pose, step_height)
        self.target = np.zeros(6)
        self.missed = False
        # The plan whose first footstep is the target.
        self._plan: StepPlan | None = None
        # How long a force has been measured [s].
        self._pressed_for = 0.0

    @property
    def is_aimed(self) -> bool:
        """Whether the foot is on its way to ``target``."""
        return self._plan is not None

    def advance(self, plan: StepPlan, measured: GaitMeasurement, support_pose: np.ndarray, elapsed: float, dt: float) -> bool:
        """Go on by ``dt``, and return whether the foot has touched: then it is where it is measured.

        Args:
            plan: The latest plan.
            measured: What is measured of the feet.
            support_pose: Pose of the foot that supports, shape ``(4, 4)``.
            elapsed: Time since the foot was lifted [s].
            dt: Time [s].
        """
        p, duration = self._parameters, plan.timing.single_support
        if elapsed < duration - p.freeze_time and plan is not self._plan:
            self._aim(plan, measured.ground, support_pose)
        descending = elapsed > p.touch_phase * duration
        self._pressed_for = self._pressed_for + dt if descending and self._is_pressed(measured) else 0.0
        if self._pressed_for > (p.obstacle_time if self._is_high(measured) else 0.0):
            return True
        self.missed = descending and bool(self.foot.position[5] < self.target[5] - p.max_search_depth)
        self.foot = self.foot.freeze() if self.missed else self.foot.advance(self.target, elapsed, duration, dt)
        return False

    def _is_pressed(self, measured: GaitMeasurement) -> bool:
        p = self._parameters
        return bool(measured.forces[self._index] > max(p.touch_ratio, p.noise_ratio * measured.noise[self._index]))

    def _is_high(self, measured: GaitMeasurement) -> bool:
        """Whether the foot is high above the ground that it is on its way to: what taps it there is not that."""
        above = float(measured.poses[self._index, 2, 3] - self.target[5])
        return above > self._parameters.low * self._step_height

    def _aim(self, plan: StepPlan, ground: GroundMap | None, support_pose: np.ndarray) -> None:
        """Make a plan's first footstep the target, over what is in between."""
        self._plan = plan
        self.target[:2], self.target[2] = plan.solution.footsteps[0], plan.footsteps.angles[0]
        self.target[3:] = find_foothold(self.target[:3], ground, support_pose)
        if ground is not None:
            height = float(support_pose[2, 3])
            max_height = ground.find_highest(self.foot.position[:2], self.target[:2], float(self.target[2]), height)
            self.foot = replace(self.foot, rise=max(self.foot.rise, max_height - self.foot.start))


def find_foothold(footstep: np.ndarray, ground: GroundMap | None, support_pose: np.ndarray) -> tuple[float, float, float]:
    """Return roll, pitch [rad] and height [m] with which a foot is to stand.

    As much as the map errs under the foot that supports, on one surface, it is taken to err at the next foothold.

    Args:
        footstep: Position and orientation seen from above, shape ``(3,)`` [m, rad].
        ground: What is known of it; None to take it for as high as the foot that supports.
        support_pose: Pose of that foot, shape ``(4, 4)``.
    """
    height = float(support_pose[2, 3])
    if ground is None:
        return 0.0, 0.0, height
    foothold = ground.find_foothold(footstep[:2], float(footstep[2]), height)
    here = ground.find_foothold(support_pose[:2, 3], math.atan2(support_pose[1, 0], support_pose[0, 0]), height)
    error = height - here.height if here.surfaces == 1 and foothold.surfaces > 0 else 0.0
    return foothold.roll, foothold.pitch, foothold.height + error
