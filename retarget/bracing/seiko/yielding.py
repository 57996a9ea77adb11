"""Free hands give way where something pushes the robot off its feet.

The reference knows of contacts that were made; an arm caught at a wall is none. On feet alone, its force shows as a
displacement of the measured centre of mass from the reference's, which feet can hold up to some centimetres. Beyond what
tracking explains the poses that are asked of free hands go over to those that are measured, and what is
asked of the centre of mass ceases.

A robot that holds keeps its posture as well, and a hand in one posture bears no more than its motors do: Talos' elbow 24 N
backwards. What is measured on top of that would push the robot over, so that in a hold hands give way to it likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.seiko.external_forces import ExternalForces
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

BEGIN, END, FULL = 0.015, 0.010, 0.03
"""Horizontal displacements of the centre of mass from which hands begin to give way, under which they cease, and from which
they give way altogether [m]."""

UNBALANCED, MOST_UNBALANCED = 5.0, 15.0
"""External force that is not balanced from which on hands give way in a hold, and from which on altogether [N]."""


def compute_yielding(reference: np.ndarray, measured: np.ndarray, before: float) -> float:
    """Compute how much hands are to give way, 0 to 1.

    Args:
        reference: Centre of mass of the reference in world, shape ``(3,)`` [m].
        measured: Measured centre of mass, likewise.
        before: How much they give way so far.
    """
    displacement = math.hypot(*(measured - reference)[:2].tolist())
    if displacement <= (END if before > 0.0 else BEGIN):
        return 0.0
    return min(1.0, (displacement - END) / (FULL - END))


def compute_overloads(external: ExternalForces) -> dict[int, float]:
    """Compute of all that is pushed how far what is not balanced is above what may be, 0 to 1."""
    overloads = {}
    for pushed, measured, missing in zip(external.pushed, external.measured, external.missing, strict=True):
        pull = math.sqrt(float(measured.dot(measured)))
        excess = float(missing.dot(measured)) / pull if pull > 0.0 else 0.0
        overloads[pushed] = min(1.0, max(0.0, (excess - UNBALANCED) / (MOST_UNBALANCED - UNBALANCED)))
    return overloads


def apply_yielding(targets: SeikoTargets, measured: np.ndarray, hands: Iterable[int], yielding: float) -> SeikoTargets:
    """Return targets with hands nearer to where they are measured, and less asked of the centre of mass.

    Args:
        targets: What is asked for.
        measured: Measured poses of all effectors in world, homogeneous, shape ``(effectors, 4, 4)``.
        hands: Effectors that give way.
        yielding: How much, 0 to 1; 0 changes nothing.
    """
    if yielding == 0.0:
        return targets
    poses = targets.effector_poses.copy()
    for hand in hands:
        poses[hand] = pin.SE3.Interpolate(pin.SE3(poses[hand]), pin.SE3(measured[hand]), yielding).homogeneous
    velocity = (1.0 - yielding) * targets.velocity_com_in_world
    return replace(targets, effector_poses=poses, velocity_com_in_world=velocity)


class Yielding:
    """Which hands may give way to what pushes the robot off feet that alone are in contact, and how much.

    Attributes:
        ratio: How much they give way now, 0 to 1.
        freed: How much a robot that holds is not to come to rest, so that it can lean against a push, 0 to 1.
        hands: Effectors that may.
    """

    def __init__(self, model: RobotModel) -> None:
        """Give way to nothing yet."""
        self._effectors = model.effectors
        self.ratio = self.freed = self._displaced = 0.0
        self.hands: tuple[int, ...] = ()

    def update(
        self,
        seiko: Seiko,
        measured: EffectorKinematics,
        lead: np.ndarray,
        is_moving: Callable[[int], bool],
        braking: float,
    ) -> None:
        """Follow a reference and what is measured.

        Args:
            seiko: The reference.
            measured: Kinematics of the measured configuration.
            lead: How far the reference's centre of mass is ahead while it is new in charge, shape ``(3,)`` [m].
            is_moving: Says of an effector whether it moves by itself, as a button has requested.
            braking: How hard the reference is held back, 0 to 1.
        """
        effectors = self._effectors
        alone = not seiko.stance.fixed and all(effectors[e].is_foot for e in seiko.stance.effectors)
        hands = [e for e in range(len(effectors)) if not effectors[e].is_foot and not is_moving(e)]
        self.hands = tuple(hands) if alone else ()
        desired, actual = seiko.kinematics.position_com_in_world, measured.position_com_in_world + lead
        self._displaced = compute_yielding(desired, actual, self._displaced) if self.hands else 0.0
        overloads = compute_overloads(seiko.external)
        self.ratio = max(
            self._displaced, braking * max((overloads[hand] for hand in self.hands if hand in overloads), default=0.0)
        )
        self.freed = max(self.ratio, max(overloads.values(), default=0.0))
