"""Each step of the filter of effector poses, against its equation."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.engagement.filters import EffectorFilter, FilterLimits, UnusableLimits
from handhold.retarget.errors import RetargetError
from handhold.robots.rotation import compute_turn

LIMITS = FilterLimits()


def pose_at(position: np.ndarray, turn: np.ndarray) -> np.ndarray:
    return pin.SE3(pin.exp3(np.asarray(turn, dtype=float)), np.asarray(position, dtype=float)).homogeneous


def clipped(vector: np.ndarray, length: float) -> np.ndarray:
    return vector * min(1.0, length / max(float(np.linalg.norm(vector)), 1e-300))


def accelerate_by_equation(
    v: np.ndarray, error: np.ndarray, lead: np.ndarray, limits: tuple[float, float, float, float], speed: float, dt: float
) -> np.ndarray:
    """The velocity after a step, in plain vectors: the module's equation, then the end of the lead."""
    frequency, fastest, acceleration, longest = limits
    distance = float(np.linalg.norm(lead))
    outward = lead / distance if distance else lead
    room = (longest - distance) * acceleration / fastest
    desired = (v + frequency**2 * dt * error) / (1.0 + frequency * dt) ** 2
    desired = clipped(desired - max(desired @ outward - room, 0.0) * outward, speed * fastest)
    change = clipped(desired - v, acceleration * dt)
    most = max(room, 0.0) - v @ outward
    if change @ outward > most:
        along = max(most, -acceleration * dt)
        across = clipped(change - (change @ outward) * outward, math.sqrt((acceleration * dt) ** 2 - along**2))
        change = across + along * outward
    return v + change


class FilterByEquation:
    """The filter in plain vectors, with pinocchio's exponential."""

    def __init__(self, limits: FilterLimits, pose: np.ndarray, twist: np.ndarray) -> None:
        self.linear = (limits.natural_frequency, limits.velocity, limits.acceleration, limits.lead)
        self.angular = (limits.natural_frequency, limits.angular_velocity, limits.angular_acceleration, limits.lead_angle)
        self.pose, self.twist = pose.copy(), twist.copy()

    def follow(self, command: np.ndarray, reached: np.ndarray, dt: float, speed: float) -> np.ndarray:
        error, lead = command[:3, 3] - self.pose[:3, 3], self.pose[:3, 3] - reached[:3, 3]
        turn = compute_turn(self.pose, command)
        angle = float(np.linalg.norm(turn))
        if angle >= math.pi - 0.2 and turn @ self.twist[3:] < 0.0:
            turn = turn * (1.0 - 2.0 * math.pi / angle)
        self.twist = np.concatenate(
            [
                accelerate_by_equation(self.twist[:3], error, lead, self.linear, speed, dt),
                accelerate_by_equation(self.twist[3:], turn, compute_turn(reached, self.pose), self.angular, speed, dt),
            ]
        )
        return self.integrate(dt)

    def brake(self, dt: float) -> np.ndarray:
        slower = [
            clipped(part, max(float(np.linalg.norm(part)) - largest * dt, 0.0))
            for part, largest in ((self.twist[:3], self.linear[2]), (self.twist[3:], self.angular[2]))
        ]
        self.twist = np.concatenate(slower)
        return self.integrate(dt)

    def integrate(self, dt: float) -> np.ndarray:
        self.pose[:3, 3] += self.twist[:3] * dt
        self.pose[:3, :3] = pin.exp3(self.twist[3:] * dt) @ self.pose[:3, :3]
        return self.pose


# No two limits and no two axes alike, so that none can stand for another.
ODD_LIMITS = FilterLimits(
    natural_frequency=5.0,
    velocity=0.45,
    acceleration=3.0,
    angular_velocity=1.3,
    angular_acceleration=8.0,
    lead=0.07,
    lead_angle=0.35,
)
STEPS = 12  # that each command lasts
SAME = 1e-9  # [m], [-]: rounding of some hundred steps


