"""``wander``: a random walk over modes, motions, sticks, hands and contacts; every mode can be reached again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import MAX_JOINT_JUMP
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.refusals import Situation, is_true
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Operator, Scenario
from handhold.app.lab.scenarios.score import Step, ask, contact_is, press, push_stick, resting_hands, wait, wait_until
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import walks
from handhold.app.lab.scenarios.walls import find_offset_before_wall
from handhold.app.lab.scenarios.wander_acts import HELD, SIDES, Acts, wait_for_feet
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState
from handhold.robots.model import RobotModel

WORLD = "half_wall"

REACHED_WITHIN = 30.0
"""Longest time in which a mode that was asked for must be in charge, after the last refusal that was true [s]."""

MAX_REFUSALS = 8
"""Refusals of one mode after which the operator aborts: each was remedied, and led to another."""

CHANGES, SILENCES, ABSENCES, STOPS, RESUMPTIONS = 1.0 / 12.0, 0.02, 0.02, 0.015, 1.0
"""How often another mode is asked for, the link falls silent, the headset is taken off, both sticks are clicked, and, once
stopped, clicked again [1/s]."""

CLICK = 0.2
"""Time both sticks are down [s]."""

UNHEARD = 1.5
"""Time after which a request that nothing came of is made again: the link was silent [s]."""

REST_SPEED = 0.01
"""Speed of the reference's centre of mass under which it is at rest [m/s]."""

_SWITCHED = (ContactState.LOADING, ContactState.UNLOADING)


@dataclass(slots=True)
class Attempt:
    """A mode that is asked for.

    Attributes:
        mode: Its name.
        title: Its name for people.
        since: When it was asked for first, or last refused with a true reason [s].
        asked: When it was asked for last; NaN where that is to come.
        refusals: How often it was refused.
    """

    mode: str
    title: str
    since: float
    asked: float = math.nan
    refusals: int = 0


