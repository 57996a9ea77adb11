"""Engagement under an operator who does anything in any order."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from operators import FRAME, PERIOD, Operator, hand_at, pose_at

from handhold.devices.operator_input import Buttons
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.engagement.filters import FilterLimits

LIMITS = FilterLimits()
ROUNDING = 1e-9  # [m]
FIRST_STEP = 1e-3  # [m] what engaging may move at most
# Way [m] a hand that is let go may still take: to its stop, and from there back to the pose that was reached.
LETTING_GO = LIMITS.velocity**2 / (2.0 * LIMITS.acceleration) + LIMITS.lead + 1e-3
SIDES = ("left", "right")

coordinates = st.floats(-1.0, 1.0)
small = st.floats(-0.2, 0.2)
places = st.tuples(coordinates, coordinates, coordinates)
sides = st.sampled_from(SIDES)


class WatchedOperator(Operator):
    """An operator whose every step is checked."""

    follow_share = 1.0
    lost_link = 0
    let_go_at: dict[str, np.ndarray]

    def step(self) -> OperatorCommand:
        before, reached = self.command, {side: getattr(self, f"reached_{side}") for side in SIDES}
        after = self.engagement.update(self._sample, reached["left"], reached["right"], PERIOD)
        self.command = after
        if before is not None:
            self.lost_link += before.speed > 0.0 and after.speed == 0.0
            for side in SIDES:
                self._check_step(side, getattr(before, side), getattr(after, side), reached[side])
        for side in SIDES:
            setattr(self, f"reached_{side}", self._approach(reached[side], getattr(after, side).target))
        return after

    def _check_step(self, side: str, before: HandCommand, after: HandCommand, reached: np.ndarray) -> None:
        way = np.linalg.norm(after.target[:3, 3] - before.target[:3, 3])
        if after.engaged and not before.engaged:
            assert np.linalg.norm(after.target[:3, 3] - reached[:3, 3]) <= FIRST_STEP
        else:
            assert way <= LIMITS.velocity * PERIOD + ROUNDING
        if after.engaged:
            self.let_go_at[side] = after.target
        assert np.linalg.norm(after.target[:3, 3] - self.let_go_at[side][:3, 3]) <= LETTING_GO
        assert np.isfinite(after.target).all()
        assert not (after.engaged and after.waiting)

    def _approach(self, reached: np.ndarray, target: np.ndarray) -> np.ndarray:
        pose = target.copy()
        pose[:3, 3] = reached[:3, 3] + self.follow_share * (target[:3, 3] - reached[:3, 3])
        return pose


class RandomOperator(RuleBasedStateMachine):
    """Engages, releases, jumps, vanishes, comes late, stops and comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.operator = WatchedOperator()
        self.operator.let_go_at = {s: getattr(self.operator, f"reached_{s}") for s in SIDES}
        self.refused = self.lost_tracking = 0
        self.operator.wait(0.02)

    def change(self, side: str, **changes: object) -> None:
        setattr(self.operator, side, replace(getattr(self.operator, side), **changes))

    def frame(self) -> None:
        self.operator.wait(FRAME * PERIOD)

    @property
    def sampled(self) -> bool:
        return not self.operator.silent

    @rule(duration=st.sampled_from([0.001, 0.02, 0.3]))
    def wait(self, duration: float) -> None:
        self.operator.wait(duration)

    @rule(side=sides, squeeze=st.sampled_from([0.0, 0.5, 1.0]))
    def squeeze(self, side: str, squeeze: float) -> None:
        self.change(side, squeeze=squeeze)
        self.frame()

    @rule(side=sides)
    def squeeze_anew(self, side: str) -> None:
        for squeeze in (0.0, 1.0):
            self.change(side, squeeze=squeeze)
            self.operator.wait(0.1)

    @rule(side=sides, way=st.tuples(small, small, small), turn=st.tuples(small, small, small), frames=st.integers(1, 20))
    def move(self, side: str, way: tuple[float, ...], turn: tuple[float, ...], frames: int) -> None:
        for _ in range(frames):
            pose = getattr(self.operator, side).pose
            if pose is not None:
                rotation = pin.exp3(np.array(turn) / frames) @ pose.rotation
                self.change(side, pose=pin.SE3(rotation, pose.translation + np.array(way) / frames))
            self.frame()

    @precondition(lambda self: self.sampled)
    @rule(side=sides, value=st.sampled_from([math.nan, math.inf, -math.inf]))
    def spoil(self, side: str, value: float) -> None:
        sound = getattr(self.operator, side)
        self.change(side, pose=pin.SE3(np.eye(3), np.array([value, 0.0, 0.0])))
        self.frame()
        self.refused += 1
        setattr(self.operator, side, sound)
        self.frame()

    @precondition(lambda self: self.sampled)
    @rule(side=sides, place=places)
    def jump(self, side: str, place: tuple[float, ...]) -> None:
        sound = getattr(self.operator, side)
        if not getattr(self.operator.command, side).engaged:
            return
        far = sound.pose.translation + np.array([3.0, 0.0, 0.0]) + np.array(place)
        self.change(side, pose=pin.SE3(sound.pose.rotation, far))
        self.frame()
        self.refused += 1
        setattr(self.operator, side, sound)
        self.frame()

    @precondition(lambda self: self.sampled)
    @rule(side=sides, place=places, turn=places)
    def lose_tracking_and_come_back_elsewhere(self, side: str, place: tuple[float, ...], turn: tuple[float, ...]) -> None:
        self.change(side, pose=None)
        self.frame()
        self.lost_tracking += self.operator.command.speed > 0.0
        assert not getattr(self.operator.command, side).engaged
        self.change(side, pose=pose_at(*place, turn))
        self.frame()

    @rule(age=st.sampled_from([0.0, 0.0, 0.04, 0.06, 0.09, 0.1, 2.0, math.nan]))
    def delay(self, age: float) -> None:
        self.operator.age = age
        self.operator.wait(0.05)

    @rule(silent=st.booleans())
    def fall_silent_or_speak(self, silent: bool) -> None:
        # The first sample after a silence has an old pose: a hand is lost by then, or has not moved.
        self.operator.silent = silent
        self.operator.wait(0.15)

    @precondition(lambda self: self.sampled)
    @rule(place=places, number=st.integers(), origin=st.booleans())
    def start_another_device_or_origin(self, place: tuple[float, ...], number: int, origin: bool) -> None:
        if origin:
            self.operator.origin += 1
        else:
            self.operator.device += f" {number}"
        self.operator.left = hand_at(pose_at(*place), squeeze=1.0)
        self.frame()
        assert not self.operator.command.left.engaged

    @rule(focused=st.booleans())
    def focus(self, focused: bool) -> None:
        self.operator.focused = focused
        self.operator.wait(0.05)
        if self.sampled and not focused:
            assert not any(getattr(self.operator.command, side).engaged for side in SIDES)

    @rule(duration=st.sampled_from([0.05, 0.05, 1.1]))
    def click_both_sticks(self, duration: float) -> None:
        self.operator.click(duration)

    @rule()
    def release_the_sticks_and_clear_the_stop(self) -> None:
        self.change("left", buttons=Buttons())
        self.operator.engagement.clear_stop()

    @rule(share=st.sampled_from([0.0, 0.05, 1.0]))
    def let_the_robot_follow(self, share: float) -> None:
        self.operator.follow_share = share

    @rule()
    def nothing_moves_while_nothing_is_engaged(self) -> None:
        for side in SIDES:
            self.change(side, squeeze=0.0)
        self.operator.wait(2.5)
        before = [getattr(self.operator.command, side).target[:3, 3] for side in SIDES]
        for side in SIDES:
            if getattr(self.operator, side).pose is not None:
                self.change(side, pose=getattr(self.operator, side).pose * pose_at(0.1, 0.1, 0.1))
        self.operator.wait(0.1)
        for side, position in zip(SIDES, before, strict=True):
            if not getattr(self.operator.command, side).engaged:
                assert np.linalg.norm(getattr(self.operator.command, side).target[:3, 3] - position) <= FIRST_STEP

    @invariant()
    def stopped_means_disengaged(self) -> None:
        command = self.operator.command
        if command.stop or command.speed == 0.0:
            assert not any(getattr(command, side).engaged for side in SIDES)
            assert not command.com_velocity.any()

    @invariant()
    def counters_add_up(self) -> None:
        command = self.operator.command
        assert command.refused_samples == self.refused
        assert command.lost_tracking == self.lost_tracking
        assert command.lost_link == self.operator.lost_link


TestRandomOperator = RandomOperator.TestCase
TestRandomOperator.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
