"""Free hands give way where something holds them and pushes the robot off its feet.

The reference knows of contacts that were made; an arm caught at a wall is none. While feet alone bear, its force shows as a
displacement of the measured centre of mass from the reference's, which feet can hold up to some centimetres. Beyond what
tracking explains the poses that are asked of free hands go over to those that are measured, and what is
asked of the centre of mass ceases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.seiko_step import SeikoTargets

BEGIN, END, FULL = 0.015, 0.010, 0.03
"""Horizontal displacements of the centre of mass from which hands begin to give way, under which they cease, and from which
they give way altogether [m]."""


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


def give_way(targets: SeikoTargets, measured: np.ndarray, hands: Iterable[int], yielding: float) -> SeikoTargets:
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
