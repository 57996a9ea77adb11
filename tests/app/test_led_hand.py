"""A hand that somebody leads, through the whole cycle: what moves it, and what must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
PUSH = np.array([12.0, 0.0, 0.0])
NOTHING = np.zeros(3)
MOVED, STILL = 0.05, 2e-3  # [m]


class Led:
    """A Talos in bracing, its operator, and a person who pushes its left hand."""

    def __init__(self, model: RobotModel, body: SimulatedRobot, state: RobotState) -> None:
        self.cycle, self.body, self.state = Cycle(model, state), body, state
        hand = model.effector_of_hand("left")
        assert hand is not None
        self.hand, self.ticks = hand, 0
        self.squeeze, self.clicks, self.request = 0.0, False, ""
        self.focused, self.stop = True, Stop.NONE
        self.snapshot: Snapshot

    def run(self, seconds: float, push: np.ndarray = NOTHING, at: str = "left_hand") -> np.ndarray:
        """Let time pass [s], the robot pushed all the while [N]; return where the reference's hand is then, shape ``(3,)``."""
        for _ in range(round(seconds / DT)):
            self.ticks += 1
            command, self.snapshot = self.cycle.step(self._sample(), self.state, (), DT)
            self.body.send(command)
            if push.any():
                self.body.push(push, f"handhold/{at}")
            self.body.advance(DT)
            self.state = self.body.read()
        return self.snapshot.reference.effector_poses[self.hand, :3, 3].copy()

    def _sample(self) -> OperatorInput:
        pose = pin.SE3.Identity()
        hand = HandInput(pose=pose, aim=pose, buttons=Buttons(stick=self.clicks))
        return OperatorInput(
            time=self.ticks * DT,
            sequence=self.ticks,
            left=replace(hand, squeeze=self.squeeze),
            right=hand,
            request=self.request,
            focused=self.focused,
            stop=self.stop,
        )

    def ask(self, request: str) -> None:
        """Ask for something in words."""
        self.request = request
        self.run(0.05)
        self.request = ""
        self.run(0.05)


@pytest.fixture
def led() -> Iterator[Led]:
    model = load_model("talos")
    body = make_robot("mujoco", model, load_world("flat"))
    run = Led(model, body, body.reset(find_standing_posture(model)))
    run.run(1.0)
    yield run
    body.close()


def test_a_hand_is_led_once_that_is_switched_on_and_goes_back(led: Led) -> None:
    before = led.run(0.1)
    assert np.abs(led.run(0.5, PUSH) - before).max() < STILL, "stiff at first"
    led.ask("switch:compliant-left")
    before = led.run(0.5)
    there = led.run(0.6, PUSH)
    assert there[0] - before[0] > MOVED
    assert "the left hand is led" in led.snapshot.messages
    assert there[0] - led.run(2.0)[0] > 0.2 * (there[0] - before[0]), "it goes back"


def test_nothing_is_led_nor_goes_back_while_the_robot_is_stopped_and_after(led: Led) -> None:
    led.ask("switch:compliant-left")
    before = led.run(0.2)
    led.run(0.6, PUSH)
    led.clicks = True
    led.run(0.2)
    led.clicks = False
    stopped = led.run(0.5)
    assert led.snapshot.stop is Stop.HOLD
    assert stopped[0] - before[0] > MOVED
    assert np.abs(led.run(0.5, PUSH) - stopped).max() < STILL
    assert not any("is led" in message for message in led.snapshot.messages)
    led.run(0.5)
    led.stop = Stop.RESUME
    led.run(0.1)
    led.stop = Stop.NONE
    assert np.abs(led.run(1.5) - stopped).max() < STILL, "what comes back moves nothing"
    assert led.snapshot.stop is Stop.NONE
    assert led.run(0.5, PUSH)[0] - stopped[0] > MOVED, "led again, it moves again"


