"""``wander``: a random walk over modes, motions, sticks, hands and contacts; every mode can be reached again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.following import MAX_JOINT_JUMP
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.mode_seeker import REACHED_WITHIN, ModeSeeker
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.app.lab.scenarios.needs import hand
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import walks
from handhold.app.lab.scenarios.walls import find_offset_before_wall
from handhold.app.lab.scenarios.wander_acts import SIDES, Acts
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

WORLD = "half_wall"

CHANGES, SILENCES, ABSENCES, STOPS, RESUMPTIONS = 1.0 / 12.0, 0.02, 0.02, 0.015, 1.0
"""How often another mode is asked for, the link falls silent, the headset is taken off, both sticks are clicked, and, once
stopped, clicked again [1/s]."""

CLICK = 0.2
"""Time both sticks are down [s]."""


class Wanderer:
    """The operator: acts at random, asks for modes, and does what refusals say until a mode is in charge."""

    over = False

    def __init__(self, acts: Acts, random: np.random.Generator) -> None:
        self._acts, self._random, self._seeker = acts, random, ModeSeeker(acts, acts.draw)
        self._person, self._follows = MovingPerson(random), False
        self._until = dict.fromkeys(("silent", "absent", "clicking", "letting go"), -1.0)
        self._sequence, self._stops = 0, 0
        self._last = OperatorInput(time=0.0, device="script")

    @property
    def missed(self) -> tuple[str, ...]:
        """What went wrong, in words, each with its time."""
        return self._seeker.missed

    @property
    def notes(self) -> Mapping[str, float]:
        """How long modes took, and what was counted."""
        return {**self._seeker.notes, "stops": float(self._stops)}

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Go on at a time [s]; the same sample again while the link is silent."""
        if snapshot is not None:
            self._follows = snapshot.report.follows_person and self._acts.has_room(snapshot)
            self._seeker.observe(time, snapshot, silent=time < self._until["silent"])
            self._mishap(time, stopped=snapshot.stop is Stop.HOLD)
            self._begin_attempt(time, snapshot)
            self._seeker.play(time, snapshot)
        if time < self._until["silent"]:
            return self._last
        self._sequence += 1
        self._last = self._show(time)
        return self._last

    def _show(self, time: float) -> OperatorInput:
        hands = self._seeker.hands
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
            human=self._person.track(time, moves=self._follows and not self._seeker.remedies),
        )

    def _mishap(self, time: float, *, stopped: bool) -> None:
        if self._happens(SILENCES):
            self._until["silent"] = time + self._random.uniform(0.02, 0.4)
        if self._happens(ABSENCES):
            self._until["absent"] = time + self._random.uniform(0.02, 1.0)
        if time >= self._until["clicking"] and self._happens(RESUMPTIONS if stopped else STOPS):
            self._stops += not stopped
            self._until["letting go"] = self._until["clicking"] = time + 2.0 * CLICK

    def _begin_attempt(self, time: float, snapshot: Snapshot) -> None:
        if self._seeker.attempt is not None or not self._happens(CHANGES):
            return
        others = [mode for mode in snapshot.modes if mode.name != snapshot.mode]
        chosen = others[int(self._random.integers(len(others)))]
        # Now the operator releases everything before, now he asks with sticks pushed and a hand held.
        self._seeker.seek(time, chosen, at_rest=bool(self._random.random() < 0.5))

    def _happens(self, rate: float) -> bool:
        return bool(self._random.random() < rate / OPERATOR_RATE)


def script_wander(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    return Wanderer(find_acts(model, effector_poses, random), random)


def find_acts(model: RobotModel, effector_poses: np.ndarray, random: np.random.Generator) -> Acts:
    """Return what can be done with a robot about where it begins."""
    feet = [k for k, effector in enumerate(model.effectors) if effector.standing]
    return Acts(model=model, random=random, world=WORLD, home=effector_poses[feet, :2, 3].mean(axis=0))


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


def find_start_offset(model: RobotModel, effector_poses: np.ndarray) -> tuple[float, float]:
    """Find the displacement of a robot that begins before the wall."""
    return find_offset_before_wall(WORLD, model, effector_poses)


WANDER = Scenario(
    name="wander",
    title="a random walk over modes, motions, sticks, hands and contacts (--seed, --duration)",
    world=WORLD,
    duration=60.0,
    script=script_wander,
    measure=measure_wander,
    needs=(walks, hand("left"), hand("right")),
    start_offset=find_start_offset,
    endless=True,
)
