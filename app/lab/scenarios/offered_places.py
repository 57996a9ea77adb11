"""Phrases of an operator who braces where the robot proposes it: he sees the places in the snapshot, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.phrases import DWELL_TIME, is_at_rest, load
from handhold.app.lab.scenarios.score import ASKING, Beat, Hands, Step, Vector, move_along, release, squeeze, wait
from handhold.app.limbs import Side
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.candidates.place_choice import TOGGLE
from handhold.retarget.mode_report import Candidate
from handhold.robots.model import RobotModel

CLEARANCE = 0.03
"""Distance from the surface at which the operator leaves the rest to the contact button [m]."""

BACK = 0.10
"""How far from the surface the hand is brought beside the place before it comes near [m]."""

BESIDE = 0.04
"""How far beside the place the operator brings the hand: it is drawn there [m]."""

SPEED = 0.12
"""Speed of the operator's hand [m/s]."""

PATIENCE = 15.0
"""Longest time that he waits for an offer [s]."""


def find_taken(snapshot: Snapshot, side: Side) -> Candidate | None:
    """Return the place that is taken for a hand; None where none is."""
    found = (each for each in snapshot.report.candidates if each.chosen and each.hand == side)
    return next(found, None)


def take_place(side: Side) -> Step:
    """Go through what is offered until the place that is taken is one for a hand, and for that one only."""

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        offered = () if snapshot is None else snapshot.report.candidates
        chosen = [each.hand for each in offered if each.chosen]
        if chosen == [side]:
            return Beat(replace(hands, request=""), True)
        late = now - begun >= PATIENCE
        # Asked for one after the other, each for as long as the wheel asks, and left alone for as long.
        asking = (now - begun) % (2.0 * ASKING) < ASKING and any(each.hand == side for each in offered)
        request = f"switch:{TOGGLE}" if asking and not late else ""
        return Beat(replace(hands, request=request), late, f"a place for the {side} hand (at {now:.1f} s)" if late else "")

    return step


def brace_where_offered(model: RobotModel, side: Side, effector: int, through: Sequence[Vector] = ()) -> tuple[Step, ...]:
    """Take the best place that is offered for a hand, bring the hand before it, and load it.

    Args:
        model: Robot.
        side: Which hand.
        effector: It, as an index among the effectors.
        through: Waypoints of its path, in world [m].
    """
    return (
        take_place(side),
        wait(0.2),
        squeeze(side),
        _approach(model.effectors[effector].radius, side, effector, through),
        wait(DWELL_TIME),
        is_at_rest(effector),
        release(side),
        wait(DWELL_TIME),
        *load(side),
    )


def _approach(radius: float, side: Side, effector: int, through: Sequence[Vector]) -> Step:
    """Bring the hand to the place that is taken when the step begins, a little beside it, turned to face it."""
    begun_at, moving = -1.0, wait(0.0)

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        nonlocal begun_at, moving
        place = None if snapshot is None else find_taken(snapshot, side)
        if begun != begun_at:
            if snapshot is None or place is None:
                return Beat(hands, True, f"the place that was taken (at {now:.1f} s)")
            begun_at, moving = begun, _plan(side, snapshot.reference.effector_poses[effector], place, radius, through)
        return moving(hands, begun, now, snapshot)

    return step


def _plan(side: Side, pose: np.ndarray, place: Candidate, radius: float, through: Sequence[Vector]) -> Step:
    normal, beside = place.pose[:3, 2], BESIDE * place.pose[:3, 0]
    before = place.pose[:3, 3] + beside + (radius + BACK) * normal
    route = np.array([pose[:3, 3], *through, before, before + (CLEARANCE - BACK) * normal])
    x, y, z = pin.log3(place.pose[:3, :3] @ pose[:3, :3].T).tolist()
    return move_along(side, [(a, b, c) for a, b, c in np.diff(route, axis=0).tolist()], SPEED, (x, y, z), turning=1)
