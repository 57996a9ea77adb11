"""The mode Motions in the real cycle: from bracing, a motion that is played and called off, and back to bracing."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.score import resting_hands
from handhold.devices.operator_input import Buttons, OperatorInput
from handhold.robots.estimation.fall import has_fallen
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
STEP_OF_JOINTS = 5e-3  # [rad] a new reference every 2 ms: no joint of the shipped motions moves at 2.5 rad/s
STEP_OF_KNEES = 7e-3  # [rad] while it walks: the knee of a foot in swing moves at 2.7 rad/s
FOLLOWED = 0.02  # [m] of the centre of mass behind its reference


@dataclass(eq=False)
class Session:
    """The cycle with a simulated Talos in lockstep, and an operator of requests and of B."""

    body: SimulatedRobot
    cycle: Cycle
    state: RobotState
    ticks: int = 0
    before: object = None

    def run(self, seconds: float, *, request: str = "", press: bool = False, ahead: float = 0.0):
        """Run, check that nothing jumps, and return the last snapshot."""
        for _ in range(round(seconds / DT)):
            hands = resting_hands().change("right", buttons=Buttons(secondary=press))
            hands = hands.change("left", stick=np.array([0.0, ahead]))
            sample = OperatorInput(
                time=self.ticks * DT, sequence=self.ticks, left=hands.left, right=hands.right, request=request
            )
            command, snapshot = self.cycle.step(sample, self.state, (), DT)
            if self.before is not None:
                most = STEP_OF_KNEES if snapshot.mode == "walking" else STEP_OF_JOINTS
                assert np.abs(snapshot.reference.q[7:] - self.before.reference.q[7:]).max() < most
            off = snapshot.position_com_in_world - snapshot.reference.position_com_in_world
            assert np.abs(off).max() < FOLLOWED
            self.before = snapshot
            self.body.send(command)
            self.body.advance(DT)
            self.state = self.body.read()
            self.ticks += 1
        return self.before


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture
def session(model: RobotModel) -> Iterator[Session]:
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    yield Session(body=body, cycle=Cycle(model, state), state=state)
    body.close()


def test_a_motion_is_played_paused_and_called_off_between_two_spells_of_bracing(session, model):
    entered = session.run(0.8, request="mode:motions")
    assert entered.mode == "motions"
    assert next(switch.name for switch in entered.report.toggles) == "feet-apart"
    assert entered.report.preview.title == "Feet apart: 5 s"
    assert entered.report.preview.feasible
    session.run(0.1, request="switch:wave")
    playing = session.run(1.5)
    assert [switch.name for switch in playing.report.toggles if switch.on] == ["wave"]
    assert "Wave: press B or Y to pause" in playing.messages
    session.run(0.1, press=True)
    paused = session.run(1.0)
    assert "Wave paused: press B or Y to go on, hold it to run back" in paused.messages
    assert np.abs(paused.reference.v).max() == 0.0
    session.run(0.7, press=True)
    back = session.run(2.5, request="mode:bracing")
    assert back.mode == "bracing"
    assert not has_fallen(model, session.state)
    assert back.counters.qp_failures_controller == back.counters.qp_failures_reference == 0


def test_a_press_while_walking_stops_and_offers_motions_and_holding_plays(session):
    assert session.run(1.0, request="mode:walking").mode == "walking"
    session.run(2.0, ahead=0.6)
    walking = session.run(0.05, ahead=0.6, press=True)
    assert walking.mode == "walking"
    assert "Motions as soon as the robot stands still" in walking.messages
    offered = session.run(4.0)
    assert offered.mode == "motions"
    assert offered.report.preview.title == "Feet apart: 5 s"
    assert offered.report.preview.feasible, offered.report.preview.reason
    # The press that asked for the mode has chosen nothing in it; one that lasts plays.
    session.run(0.7, press=True)
    playing = session.run(0.1)
    assert [switch.name for switch in playing.report.toggles if switch.on] == ["feet-apart"]
    assert playing.counters.refused_commands == 0
