"""``mode-changes``: every ordered pair of modes, each change asked for at a random moment of what the robot does."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import MAX_JOINT_JUMP
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.mode_pairs import ModePairs
from handhold.app.lab.scenarios.mode_seeker import REACHED_WITHIN, ModeSeeker
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.refusal_watch import REST_SPEED
from handhold.app.lab.scenarios.remedies import is_switching
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import Step
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import walks
from handhold.app.lab.scenarios.wander import WORLD, find_acts, find_start_offset
from handhold.app.lab.scenarios.wander_acts import Acts
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

MOMENT = (0.0, 12.0)
"""When another mode is asked for after the robot began to do something in a mode, minimum and maximum [s]: a step, a motion, a
hand's way to the wall and its loading are over within that."""

MAX_IDLE = 40.0
"""Longest time for which the operator tries to do something in a mode [s]: a person is calibrated first, and a robot that
crouches is refused every motion. Then the next mode is asked for all the same."""

DURATION = 600.0
"""Longest simulated time in which all changes are to be made [s]."""


def _is_driven(snapshot: Snapshot) -> bool:
    """Whether a hand is held, a contact is switched or the body is moved."""
    moves = np.linalg.norm(snapshot.reference.velocity_com_in_world) > REST_SPEED
    return bool(snapshot.left.engaged or snapshot.right.engaged or is_switching(snapshot) or moves)


ACTIVE: Mapping[str, Callable[[Snapshot], bool]] = {
    "bracing": _is_driven,
    "walking": lambda snapshot: bool(snapshot.report.footsteps),
    "motions": lambda snapshot: any(toggle.on for toggle in snapshot.report.toggles),
    "whole-body": lambda snapshot: snapshot.report.follows_person,
}
"""When a robot does something in a mode, and does not only stand there."""


class ModeChanger:
    """The operator: acts in a mode, asks for another one at a random moment of it, and so on through all pairs.

    What a refusal says is done, as by the operator of ``wander``. Where its remedy leads through another mode, the pair is
    tried again later.
    """

    def __init__(self, acts: Acts, random: np.random.Generator) -> None:
        """Begin in the mode that is in charge."""
        self._acts, self._random = acts, random
        self._seeker = ModeSeeker(acts, self._draw)
        self._person, self._follows = MovingPerson(random), False
        self._pairs: ModePairs | None = None
        self._possible, self._changes, self._idle, self._sequence = 0, 0, 0, 0
        self._mode, self._sought = "", ("", "")
        self._entered, self._active_since, self._moment = 0.0, math.inf, 0.0

    @property
    def over(self) -> bool:
        """Whether all pairs were tried."""
        return self._pairs is not None and self._pairs.all_tried and self._seeker.attempt is None

    @property
    def missed(self) -> tuple[str, ...]:
        """What went wrong, in words, each with its time."""
        return self._seeker.missed

    @property
    def notes(self) -> Mapping[str, float]:
        """How long modes took, and what was counted."""
        pairs = 0 if self._pairs is None else len(self._pairs.made)
        counts = {"pairs": pairs, "possible": self._possible, "changes": self._changes, "idle": self._idle}
        return {**self._seeker.notes, **{name: float(count) for name, count in counts.items()}}

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Go on at a time [s]."""
        if snapshot is not None:
            self._follows = snapshot.report.follows_person and self._acts.has_room(snapshot)
            self._observe(time, snapshot)
            self._seek_next(time, snapshot)
            self._seeker.play(time, snapshot)
        self._sequence += 1
        hands = self._seeker.hands
        return OperatorInput(
            time=time,
            sequence=self._sequence,
            device="script",
            left=hands.left,
            right=hands.right,
            request=hands.request,
            human=self._person.track(time, moves=self._follows and not self._seeker.remedies),
        )

    def _draw(self, snapshot: Snapshot) -> Sequence[Step]:
        return () if self.over else self._acts.draw(snapshot)

    def _observe(self, time: float, snapshot: Snapshot) -> None:
        """Note in which mode the robot is and since when it does something there."""
        pairs = self._list_pairs(snapshot)
        sought = self._seeker.attempt is not None
        self._seeker.observe(time, snapshot)
        if snapshot.mode != self._mode:
            if (self._mode, snapshot.mode) == self._sought:
                pairs.note_made(self._sought)
            self._changes += bool(self._mode)
            self._mode, self._entered, self._active_since = snapshot.mode, time, math.inf
            self._moment = float(self._random.uniform(*MOMENT))
        elif sought and self._seeker.attempt is None:
            pairs.give_up(self._sought)
        if self._active_since == math.inf and ACTIVE[snapshot.mode](snapshot):
            self._active_since = time

    def _list_pairs(self, snapshot: Snapshot) -> ModePairs:
        if self._pairs is None:
            self._pairs = ModePairs([offer.name for offer in snapshot.modes], self._random)
            self._possible = self._pairs.count_open()
        return self._pairs

    def _seek_next(self, time: float, snapshot: Snapshot) -> None:
        """Ask for another mode once the moment has come; at once where nothing but the way to the next pair is left."""
        pairs = self._list_pairs(snapshot)
        if self._seeker.attempt is not None or pairs.all_tried:
            return
        idle = self._active_since == math.inf and time - self._entered >= MAX_IDLE
        self._idle += idle
        if idle or time - self._active_since >= self._moment or not pairs.any_open(snapshot.mode):
            chosen = pairs.choose(snapshot.mode)
            self._sought = snapshot.mode, chosen
            offer = next(offer for offer in snapshot.modes if offer.name == chosen)
            # Now everything is released before, now he asks with sticks pushed and a hand held.
            self._seeker.seek(time, offer, at_rest=bool(self._random.random() < 0.5))


def script_mode_changes(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    return ModeChanger(find_acts(model, effector_poses, random), random)


def measure_mode_changes(_model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure that all pairs were changed between, smoothly, without a fall, and that every refusal was true."""
    notes = trace.notes
    return [
        Figure("joint_jump", trace.joint_jump, "rad", must=MAX_JOINT_JUMP),
        Figure("falls", float(trace.fell), "-", must=0.0),
        Figure("unexplained_refusals", notes["unexplained"], "-", must=0.0),
        Figure("pairs", notes["pairs"], "-", must=notes["possible"], larger_is_better=True),
        Figure("unreached", notes["unreached"], "-", must=0.0),
        Figure("reach_time_max", notes["longest"], "s", must=REACHED_WITHIN),
        measure_failures(trace),
        Figure("changes", notes["changes"], "-"),
        Figure("idle", notes["idle"], "-"),
        Figure("refusals", notes["refusals"], "-"),
    ]


MODE_CHANGES = Scenario(
    name="mode-changes",
    title="every ordered pair of modes, each change asked for at a random moment of what the robot does (--seed)",
    world=WORLD,
    duration=DURATION,
    script=script_mode_changes,
    measure=measure_mode_changes,
    needs=(walks, hand("left"), hand("right")),
    start_offset=find_start_offset,
)
