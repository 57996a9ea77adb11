"""The preview that the predictive control is given: where the ZMP may be while the phases to come and their footsteps last."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.retarget.walking.footsteps import FootstepPlan
from handhold.retarget.walking.mpc import Preview, SwingEffect, compute_tail
from handhold.retarget.walking.timing import PlacedFeet, Segment, compute_progress
from handhold.robots.description import Walking


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LoadPath:
    """Between which feet the load is at the end of every cell.

    Attributes:
        feet: Foot that it comes from and foot that it goes to, numbered as in ``Preview``, shape ``(k, 2)``.
        blends: Part of the distance from the first to the second, shape ``(k,)`` [-].
        widths: Width of the ZMP's region from 0 (a sole) to 1 (both), shape ``(k,)`` [-].
    """

    feet: np.ndarray
    blends: np.ndarray
    widths: np.ndarray

    @property
    def both_placed(self) -> np.ndarray:
        """Whether both feet stand already, shape ``(k,)``, bool."""
        return np.asarray(self.feet[:, 1] <= 1)

    def interpolate(self, values: np.ndarray) -> np.ndarray:
        """Interpolate between values of the feet, shape ``(feet,)`` or ``(feet, 2)``, shape ``(k,)`` or ``(k, 2)``."""
        blends = self.blends if values.ndim == 1 else self.blends[:, None]
        return np.asarray(values[self.feet[:, 0]] + blends * (values[self.feet[:, 1]] - values[self.feet[:, 0]]))


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
        plan: Desired footsteps; at least as many as the segments need.
        swings: What the leg in the air does to the ZMP in the horizon's cells.
        omega: Natural frequency of the pendulum [1/s].
        gait: Durations and spacing.
    """
    cells, steps = sizes
    foot_angles = np.concatenate([placed.angles, plan.angles])
    path = _follow_segments(segments, np.cumsum(durations), gait, sizes)
    half_sizes, displacements = _size_regions(path, placed, foot_angles, gait)
    centres = path.interpolate(_accumulate_positions(placed, foot_angles, plan.desired))
    beyond = np.diff(centres[cells - 1 :], axis=0)
    return Preview(
        durations=durations[:cells],
        feet=path.feet[:cells],
        blends=path.blends[:cells],
        angles=_turn_regions(path, placed, foot_angles)[:cells],
        half_sizes=half_sizes[:cells],
        displacements=displacements[:cells],
        placed=placed.positions,
        foot_angles=foot_angles[: 2 + steps],
        swings=swings,
        desired=plan.desired[:steps],
        lower=plan.lower[:steps],
        upper=plan.upper[:steps],
        tail=compute_tail(beyond, durations[cells:], float(durations[:cells].sum()), omega),
    )


def _follow_segments(segments: list[Segment], times: np.ndarray, gait: Walking, sizes: tuple[int, int]) -> LoadPath:
    """Return between which feet the load is at times from now, shape ``(k,)`` [s]; ``sizes`` as in ``build_preview``."""
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
    # Quick steps come to more than the program has variables for: within the horizon the ZMP stays on the last of those, and
    # goes on to the others in the tail.
    cells, steps = sizes
    feet[:cells] = np.minimum(feet[:cells], 1 + steps)
    return LoadPath(feet=feet, blends=blends, widths=widths)


def _turn_regions(path: LoadPath, placed: PlacedFeet, foot_angles: np.ndarray) -> np.ndarray:
    """Return the orientations of the ZMP's regions, shape ``(k,)`` [rad]: one on both feet lies along what joins them."""
    along, _ = _join(placed)
    angles = path.interpolate(foot_angles)
    return angles + path.widths * path.both_placed * math.remainder(along - foot_angles[1], math.pi)


def _size_regions(path: LoadPath, placed: PlacedFeet, foot_angles: np.ndarray, gait: Walking) -> tuple[np.ndarray, np.ndarray]:
    """Return half lengths of the ZMP's regions, and where their middles are in world, shape ``(k, 2)`` each [m]."""
    known, widths = path.both_placed, path.widths
    _, length = _join(placed)
    both = np.stack([np.full(len(widths), placed.sole.min()), placed.sole.min() + 0.5 * length * known], axis=1)
    both[~known, 1] += 0.5 * gait.least_spacing
    soles, middles = _list_regions(placed, foot_angles)
    sole = path.interpolate(soles)
    return sole + widths[:, None] * (both - sole), path.interpolate(middles)


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


def _accumulate_positions(placed: PlacedFeet, foot_angles: np.ndarray, displacements: np.ndarray) -> np.ndarray:
    """Return where all feet are when footsteps are made as desired, shape ``(2 + steps, 2)`` [m]."""
    positions = [placed.positions[0], placed.positions[1]]
    for j, displacement in enumerate(displacements):
        c, s = math.cos(foot_angles[j + 1]), math.sin(foot_angles[j + 1])
        x, y = displacement
        positions.append(positions[-1] + np.array([c * x - s * y, s * x + c * y]))
    return np.array(positions)
