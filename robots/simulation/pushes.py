"""What the force sensors of effectors measure of pushes: contacts are not all that touches a hand."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.model import RobotModel


class SensedPushes:
    """The pushes of one period on links that carry effectors, as their sensors measure them.

    A sensor sits where its effector begins, so that everything on that link counts: a push there is in the wrench that is read
    after the period in which it acted, and in no later one.
    """

    def __init__(self, model: RobotModel) -> None:
        """Begin without a push."""
        self._model = model
        self._links = [max(joint - 1, 0) for joint in model.effector_joints]
        self._acting: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._acted: list[tuple[int, np.ndarray, np.ndarray]] = []

    def forget(self) -> None:
        """Begin anew."""
        self._acting, self._acted = [], []

    def add(self, force: np.ndarray, link: int, placement: pin.SE3) -> None:
        """Add a push of the next period.

        Args:
            force: In world axes, shape ``(3,)`` [N].
            link: Index of the link that is pushed (see ``find_link``).
            placement: Frame at whose origin it is, in that link.
        """
        for effector, carrier in enumerate(self._links):
            if carrier == link:
                contact_frame = self._model.effector_placements[effector]
                arm = contact_frame[:3, :3].T @ (placement.translation - contact_frame[:3, 3])
                self._acting.append((effector, np.array(force), arm))

    def end_period(self) -> None:
        """The period is over in which the pushes acted that were added."""
        self._acted, self._acting = self._acting, []

    def add_to(self, wrenches: np.ndarray, rotations: np.ndarray) -> None:
        """Add the pushes of the last period to wrenches in the contact frames.

        Args:
            wrenches: Of all effectors, shape ``(effectors, 6)`` [N, Nm]; added to in place.
            rotations: Of the contact frames in world, shape ``(effectors, 3, 3)``.
        """
        for effector, force, arm in self._acted:
            in_contact_frame = rotations[effector].T @ force
            wrenches[effector, :3] += in_contact_frame
            wrenches[effector, 3:] += np.cross(arm, in_contact_frame)

    def __bool__(self) -> bool:
        """Whether a sensor measures any of the last period."""
        return bool(self._acted)
