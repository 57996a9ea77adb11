"""When feet bear, and where the ZMP may be then: phases of the gait, and how the load goes over in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from handhold.robots.description import GAIT_CELL, Walking


class Phase(Enum):
    """What the feet do."""

    STANDING = "standing"
    STARTING = "starting"
    SINGLE = "single support"
    DOUBLE = "double support"
    ENDING = "ending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A phase to come, for the preview: between which feet the ZMP's region is, and how it moves.

    Attributes:
        phase: Which.
        duration: How long it lasts [s].
        elapsed: How much of it is over now [s].
        feet: Feet that bear, as numbered in ``Preview``: from the first the load goes to the second.
    """

    phase: Phase
    duration: float
    elapsed: float
    feet: tuple[int, int]


def phase_duration(phase: Phase, gait: Walking) -> float:
    """Return how long a phase lasts [s]; standing lasts for ever."""
    durations = {
        Phase.STARTING: gait.first_double_support,
        Phase.SINGLE: gait.single_support,
        Phase.DOUBLE: gait.double_support,
        Phase.ENDING: gait.first_double_support,
    }
    return durations.get(phase, math.inf)


def list_segments(phase: Phase, elapsed: float, steps_left: int | None, horizon: float, gait: Walking) -> list[Segment]:
    """List the phases from the present one to the end of the horizon.

    Args:
        phase: Present phase.
        elapsed: How long it has lasted [s].
        steps_left: Footsteps still to come, None for as many as one likes.
        horizon: How far to look [s].
        gait: Durations.
    """
    segments = [Segment(phase=phase, duration=phase_duration(phase, gait), elapsed=elapsed, feet=(0, 1))]
    ahead = segments[0].duration - elapsed
    support, landed = 1, 0
    while ahead < horizon - 1e-9:
        if phase in (Phase.STARTING, Phase.DOUBLE):
            phase, feet = Phase.SINGLE, (support, support)
        elif phase is Phase.SINGLE:
            landed += 1
            ending = steps_left is not None and landed >= steps_left
            phase, feet = (Phase.ENDING if ending else Phase.DOUBLE), (support, support + 1)
            support += 1
        else:
            phase, feet = Phase.STANDING, segments[-1].feet
        segments.append(Segment(phase=phase, duration=phase_duration(phase, gait), elapsed=0.0, feet=feet))
        ahead += segments[-1].duration
    return segments


def compute_progress(phase: Phase, elapsed: np.ndarray, gait: Walking) -> tuple[np.ndarray, np.ndarray]:
    """Compute where between two feet the load is, and how wide the ZMP's region.

    A robot that stands may have its ZMP anywhere between its feet, along the line that joins them; in the last double support
    before the first step, and the first after the last, that region shrinks and grows as the load goes over.

    Args:
        phase: Phase.
        elapsed: How long it has lasted, shape ``(k,)`` [s].
        gait: Durations.

    Returns:
        Part of the way from the first foot to the second, and width from 0 (a sole) to 1 (both), shape ``(k,)`` each.
    """
    if phase is Phase.STANDING:
        return np.full(len(elapsed), 0.5), np.ones(len(elapsed))
    if phase is Phase.SINGLE:
        return np.ones(len(elapsed)), np.zeros(len(elapsed))
    begin = gait.first_double_support - gait.double_support if phase is Phase.STARTING else 0.0
    moved = np.clip((elapsed - begin) / gait.double_support, 0.0, 1.0)
    if phase is Phase.STARTING:
        return 0.5 + 0.5 * moved, 1.0 - moved
    if phase is Phase.ENDING:
        return 0.5 * moved, moved
    return moved, np.zeros(len(elapsed))


def list_cells(elapsed: float, count: int) -> np.ndarray:
    """Return the lengths of the horizon's cells, shape ``(count,)`` [s]: the first one lasts to the end of the present one."""
    first = GAIT_CELL - math.fmod(elapsed + 1e-9, GAIT_CELL) + 1e-9
    durations = np.full(count, GAIT_CELL)
    durations[0] = first
    return durations


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PlacedFeet:
    """The two feet that stand, or stood last: the one the load comes from, then the one it goes to or is on.

    Attributes:
        positions: In world, shape ``(2, 2)`` [m].
        angles: Orientations, shape ``(2,)`` [rad].
        sole: Half lengths of the ZMP's region on one sole, shape ``(2,)`` [m].
        regions: Regions of soles that do not bear everywhere, by the foot's number in ``Preview``: half lengths, then the
            displacement of its middle in the sole's frame, shape ``(4,)`` [m].
    """

    positions: np.ndarray
    angles: np.ndarray
    sole: np.ndarray
    regions: Mapping[int, np.ndarray] = field(default_factory=dict)
