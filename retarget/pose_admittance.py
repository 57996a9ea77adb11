r"""The relative pose by which an effector gives way: an admittance for its position, one for its orientation.

With the displacements x and :math:`\theta` (rotation vectors in world) of two admittances (``retarget/admittance.py``) the
commanded pose (p, R) becomes :math:`(p + x, \; \exp(\theta) R)`: what a moment turns, turns about the effector itself.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.admittance import Admittance, AdmittanceParameters


class PoseAdmittance:
    """The relative pose of one effector.

    Attributes:
        linear: Of its position, in newtons and metres.
        angular: Of its orientation, in newton metres and radians.
    """

    def __init__(self, linear: AdmittanceParameters, angular: AdmittanceParameters) -> None:
        """Begin without a displacement."""
        self.linear, self.angular = Admittance(linear), Admittance(angular)

    @property
    def rotation(self) -> np.ndarray | None:
        """By how much it is turned, in world, shape ``(3, 3)``; None where it is not."""
        turn = self.angular.displacement
        return np.asarray(pin.exp3(turn)) if turn.any() else None

    def displace(self, pose: np.ndarray) -> np.ndarray:
        """Return the pose for the one that is commanded, shape ``(4, 4)`` both."""
        moved, rotation = pose.copy(), self.rotation
        moved[:3, 3] += self.linear.displacement
        if rotation is not None:
            moved[:3, :3] = rotation @ pose[:3, :3]
        return moved

    def compute_offset(self, pose: np.ndarray) -> np.ndarray:
        """Compute the motion in world, homogeneous, shape ``(4, 4)``, that takes a commanded pose to where it is displaced."""
        offset, rotation = np.eye(4), self.rotation
        offset[:3, 3] = self.linear.displacement
        if rotation is not None:
            offset[:3, :3] = rotation
            offset[:3, 3] += pose[:3, 3] - rotation @ pose[:3, 3]
        return offset

    def update(self, force: np.ndarray, moment: np.ndarray, lag: tuple[np.ndarray, np.ndarray], dt: float) -> None:
        """Go on by a period.

        Args:
            force: What pushes the effector, in world, shape ``(3,)`` [N].
            moment: What turns it, about its frame's origin, in world, shape ``(3,)`` [Nm].
            lag: Pose that was reached, and the displaced one, shape ``(4, 4)`` each.
            dt: Length of the period [s].
        """
        reached, displaced = lag
        self.linear.update(force, displaced[:3, 3] - reached[:3, 3], dt)
        if moment.any() or self.angular.displacement.any():
            self.angular.update(moment, pin.log3(displaced[:3, :3] @ reached[:3, :3].T), dt)

    def stop(self) -> None:
        """Stay where it is, at rest."""
        self.linear.stop()
        self.angular.stop()
