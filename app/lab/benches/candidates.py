"""``bench candidates``: places to brace on in random rooms, ranked, against an exhaustive search and against the nearest."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.benches.exhaustive_candidates import SurfaceGain, find_nearest_gain, search_exhaustively
from handhold.app.lab.benches.random_rooms import RandomRoom, draw_room
from handhold.app.lab.benches.timing import KernelClock
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.bracing.candidates.brace_candidate import BraceCandidate
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.search import CandidateSearch
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.margin.preview_region import compute_preview_region
from handhold.retarget.bracing.margin.region_monitor import compute_region_once
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.model import RobotModel, load_model

ROOMS = 50
"""Number of random rooms."""

SEED = 2
"""The constants of the search were chosen in rooms of other seeds."""

LEAST_GAIN = 0.005
"""Best margin gain in a room under which nothing in it gains anything [m]: a ratio of millimetres would be rounding."""

MUST_RATIO, AIM_KERNELS = 0.9, 300.0
"""Gain of the first candidate as a part of the best one's, in every room, and how long ten may take: 50 ms [kernels]."""

TICKS = 5
"""Solves of the calibration problem before and after each ranking."""

DRIVE_TIME, DRIVE_STEP, DRIVE_SPEED = 8.0, 0.02, 0.1
"""How long SEIKO is driven to a candidate, in what steps [s], and how fast its centre of mass is brought back [m/s]."""

