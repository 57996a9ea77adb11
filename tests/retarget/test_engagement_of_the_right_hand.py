"""What holds for the left hand holds for the right one: stops, losses, counts and words reach both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.command import OperatorCommand
from handhold.retarget.engagement.engagement import Engagement

DT = 0.01


class Right:
    """An operator who does everything with the right hand, at 100 Hz."""

    def __init__(self) -> None:
        self.engagement = Engagement()
        self.sequence = 0
        self.reached = np.eye(4)
        self.hand = HandInput(pose=pin.SE3.Identity())
        self.step()
        self.hand = replace(self.hand, squeeze=1.0)
        assert self.step().right.engaged

    def step(self, *, age: float = 0.0, **fields: object) -> OperatorCommand:
        self.sequence += 1
        sample = OperatorInput(time=0.0, device="one", sequence=self.sequence, right=self.hand, age=age)
        command = self.engagement.update(replace(sample, **fields), np.eye(4), self.reached, DT)  # type: ignore[arg-type]
        self.reached = command.right.target
        return command


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ({"stop": Stop.HOLD}, "stopped: let go with both hands, then lift the stop"),
        ({"stop": Stop.DAMP}, "damped: restart the robot"),
        ({"age": 0.2}, "no word from the operator's station: check that it runs, and the network"),
        ({"focused": False}, "nobody is there: put the headset on, or open the page"),
    ],
)
def test_whatever_is_lost_lets_go_of_the_right_hand_in_these_words(loss: dict[str, object], words: str) -> None:
    operator = Right()
    command = operator.step(**loss)  # type: ignore[arg-type]
    assert not command.right.engaged
    assert words in command.messages
    assert not operator.step().right.engaged, "it waits for the squeeze to be let go"


def test_a_stopped_robot_s_right_hand_brakes_at_once_and_stays() -> None:
    operator = Right()
    operator.hand = replace(operator.hand, pose=pin.SE3(np.eye(3), np.array([0.3, 0.0, 0.0])))
    for _ in range(20):
        moving = operator.step()
    commands = [operator.step(stop=Stop.HOLD) for _ in range(100)]
    assert commands[-1].right.target[0, 3] - moving.right.target[0, 3] < 0.02
    np.testing.assert_allclose(commands[-1].right.target, commands[60].right.target, atol=1e-4)


def test_refused_samples_and_losses_of_both_hands_are_counted_together() -> None:
    operator = Right()
    nowhere = HandInput(pose=pin.SE3(np.eye(3), np.array([np.nan, 0.0, 0.0])))
    operator.step(left=nowhere)
    operator.hand = nowhere
    command = operator.step(left=nowhere)
    assert command.refused_samples == 3
    operator = Right()
    operator.step(left=HandInput(pose=pin.SE3.Identity()))
    operator.hand = HandInput()
    assert operator.step(left=HandInput()).lost_tracking == 2


def test_starting_anew_lets_go_of_both_hands_unless_told_otherwise() -> None:
    operator = Right()
    operator.engagement.restart(right=False)
    assert operator.step().right.engaged
    operator.engagement.restart(left=False)
    assert not operator.step().right.engaged
    operator = Right()
    operator.engagement.restart()
    assert not operator.step().right.engaged


def test_the_right_stick_alone_turns_to_where_it_is_pushed_and_nothing_else_moves() -> None:
    operator = Right()
    operator.hand = HandInput(pose=pin.SE3.Identity())
    operator.step()
    operator.hand = HandInput(pose=pin.SE3.Identity(), stick=np.array([1.0, 0.0]))
    command = operator.step()
    assert command.yaw_rate == -1.0, "to the right"
    assert not command.com_velocity.any()
    assert not command.com_velocity.flags.writeable


def test_a_velocity_that_is_commanded_cannot_be_changed_by_who_reads_it() -> None:
    operator = Right()
    operator.hand = HandInput(pose=pin.SE3.Identity())
    operator.step()
    operator.hand = HandInput(pose=pin.SE3.Identity(), stick=np.array([0.0, 1.0]))
    command = operator.step()
    assert command.com_velocity[2] > 0.0
    assert not command.com_velocity.flags.writeable


def test_another_mode_in_charge_takes_both_hands_away_and_reads_nothing_that_is_still_held() -> None:
    operator = Right()
    operator.hand = replace(operator.hand, stick=np.array([1.0, 0.0]))
    assert operator.step().yaw_rate == -1.0
    operator.engagement.release()
    command = operator.step()
    assert not command.right.engaged
    assert command.yaw_rate == 0.0
    operator.hand = HandInput(pose=pin.SE3.Identity())
    operator.step()
    operator.hand = HandInput(pose=pin.SE3.Identity(), squeeze=1.0, stick=np.array([1.0, 0.0]))
    command = operator.step()
    assert command.right.engaged
    assert command.yaw_rate == -1.0


def test_a_damped_robot_is_freed_by_the_application_alone() -> None:
    operator = Right()
    assert operator.step(stop=Stop.DAMP).stop == Stop.DAMP
    assert operator.step(stop=Stop.RESUME).stop == Stop.DAMP
    operator.engagement.clear_stop()
    assert operator.step().stop is Stop.NONE


@pytest.mark.parametrize("hold", [{"stop": Stop.HOLD}, {"age": 0.2}])
def test_while_all_hold_the_right_hand_stays_where_the_robot_comes_to_rest(hold: dict[str, object]) -> None:
    operator = Right()
    for _ in range(5):
        operator.step(**hold)  # type: ignore[arg-type]
    operator.reached = np.eye(4)
    operator.reached[0, 3] = 0.03
    moved = operator.reached
    for _ in range(200):
        operator.reached = moved
        command = operator.step(**hold)  # type: ignore[arg-type]
    np.testing.assert_allclose(command.right.target, moved, atol=1e-4)


def test_a_robot_without_a_right_hand_says_so() -> None:
    engagement = Engagement()
    open_hand = OperatorInput(time=0.0, device="one", sequence=1, right=HandInput(pose=pin.SE3.Identity()))
    engagement.update(open_hand, np.eye(4), None, DT)
    squeezed = replace(open_hand, sequence=2, right=replace(open_hand.right, squeeze=1.0))
    engagement.update(squeezed, np.eye(4), None, DT)
    assert (
        engagement.update(replace(squeezed, sequence=3), np.eye(4), None, DT).right.waiting
        == "nothing to move with the right hand in this mode"
    )
