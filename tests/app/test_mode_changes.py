"""Bracing and walking take over from each other in the real cycle, without a jump, and say why where they cannot."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.score import resting_hands
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.blend import BLENDING
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import JointCommand, RobotState, SimulatedRobot
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
STILL = 1e-3  # [m/s]
SWAYS = 0.03  # [m] the body under its hands, within a step
STEP_OF_JOINTS = 5e-5  # [rad] in the cycle of a change: a joint at 0.05 rad/s
STEP_OF_POSES = 5e-5  # [m] likewise
STEP_OF_FORCES = 0.5  # [N, Nm] a thousandth of the robot's weight
STEP_OF_TORQUES = 1.0  # [Nm] as from any cycle to the next while it stands


@dataclass(eq=False)
class Session:
    """The cycle with a simulated Talos in lockstep, and an operator of a stick and requests."""

    body: SimulatedRobot
    cycle: Cycle
    state: RobotState
    ticks: int = 0
    stick: tuple[float, float] = (0.0, 0.0)
    request: str = ""
    stop: Stop = Stop.NONE
    squeeze: float = 0.0
    lifted: float = 0.0

    def run(self, seconds: float) -> Iterator[tuple]:
        """Yield every cycle's command and snapshot."""
        for _ in range(round(seconds / DT)):
            hands = resting_hands().change("left", stick=np.array(self.stick), squeeze=self.squeeze)
            pose = hands.left.pose.copy()
            pose.translation = pose.translation + np.array([0.0, 0.0, self.lifted])
            hands = hands.change("left", pose=pose, aim=pose)
            asked = {"request": self.request, "stop": self.stop}
            sample = OperatorInput(time=self.ticks * DT, sequence=self.ticks, left=hands.left, right=hands.right, **asked)
            command, snapshot = self.cycle.step(sample, self.state, (), DT)
            self.body.send(command)
            self.body.advance(DT)
            self.state = self.body.read()
            self.ticks += 1
            yield command, snapshot

    def last(self, seconds: float):
        """Run, and return the last snapshot."""
        return list(self.run(seconds))[-1][1]


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture
def session(model: RobotModel) -> Iterator[Session]:
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    yield Session(body=body, cycle=Cycle(model, state), state=state)
    body.close()


def find_jumps(cycles: list[tuple[JointCommand, object]]) -> dict[str, float]:
    """Return how much each quantity moves at most from cycle to cycle, from the one before a change till all is blended."""
    modes = [snapshot.mode for _, snapshot in cycles]
    change = next(k for k in range(1, len(modes)) if modes[k] != modes[k - 1])
    window = cycles[change - 1 : change + round(BLENDING / DT) + 2]
    references = [snapshot.reference for _, snapshot in window]

    def step(values: list[np.ndarray]) -> float:
        return float(np.abs(np.diff(np.array(values), axis=0)).max())

    return {
        "joints": step([r.q[7:] for r in references]),
        "com": step([r.position_com_in_world for r in references]),
        "effectors": step([r.effector_poses for r in references]),
        "forces": step([r.contact_wrenches for r in references]),
        "torques": step([command.torques for command, _ in window]),
    }


def assert_smooth(jumps: dict[str, float]) -> None:
    assert jumps["joints"] < STEP_OF_JOINTS
    assert jumps["com"] < STEP_OF_POSES
    assert jumps["effectors"] < STEP_OF_POSES
    assert jumps["forces"] < STEP_OF_FORCES
    assert jumps["torques"] < STEP_OF_TORQUES


def test_walking_and_back_without_a_jump(session):
    there = list(session.run(0.5))
    assert there[-1][1].mode == "bracing"
    session.request = "mode:walking"
    there += session.run(1.0)
    assert there[-1][1].mode == "walking"
    assert_smooth(find_jumps(there))
    session.request, session.stick = "", (0.0, 1.0)
    walked = session.last(2.5)
    assert walked.reference.velocity_com_in_world[0] > 0.2
    assert {step.side for step in walked.report.footsteps} == {"left", "right"}
    # Asked for in mid-stride, with the stick still pushed: the robot stops first.
    session.request = "mode:bracing"
    assert "Bracing as soon as the robot stands still" in session.last(0.2).messages
    back = list(session.run(4.5))
    assert back[-1][1].mode == "bracing"
    # The stick that was pushed to walk does not lean the robot before it has been let go.
    assert np.abs(back[-1][1].reference.velocity_com_in_world).max() < STILL
    assert_smooth(find_jumps(back))
    assert back[-1][1].counters.qp_failures_reference == back[-1][1].counters.qp_failures_controller == 0
    assert back[-1][1].counters.refused_commands == 0


def test_the_coming_pose_of_a_mode_is_shown_before_anything_moves(session):
    before = session.last(0.2)
    assert [offer.name for offer in before.modes if not offer.obstacle] == ["bracing", "walking", "motions", "whole-body"]
    session.request = "preview:walking"
    shown = session.last(0.2)
    assert shown.mode == "bracing"
    assert shown.report.preview.feasible
    assert shown.report.preview.title.startswith("Walking")
    lower = before.reference.q[2] - shown.report.preview.q[2]
    assert lower == pytest.approx(0.03, abs=0.01)  # [m] as much as Talos's centre of mass
    assert np.array_equal(shown.reference.q, before.reference.q)


def test_a_stop_calls_a_change_off(session):
    session.last(0.3)
    session.request, session.stick = "mode:walking", (0.0, 0.0)
    session.last(0.8)
    session.request, session.stick = "", (0.0, 1.0)
    session.last(1.5)
    session.request = "mode:bracing"
    session.last(0.1)
    session.stop = Stop.HOLD
    held = session.last(4.0)
    assert held.mode == "walking"
    assert held.stop == Stop.HOLD
    assert held.counters.refused_commands == 1


def relative_hand(snapshot) -> np.ndarray:
    """Return where the left hand's reference is, seen from the centre of mass."""
    reference = snapshot.reference
    return reference.effector_poses[2, :3, 3] - reference.position_com_in_world


def test_a_hand_that_is_held_goes_along_with_a_walking_body_and_follows_the_operator(session):
    session.last(0.2)
    session.request = "mode:walking"
    session.last(0.8)
    session.squeeze = 1.0
    held = relative_hand(session.last(0.2))
    session.stick = (0.0, 0.6)
    walking = session.last(4.0)
    assert walking.left.engaged
    assert walking.reference.q[0] > 0.5  # [m]
    assert np.abs(relative_hand(walking) - held).max() < SWAYS
    assert np.abs(walking.left.target[:3, 3] - walking.reference.effector_poses[2, :3, 3]).max() < SWAYS
    for step in range(20):
        session.lifted = 0.005 * (step + 1)
        session.last(0.05)
    raised = relative_hand(session.last(0.6))
    assert raised[2] - held[2] == pytest.approx(0.1, abs=SWAYS)
    assert np.abs(raised[:2] - held[:2]).max() < SWAYS