ARRIVED = 0.01
"""Distance from its place at which SEIKO's hand is there, where it faces the surface [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomResult:
    """What came out of one room.

    Attributes:
        first: Gain of the candidate ranked first [m]; nothing where there is none.
        best: Best gain of all places [m].
        nearest: Best gain on the surface that is nearest to a hand [m].
        candidates: Number of candidates.
        kernels: Processor time of the ranking [kernels].
        pair_kernels: That of the pair.
        driven: Gain with SEIKO driven to the first candidate less what was foreseen [m]; not a number where it does not get
            there.
    """

    first: float
    best: float
    nearest: float
    candidates: int
    kernels: float
    pair_kernels: float
    driven: float


def run_candidates_bench() -> Outcome:
    """Rank candidates for Talos in random rooms."""
    return compare_candidates(ROOMS, SEED)


def compare_candidates(rooms: int, seed: int) -> Outcome:
    """Rank candidates for Talos in so many random rooms; room k of a seed is the same whatever their number."""
    model, began = load_model("talos"), time.monotonic()
    search, clock = CandidateSearch(model), KernelClock()
    drawn = [draw_room(model, np.random.default_rng((seed, number))) for number in range(rooms)]
    # The first ones compile.
    _rank(search, drawn[0], clock)
    results = [_try_room(model, search, room, clock) for room in drawn]
    return Outcome(
        name="candidates",
        robot="talos",
        engine=None,
        seed=seed,
        commit=current_commit(),
        duration_s=time.monotonic() - began,
        fell=None,
        figures=[*summarise(results), Figure("kernel", clock.microseconds, "us")],
        extra={"rooms": [describe(result) for result in results]},
    )


def summarise(results: list[RoomResult]) -> list[Figure]:
    """Return the figures of some rooms."""
    gainful = [result for result in results if result.best >= LEAST_GAIN]
    ratios = np.array([result.first / result.best for result in gainful] or [math.nan])
    nearest = np.array([result.nearest / result.best for result in gainful] or [math.nan])
    kernels = np.array([result.kernels for result in results])
    number = sum(result.candidates for result in results)
    driven = np.abs([result.driven for result in results if math.isfinite(result.driven)] or [math.nan])
    return [
        Figure("best_gain_ratio", float(ratios.min()), "-", must=MUST_RATIO, larger_is_better=True),
        Figure("best_gain_ratio_p10", float(np.percentile(ratios, 10)), "-"),
        Figure("best_gain_ratio_mean", float(ratios.mean()), "-"),
        Figure("nearest_gain_ratio", float(np.percentile(nearest, 10)), "-"),
        Figure("nearest_gain_ratio_mean", float(nearest.mean()), "-"),
        Figure("rooms_without_gain", float(len(results) - len(gainful)), "-"),
        Figure("best_gain_median", float(np.median([result.best for result in gainful] or [math.nan])), "m"),
        Figure("ranking_kernels", float(np.median(kernels)), "-", aim=AIM_KERNELS),
        Figure("ranking_kernels_p95", float(np.percentile(kernels, 95)), "-", aim=AIM_KERNELS),
        Figure("ranking_kernels_for_ten", float(10.0 * kernels.sum() / max(1, number)), "-", aim=AIM_KERNELS),
        Figure("pair_kernels", float(np.median([result.pair_kernels for result in results])), "-"),
        Figure("candidates", number / len(results), "-"),
        Figure("seiko_gain_error", float(np.median(driven)), "m"),
        Figure("seiko_gain_error_p90", float(np.percentile(driven, 90)), "m"),
        Figure("seiko_arrived", float(np.mean([math.isfinite(result.driven) for result in results])), "-"),
    ]


def describe(result: RoomResult) -> dict[str, object]:
    """Return what came out of a room as a JSON object."""
    return {
        "first": result.first,
        "best": result.best,
        "nearest": result.nearest,
        "candidates": result.candidates,
        "kernels": round(result.kernels, 1),
    }


def _try_room(model: RobotModel, search: CandidateSearch, room: RandomRoom, clock: KernelClock) -> RoomResult:
    posture, surfaces = hold_posture(room.seiko), list_surfaces(room.world)
    candidates, kernels = _rank(search, room, clock)
    began = time.thread_time_ns()
    search.find_pair(posture, candidates)
    pair = 1e-3 * (time.thread_time_ns() - began) / clock.microseconds
    gains: list[SurfaceGain] = search_exhaustively(search, posture, surfaces)
    return RoomResult(
        first=candidates[0].gain if candidates else 0.0,
        best=max([0.0, *(each.gain for each in gains)]),
        nearest=find_nearest_gain(model, room.seiko, surfaces, gains),
        candidates=len(candidates),
        kernels=kernels,
        pair_kernels=pair,
        driven=_drive(model, room.seiko, candidates[0]) if candidates else math.nan,
    )


def _rank(search: CandidateSearch, room: RandomRoom, clock: KernelClock) -> tuple[tuple[BraceCandidate, ...], float]:
    """Rank the candidates of a room; returns them and the processor time in kernels of that while."""
    posture, surfaces = hold_posture(room.seiko), list_surfaces(room.world)
    around = KernelClock()
    for _ in range(TICKS):
        around.tick()
    began = time.thread_time_ns()
    candidates = search.rank(posture, surfaces)
    elapsed = time.thread_time_ns() - began
    for _ in range(TICKS):
        around.tick()
        clock.tick()
    return candidates, 1e-3 * elapsed / around.microseconds


def _drive(model: RobotModel, seiko: Seiko, candidate: BraceCandidate) -> float:
    """Drive a fork of SEIKO to a candidate; returns the gain there less the one foreseen, not a number where it fails [m]."""
    fork, hand, normal = seiko.fork(), candidate.hand, candidate.surface.pose[:3, 2].copy()
    before, start = compute_region_once(model, seiko), seiko.kinematics.position_com_in_world[:2].copy()
    poses = fork.kinematics.poses.copy()
    poses[hand] = candidate.pose
    for _ in range(round(DRIVE_TIME / DRIVE_STEP)):
        back = (start - fork.kinematics.position_com_in_world[:2]) / (10.0 * DRIVE_STEP)
        velocity = np.append(np.clip(back, -DRIVE_SPEED, DRIVE_SPEED), np.nan)
        fork.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity), DRIVE_STEP)
    reached, faces = fork.kinematics.poses[hand], math.cos(choose_contact_making(model, hand).max_tilt)
    if before is None or math.dist(reached[:3, 3], candidate.pose[:3, 3]) > ARRIVED or reached[:3, 2] @ normal < faces:
        return math.nan
    try:
        return compute_preview_region(model, fork, hand, normal).edge.margin - before.margin - candidate.gain
    except NoRegion:
        return math.nan
