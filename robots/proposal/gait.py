r"""A first walking table, scaled from robots that walk.

With the length l of a leg, of Talos l_0 = 0.87 m: lengths of steps grow with l, and their times with those of a pendulum,

.. math:: T = T_0 \sqrt{l / l_0}.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.description import GAIT_CELL, Walking
from handhold.robots.proposal.bend import Legs
from handhold.robots.proposal.soles import Sole

GAP = 0.03
"""Distance between the inner edges of the feet at their nearest [m]."""

_LEG = 0.87
_SINGLE_SUPPORT = 0.6
_DOUBLE_SUPPORT = 0.2
_STEP, _HEIGHT, _SPREAD = 0.52, 0.055, 0.28
"""Longest step, height of a swing foot, and how much further apart the feet may be than they stand, as parts of the leg's
length [-]."""
_BACKWARD = 0.6
"""Longest step back, as a part of that ahead [-]."""
_FROUDE = 0.7
"""Part of the longest step that a step at full speed is [-]."""
_SIDEWAYS, _BACK = 0.3, 0.6
"""Speeds to a side and backward, as parts of that forward [-]."""
_MIN_STEP_HEIGHT = 0.025
_TURNING, _TURN = 0.3, 0.6
"""Turning speed [rad/s], and the largest one as a part of the slowest joint's [-]."""


def propose_gait(legs: Legs, spacing: float, sole: Sole, zmp_inset: float, slowest: float) -> Walking:
    """Propose how a robot walks.

    Args:
        legs: Sizes of a leg.
        spacing: Distance of the soles' middles in the nominal posture [m].
        sole: The sole of one foot.
        zmp_inset: How far inside the soles' edges the ZMP is planned [m].
        slowest: Velocity limit in use of the slowest joint of the legs [rad/s].
    """
    min_spacing = 2.0 * sole.shadow[1] + GAP
    spacing = max(spacing, min_spacing)
    longest = min(_STEP * legs.length, legs.longest_step)
    single = _round_to_cells(_SINGLE_SUPPORT * np.sqrt(legs.length / _LEG))
    speed = _FROUDE * longest / (single + _DOUBLE_SUPPORT)
    return Walking(
        single_support=single,
        double_support=_DOUBLE_SUPPORT,
        step_height=_round(max(_HEIGHT * legs.length, _MIN_STEP_HEIGHT)),
        spacing=_round(spacing),
        least_spacing=_round(min(min_spacing, spacing)),
        widest_spacing=_round(spacing + _SPREAD * legs.length),
        longest_step=_round(longest),
        longest_backward=_round(_BACKWARD * longest),
        zmp_inset=zmp_inset,
        speed=_round(speed),
        backward_speed=_round(_BACK * speed),
        sideways_speed=_round(_SIDEWAYS * speed),
        turning_speed=_round(min(_TURNING, _TURN * slowest)),
        com_drop=_round(legs.drop),
    )


def _round(value: float) -> float:
    return round(value, 3)


def _round_to_cells(duration: float) -> float:
    return round(max(1, round(duration / GAIT_CELL)) * GAIT_CELL, 1)
