"""Footsteps: sides, turns, and that feet never meet."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.walking.footsteps import (
    LEFT,
    RIGHT,
    ZERO_VELOCITY,
    WalkingVelocity,
    compute_turns,
    plan_footsteps,
    scale_command,
)
from handhold.robots.contact import compute_sole_corners
from handhold.robots.description import Walking, load_description
from handhold.robots.qp import DaqpSolver, QuadraticProgram

ROUNDING = 1e-9  # [m, rad] sums of a few numbers near 1

velocities = st.builds(
    WalkingVelocity,
    forward=st.floats(-0.2, 0.5),
    sideways=st.floats(-0.15, 0.15),
    turning=st.floats(-0.5, 0.5),
)
sides = st.sampled_from([LEFT, RIGHT])


def talos() -> Walking:
    about = load_description("talos").walking
    assert about is not None
    return about


def place(plan, angle, gait):
    """Return the feet's positions, the standing one first at the origin, and their angles."""
    angles = np.concatenate([[angle], plan.angles])
    positions = [np.zeros(2)]
    for k, (x, y) in enumerate(plan.desired):
        c, s = np.cos(angles[k]), np.sin(angles[k])
        positions.append(positions[-1] + np.array([c * x - s * y, s * x + c * y]))
    return np.array(positions), angles


@given(velocities, sides, st.floats(-3.0, 3.0))
def test_the_feet_take_turns(velocity, side, angle):
    plan = plan_footsteps(velocity, side, angle, 6, talos())
    assert plan.sides[0] == -side
    assert np.all(plan.sides[1:] == -plan.sides[:-1])


@given(velocities, sides, st.floats(-3.0, 3.0))
def test_no_step_turns_further_than_the_feet_can(velocity, side, angle):
    gait = talos()
    plan = plan_footsteps(velocity, side, angle, 6, gait)
    turns = np.diff(np.concatenate([[angle], plan.angles]))
    assert np.abs(turns).max() <= gait.largest_turn + ROUNDING


@given(velocities, sides)
def test_feet_never_cross_nor_touch(velocity, side):
    gait = talos()
    plan = plan_footsteps(velocity, side, 0.0, 6, gait)
    _, angles = place(plan, 0.0, gait)
    corners = compute_sole_corners((0.10, 0.065))[:, :2]
    for k in range(6):
        c, s = np.cos(angles[k + 1] - angles[k]), np.sin(angles[k + 1] - angles[k])
        seen = corners @ np.array([[c, s], [-s, c]]) + plan.desired[k]
        # Seen from the foot before, all of the sole is on its own side.
        assert np.all(plan.sides[k] * plan.desired[k, 1] >= gait.least_spacing - ROUNDING)
        assert np.all(plan.sides[k] * seen[:, 1] > 0.0)


@given(velocities, sides)
def test_displacements_are_within_the_feets_reach(velocity, side):
    plan = plan_footsteps(velocity, side, 0.0, 6, talos())
    assert np.all(plan.desired >= plan.lower)
    assert np.all(plan.desired <= plan.upper)


@given(st.floats(-0.1, 0.1), sides)
def test_two_steps_to_the_side_go_as_far_as_the_velocity_says(speed, side):
    gait = talos()
    plan = plan_footsteps(WalkingVelocity(sideways=speed), side, 0.0, 4, gait)
    positions, _ = place(plan, 0.0, gait)
    moved = positions[4] - positions[2]
    assert abs(moved[1] - 2.0 * speed * gait.step_duration) < ROUNDING


@given(st.floats(-0.3, 0.3), sides)
def test_turning_in_place_goes_nowhere(rate, side):
    gait = talos()
    plan = plan_footsteps(WalkingVelocity(turning=rate), side, 0.0, 6, gait)
    positions, angles = place(plan, 0.0, gait)
    feet_sides = np.concatenate([[side], plan.sides])
    across = 0.5 * gait.spacing * feet_sides[:, None] * np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    middles = positions - across
    assert np.abs(middles - middles[0]).max() < ROUNDING


@given(velocities, sides)
def test_the_last_step_ends_level_with_the_foot_before(velocity, side):
    gait = talos()
    plan = plan_footsteps(velocity, side, 0.0, 4, gait, last=1)
    assert np.all(plan.desired[1:, 0] == 0.0)
    assert np.abs(plan.angles[1:] - plan.angles[0]).max() < ROUNDING


@given(st.floats(-1.0, 1.0), st.floats(0.05, 0.5))
def test_turns_solve_qp1(desired, largest):
    """The program as the paper writes it, in orientations, with rows for their differences."""
    count = 4
    D = np.eye(count) - np.eye(count, k=-1)
    solution = DaqpSolver().solve(
        QuadraticProgram(
            H=D.T @ D,
            f=-D.T @ np.full(count, desired),
            A=D,
            lower=np.concatenate([np.full(count, -1e30), np.full(count, -largest)]),
            upper=np.concatenate([np.full(count, 1e30), np.full(count, largest)]),
            equalities=0,
        )
    )
    assert np.abs(np.cumsum(compute_turns(desired, count, largest)) - solution.x).max() < 1e-6  # [rad] the solver's own


@given(velocities, velocities)
def test_a_command_is_approached_at_the_gaits_accelerations(present, desired):
    gait, dt = talos(), 0.01
    after = present.approach(desired, gait, dt)
    assert abs(after.forward - present.forward) <= gait.acceleration * dt + ROUNDING
    assert abs(after.turning - present.turning) <= gait.turning_acceleration * dt + ROUNDING
    assert abs(desired.forward - after.forward) <= abs(desired.forward - present.forward)


def test_full_sticks_ask_for_the_largest_speeds():
    gait = talos()
    assert scale_command(np.array([1.0, 0.0]), 0.0, gait) == WalkingVelocity(forward=gait.speed)
    assert scale_command(np.array([-1.0, 0.0]), 0.0, gait).forward == -gait.backward_speed
    assert scale_command(np.array([0.0, 1.0]), -1.0, gait).turning == -gait.turning_speed
    assert scale_command(np.zeros(3), 0.0, gait) == ZERO_VELOCITY
