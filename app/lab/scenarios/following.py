"""How well a robot follows a person: figures that all scenarios of one share."""

from __future__ import annotations

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.trace import Trace
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.retarget.whole_body.body_mapping import BodyMapping, find_mapping
from handhold.robots.model import RobotModel

MAX_JOINT_JUMP = 0.02
"""Largest change of a joint of the reference from one cycle to the next [rad]."""

MAX_SKATE = 0.01
"""How far a foot may move while it stands [m]."""

JERK_RATE = 30.0
"""Rate at which motions are compared by their jerk [Hz]: what is quicker is noise of either."""


MAX_HAND_ERROR = 0.05
"""How far a hand may be from the scaled person's in the median [m]."""


def measure_following(model: RobotModel, trace: Trace, *, leans: bool = False, captured: bool = False) -> list[Figure]:
    """Measure how far the reference's hands are from the scaled person's, how smoothly they move, and how feet skate.

    Args:
        model: The robot.
        trace: Its run.
        leans: Whether the person puts hands where the robot has something solid: they are far from the robot's then.
        captured: Whether the person is a real one, whose jerk is a measure: one of our own making has next to none.
    """
    mapping = find_mapping(model)
    assert mapping is not None, "a scenario of a person needs one"
    hands = [arm.hand for arm in mapping.arms]
    followed = np.array([len(person) > 0 for person in trace.person_hands])
    errors = [
        float(np.linalg.norm(trace.person_hands[k] - trace.effectors_reference[k][hands], axis=1).max())
        for k in np.flatnonzero(followed).tolist()
    ]
    return [
        Figure("joint_jump", trace.joint_jump, "rad", must=MAX_JOINT_JUMP),
        Figure(
            "hand_error",
            float(np.median(errors)) if errors else float("nan"),
            "m",
            must=None if leans else MAX_HAND_ERROR,
        ),
        Figure("hand_error_p95", float(np.percentile(errors, 95.0)) if errors else float("nan"), "m"),
        Figure("foot_skate", _measure_skate(trace, mapping), "m", must=MAX_SKATE),
        Figure("jerk_ratio", _compare_jerks(trace, mapping, followed), "-", must=1.0 if captured else None),
        Figure("following", 100.0 * float(followed.mean()), "%", must=1.0, larger_is_better=True),
    ]


def _measure_skate(trace: Trace, mapping: BodyMapping) -> float:
    """Return how far a foot has moved at most, seen from above, while the reference stood on it [m]."""
    contacts, positions = np.array(trace.contacts), np.array(trace.effectors)
    worst = 0.0
    for foot in mapping.feet:
        edges = np.flatnonzero(np.diff(np.concatenate([[False], contacts[:, foot], [False]]).astype(int)))
        for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            moved = positions[begin:end, foot, :2] - positions[begin, foot, :2]
            worst = max(worst, float(np.linalg.norm(moved, axis=1).max()))
    return worst


def _compare_jerks(trace: Trace, mapping: BodyMapping, followed: np.ndarray) -> float:
    """Return the ratio of the root mean squared jerk of the reference's hands to that of the scaled person's."""
    times = np.array(trace.times) - trace.times[0]
    grid = np.arange(0.0, times[-1], 1.0 / JERK_RATE)
    reference = np.array(trace.effectors_reference)
    shown = np.interp(grid, times, followed.astype(float)) == 1.0
    # A jerk is one of the person's only where the whole of its stencil is.
    inside = shown[:-3] & shown[1:-2] & shown[2:-1] & shown[3:]
    humans = [(time, sample.human) for time, sample in trace.received if sample.human is not None]
    jerks = [0.0, 0.0]
    for arm in mapping.arms:
        own = _sample(grid, times, reference[:, arm.hand])
        theirs = np.array([_place_hand(human, arm.segments, arm.length) for _, human in humans])
        for k, motion in enumerate((own, _sample(grid, np.array([time for time, _ in humans]), theirs))):
            jerks[k] += float((np.diff(motion, 3, axis=0)[inside] ** 2).sum())
    return float(np.sqrt(jerks[0] / jerks[1])) if jerks[1] > 0.0 else float("nan")


def _sample(grid: np.ndarray, times: np.ndarray, positions: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(grid, times, positions[:, axis]) for axis in range(3)], axis=1)


def _place_hand(human: TrackedHuman, segments: tuple[Segment, Segment, Segment], length: float) -> np.ndarray:
    """Return a person's wrist against the pelvis, at the size of a robot's arm, shape ``(3,)`` [m]."""
    upper_arm, forearm, hand = human.positions[list(segments)]
    scale = length / max(float(np.linalg.norm(forearm - upper_arm) + np.linalg.norm(hand - forearm)), 1e-6)
    return np.asarray(scale * (hand - human.positions[Segment.PELVIS]))
