"""When everything stops, and how one mode takes over from another."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.devices.stop import Stop
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.retarget.mode import ModeOutput
from handhold.retarget.mode_profile import ModeProfile
from handhold.retarget.mode_report import ModeReport
from handhold.retarget.switcher import MAX_FAILURES, MESSAGE_TIME, REST_TIMEOUT, Switcher
from handhold.robots.reference import Reference


class CountingMode:
    """A mode whose programs fail when told to; it is its own status, so that what a test sets holds at once."""

    profile = ModeProfile(name="counting", title="counting")

    busy = False
    led = False
    hold_reason = ""
    refused = 0
    at_rest = True
    stepping = False
    rest_obstacle = ""

    def __init__(self):
        self.failures = self.failures_in_a_row = 0
        self.fail = False
        self.held = []

    def enter(self, state):
        return ModeOutput(reference=None, status=self)

    def update(self, command, state, surfaces, dt, /, *, hold):
        self.held.append(hold)
        self.failures += self.fail and not hold
        self.failures_in_a_row = self.failures_in_a_row + 1 if self.fail and not hold else 0
        return ModeOutput(reference=None, status=self)


def begin(*modes):
    """Return a switcher whose first mode has taken charge."""
    switcher = Switcher(modes)
    switcher.enter(None)
    return switcher


def command(*, engaged=True, stop=Stop.NONE, speed=1.0, com_velocity=(0.0, 0.0, 0.0)):
    hand = replace(HandCommand.released(np.eye(4)), engaged=engaged)
    whole = OperatorCommand.of_hands(hand, hand)
    return replace(whole, com_velocity=np.array(com_velocity), stop=stop, speed=speed)


@pytest.mark.parametrize("lost", [{"stop": Stop.HOLD}, {"stop": Stop.DAMP}, {"speed": 0.0}])
def test_a_stop_or_a_lost_link_holds_at_once(lost):
    mode = CountingMode()
    switcher = begin(mode)
    switcher.update(command(**lost), None, (), 1e-3)
    assert mode.held == [True]
    assert switcher.holding


def test_nothing_moves_that_is_not_commanded():
    mode = CountingMode()
    switcher = begin(mode)
    for wanted in (command(engaged=False), command(), command(engaged=False, com_velocity=(0.0, 0.2, 0.0))):
        switcher.update(wanted, None, (), 1e-3)
    assert mode.held == [True, False, False]
    assert not switcher.holding


def test_a_late_link_does_not_hold_yet():
    mode = CountingMode()
    begin(mode).update(command(speed=0.4), None, (), 1e-3)
    assert mode.held == [False]


def test_fifty_failures_in_a_row_hold_until_the_hands_are_released():
    mode = CountingMode()
    switcher = begin(mode)
    mode.fail = True
    for _ in range(MAX_FAILURES + 10):
        switcher.update(command(), None, (), 1e-3)
    assert mode.held == [False] * MAX_FAILURES + [True] * 10
    mode.fail = False
    switcher.update(command(engaged=False), None, (), 1e-3)
    switcher.update(command(), None, (), 1e-3)
    assert mode.held[-2:] == [True, False]


@given(st.lists(st.integers(1, MAX_FAILURES - 1), max_size=5))
def test_failures_that_are_not_in_a_row_never_hold(runs):
    mode = CountingMode()
    switcher = begin(mode)
    for run in runs:
        mode.fail = True
        for _ in range(run):
            switcher.update(command(), None, (), 1e-3)
        mode.fail = False
        switcher.update(command(), None, (), 1e-3)
    assert not any(mode.held)


@pytest.mark.parametrize("reason", ["busy", "led"])
def test_what_a_button_began_or_somebody_leads_goes_on_without_a_clutch(reason):
    mode = CountingMode()
    switcher = begin(mode)
    setattr(mode, reason, True)
    switcher.update(command(engaged=False), None, (), 1e-3)
    setattr(mode, reason, False)
    switcher.update(command(engaged=False), None, (), 1e-3)
    assert mode.held == [False, True]


@pytest.mark.parametrize("lost", [{"stop": Stop.HOLD}, {"speed": 0.0}])
def test_a_stop_or_a_lost_link_holds_what_a_button_began(lost):
    mode = CountingMode()
    mode.busy = True
    begin(mode).update(command(**lost), None, (), 1e-3)
    assert mode.held == [True]


def test_what_the_mode_finds_wrong_holds_and_is_told():
    mode = CountingMode()
    switcher = begin(mode)
    mode.hold_reason = "left foot: contact lost"
    switcher.update(command(), None, (), 1e-3)
    assert switcher.holding == "left foot: contact lost"
    mode.hold_reason = ""
    switcher.update(command(), None, (), 1e-3)
    assert mode.held == [True, False]
    assert switcher.holding == ""


def test_a_stop_is_told_before_what_the_mode_finds_wrong():
    mode = CountingMode()
    mode.hold_reason = "left foot: contact lost"
    switcher = begin(mode)
    switcher.update(command(stop=Stop.HOLD), None, (), 1e-3)
    assert switcher.holding.startswith("stopped by the operator")


class OtherMode(CountingMode):
    """A mode that can be kept from taking charge, and from coming to rest."""

    def __init__(self, name):
        super().__init__()
        self.profile = ModeProfile(name=name, title=name)
        self.obstacle, self.at_rest, self.entered, self.left = "", True, 0, 0
        self.report = ModeReport()

    def prepare(self, before, /):
        return True

    def leave(self):
        self.left += 1

    def find_obstacle(self, reference, /):
        return self.obstacle

    def preview(self, reference, /):
        return self.profile.name

    def enter(self, state, before=None, /):
        self.entered += 1
        return ModeOutput(reference=REFERENCE, status=self, report=self.report)

    def update(self, command, state, surfaces, dt, /, *, hold):
        super().update(command, state, surfaces, dt, hold=hold)
        return ModeOutput(reference=REFERENCE, status=self, report=self.report)


REFERENCE = Reference(
    time=0.0,
    q=np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.1]),
    v=np.zeros(7),
    joint_torques=np.zeros(1),
    position_com_in_world=np.zeros(3),
    velocity_com_in_world=np.zeros(3),
    acceleration_com_in_world=np.zeros(3),
    support_polygon=np.zeros((0, 2)),
    effector_poses=np.eye(4)[None],
    effector_velocities=np.zeros((1, 6)),
    contacts=np.array([True]),
    contact_normals=np.array([[0.0, 0.0, 1.0]]),
    contact_wrenches=np.zeros((1, 6)),
)


def two_modes():
    first, second = OtherMode("first"), OtherMode("second")
    switcher = Switcher((first, second))
    switcher.enter(None)
    return switcher, first, second


def step(switcher, seconds=1e-3, dt=1e-3, **what):
    for _ in range(round(seconds / dt)):
        switcher.update(command(**what), None, (), dt)


def test_a_mode_takes_charge_when_the_other_has_come_to_rest():
    switcher, first, second = two_modes()
    first.at_rest = False
    switcher.ask("second")
    step(switcher, 0.1)
    assert switcher.mode is first
    assert all(first.held)
    assert switcher.message == "second as soon as the robot stands still"
    first.at_rest = True
    step(switcher)
    assert switcher.mode is second
    assert switcher.changed
    step(switcher)
    assert not switcher.changed
    assert second.entered == 1


def test_what_keeps_a_mode_from_taking_charge_is_told_at_once():
    switcher, first, second = two_modes()
    second.obstacle = "release the left hand first"
    step(switcher, 0.2)
    assert [offer.obstacle for offer in switcher.offers] == ["", "release the left hand first"]
    switcher.ask("second")
    assert switcher.message == "second refused: release the left hand first"
    step(switcher, 0.1)
    assert switcher.mode is first
    assert switcher.refused_commands == 1
    step(switcher, MESSAGE_TIME)
    assert switcher.message == ""


def test_a_mode_that_never_rests_keeps_charge():
    switcher, first, _ = two_modes()
    first.at_rest = False
    switcher.ask("second")
    step(switcher, REST_TIMEOUT + 0.1, dt=0.01)
    assert switcher.mode is first
    assert "does not come to rest" in switcher.message


def test_a_mode_is_told_once_that_it_is_to_leave():
    switcher, first, second = two_modes()
    first.at_rest = False
    switcher.ask("second")
    step(switcher, 0.1)
    assert (first.left, second.left) == (1, 0)


def test_how_a_robot_that_steps_will_stand_is_asked_when_it_stands():
    switcher, first, second = two_modes()
    first.stepping, first.at_rest = True, False
    second.obstacle = "put the left foot down first"
    switcher.ask("second")
    step(switcher, 0.1)
    assert switcher.message == "second as soon as the robot stands still"
    first.stepping, first.at_rest = False, True
    step(switcher)
    assert switcher.message == "second refused: put the left foot down first"


@pytest.mark.parametrize("before", [True, False])
def test_what_keeps_the_mode_in_charge_from_resting_is_told_at_once(before):
    switcher, first, _ = two_modes()
    first.at_rest = False
    if before:
        first.rest_obstacle = "left hand is half-way: press A/X to go on"
    switcher.ask("second")
    step(switcher)
    first.rest_obstacle = "left hand is half-way: press A/X to go on"
    step(switcher)
    assert switcher.message == "second refused: left hand is half-way: press A/X to go on"
    assert not first.held[-1] or before
    assert switcher.refused_commands == 1


def test_asking_for_the_mode_in_charge_calls_a_change_off():
    switcher, first, second = two_modes()
    first.at_rest = False
    switcher.ask("second")
    step(switcher)
    switcher.ask("first")
    first.at_rest = True
    step(switcher, 0.1)
    assert switcher.mode is first
    assert second.entered == 0


def test_a_mode_that_cannot_begin_leaves_the_other_in_charge():
    switcher, first, second = two_modes()

    def fail(*_):
        raise RetargetError("no equilibrium")

    second.enter = fail
    switcher.ask("second")
    step(switcher, 0.1)
    assert switcher.mode is first
    assert switcher.message == "second refused: no equilibrium"


def test_the_pose_of_another_mode_is_shown_for_a_while():
    switcher, first, _ = two_modes()
    first.report = ModeReport(preview="own")
    switcher.preview_mode("second")
    step(switcher)
    assert switcher.preview == "second"
    step(switcher, MESSAGE_TIME)
    assert switcher.preview == "own"