def test_a_pull_is_balanced_until_it_ends_and_is_no_tilt(led: Led) -> None:
    led.ask("switch:compliant-left")
    led.run(0.2)
    pull = np.array([35.0, 0.0, 0.0])
    led.run(2.5, pull)
    # Of quaternions, half an angle: what is believed and what is.
    assert led.snapshot.q[3:7] == pytest.approx(led.state.q[3:7], abs=1e-3), "a pull is no tilt"
    forces = led.snapshot.reference.external_forces
    assert forces is not None
    assert forces[led.hand] == pytest.approx(pull, abs=1.0)
    led.request = "switch:compliant-left"
    led.run(0.05, pull)
    led.request = "mode:walking"
    led.run(0.05, pull)
    led.request = ""
    led.run(1.0, pull)
    assert led.snapshot.mode == "bracing", "walking balances no pull"
    forces = led.snapshot.reference.external_forces
    assert forces is not None
    assert forces[led.hand] == pytest.approx(pull, abs=1.0), "made stiff, it is still held on to"
    led.run(3.0)
    assert led.snapshot.reference.external_forces is None


def test_nobody_leads_a_robot_whose_operator_is_away(led: Led) -> None:
    led.ask("switch:compliant-left")
    led.focused = False
    before = led.run(0.2)
    assert np.abs(led.run(0.6, PUSH) - before).max() < STILL
    led.focused = True
    led.run(0.2)
    there = led.run(0.6, PUSH)
    assert there[0] - before[0] > MOVED
    led.focused = False
    away = led.run(0.5)
    led.focused = True
    assert np.abs(led.run(1.0) - away).max() < STILL, "what comes back moves nothing"


def test_a_led_hand_is_clutched_where_it_is_and_follows_its_operator_from_there(led: Led) -> None:
    led.ask("switch:compliant-left")
    led.run(0.6, PUSH)
    led.squeeze = 1.0
    before = led.run(0.02)
    assert np.abs(led.run(0.1) - before).max() < 0.02
    assert led.snapshot.left.engaged


def test_in_another_mode_nothing_is_led(led: Led) -> None:
    led.ask("switch:compliant-left")
    led.run(0.4, PUSH)
    led.ask("mode:walking")
    led.run(3.0)
    assert led.snapshot.mode == "walking"
    before = led.run(0.2)
    assert np.abs(led.run(0.5, PUSH) - before).max() < 5e-3
    led.ask("mode:bracing")
    assert np.abs(led.run(2.0) - before).max() < 0.02
    assert led.snapshot.mode == "bracing"


@pytest.mark.parametrize("at", ["chest", "pelvis"])
def test_a_body_that_is_pushed_gives_way_and_the_push_is_known(led: Led, at: str) -> None:
    led.ask("switch:compliant-body")
    led.run(1.5)
    before = led.snapshot.reference.position_com_in_world.copy()
    push = np.array([0.0, 40.0, 0.0])
    led.run(2.5, push, at)
    assert "the body is pushed" in led.snapshot.messages
    forces = led.snapshot.reference.external_forces
    assert forces is not None
    assert forces.sum(axis=0) == pytest.approx(push, abs=5.0)
    assert np.abs(forces[:4]).max() == 0.0, "no hand is pushed"
    sway = led.snapshot.reference.position_com_in_world - before
    assert 5e-3 < sway[1] < 0.03
    led.run(8.0)
    assert led.snapshot.reference.external_forces is None
    assert np.abs(led.snapshot.reference.position_com_in_world - before).max() < 5e-3


def test_a_stopped_robot_whose_hand_is_pushed_harder_than_its_arm_bears_stays_on_its_feet(led: Led) -> None:
    led.ask("switch:compliant-left")
    led.clicks = True
    led.run(0.2)
    led.clicks = False
    led.run(0.5)
    assert led.snapshot.stop is Stop.HOLD
    sideways = np.array([0.0, -80.0, 0.0])
    for ratio in np.linspace(0.0, 1.0, 30):
        led.run(0.02, ratio * sideways)
    led.run(2.0, sideways)
    assert led.snapshot.stop is Stop.HOLD, "it has not fallen"
    assert np.abs(led.snapshot.position_com_in_world - led.snapshot.reference.position_com_in_world)[:2].max() < 0.02
