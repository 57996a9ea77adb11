"""A session whose robot is hot, or whose supply is low: somebody else's G1 behind its maker's protocol, in lockstep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions import HEADER

from handhold.app.host.cadence import Cadence
from handhold.app.host.cycle import Cycle
from handhold.app.host.driven_robot import OwnTimeRobot
from handhold.app.host.loop_clocks import LoopClocks
from handhold.app.host.program import ControlLoop
from handhold.app.host.standing import find_standing_posture
from handhold.app.logs.reader import Event, LogReader
from handhold.app.logs.recording import CycleRecord, Recorder
from handhold.app.logs.replay import replay_cycle
from handhold.app.stand_in.program import find_model
from handhold.devices.stop import Stop
from handhold.robots.model import RobotModel, load_model
from handhold.robots.unitree.hung_stand_in import HungStandIn
from handhold.robots.unitree.motor_heat import StandInHealth
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.unitree.unitree_robot import UnitreeRobot
from handhold.robots.worlds import load_world

pytestmark = pytest.mark.timeout(600)

KNEE = "left_knee_joint"
WARNED, MAX_SESSION = 1.2, 8.0
"""For how long one is driven that only warns, and how long one may be that is to end by itself [s]."""


class Link:
    """A link to a station that says nothing."""

    refused = 0
    newest_sighting = newest_proposal = None

    def __init__(self) -> None:
        self.snapshots: list[Any] = []

    def newest_input(self) -> None:
        return None

    def next_stop(self) -> Stop:
        return Stop.NONE

    def describe(self) -> tuple[str, ...]:
        return ()

    def send_snapshot(self, snapshot: Any) -> None:
        self.snapshots.append(snapshot)

    def send_pulse(self, pulse: Any) -> None:
        pass


class Session:
    """The host's loop about a robot whose time is that of what stands in for it."""

    def __init__(self, model: RobotModel, health: StandInHealth, folder: Path) -> None:
        posture = find_standing_posture(model)
        flat = load_world("flat")
        body = StandInBody(find_model("g1"), Stand.of(model, posture), flat, np.random.default_rng(0), health=health)
        self.stand_in = stand_in = HungStandIn(body, model.joint_names)
        self.robot = UnitreeRobot(model, stand_in.link, clock=stand_in.clock, sleep=stand_in.sleep)
        start, self.model = self.robot.reset(posture), model
        clocks = LoopClocks(monotonic=stand_in.clock, boot=stand_in.clock, sleep=stand_in.sleep)
        self.link, self.said, self.start = Link(), list[str](), start
        self.recorder = Recorder(folder, "session", HEADER, start)
        driven, cycle, cadence = OwnTimeRobot(self.robot, clocks), Cycle(model, start), Cadence(self.robot.period)
        self.loop = ControlLoop(
            driven,
            cycle,
            self.link,
            self.recorder,
            cadence,
            clocks=clocks,
            say=self.said.append,  # type: ignore[arg-type]
        )

    def run(self, duration: float) -> float:
        """Run until it ends by itself, or a time is over [s]; returns how long it was driven."""
        begun = self.stand_in.clock()
        drives = [begun]

        def must_stop() -> bool:
            drives.append(self.stand_in.clock())
            return drives[-1] - begun >= duration

        # Nobody waits for who takes it once it has been handed back.
        self.loop.run(must_stop, lambda: self.robot.returned)
        return drives[-1] - begun

    def read_log(self) -> list[object]:
        return list(LogReader(self.recorder.file).entries())


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("g1")


@pytest.mark.parametrize(
    ("health", "words"),
    [
        (StandInHealth(hot={KNEE: 78.0}), "left knee motor at 78 C"),
        (StandInHealth(voltage=45.0), "supply at 45.0 V"),
    ],
)
def test_a_warm_motor_and_a_low_supply_are_told_to_the_operator_the_log_and_the_terminal(
    model: RobotModel, tmp_path: Path, health: StandInHealth, words: str
) -> None:
    session = Session(model, health, tmp_path)
    assert session.run(WARNED) == pytest.approx(WARNED, abs=0.01), "it goes on"
    said = [line for line in session.said if words in line]
    assert len(said) == 1
    assert any(words in message for message in session.link.snapshots[-1].messages)
    assert session.link.snapshots[-1].health is not None
    assert any(isinstance(entry, Event) and words in entry.text for entry in session.read_log())


@pytest.mark.parametrize(
    ("health", "words"),
    [
        (StandInHealth(hot={KNEE: 90.0}), "left knee motor at 90 C: let it cool"),
        (StandInHealth(voltage=42.0), "supply at 42.0 V: charge its battery"),
    ],
)
def test_a_hot_motor_and_an_empty_supply_let_it_rest_and_hand_it_back_which_replays_bit_for_bit(
    model: RobotModel, tmp_path: Path, health: StandInHealth, words: str
) -> None:
    session = Session(model, health, tmp_path)
    assert session.run(MAX_SESSION) < 1.0
    assert session.robot.returned
    assert session.stand_in.body.base_height > 0.7, "it stands"
    assert [line for line in session.said if words in line] == [
        f"robot host: the robot comes to rest and is handed back: {words}"
    ]
    records = [entry for entry in session.read_log() if isinstance(entry, CycleRecord)]
    assert any(record.sample.stop is Stop.HOLD for record in records)
    again = Cycle(model, session.start)
    assert all(replay_cycle(record, again) is None for record in records)