class Wanderer:
    """The operator: acts at random, asks for modes, and does what refusals say until a mode is in charge.

    Attributes:
        missed: What went wrong, in words, each with its time.
    """

    over = False

    def __init__(self, acts: Acts, random: np.random.Generator) -> None:
        self._acts, self._random = acts, random
        self._person, self._follows = MovingPerson(random), False
        self.missed: tuple[str, ...] = ()
        self._hands = self._start = resting_hands()
        self._begun, self._remaining = 0.0, list[Step]()
        self._attempt: Attempt | None = None
        self._reason = ""
        self._until = dict.fromkeys(("silent", "absent", "clicking", "letting go"), -1.0)
        self._last_observed = dict.fromkeys(("stopped", "silent", "moved", "switched"), -math.inf)
        self._messages: tuple[str, ...] = ()
        self._sequence, self._refused = 0, 0
        self._last = OperatorInput(time=0.0, device="script")
        self._times: list[float] = []
        self._counts = dict.fromkeys(("refusals", "unexplained", "unreached", "stops", "motions"), 0)

    @property
    def notes(self) -> Mapping[str, float]:
        """How long modes took, and what was counted."""
        counts = {name: float(count) for name, count in self._counts.items()}
        return counts | {"reached": float(len(self._times)), "longest": max(self._times, default=math.nan)}

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Go on at a time [s]; the same sample again while the link is silent."""
        if snapshot is not None:
            self._observe(time, snapshot)
            self._mishap(time, stopped=snapshot.stop is Stop.HOLD)
            self._begin_attempt(time, snapshot)
            self._play(time, snapshot)
        if time < self._until["silent"]:
            return self._last
        self._sequence += 1
        self._last = self._show(time)
        return self._last

    def _show(self, time: float) -> OperatorInput:
        hands = self._hands
        if time < self._until["letting go"]:
            hands = hands.change("left", squeeze=0.0).change("right", squeeze=0.0)
        if self._until["clicking"] - CLICK <= time < self._until["clicking"]:
            for side in SIDES:
                hands = hands.change(side, buttons=replace(hands.of(side).buttons, stick=True))
        return OperatorInput(
            time=time,
            sequence=self._sequence,
            device="script",
            focused=time >= self._until["absent"],
            left=hands.left,
            right=hands.right,
            request=hands.request,
            human=self._person.track(time, moves=self._follows),
        )

    def _observe(self, time: float, snapshot: Snapshot) -> None:
        self._follows = snapshot.report.follows_person
        self._note_state(time, snapshot)
        if snapshot.counters.refused_commands > self._refused:
            self._refused = snapshot.counters.refused_commands
            self._judge(time, snapshot)
        self._messages = snapshot.messages
        attempt = self._attempt
        if attempt is None:
            return
        if snapshot.mode == attempt.mode:
            self._times.append(time - attempt.since)
            self._end_attempt()
        elif time - attempt.since > REACHED_WITHIN or attempt.refusals > MAX_REFUSALS:
            self._counts["unreached"] += 1
            self._report(time, f"{attempt.mode} not reached from {snapshot.mode}: {self._reason or snapshot.messages}")
            self._end_attempt()

    def _note_state(self, time: float, snapshot: Snapshot) -> None:
        switching = any(status.contact in _SWITCHED for status in (snapshot.left, snapshot.right))
        observed = {
            "stopped": bool(snapshot.stop),
            "silent": time < self._until["silent"],
            "moved": bool(np.linalg.norm(snapshot.reference.velocity_com_in_world) > REST_SPEED),
            "switched": switching or any("half-way" in message for message in snapshot.messages),
        }
        self._last_observed.update({name: time for name, holds in observed.items() if holds})

    def _judge(self, time: float, snapshot: Snapshot) -> None:
        """Judge what was refused since the last sample: every refusal must be reported, and its reason be true."""
        reported = [message for message in snapshot.messages if "refused: " in message and message not in self._messages]
        reported = reported or [message for message in snapshot.messages if "refused: " in message]
        self._counts["refusals"] += 1
        ages = {name: time - observed for name, observed in self._last_observed.items()}
        situation = Situation(model=self._acts.model, snapshot=snapshot, **ages)
        true = bool(reported) and all(is_true(message, situation) for message in reported)
        if not true:
            self._counts["unexplained"] += 1
            self._report(time, f"in {snapshot.mode}: {reported or 'refused without a word'}")
        attempt = self._attempt
        if attempt is not None and any(message.startswith(attempt.title) for message in reported):
            attempt.refusals += 1
            attempt.since = time if true else attempt.since
            attempt.asked = math.nan
            self._reason = next(message for message in reported if message.startswith(attempt.title))
            self._remaining = []

    def _report(self, time: float, what: str) -> None:
        self.missed = (*self.missed, f"{what} (at {time:.2f} s)")

    def _mishap(self, time: float, *, stopped: bool) -> None:
        if self._happens(SILENCES):
            self._until["silent"] = time + self._random.uniform(0.02, 0.4)
        if self._happens(ABSENCES):
            self._until["absent"] = time + self._random.uniform(0.02, 1.0)
        if time >= self._until["clicking"] and self._happens(RESUMPTIONS if stopped else STOPS):
            self._counts["stops"] += not stopped
            self._until["letting go"] = self._until["clicking"] = time + 2.0 * CLICK

    def _begin_attempt(self, time: float, snapshot: Snapshot) -> None:
        if self._attempt is not None or not self._happens(CHANGES):
            return
        others = [mode for mode in snapshot.modes if mode.name != snapshot.mode]
        chosen = others[int(self._random.integers(len(others)))]
        self._attempt, self._reason = Attempt(mode=chosen.name, title=chosen.title, since=time), ""
        # Now the operator releases everything before, now he asks with sticks pushed and a hand held.
        self._remaining = [*self._acts.release_all()] if self._random.random() < 0.5 else []
        self._begun, self._start = time, self._hands

    def _end_attempt(self) -> None:
        self._attempt, self._reason = None, ""
        self._remaining = [*self._acts.release_all(), wait(0.3)]

    def _play(self, time: float, snapshot: Snapshot) -> None:
        for _ in range(10):
            if not self._remaining:
                self._remaining = list(self._choose(time, snapshot))
                self._start, self._begun = replace(self._hands, request=""), time
                if not self._remaining:
                    return
            beat = self._remaining[0](self._start, self._begun, time, snapshot)
            self._hands = beat.hands
            if not beat.over:
                return
            self._remaining = self._remaining[1:]
            self._start, self._begun = self._hands, time

    def _choose(self, time: float, snapshot: Snapshot) -> Sequence[Step]:
        attempt = self._attempt
        if attempt is None:
            return self._acts.draw(snapshot)
        if self._reason:
            reason, self._reason = self._reason, ""
            return (*self._acts.release_all(), *follow_hint(reason, snapshot, self._acts))
        in_progress = any(message.startswith(f"{attempt.title} as soon as") for message in snapshot.messages)
        if in_progress or time - attempt.asked < UNHEARD:
            return (wait(0.05),)
        attempt.asked = time
        return (ask(f"mode:{attempt.mode}"),)

    def _happens(self, rate: float) -> bool:
        return bool(self._random.random() < rate / OPERATOR_RATE)


def follow_hint(reason: str, snapshot: Snapshot, acts: Acts) -> Sequence[Step]:
    """Do what a refusal says."""
    if "stopped" in reason:
        return (wait_until("resumed", lambda observed: not observed.stop, 20.0),)
    remedies = {"bracing": _remedy_bracing, "motions": _remedy_motions}
    found = remedies[snapshot.mode](reason, snapshot, acts) if snapshot.mode in remedies else ()
    return found or (wait(1.0),)


def _remedy_bracing(reason: str, snapshot: Snapshot, acts: Acts) -> Sequence[Step]:
    if "centre of mass" in reason:
        return acts.lean_to_middle(), wait(0.5)
    if "stand up" in reason:
        return push_stick("right", 0.0, 1.0, 4.0), wait(0.5)
    named = re.search(r"(left|right) (hand|foot)", reason)
    if named is None:
        return ()
    side = SIDES[named[1] == "right"]
    done = wait_until(f"{named[0]} done", lambda observed: not _is_switching(observed), 20.0), wait(0.2)
    if "is being" in reason:
        return done
    pressed = *acts.select(side, f"{named[1]}_{named[2]}", snapshot), press(side, "primary")
    if "half-way" in reason:
        return *pressed, *done
    return *pressed, contact_is(side, "free" if "release" in reason else "loaded", 20.0), wait(0.2)


def _remedy_motions(reason: str, snapshot: Snapshot, _acts: Acts) -> Sequence[Step]:
    in_progress = any(switch.on for switch in snapshot.report.toggles)
    if "stand up" in reason and not in_progress:
        bracing = wait_until("bracing", lambda observed: observed.mode == "bracing", 10.0)
        return ask("mode:bracing"), bracing, push_stick("right", 0.0, 1.0, 4.0), wait(0.5)
    if any(words in reason for words in ("foot in the air", "down first", "stand up")):
        return press("left", "secondary", HELD), wait_for_feet(15.0)
    for words, motion in (("joint", "wave"), ("side by side", "feet-together")):
        if words in reason:
            return ask(f"switch:{motion}"), wait(8.0)
    return ()


def _is_switching(snapshot: Snapshot) -> bool:
    return any(status.contact in _SWITCHED for status in (snapshot.left, snapshot.right))


def script_wander(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    feet = [k for k, effector in enumerate(model.effectors) if effector.standing]
    home = effector_poses[feet, :2, 3].mean(axis=0)
    return Wanderer(Acts(model=model, random=random, world=WORLD, home=home), random)


def measure_wander(_model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure how long modes took, whether every refusal was true, and that the robot stood."""
    notes = trace.notes
    return [
        Figure("falls", float(trace.fell), "-", must=0.0),
        Figure("reach_time_max", notes["longest"], "s", must=REACHED_WITHIN),
        Figure("unreached", notes["unreached"], "-", must=0.0),
        Figure("unexplained_refusals", notes["unexplained"], "-", must=0.0),
        measure_failures(trace),
        Figure("joint_jump", trace.joint_jump, "rad", must=MAX_JOINT_JUMP),
        Figure("reached", notes["reached"], "-", must=1.0, larger_is_better=True),
        Figure("refusals", notes["refusals"], "-"),
        Figure("stops", notes["stops"], "-"),
        *(
            Figure(f"time_{mode}", 100.0 * trace.modes.count(mode) / len(trace.modes), "%")
            for mode in sorted(set(trace.modes))
        ),
    ]


def _find_start_offset(model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    return find_offset_before_wall(WORLD, model, effector_poses)


WANDER = Scenario(
    name="wander",
    title="a random walk over modes, motions, sticks, hands and contacts (--seed, --duration)",
    world=WORLD,
    duration=60.0,
    script=script_wander,
    measure=measure_wander,
    needs=(walks, hand("left"), hand("right")),
    start_offset=_find_start_offset,
    endless=True,
)
