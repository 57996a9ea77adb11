"""Where the effectors of a SEIKO are to go: under the operator, on an approach of their own, or where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handhold.retarget.bracing.contacts.contact_making import ContactMaking
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.seiko.seiko import Seiko


class EffectorTargets:
    """Target poses of all effectors; one that nobody moves keeps its own.

    Attributes:
        poses: In world, homogeneous, shape ``(effectors, 4, 4)``.
    """

    def __init__(self, seiko: Seiko) -> None:
        """Begin where the effectors of the reference are."""
        self._seiko = seiko
        self.poses = seiko.kinematics.poses.copy()

    def update(
        self, commands: Mapping[int, EffectorCommand], makings: Sequence[ContactMaking], restarted: frozenset[int]
    ) -> None:
        """Set the targets of a step of SEIKO.

        Args:
            commands: What the operator asks of the effectors under command.
            makings: How far the contact of every effector is made; its target goes before the operator's.
            restarted: Effectors that begin anew from the reference's pose.
        """
        terms, poses = self._seiko.terms, self._seiko.kinematics.poses
        for effector, making in enumerate(makings):
            command = commands.get(effector)
            if effector in self._seiko.stance.effectors:
                self.poses[effector] = terms.poses[effector]
            elif making.target is not None:
                self.poses[effector] = making.target
            elif effector in restarted:
                self.poses[effector] = poses[effector]
            elif command is not None:
                self.poses[effector] = command.desired_pose
