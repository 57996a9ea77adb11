"""What a lab adds from outside the package: a mode, a device and a scenario, each driven through the real cycle."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.modes import MODES, ModeChoices
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.run import run_scenario
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.score import ScoredOperator, move, squeeze, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.station.console import TakeInput, open_console
from handhold.devices.device import HapticPulse
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.perception.surface import Surface
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState, find_items
from handhold.render.interface.wheel import Wheel
from handhold.render.snapshot import Snapshot
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ModeReport, Preview, Toggle
from handhold.robots.model import RobotModel, load_model
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3


class StatueMode:
    """Keeps the posture that it finds: the least that a mode can be."""

    profile = ModeProfile(name="statue", title="Statue", hints=ModeHints(trigger="nothing at all"), toggles_title="Pedestal")

    def __init__(self) -> None:
        self._high = False
        self._reference: Reference | None = None

    def find_obstacle(self, _reference: Reference, /) -> str:
        return ""

    def preview(self, reference: Reference, /) -> Preview:
        return Preview(title="Statue", q=reference.q, feasible=True)

    def prepare(self, _before: Reference, /) -> bool:
        return True

    def enter(self, _state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        assert before is not None
        still = np.zeros_like(before.v)
        self._reference = replace(before, v=still, velocity_com_in_world=np.zeros(3), acceleration_com_in_world=np.zeros(3))
        return self._output()

    def leave(self) -> None:
        pass

    def toggle(self, name: str) -> ModeOutput:
        if name != "high":
            raise NoSuchToggle("statue", name)
        self._high = not self._high
        return self._output()

    def update(
        self, _command: OperatorCommand, _state: RobotState, _surfaces: tuple[Surface, ...], _dt: float, /, *, hold: bool
    ) -> ModeOutput:
        return self._output()

    def _output(self) -> ModeOutput:
        assert self._reference is not None
        report = ModeReport(toggles=(Toggle(name="high", title="High", on=self._high),))
        return ModeOutput(reference=self._reference, status=ModeStatus(messages=("stands like a statue",)), report=report)


class PlainDevice:
    """A device that moves the left hand 0.1 m ahead while it squeezes: the least that a device can be."""

    name = stop_control = description = "plain"
    paced = False

    def __init__(self, _page: object, _config: object) -> None:
        self.target: np.ndarray | None = None
        self.pulses: list[HapticPulse] = []
        self._ticks = 0

    def read(self, _take_interim: TakeInput | None = None) -> OperatorInput:
        self._ticks += 1
        start = np.eye(4) if self.target is None else self.target
        pose = pin.SE3(start)
        pose.translation = pose.translation + np.array([min(0.1, 1e-4 * max(0, self._ticks - 500)), 0.0, 0.0])
        left = HandInput(pose=pose, aim=pose, squeeze=float(self._ticks > 300))
        right = HandInput(pose=pin.SE3.Identity(), aim=pin.SE3.Identity())
        return OperatorInput(time=self._ticks * DT, sequence=self._ticks, device=self.name, left=left, right=right)

    def show(self, snapshot: Snapshot, /) -> None:
        if self.target is None:
            self.target = snapshot.left.target

    def pulse(self, pulse: HapticPulse, /) -> None:
        self.pulses.append(pulse)

    def close(self) -> None:
        pass


class Run:
    """The real cycle on a simulated Talos, in lockstep."""

    def __init__(self, model: RobotModel, **choices: Any) -> None:
        self.body = make_robot("mujoco", model, load_world("flat"))
        self.state = self.body.reset(find_standing_posture(model))
        self.cycle = Cycle(model, self.state, **choices)
        self.ticks = 0

    def step(self, operator_input: OperatorInput) -> Snapshot:
        command, snapshot = self.cycle.step(operator_input, self.state, (), DT)
        self.body.send(command)
        self.body.advance(DT)
        self.state = self.body.read()
        self.ticks += 1
        return snapshot

    def ask(self, request: str, seconds: float) -> Snapshot:
        """Ask for something in words; return the last snapshot."""
        for _ in range(round(seconds / DT)):
            hands = HandInput(pose=pin.SE3.Identity(), aim=pin.SE3.Identity())
            sample = OperatorInput(time=self.ticks * DT, sequence=self.ticks, left=hands, right=hands, request=request)
            snapshot = self.step(sample)
        return snapshot


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture
def run(model: RobotModel) -> Iterator[Run]:
    def make_statue(_model: RobotModel, _choices: ModeChoices) -> StatueMode:
        return StatueMode()

    run = Run(model, modes=(*MODES, make_statue))
    yield run
    run.body.close()


def test_a_mode_from_outside_takes_charge_and_brings_its_hints_and_its_page_along(run: Run) -> None:
    assert run.ask("", 0.2).mode == "bracing"
    snapshot = run.ask("mode:statue", 2.0)
    assert snapshot.mode == "statue"
    assert "stands like a statue" in snapshot.messages
    assert next(offer for offer in snapshot.modes if offer.name == "statue").profile.hints.trigger == "nothing at all"
    wheel = Wheel(hand="left", pose=np.eye(4))
    assert "Pedestal" in [item.title for item in find_items(ViewState(settings=Settings(), wheel=wheel), snapshot)]
    assert run.ask("switch:high", 0.05).report.toggles[0].on
    reference, later = snapshot.reference, run.ask("", 1.0)
    assert np.array_equal(later.reference.q, reference.q)
    assert run.ask("mode:bracing", 2.0).mode == "bracing"


def test_a_device_from_outside_moves_a_hand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("a_lab")
    module.PlainDevice = PlainDevice  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_lab", module)
    page: Any = None
    config: Any = SimpleNamespace(device="plain")
    device: Any = open_console(page, config, print, consoles={"plain": ("a_lab", "PlainDevice")})
    device.show(run.ask("", 0.1))
    begun = run.ask("", 0.1).reference.effector_poses[2, 0, 3]
    for _ in range(2500):
        snapshot = run.step(device.read())
    assert snapshot.left.engaged
    assert snapshot.reference.effector_poses[2, 0, 3] - begun == pytest.approx(0.1, abs=0.01)


def test_a_scenario_from_outside_is_run_and_measured() -> None:
    def script(_model: RobotModel, _poses: np.ndarray, _random: np.random.Generator) -> Operator:
        return ScoredOperator([wait_till(0.3), squeeze("left"), move("left", (0.1, 0.0, 0.0), 0.2), wait_till(2.0)])

    def measure(_model: RobotModel, trace: Trace) -> Sequence[Figure]:
        hands = np.array(trace.effectors)[:, 2, 0]
        return [Figure("moved", float(hands[-1] - hands[0]), "m", must=0.05, larger_is_better=True)]

    wave = Scenario(name="wave", title="a wave", world="flat", duration=2.0, script=script, measure=measure, needs=())
    outcome, _ = run_scenario(wave, "talos", "mujoco", seed=0)
    assert outcome.holds
    assert outcome.figures[0].value == pytest.approx(0.1, abs=0.03)
