"""How one mode takes over from another, step by step, and what everyone is told meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from handhold.devices.stop import Stop
from handhold.retarget.blend import BLENDING
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.retarget.mode import ModeOutput
from handhold.retarget.mode_profile import ModeOffer, ModeProfile
from handhold.retarget.mode_report import ModeReport
from handhold.retarget.switcher import MAX_FAILURES, Switcher
from handhold.robots.reference import Reference

DT = 0.01  # [s]
STATE, SURFACES = "the robot's state", ("a surface",)


def reference_at(height: float) -> Reference:
    return Reference(
        time=0.0,
        q=np.array([0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0, 0.1]),
        v=np.zeros(7),
        joint_torques=np.zeros(1),
        position_com_in_world=np.array([0.0, 0.0, height]),
        velocity_com_in_world=np.zeros(3),
        acceleration_com_in_world=np.zeros(3),
        support_polygon=np.zeros((0, 2)),
        effector_poses=np.eye(4)[None],
        effector_velocities=np.zeros((1, 6)),
        contacts=np.array([True]),
        contact_normals=np.array([[0.0, 0.0, 1.0]]),
        contact_wrenches=np.zeros((1, 6)),
    )


class RecordingMode:
    """A mode that notes what it is asked, and does what it is told to.

    It is its own status, so that what a test sets holds at once.

    Attributes:
        asked: What each method was called with last.
    """

    def __init__(self, name: str, height: float) -> None:
        self.profile = ModeProfile(name=name, title=name.capitalize())
        self.obstacle, self.hold_reason = "", ""
        self.at_rest, self.busy, self.led = True, False, False
        self.stepping, self.rest_obstacle, self.left = False, "", 0
        self.failures = self.failures_in_a_row = self.refused = 0
        self.own_preview: Any = None
        self.reference = reference_at(height)
        self.error: RetargetError | None = None
        self.asked: dict[str, Any] = {}
        self.entered = 0
        self.unprepared = 0

    def find_obstacle(self, reference: Reference, /) -> str:
        self.asked["find_obstacle"] = reference
        return self.obstacle

    def preview(self, reference: Reference, /) -> str:
        self.asked["preview"] = reference
        return f"{self.profile.name} to come"

    def output(self) -> ModeOutput:
        status: Any = self
        return ModeOutput(reference=self.reference, status=status, report=ModeReport(preview=self.own_preview))

    def enter(self, state: object, before: Reference | None = None, /) -> ModeOutput:
        self.entered += 1
        self.asked["enter"] = (state, before)
        if self.error:
            raise self.error
        return self.output()

    def prepare(self, before: Reference, /) -> bool:
        self.asked["prepare"] = before
        self.unprepared -= 1
        return self.unprepared < 0

    def leave(self) -> None:
        self.left += 1

    def update(self, command: object, state: object, surfaces: object, dt: float, /, *, hold: bool) -> ModeOutput:
        self.asked["update"] = (command, state, surfaces, dt)
        self.asked["hold"] = hold
        return self.output()


class Cycle:
    """A switcher between two modes, and time that passes."""

    def __init__(self) -> None:
        self.first, self.second = RecordingMode("first", 1.0), RecordingMode("second", 0.8)
        self.switcher = Switcher((self.first, self.second))  # type: ignore[arg-type]
        self.entered = self.switcher.enter(STATE)  # type: ignore[arg-type]
        self.shown = self.entered

    def run(self, duration: float = DT, command: OperatorCommand | None = None, fault: str = "", dt: float = DT) -> Reference:
        for _ in range(round(duration / dt)):
            self.shown = self.switcher.update(command or commanded(), STATE, SURFACES, dt, fault=fault)  # type: ignore[arg-type]
        return self.shown


def commanded(
    left: bool = False, right: bool = False, yaw_rate: float = 0.0, stop: Stop = Stop.NONE, speed: float = 1.0
) -> OperatorCommand:
    hand = HandCommand.released(np.eye(4))
    whole = OperatorCommand.of_hands(replace(hand, engaged=left), replace(hand, engaged=right))
    return replace(whole, yaw_rate=yaw_rate, stop=stop, speed=speed)


@pytest.fixture
def cycle() -> Cycle:
    return Cycle()


def test_the_first_mode_begins_and_nothing_is_told_or_counted(cycle: Cycle) -> None:
    switcher = cycle.switcher
    assert switcher.mode is cycle.first
    assert cycle.entered is cycle.first.reference
    assert cycle.first.asked["enter"] == (STATE, None)
    assert switcher.names == ("first", "second")
    assert switcher.offers == (
        ModeOffer(profile=cycle.first.profile),
        ModeOffer(profile=cycle.second.profile),
    )
    assert (switcher.holding, switcher.message, switcher.preview) == ("", "", None)
    assert switcher.changed is False
    assert (switcher.refused, switcher.refused_commands, switcher.failures) == (0, 0, 0)


def test_the_mode_in_charge_gets_what_came_and_its_reference_is_passed_on(cycle: Cycle) -> None:
    command = commanded(left=True)
    assert cycle.run(command=command) is cycle.first.reference
    assert cycle.first.asked["update"] == (command, STATE, SURFACES, DT)
    assert "update" not in cycle.second.asked


def test_failures_and_refusals_of_all_modes_are_counted_together(cycle: Cycle) -> None:
    cycle.first.failures, cycle.second.failures = 3, 4
    cycle.first.refused, cycle.second.refused = 10, 20
    cycle.switcher.ask("second")
    cycle.run()
    cycle.first.obstacle = "not now"
    cycle.switcher.ask("first")
    assert cycle.switcher.failures == 7
    assert cycle.switcher.refused == 1
    assert cycle.switcher.refused_commands == 31


@pytest.mark.parametrize(
    ("command", "moves"),
    [
        (commanded(), False),
        (commanded(left=True), True),
        (commanded(right=True), True),
        (commanded(yaw_rate=0.1), True),
        (commanded(yaw_rate=-0.1), True),
        (replace(commanded(), com_velocity=np.array([0.0, 0.0, 0.1])), True),
    ],
)
def test_the_robot_holds_unless_a_hand_or_a_stick_commands_it(cycle: Cycle, command: OperatorCommand, moves: bool) -> None:
    cycle.run(command=command)
    assert cycle.first.asked["hold"] == (not moves)


@pytest.mark.parametrize(
    ("command", "fault", "why"),
    [
        (commanded(left=True, stop=Stop.HOLD), "", "stopped by the operator: hold"),
        (commanded(left=True, stop=Stop.DAMP), "", "stopped by the operator: damp"),
        (commanded(left=True, speed=0.0), "", "operator lost"),
        (commanded(left=True, speed=0.0, stop=Stop.HOLD), "", "stopped by the operator: hold"),
        (commanded(left=True, stop=Stop.HOLD), "an arm is gone", "an arm is gone"),
    ],
)
def test_what_stops_the_robot_is_told_and_calls_a_change_off(
    cycle: Cycle, command: OperatorCommand, fault: str, why: str
) -> None:
    cycle.switcher.ask("second")
    cycle.run(command=command, fault=fault)
    assert cycle.switcher.holding == why
    assert cycle.first.asked["hold"]
    assert cycle.switcher.message == f"Second refused: {why}"
    assert cycle.switcher.refused == 1
    cycle.run(0.1)
    assert cycle.switcher.mode is cycle.first
    assert cycle.switcher.holding == ""


def test_fifty_failures_in_a_row_hold_and_say_how_to_go_on(cycle: Cycle) -> None:
    cycle.first.failures_in_a_row = 49
    cycle.run(command=commanded(right=True))
    assert not cycle.first.asked["hold"]
    cycle.first.failures_in_a_row = 50
    cycle.run(command=commanded(right=True))
    assert cycle.first.asked["hold"]
    assert cycle.switcher.holding == "no feasible motion found: release and squeeze again"
    cycle.first.failures_in_a_row = 0
    cycle.run(command=commanded(right=True))
    assert cycle.first.asked["hold"], "until it is released"
    cycle.run(command=commanded())
    cycle.run(command=commanded(right=True))
    assert not cycle.first.asked["hold"]


def test_what_exhausted_one_mode_does_not_hold_the_next(cycle: Cycle) -> None:
    cycle.first.failures_in_a_row = MAX_FAILURES
    cycle.switcher.ask("second")
    cycle.first.hold_reason = ""
    cycle.run(command=commanded())
    cycle.run(command=commanded(left=True))
    assert cycle.switcher.mode is cycle.second
    assert cycle.switcher.holding == ""


def test_a_change_takes_the_reference_that_was_tracked_last_and_the_state(cycle: Cycle) -> None:
    cycle.run()
    tracked = cycle.shown
    cycle.switcher.ask("second")
    assert cycle.second.asked["find_obstacle"] is tracked
    assert cycle.switcher.message == "Second as soon as the robot stands still"
    cycle.run()
    assert cycle.second.asked["enter"] == (STATE, tracked)
    assert cycle.switcher.changed is True
    assert cycle.switcher.message == ""
    cycle.run()
    assert cycle.switcher.changed is False


def test_a_mode_takes_charge_once_it_is_prepared_and_the_robot_holds_meanwhile(cycle: Cycle) -> None:
    cycle.second.unprepared = 7
    cycle.switcher.ask("second")
    for _ in range(7):
        cycle.run(command=commanded(left=True))
        assert cycle.switcher.mode is cycle.first
        assert cycle.first.asked["hold"]
        assert cycle.second.asked["prepare"] is cycle.shown
        assert cycle.switcher.message == "Second as soon as the robot stands still"
    cycle.run()
    assert cycle.switcher.mode is cycle.second


def test_a_mode_that_is_never_prepared_is_waited_for_no_longer_than_one_that_never_rests(cycle: Cycle) -> None:
    cycle.second.unprepared = 10**6
    cycle.switcher.ask("second")
    cycle.run(8.1)
    assert cycle.switcher.mode is cycle.first
    assert cycle.switcher.refused == 1


def test_the_robot_holds_while_it_comes_to_rest_for_a_change(cycle: Cycle) -> None:
    cycle.first.at_rest = False
    cycle.switcher.ask("second")
    cycle.run(command=commanded(left=True))
    assert cycle.first.asked["hold"]
    assert cycle.switcher.holding == ""


def test_a_change_goes_over_smoothly_and_takes_half_a_second(cycle: Cycle) -> None:
    cycle.switcher.ask("second")
    heights = []
    for _ in range(round(BLENDING / DT) + 1):
        heights.append(cycle.run().q[2])
        cycle.second.reference = reference_at(0.8)
    assert heights[0] == pytest.approx(1.0, abs=1e-3)
    assert heights[len(heights) // 2] == pytest.approx(0.9, abs=0.01)
    assert np.all(np.diff(heights[:-1]) < 0.0)
    assert heights[-1] == heights[-2] == 0.8, "the blend is over"
    assert cycle.run() is cycle.second.reference


def test_a_reference_that_stays_is_blended_once(cycle: Cycle) -> None:
    cycle.switcher.ask("second")
    shown = cycle.run()
    assert shown is not cycle.second.reference
    assert cycle.run() is shown


def test_no_other_change_begins_before_the_last_is_over(cycle: Cycle) -> None:
    cycle.switcher.ask("second")
    cycle.run()
    cycle.switcher.ask("first")
    cycle.run(BLENDING - 2 * DT)
    assert cycle.switcher.mode is cycle.second
    cycle.run(3 * DT)
    assert cycle.switcher.mode is cycle.first


def test_a_robot_that_walks_stops_before_what_stands_in_the_way_is_looked_at(cycle: Cycle) -> None:
    cycle.first.stepping = True
    cycle.second.obstacle = "the feet are not side by side"
    cycle.first.at_rest = False
    cycle.switcher.ask("second")
    assert cycle.switcher.refused == 0
    cycle.run(0.2)
    assert [offer.obstacle for offer in cycle.switcher.offers] == ["", ""]
    cycle.first.at_rest, cycle.first.stepping = True, False
    cycle.run()
    assert cycle.switcher.message == "Second refused: the feet are not side by side"
    assert cycle.switcher.mode is cycle.first
    assert cycle.second.entered == 0
    assert cycle.second.asked["find_obstacle"] is cycle.shown
    cycle.run()
    assert cycle.switcher.refused == 1, "it is asked for no more"
    cycle.switcher.ask("second")
    assert cycle.switcher.refused == 2


def test_a_mode_that_cannot_begin_says_why_and_is_asked_for_no_more(cycle: Cycle) -> None:
    cycle.second.error = RetargetError("no equilibrium")
    cycle.switcher.ask("second")
    cycle.run(0.1)
    assert (cycle.switcher.message, cycle.switcher.refused) == ("Second refused: no equilibrium", 1)
    assert cycle.second.entered == 1
    assert cycle.switcher.changed is False


def test_a_robot_that_does_not_come_to_rest_within_eight_seconds_stays_in_its_mode(cycle: Cycle) -> None:
    cycle.first.at_rest = False
    for _ in range(2):  # asked for anew it waits anew
        cycle.switcher.ask("second")
        cycle.run(7.9)
        assert cycle.switcher.message == "Second as soon as the robot stands still"
    cycle.run(0.2)
    assert cycle.switcher.message == "Second refused: First does not come to rest: let go of everything and ask again"


def test_a_refusal_is_told_for_four_seconds(cycle: Cycle) -> None:
    cycle.second.obstacle = "not now"
    for _ in range(2):  # told anew it is told as long
        cycle.switcher.ask("second")
        cycle.run(3.9)
        assert cycle.switcher.message == "Second refused: not now"
    cycle.run(0.2)
    assert cycle.switcher.message == ""


def test_a_pose_to_come_is_shown_for_four_seconds_and_is_that_of_the_reference(cycle: Cycle) -> None:
    cycle.run()
    cycle.first.own_preview = "of its own"
    for _ in range(2):  # looked at anew it is shown as long
        cycle.switcher.preview_mode("second")
        cycle.run(3.9)
        assert cycle.switcher.preview == "second to come"
    assert cycle.second.asked["preview"] is cycle.shown
    cycle.run(0.2)
    assert cycle.switcher.preview == "of its own"


def test_looking_at_the_mode_in_charge_or_asking_for_any_ends_the_look_at_another(cycle: Cycle) -> None:
    for end in (
        lambda: cycle.switcher.preview_mode("first"),
        lambda: cycle.switcher.ask("first"),
        lambda: cycle.switcher.ask("second"),
    ):
        cycle.switcher.preview_mode("second")
        assert cycle.switcher.preview == "second to come"
        end()
        assert cycle.switcher.preview is None
    assert "preview" not in cycle.first.asked


def test_asking_for_the_mode_in_charge_calls_a_change_off_without_a_word(cycle: Cycle) -> None:
    cycle.first.at_rest = False
    cycle.switcher.ask("second")
    cycle.switcher.ask("first")
    assert (cycle.switcher.message, cycle.switcher.refused) == ("", 0)
    cycle.first.at_rest = True
    cycle.run(0.1)
    assert cycle.second.entered == 0


def test_what_keeps_modes_from_taking_charge_is_looked_at_every_tenth_of_a_second(cycle: Cycle) -> None:
    cycle.second.obstacle = "first thing"
    cycle.run(0.09)
    assert [offer.obstacle for offer in cycle.switcher.offers] == ["", ""]
    cycle.run(0.02)
    assert cycle.switcher.offers[1] == ModeOffer(profile=cycle.second.profile, obstacle="first thing")
    cycle.second.obstacle = "second thing"
    cycle.run(0.08)
    assert cycle.switcher.offers[1].obstacle == "first thing"
    cycle.run(0.03)
    assert cycle.switcher.offers[1].obstacle == "second thing"


def test_another_mode_in_charge_is_told_of_at_once(cycle: Cycle) -> None:
    cycle.switcher.ask("second")
    cycle.first.obstacle = "not from here"
    cycle.run()
    assert [offer.obstacle for offer in cycle.switcher.offers] == ["not from here", ""]
