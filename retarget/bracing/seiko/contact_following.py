r"""The reference's contacts taken over from where the robot's really are (Section III-G of [Rouxel2022]_)."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.retarget.bracing.seiko.contact_terms import ContactTerms
from handhold.retarget.bracing.seiko.equilibrium_rows import compute_rolling
from handhold.robots.contact import Stance
from handhold.robots.grasp import Grasp
from handhold.robots.rotation import clip, compute_turn, dot, norm, rotate

MAX_LEAD = 0.04
"""How far a hand's reference stays ahead of where it touched [m]."""

LEAD_DECAY_TIME = 0.3
"""Time in which a hand that is being unloaded stops pressing [s]."""


@njit(cache=True)
def update_contact_targets(
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray],
    poses: np.ndarray,
    measured: np.ndarray,
    leads: np.ndarray,
    normals: np.ndarray,
    unloading: np.ndarray,
    filtering: tuple[float, float, float],
) -> None:
    r"""Let the poses that contacts must have follow the measured ones through a low pass, in place.

    .. math::

        p \leftarrow p + ClampNorm(\alpha (p_{measured} + l - p)), \qquad R \leftarrow \exp(ClampNorm(\alpha \log(R_{measured}
        R^T))) R

    A hand's stays as far ahead of what is measured as it was when the contact began, by its lead l; the part of that along the
    normal goes while the contact is being unloaded. Points keep their orientation: it is the reference's to choose.

    Args:
        contacts: Indices of the contacts, which of them are planes, and which are feet, shape ``(contacts,)`` each.
        poses: Poses the contacts must have, shape ``(effectors, 4, 4)``.
        measured: Measured poses, likewise.
        leads: Leads in world, shape ``(effectors, 3)`` [m]; NaN where the contact has just begun.
        normals: Outward normals of the surfaces, unit, shape ``(effectors, 3)``.
        unloading: Which contacts are being unloaded, shape ``(effectors,)``.
        filtering: Part :math:`\alpha` of the difference that is taken over in this step [-], largest change taken over [m],
            [rad], and the length of the step [s].
    """
    effectors, planes, feet = contacts
    gain, max_change, dt = filtering
    difference = np.empty(3)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        pose, lead = poses[e], leads[e]
        if math.isnan(lead[0]):
            for i in range(3):
                lead[i] = 0.0 if feet[k] else pose[i, 3] - measured[e, i, 3]
            clip(lead, MAX_LEAD)
        if unloading[e]:
            lead -= min(1.0, dt / LEAD_DECAY_TIME) * dot(normals[e], lead) * normals[e]
        for i in range(3):
            difference[i] = gain * (measured[e, i, 3] + lead[i] - pose[i, 3])
        clip(difference, max_change)
        pose[:3, 3] += difference
        if planes[k]:
            turn = gain * compute_turn(pose, measured[e])
            clip(turn, max_change)
            for i in range(3):
                pose[:3, i] = rotate(turn, pose[:3, i].copy())


@njit(cache=True)
def measure_contact_error(contacts: np.ndarray, desired: np.ndarray, poses: np.ndarray) -> float:
    """Return the largest distance of a contact from where it must be [m].

    Args:
        contacts: Indices of the contacts, shape ``(contacts,)``.
        desired: Where they must be, shape ``(effectors, 4, 4)``.
        poses: Where they are, likewise.
    """
    largest = 0.0
    for e in contacts:
        distance = norm(poses[e, :3, 3] - desired[e, :3, 3])
        # What is no number is the largest: a comparison with it is never true.
        if not distance <= largest:
            largest = distance
            if math.isnan(distance):
                return distance
    return largest


def roll_balls(stance: Stance, jacobians: np.ndarray, step: np.ndarray, terms: ContactTerms) -> None:
    r"""Let the balls of point contacts roll: their centres move by :math:`r \times J_\omega \Delta q`.

    Args:
        stance: The contacts.
        jacobians: Effector Jacobians with world axes, shape ``(effectors, 6, nv)``.
        step: Step :math:`\Delta q`, shape ``(nv,)``.
        terms: Where the contacts must be, which move with the balls; changed in place.
    """
    for k in range(stance.planes, len(stance.effectors)):
        effector = stance.effectors[k]
        displacement = compute_rolling(stance.arms[k], jacobians[effector], step)
        terms.poses[effector, :3, 3] += displacement
        terms.rolled[effector] += displacement


def begin_grasp(effectors: tuple[int, int], poses: np.ndarray, min_force: float, terms: ContactTerms) -> Grasp:
    """Return the grasp of an object between two effectors where they are; the terms of their contacts begin anew.

    Args:
        effectors: Indices of the one by which the object's pose is told, and of the other one.
        poses: Of all effectors in world, shape ``(effectors, 4, 4)``.
        min_force: Normal force that each presses with at least [N].
        terms: Changed in place.
    """
    for effector in effectors:
        terms.begin_contact(effector, poses[effector], poses[effector, :3, 2])
        terms.min_forces[effector] = min_force
    first, second = (pin.SE3(poses[effector]) for effector in effectors)
    return Grasp(effectors=effectors, placement=first.actInv(second).homogeneous, min_force=min_force)
