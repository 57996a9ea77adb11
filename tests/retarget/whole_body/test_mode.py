"""Whole-body mode as the switcher drives it, with a robot that does what it is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.devices.tracked_human import Segment
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import NoSuchToggle
from handhold.retarget.whole_body.mode import CALIBRATE, WholeBodyMode
from handhold.retarget.whole_body.person import PersonState
from handhold.robots.model import load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

DT = 2e-3
SUIT_PERIOD = 8  # steps from one sample of the suit to the next
STILL = 5e-3  # [m] that a lost or jumping suit may move a hand
FIRST_STEP = 1e-3  # [m] at most when the robot is taken up again


@pytest.fixture(scope="session", params=["g1"])
def model(request):
    """Return the quickest of the robots: what they are like is tested where targets and rows are."""
    return load_model(request.param)


class Loop:
    """The mode in a loop with itself."""

    def __init__(self, model, mapping):
        self.model, self.mode = model, WholeBodyMode(model, mapping, DaqpSolver())
        self.time, self.sequence, self.suit = 0.0, 0, "suit"
        self.squeezed, self.losses = True, 0
        self.output = self.mode.enter(self.state(model.q_nominal))

    def state(self, q):
        model = self.model
        nothing = np.zeros((len(model.effectors), 6))
        return RobotState(time=self.time, q=q, v=np.zeros(model.nv), joint_torques=np.zeros(model.n), contact_wrenches=nothing)

    def run(self, duration, pose=None, change=lambda human: human, *, hold=False, pressed=False):
        """Let time pass with a person in a pose (None for nobody); returns how far each hand moved in each step."""
        steps: list[float] = []
        human = None
        for k in range(round(duration / DT)):
            self.time += DT
            if k % SUIT_PERIOD == 0:
                self.sequence += 1
                human = None if pose is None else change(make_human(pose, self.time, self.sequence, self.suit))
            hand = replace(HandCommand.released(np.eye(4)), engaged=self.squeezed, primary_pressed=pressed and k == 0)
            command = replace(OperatorCommand.of_hands(hand, hand), human=human, lost_humans=self.losses)
            before = self.hands
            state = self.state(self.output.reference.q)
            self.output = self.mode.update(command, state, (), DT, hold=hold or not self.squeezed)
            steps.append(np.linalg.norm(self.hands - before, axis=1).max())
        return np.array(steps)

    @property
    def hands(self):
        mapping = self.mode._mapping
        return self.output.reference.effector_poses[[arm.hand for arm in mapping.arms], :3, 3].copy()

    def follow(self):
        """Calibrate, squeeze, and let the robot come."""
        self.squeezed = False
        self.run(3.2, HumanPose())
        self.squeezed = True
        self.run(8.0, HumanPose())
        assert self.output.report.person.following


@pytest.fixture
def loop(model, mapping):
    return Loop(model, mapping)


def test_a_person_is_calibrated_taken_up_followed_and_let_go(loop):
    loop.run(0.1)
    assert loop.mode.person.state is PersonState.UNTRACKED
    loop.follow()
    start = loop.hands
    loop.run(2.0, HumanPose(left_flexion=0.8, right_flexion=0.8, left_elbow=0.8, right_elbow=0.8))
    assert (loop.hands[:, 0] > start[:, 0] + 0.05).all()
    assert loop.output.report.person.following
    loop.squeezed = False
    loop.run(1.0, HumanPose())
    assert loop.mode.person.state is PersonState.READY
    assert loop.output.status.at_rest
    assert loop.output.report.person is None


def test_who_squeezes_before_calibration_lets_go_first(loop):
    steps = loop.run(4.0, HumanPose())
    assert loop.mode.person.state is PersonState.READY
    assert "let go, then squeeze again" in loop.output.status.messages
    assert steps.sum() < STILL


def test_a_suit_that_is_lost_and_comes_back_moves_nothing(loop):
    loop.follow()
    loop.run(0.5)
    assert loop.mode.person.state is PersonState.UNTRACKED
    # it comes back elsewhere, with the squeeze still closed
    assert loop.run(1.0, HumanPose(left_flexion=1.0)).sum() < STILL
    loop.squeezed = False
    loop.run(0.1, HumanPose(left_flexion=1.0))
    loop.squeezed = True
    assert loop.run(0.1, HumanPose(left_flexion=1.0)).max() < FIRST_STEP
    assert not loop.output.report.person.following


def test_a_room_that_jumps_or_drifts_moves_nothing(loop):
    loop.follow()
    shift = np.array([0.5, 0.0, 0.0])
    jumped = loop.run(1.0, HumanPose(), lambda human: replace(human, positions=human.positions + shift))
    assert jumped.sum() < STILL
    begun = loop.time
    drift = loop.run(
        2.0,
        HumanPose(),
        lambda human: replace(human, positions=human.positions + np.array([0.5, 0.05 * (loop.time - begun), 0.0])),
    )
    assert drift.sum() < STILL


def test_another_suit_is_another_person(loop):
    loop.follow()
    loop.suit = "suit again"
    assert loop.run(1.0, HumanPose(left_flexion=1.0)).sum() < STILL
    assert loop.mode.person.state is PersonState.CALIBRATING


def test_a_hold_lets_go(loop):
    loop.follow()
    loop.run(1.0, HumanPose(left_flexion=1.0), hold=True)
    assert loop.output.status.at_rest
    assert loop.mode.person.state is PersonState.READY


def test_calibrating_anew_is_a_button_and_a_toggle(loop):
    loop.follow()
    loop.run(0.1, HumanPose(), pressed=True)
    assert loop.output.report.person.following, "not while somebody is followed"
    loop.squeezed = False
    loop.run(0.1, HumanPose(), pressed=True)
    assert loop.mode.person.state is PersonState.CALIBRATING
    loop.follow()
    loop.squeezed = False
    loop.mode.toggle(CALIBRATE)
    loop.run(0.1, HumanPose())
    assert loop.mode.person.state is PersonState.CALIBRATING
    with pytest.raises(NoSuchToggle):
        loop.mode.toggle("dance")


def test_a_loss_that_is_over_within_a_look_lets_go(loop):
    loop.follow()
    loop.losses += 1
    assert loop.run(1.0, HumanPose(left_flexion=1.0)).sum() < STILL
    assert loop.mode.person.state is PersonState.READY


def test_what_is_not_tracked_is_said(loop):
    def hide(human):
        human.tracked[Segment.LEFT_HAND] = False
        return human

    loop.squeezed = False
    loop.run(0.5, HumanPose(), hide)
    assert any("left hand is not tracked" in message for message in loop.output.status.messages)


def test_a_brace_or_a_lifted_foot_keeps_it_from_taking_charge(loop, mapping):
    reference = loop.output.reference
    braced, lifted = reference.contacts.copy(), reference.contacts.copy()
    braced[mapping.arms[0].hand], lifted[mapping.feet[0]] = True, False
    assert loop.mode.find_obstacle(reference) == ""
    assert loop.mode.find_obstacle(replace(reference, contacts=braced)) == "release the left hand first"
    assert loop.mode.find_obstacle(replace(reference, contacts=lifted)) == "put the left foot down first"


def test_a_segment_that_is_lost_for_a_moment_changes_nothing_and_for_long_lets_go(loop):
    def hide(human):
        human.tracked[Segment.LEFT_FOREARM] = False
        human.positions[Segment.LEFT_FOREARM] = 0.0
        return human

    loop.follow()
    assert loop.run(0.2, HumanPose(), hide).sum() < STILL
    assert loop.output.report.person.following
    assert loop.run(0.5, HumanPose(), hide).sum() < STILL
    assert loop.mode.person.state is PersonState.UNTRACKED
    assert any("left forearm is not tracked" in message for message in loop.output.status.messages)