@pytest.mark.parametrize("limits", [LIMITS, ODD_LIMITS], ids=["as shipped", "others"])
@pytest.mark.parametrize("follows", [0.0, 0.7, 1.0], ids=["stuck", "late", "at once"])
@pytest.mark.parametrize("seed", range(4))
def test_every_step_is_that_of_the_equation(limits: FilterLimits, follows: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = pose_at(rng.normal(size=3), rng.normal(size=3))
    effector, equation = EffectorFilter(limits, start), FilterByEquation(limits, start, np.zeros(6))
    reached = start.copy()
    for _ in range(12):
        # near, far, and about half a turn away
        size, angle = rng.choice([0.02, 0.3, 2.0]), rng.choice([0.1, 1.0, 2.5, 3.1, 3.2])
        axis = rng.normal(size=3)
        command = effector.target.copy()
        command[:3, 3] += size * rng.normal(size=3)
        command[:3, :3] = pin.exp3(angle * axis / np.linalg.norm(axis)) @ command[:3, :3]
        dt, speed, braking = rng.choice([1e-3, 0.01]), rng.choice([0.0, 0.4, 1.0]), rng.random() < 0.2
        for _ in range(STEPS):
            target = effector.brake(dt) if braking else effector.follow(command, reached, dt, speed)
            expected = equation.brake(dt) if braking else equation.follow(command, reached, dt, speed)
            np.testing.assert_allclose(target, expected, rtol=0.0, atol=SAME)
            np.testing.assert_allclose(effector.velocity, equation.twist, rtol=0.0, atol=SAME)
            step = pin.SE3(reached).actInv(pin.SE3(target))
            reached = (pin.SE3(reached) * pin.SE3.Interpolate(pin.SE3.Identity(), step, follows)).homogeneous


def test_a_reset_puts_the_target_at_rest_where_it_is_told() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    for _ in range(300):
        effector.follow(pose_at(np.ones(3), np.ones(3)), effector.target, 1e-3)
    pose = pose_at(np.array([0.1, 0.2, 0.3]), np.array([0.0, 1.0, 0.0]))
    effector.reset(pose)
    assert effector.at_rest
    np.testing.assert_array_equal(effector.target, pose)
    np.testing.assert_allclose(effector.follow(pose, pose, 1e-3), pose, atol=1e-15)


def test_targets_given_out_do_not_change_and_cannot_be_changed() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    first = effector.target
    effector.follow(pose_at(np.ones(3), np.zeros(3)), np.eye(4), 0.01)
    np.testing.assert_array_equal(first, np.eye(4))
    with pytest.raises(ValueError, match="read-only"):
        first[0, 3] = 1.0


@pytest.mark.parametrize("name", FilterLimits.__slots__)
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_limits_that_are_no_positive_numbers_are_refused(name: str, value: float) -> None:
    with pytest.raises(UnusableLimits, match=name):
        FilterLimits(**{name: value})


@pytest.mark.parametrize("name", ["acceleration", "angular_acceleration"])
def test_an_acceleration_too_small_to_brake_without_overshoot_is_refused(name: str) -> None:
    with pytest.raises(RetargetError, match="natural_frequency"):
        FilterLimits(**{name: 2.0})


def test_limits_that_cannot_be_used_are_told_with_their_mend() -> None:
    with pytest.raises(UnusableLimits) as refused:
        FilterLimits(lead=-2.0)
    assert str(refused.value) == "lead = -2 of the effector filter cannot be used; give a positive number"
    assert (refused.value.name, refused.value.value) == ("lead", -2.0)
    for name, least in (
        ("acceleration", "natural_frequency * velocity"),
        ("angular_acceleration", "natural_frequency * angular_velocity"),
    ):
        with pytest.raises(UnusableLimits) as refused:
            FilterLimits(**{name: 1.5})
        assert str(refused.value) == f"{name} = 1.5 of the effector filter cannot be used; give at least {least}"


def test_an_acceleration_that_just_brakes_without_overshoot_is_taken() -> None:
    limits = FilterLimits(
        natural_frequency=4.0, velocity=0.5, acceleration=2.0, angular_velocity=1.5, angular_acceleration=6.0
    )
    assert (limits.acceleration, limits.angular_acceleration) == (2.0, 6.0)
    for name, less in (("acceleration", 1.999), ("angular_acceleration", 5.999)):
        with pytest.raises(UnusableLimits, match=name):
            FilterLimits(
                **{
                    "natural_frequency": 4.0,
                    "velocity": 0.5,
                    "acceleration": 2.0,
                    "angular_velocity": 1.5,
                    "angular_acceleration": 6.0,
                }
                | {name: less}
            )


def test_the_limits_as_shipped_stop_a_hand_and_its_turning_in_50_ms() -> None:
    assert (LIMITS.velocity, LIMITS.angular_velocity, LIMITS.natural_frequency) == (0.4, 1.5, 6.0)
    assert LIMITS.velocity / LIMITS.acceleration == pytest.approx(0.05)
    assert LIMITS.angular_velocity / LIMITS.angular_acceleration == pytest.approx(0.05)
    assert (LIMITS.lead, LIMITS.lead_angle) == (0.05, 0.3)


def test_velocities_given_out_do_not_change() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    effector.follow(pose_at(np.ones(3), np.ones(3)), np.eye(4), 0.01)
    before = effector.velocity
    assert before.all()
    effector.velocity[:] = 7.0
    np.testing.assert_array_equal(effector.velocity, before)


def test_a_pose_and_a_command_are_copied_and_not_kept() -> None:
    start = np.eye(4)
    effector = EffectorFilter(LIMITS, start)
    effector.follow(pose_at(np.ones(3), np.zeros(3)), start, 0.01)
    np.testing.assert_array_equal(start, np.eye(4))


def test_a_target_that_is_not_slowed_goes_at_its_largest_velocity() -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    for _ in range(20):
        effector.follow(pose_at([3.0, 0.0, 0.0], [0.0, 0.0, 2.5]), effector.target, 0.02)
    np.testing.assert_allclose(effector.velocity, [LIMITS.velocity, 0.0, 0.0, 0.0, 0.0, LIMITS.angular_velocity], atol=SAME)


@pytest.mark.parametrize(("angle", "goes_on"), [(2.9, False), (2.94, False), (2.945, True), (3.1, True)])
def test_a_hand_turns_on_against_the_short_way_only_within_a_fifth_of_a_radian_of_half_a_turn(
    angle: float, goes_on: bool
) -> None:
    effector = EffectorFilter(LIMITS, np.eye(4))
    for _ in range(20):
        effector.follow(pose_at(np.zeros(3), [0.0, 0.0, 1.5]), effector.target, 0.01)
    turning = effector.velocity[5]
    command = effector.target.copy()
    command[:3, :3] = pin.exp3(np.array([0.0, 0.0, -angle])) @ command[:3, :3]
    effector.follow(command, effector.target, 0.01)
    assert (effector.velocity[5] >= turning) == goes_on
