"""The filter of effector poses: its limits hold for whatever is commanded."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handhold.retarget.engagement.filters import EffectorFilter, FilterLimits
from handhold.retarget.engagement.relative_command import compute_relative_command
from handhold.robots.rotation import compute_turn

LIMITS = FilterLimits()
ROUNDING = 1e-9  # [-] relative: what differences of positions about 1 m lose to double precision in a step of 0.5 ms
OVERSHOOT = 1e-9  # [m] and [rad]: rounding
LEAD_EXCESS = 1.0  # [steps] at full velocity: a target that moves along the end of its lead leaves it by less than a step

coordinates = st.floats(-3.0, 3.0)
vectors = st.tuples(coordinates, coordinates, coordinates).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))
angles = st.one_of(st.floats(0.0, math.pi), st.floats(math.pi - 1e-6, math.pi))
steps = st.floats(5e-4, 0.02)


def pose_at(position: np.ndarray, turn: np.ndarray) -> np.ndarray:
    return pin.SE3(pin.exp3(turn), np.asarray(position, dtype=float)).homogeneous


poses = st.builds(lambda p, axis, angle: pose_at(p, axis * angle), vectors, directions, angles)


def twist_between(before: np.ndarray, after: np.ndarray, dt: float) -> np.ndarray:
    return np.concatenate([after[:3, 3] - before[:3, 3], pin.log3(after[:3, :3] @ before[:3, :3].T)]) / dt


def assert_within_limits(before: np.ndarray, after: np.ndarray, limits: FilterLimits, dt: float) -> None:
    slack = 1.0 + ROUNDING
    rounding = ROUNDING / dt
    assert np.linalg.norm(after[:3]) <= limits.velocity * slack + rounding
    assert np.linalg.norm(after[3:]) <= limits.angular_velocity * slack + rounding
    assert np.linalg.norm(after[:3] - before[:3]) <= limits.acceleration * dt * slack + rounding
    assert np.linalg.norm(after[3:] - before[3:]) <= limits.angular_acceleration * dt * slack + rounding


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(poses, poses, st.integers(1, 30), st.booleans()), min_size=1, max_size=6), steps)
def test_the_limits_hold_for_any_sequence_of_commands(
    phases: list[tuple[np.ndarray, np.ndarray, int, bool]], dt: float
) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    twist = np.zeros(6)
    for command, elsewhere, count, stuck in phases:
        for _ in range(count):
            before = effector.target
            after = effector.follow(command, elsewhere if stuck else before, dt)
            next_twist = twist_between(before, after, dt)
            assert_within_limits(twist, next_twist, LIMITS, dt)
            twist = next_twist


@settings(max_examples=100, deadline=None)
@given(poses, poses, steps)
def test_a_constant_command_is_reached_without_overshoot(start: np.ndarray, command: np.ndarray, dt: float) -> None:
    effector = EffectorFilter(LIMITS, start)
    way, turn = command[:3, 3] - start[:3, 3], compute_turn(start, command)
    left, angle_left = np.linalg.norm(way), np.linalg.norm(turn)
    longest = max(left / LIMITS.velocity, angle_left / LIMITS.angular_velocity) + 20.0 / LIMITS.natural_frequency
    for _ in range(math.ceil(longest / dt)):
        target = effector.follow(command, effector.target, dt)
        error, turn_left = command[:3, 3] - target[:3, 3], compute_turn(target, command)
        assert error @ way >= -OVERSHOOT * np.linalg.norm(way)
        assert np.linalg.norm(error) <= left + OVERSHOOT
        assert np.linalg.norm(turn_left) <= angle_left + OVERSHOOT
        left, angle_left = np.linalg.norm(error), np.linalg.norm(turn_left)
    # (1 + 20) exp(-20) of the way of half a metre that the low pass covers is left.
    assert left < 1e-6
    assert angle_left < 1e-6


@settings(max_examples=50, deadline=None)
@given(directions, st.floats(0.01, 1.0), st.floats(0.05, 3.0), steps)
def test_the_target_stops_where_a_moving_command_stops(axis: np.ndarray, speed: float, duration: float, dt: float) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    position = np.zeros(3)
    for _ in range(math.ceil(duration / dt)):
        position = position + axis * speed * dt
        effector.follow(pose_at(position, np.zeros(3)), effector.target, dt)
    final = pose_at(position, np.zeros(3))
    for _ in range(math.ceil((duration * speed / LIMITS.velocity + 4.0) / dt)):
        target = effector.follow(final, effector.target, dt)
        assert (target[:3, 3] - position) @ axis <= OVERSHOOT
    assert np.linalg.norm(target[:3, 3] - position) < 1e-6
    assert np.linalg.norm(effector.velocity) < 1e-5


def test_a_small_step_is_answered_as_a_critically_damped_second_order_system() -> None:
    dt, size = 1e-4, 0.01
    effector = EffectorFilter(LIMITS, np.eye(4))
    for k in range(1, 10_001):
        target = effector.follow(pose_at(np.array([size, 0.0, 0.0]), np.zeros(3)), effector.target, dt)
        phase = LIMITS.natural_frequency * k * dt
        # The implicit rule is of first order: half a step's worth of the fastest motion, size * frequency / e.
        assert abs(target[0, 3] - size * (1.0 - (1.0 + phase) * math.exp(-phase))) < size * LIMITS.natural_frequency * dt


@pytest.mark.parametrize("dt", [1e-3, 5e-3, 0.02])
def test_a_far_command_moves_the_target_at_the_largest_velocity(dt: float) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    command = pose_at(np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.0, 3.0]))
    for _ in range(math.ceil(0.5 / dt)):
        effector.follow(command, effector.target, dt)
    assert effector.velocity[:3] == pytest.approx([LIMITS.velocity, 0.0, 0.0])
    assert effector.velocity[3:] == pytest.approx([0.0, 0.0, LIMITS.angular_velocity])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(poses, st.integers(1, 200)), min_size=1, max_size=4), poses, steps)
def test_the_target_never_runs_away_from_a_hand_that_is_stuck(
    phases: list[tuple[np.ndarray, int]], reached: np.ndarray, dt: float
) -> None:
    effector = EffectorFilter(LIMITS, reached)
    for command, count in phases:
        for _ in range(count):
            target = effector.follow(command, reached, dt)
            assert np.linalg.norm(target[:3, 3] - reached[:3, 3]) <= LIMITS.lead + LEAD_EXCESS * LIMITS.velocity * dt
            turned = np.linalg.norm(compute_turn(reached, target))
            assert turned <= LIMITS.lead_angle + LEAD_EXCESS * LIMITS.angular_velocity * dt


@settings(max_examples=50, deadline=None)
@given(directions, st.floats(0.05, 3.0), steps)
def test_a_straight_command_takes_the_target_to_the_end_of_its_lead_and_no_further(
    axis: np.ndarray, distance: float, dt: float
) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    command = pose_at(axis * distance, axis * min(distance, 3.0))
    for _ in range(math.ceil(4.0 / dt)):
        target = effector.follow(command, np.eye(4), dt)
        assert np.linalg.norm(target[:3, 3]) <= LIMITS.lead + OVERSHOOT
        assert np.linalg.norm(compute_turn(np.eye(4), target)) <= LIMITS.lead_angle + OVERSHOOT
    assert np.linalg.norm(target[:3, 3]) == pytest.approx(LIMITS.lead, abs=1e-6)


def test_the_target_comes_back_to_a_hand_that_is_pushed_away() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    reached = pose_at(np.array([0.3, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    for _ in range(2000):
        target = effector.follow(np.eye(4), reached, 1e-3)
    assert np.linalg.norm(target[:3, 3] - reached[:3, 3]) == pytest.approx(LIMITS.lead, abs=1e-4)
    assert np.linalg.norm(compute_turn(reached, target)) == pytest.approx(LIMITS.lead_angle, abs=1e-3)


def test_a_hand_that_can_be_reached_again_is_led_there_at_once() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    for _ in range(3000):
        effector.follow(pose_at(np.array([0.6, 0.0, 0.0]), np.zeros(3)), np.eye(4), 1e-3)
    # Without the lead's end the target would be 0.6 m out, 1.5 s at full velocity from home.
    for _ in range(200):
        target = effector.follow(pose_at(np.array([-0.2, 0.0, 0.0]), np.zeros(3)), np.eye(4), 1e-3)
    assert target[0, 3] < 0.0


@settings(max_examples=100, deadline=None)
@given(poses, poses, st.integers(1, 500), steps)
def test_braking_stops_within_the_stopping_distance_and_turns_nothing_back(
    start: np.ndarray, command: np.ndarray, count: int, dt: float
) -> None:
    effector = EffectorFilter(LIMITS, start)
    for _ in range(count):
        effector.follow(command, effector.target, dt)
    begin, twist = effector.target, effector.velocity
    stop_time = max(LIMITS.velocity / LIMITS.acceleration, LIMITS.angular_velocity / LIMITS.angular_acceleration)
    for _ in range(math.ceil(stop_time / dt) + 1):
        before, velocity = effector.target, effector.velocity
        after = effector.brake(dt)
        assert (after[:3, 3] - before[:3, 3]) @ velocity[:3] >= -ROUNDING
        assert_within_limits(velocity, twist_between(before, after, dt), LIMITS, dt)
    assert effector.at_rest
    stopping_distance = np.linalg.norm(twist[:3]) ** 2 / (2.0 * LIMITS.acceleration)
    assert np.linalg.norm(effector.target[:3, 3] - begin[:3, 3]) <= stopping_distance + ROUNDING


def test_the_target_stands_still_when_the_speed_has_fallen_to_nothing_in_50_ms() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    command = pose_at(np.array([3.0, 0.0, 0.0]), np.array([0.0, 0.0, 3.0]))
    for _ in range(500):
        effector.follow(command, effector.target, 1e-3)
    for k in range(1, 51):
        effector.follow(command, effector.target, 1e-3, speed=1.0 - k / 50.0)
    assert np.linalg.norm(effector.velocity) < 1e-9


@settings(max_examples=200, deadline=None)
@given(directions, angles, directions, st.floats(0.0, math.pi))
def test_the_turn_between_two_poses_is_the_logarithm_near_half_a_turn_too(
    axis: np.ndarray, angle: float, other_axis: np.ndarray, other_angle: float
) -> None:
    start = pose_at(np.zeros(3), other_axis * other_angle)
    end = start.copy()
    end[:3, :3] = pin.exp3(axis * angle) @ start[:3, :3]
    turn = compute_turn(start, end)
    assert np.linalg.norm(turn) <= math.pi + ROUNDING
    np.testing.assert_allclose(pin.exp3(turn) @ start[:3, :3], end[:3, :3], atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(directions, st.floats(1e-6, 0.05), steps)
def test_a_command_that_trembles_about_half_a_turn_does_not_hold_the_hand_up(
    axis: np.ndarray, tremble: float, dt: float
) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    for k in range(math.ceil(6.0 / dt)):
        command = pose_at(np.zeros(3), axis * (math.pi + (tremble if k % 2 else -tremble)))
        effector.follow(command, effector.target, dt)
    assert np.linalg.norm(compute_turn(effector.target, command)) < 3.0 * tremble


def test_the_orientation_stays_a_rotation_for_an_hour() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    rng = np.random.default_rng(0)
    for _ in range(3600):
        command = pose_at(np.zeros(3), rng.normal(size=3))
        for _ in range(50):
            effector.follow(command, effector.target, 0.02)
    rotation = effector.target[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)


@settings(max_examples=100, deadline=None)
@given(poses, poses, poses)
def test_motion_is_relative_to_where_the_clutch_closed(hand: np.ndarray, start: np.ndarray, reference: np.ndarray) -> None:
    command = compute_relative_command(hand, start, reference)
    np.testing.assert_allclose(command[:3, 3] - reference[:3, 3], hand[:3, 3] - start[:3, 3], atol=1e-12)
    np.testing.assert_allclose(command[:3, :3] @ reference[:3, :3].T, hand[:3, :3] @ start[:3, :3].T, atol=1e-12)
    np.testing.assert_allclose(compute_relative_command(start, start, reference), reference, atol=1e-12)
