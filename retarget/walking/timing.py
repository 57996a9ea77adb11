"""When feet bear, and where the ZMP may be then: phases of the gait, and the preview the predictive control is given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from handhold.retarget.walking.footsteps import FootstepPlan
from handhold.retarget.walking.mpc import Preview, SwingEffect, compute_tail
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


def build_preview(
    segments: list[Segment],
    durations: np.ndarray,
    sizes: tuple[int, int],
    placed: PlacedFeet,
    plan: FootstepPlan,
    swings: SwingEffect,
    omega: float,
    gait: Walking,
) -> Preview:
    """Build what the predictive control looks at, and the tail of what comes after it.

    Args:
        segments: Phases that cover all of ``durations``.
        durations: Cells of the horizon, and beyond it those of the tail, shape ``(cells + beyond,)`` [s].
        sizes: Cells of the horizon and footsteps among the variables.
        placed: Feet that stand.
        plan: Footsteps wanted; at least as many as the segments need.
        swings: What the leg in the air does to the ZMP in the horizon's cells.
        omega: Natural frequency of the pendulum [1/s].
        gait: Durations and spacing.
    """
    foot_angles = np.concatenate([placed.angles, plan.angles])
    feet, blends, widths = _follow_segments(segments, np.cumsum(durations), gait)
    cells, steps = sizes
    # Quick steps come to more than the program has variables for: within the horizon the ZMP stays on the last of those, and
    # goes on to the others in the tail.
    feet[:cells] = np.minimum(feet[:cells], 1 + steps)
    angles = foot_angles[feet[:, 0]] + blends * (foot_angles[feet[:, 1]] - foot_angles[feet[:, 0]])
    known = feet[:, 1] <= 1
    along, length = _join(placed)
    angles = angles + widths * known * math.remainder(along - foot_angles[1], math.pi)
    both = np.stack([np.full(len(durations), placed.sole.min()), placed.sole.min() + 0.5 * length * known], axis=1)
    both[~known, 1] += 0.5 * gait.least_spacing
    soles, middles = _list_regions(placed, foot_angles)
    sole = soles[feet[:, 0]] + blends[:, None] * (soles[feet[:, 1]] - soles[feet[:, 0]])
    half_sizes = sole + widths[:, None] * (both - sole)
    displacements = middles[feet[:, 0]] + blends[:, None] * (middles[feet[:, 1]] - middles[feet[:, 0]])
    positions = _place(placed, foot_angles, plan.wanted)
    centres = positions[feet[:, 0]] + blends[:, None] * (positions[feet[:, 1]] - positions[feet[:, 0]])
    beyond = np.diff(centres[cells - 1 :], axis=0)
    horizon = float(durations[:cells].sum())
    return Preview(
        durations=durations[:cells],
        feet=feet[:cells],
        blends=blends[:cells],
        angles=angles[:cells],
        half_sizes=half_sizes[:cells],
        displacements=displacements[:cells],
        placed=placed.positions,
        foot_angles=foot_angles[: 2 + steps],
        swings=swings,
        wanted=plan.wanted[:steps],
        lower=plan.lower[:steps],
        upper=plan.upper[:steps],
        tail=compute_tail(beyond, durations[cells:], horizon, omega),
    )


def _list_regions(placed: PlacedFeet, foot_angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return half lengths of the ZMP's region on every sole and where its middle is in world, shape ``(feet, 2)`` each [m]."""
    soles, middles = np.tile(placed.sole, (len(foot_angles), 1)), np.zeros((len(foot_angles), 2))
    for foot, region in placed.regions.items():
        c, s = math.cos(foot_angles[foot]), math.sin(foot_angles[foot])
        soles[foot] = region[:2]
        middles[foot] = np.array([[c, -s], [s, c]]) @ region[2:]
    return soles, middles


def _join(placed: PlacedFeet) -> tuple[float, float]:
    """Return the orientation of the x axis of a frame whose y axis joins two feet [rad], and their distance [m]."""
    x, y = placed.positions[1] - placed.positions[0]
    return math.atan2(y, x) - 0.5 * math.pi, math.hypot(x, y)


def _follow_segments(segments: list[Segment], times: np.ndarray, gait: Walking) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return feet, blends and widths of the ZMP's region at times from now, shapes ``(k, 2)``, ``(k,)`` and ``(k,)``."""
    feet = np.zeros((len(times), 2), dtype=np.int64)
    blends, widths = np.zeros(len(times)), np.zeros(len(times))
    begin = 0.0
    for segment in segments:
        end = begin + segment.duration - segment.elapsed
        within = (times > begin + 1e-9) & (times <= end + 1e-9)
        feet[within] = segment.feet
        elapsed = np.minimum(segment.elapsed + times[within] - begin, segment.duration)
        blends[within], widths[within] = compute_progress(segment.phase, elapsed, gait)
        begin = end
    return feet, blends, widths


def _place(placed: PlacedFeet, foot_angles: np.ndarray, displacements: np.ndarray) -> np.ndarray:
    """Return where all feet are when footsteps are made as wanted, shape ``(2 + steps, 2)`` [m]."""
    positions = [placed.positions[0], placed.positions[1]]
    for j, displacement in enumerate(displacements):
        c, s = math.cos(foot_angles[j + 1]), math.sin(foot_angles[j + 1])
        x, y = displacement
        positions.append(positions[-1] + np.array([c * x - s * y, s * x + c * y]))
    return np.array(positions)
