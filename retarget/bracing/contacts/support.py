"""A loaded contact, as reported to the operator: its force, its friction ratio and its margin gain."""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.mode_report import Support
from handhold.robots.description import Effector


def describe_support(
    effector: Effector,
    force: np.ndarray,
    normal: np.ndarray,
    *,
    desired_force: float,
    min_force: float,
    margin_gain: float,
) -> Support:
    r"""Describe the support of a contact: :math:`f_n = n^T f`, :math:`f_t = f - f_n n`, used :math:`\|f_t\| / (\mu f_n)`.

    Args:
        effector: Its description, which says :math:`\mu`.
        force: Exerted on it by the environment, in world axes, shape ``(3,)`` [N].
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
        desired_force: Normal force of the reference [N].
        min_force: Normal force under which nothing is said of friction [N].
        margin_gain: What the contact adds to the stability margin [m].
    """
    pressing = float(normal @ force)
    tangential = force - pressing * normal
    used = math.sqrt(tangential.dot(tangential)) / (effector.friction * pressing) if pressing > min_force else math.nan
    return Support(
        normal_force=max(0.0, pressing),
        desired_force=desired_force,
        max_force=effector.max_normal_force,
        friction_ratio=used,
        margin_gain=margin_gain,
    )
