r"""A first walking table, scaled from robots that walk.

With the length l of a leg, of Talos l_0 = 0.87 m: lengths of steps grow with l, and their times with those of a pendulum,

.. math:: T = T_0 \sqrt{l / l_0}.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.description import GAIT_CELL, Walking
from handhold.robots.proposal.soles import Sole

LEAST_LEG_JOINTS = 6
"""Joints of a leg that walks: with fewer, a foot cannot be put level wherever the next step is."""

GAP = 0.03
"""Distance between the inner edges of the feet at their nearest [m]."""

_LEG = 0.87
_SINGLE_SUPPORT = 0.6
_DOUBLE_SUPPORT = 0.2
_STEP, _BACKWARD, _HEIGHT, _DROP, _SPREAD = 0.52, 0.32, 0.07, 0.035, 0.28
"""Longest step ahead and back, height of a lifted foot, drop of the centre of mass and how much further apart the feet may be
than they stand, as parts of the leg's length [-]."""
_FROUDE = 0.7
"""Part of the longest step that a step at full speed is [-]."""
_SIDEWAYS, _BACK = 0.3, 0.6
"""Speeds to a side and backward, as parts of that forward [-]."""
_LEAST_HEIGHT = 0.04


def propose_gait(leg_length: float, spacing: float, sole: Sole, zmp_inset: float) -> Walking:
    """Propose how a robot walks.

    Args:
        leg_length: From the hip to the sole with a straight knee [m].
        spacing: Distance of the soles' middles in the nominal posture [m].
        sole: The sole of one foot.
        zmp_inset: How far inside the soles' edges the ZMP is planned [m].
    """
    least = 2.0 * sole.shadow[1] + GAP
    spacing = max(spacing, least)
    longest = _STEP * leg_length
    single = _round_to_cells(_SINGLE_SUPPORT * np.sqrt(leg_length / _LEG))
    speed = _FROUDE * longest / (single + _DOUBLE_SUPPORT)
    return Walking(
        single_support=single,
        double_support=_DOUBLE_SUPPORT,
        step_height=_round(max(_HEIGHT * leg_length, _LEAST_HEIGHT)),
        spacing=_round(spacing),
        least_spacing=_round(min(least, spacing)),
        widest_spacing=_round(spacing + _SPREAD * leg_length),
        longest_step=_round(longest),
        longest_backward=_round(_BACKWARD * leg_length),
        zmp_inset=zmp_inset,
        speed=_round(speed),
        backward_speed=_round(_BACK * speed),
        sideways_speed=_round(_SIDEWAYS * speed),
        com_drop=_round(_DROP * leg_length),
    )


def _round(value: float) -> float:
    return round(value, 3)


def _round_to_cells(duration: float) -> float:
    return round(max(1, round(duration / GAIT_CELL)) * GAIT_CELL, 1)
