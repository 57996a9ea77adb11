r"""A robot's bodies that keep apart: a row for each of the nearest pairs, :math:`n^T (J_b - J_a) u \geq -a(d)`.

Soft, so that standing still is feasible wherever the motion began. Distances, rows and the approach a that they allow are
those of ``handhold.robots.self_collision``; the rows are in m/s.
"""

from __future__ import annotations

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.self_collision import SelfCollision
from handhold.robots.tasks.task import Limit


class SelfCollisionLimit(Limit):
    """As many rows as pairs of bodies can be near each other at a time.

    Attributes:
        collision: Distances of the pairs, as of the program last filled.
        barrier: Part of a distance that may be used up in a step [-].
        duration: Length of the step [s].
    """

    def __init__(
        self,
        model: RobotModel,
        kinematics: EffectorKinematics,
        collision: SelfCollision | None = None,
        *,
        velocity: bool = False,
    ) -> None:
        """Keep the bodies of the robot's description apart.

        Args:
            model: Robot.
            kinematics: Of its present configuration.
            collision: Shared where it is given.
            velocity: Whether the motion is a velocity rather than a step.
        """
        self.collision = collision or SelfCollision(model)
        super().__init__(self.collision.row_count, soft=True)
        self.barrier, self.duration = 1.0, 1.0
        self._kinematics, self._velocity = kinematics, velocity

    def fill(self) -> None:
        """Measure distances, and fill the rows of the nearest pairs."""
        if not self.row_count:
            return
        self.collision.update(self._kinematics.joint_poses)
        limits = (self.rows, self.lower, self.upper)
        self.collision.fill_limits(self._kinematics.data.J, self.barrier, self.duration, 0, limits)
        if self._velocity:
            self.rows *= self.duration

    def name_row(self, row: int) -> str:
        """Return the pair of bodies that has the row at present."""
        return self.collision.name_row(row)
