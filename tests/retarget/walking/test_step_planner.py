"""Plans: the coming steps that are told, the timings that are possible, the step that is about to be made."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking.footsteps import LEFT, RIGHT, WalkingVelocity
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.pendulum import PendulumState, compute_natural_frequency
from handhold.retarget.walking.step_planner import GaitState, StepPlanner
from handhold.retarget.walking.stride import Stance
from handhold.retarget.walking.swing import SwingFoot
from handhold.retarget.walking.timing import Phase, PlacedFeet
from handhold.robots.qp import DaqpSolver

OMEGA = compute_natural_frequency(0.85)
SOLE = np.array([0.10, 0.065])
LIFTED = np.array([[1.0, 0.0, 0.0, -0.1], [0.0, 1.0, 0.0, 0.1], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
NEAR = 1e-5  # [m] the bounds of a step that is frozen are not quite equal


@pytest.fixture
def planner(walking):
    return StepPlanner(walking, OMEGA, DaqpSolver(), GaitParameters())


def on_the_right_foot(elapsed=0.1, **changes):
    """Return a moment at which the left foot is in the air and the centre of mass on its way to it."""
    placed = PlacedFeet(positions=np.array([[-0.1, 0.1], [0.1, -0.1]]), angles=np.zeros(2), sole=np.array([0.07, 0.035]))
    pendulum = PendulumState(com=np.array([0.05, -0.05]), velocity=np.array([0.25, -0.1]), zmp=np.array([0.1, -0.1]))
    gait_state = GaitState(
        phase=Phase.SINGLE,
        elapsed=elapsed,
        steps_left=None,
        velocity=WalkingVelocity(forward=0.3),
        support=RIGHT,
        placed=placed,
        stance=Stance(support=placed.positions[1], angle=0.0, height=0.0, lift_off_height=0.0),
        target=np.array([0.3, 0.12, 0.0, 0.0, 0.0, 0.0]),
        pendulum=pendulum,
        swing=SwingFoot.lift_off(LIFTED, 0.06),
    )
    return replace(gait_state, **changes)


@pytest.mark.parametrize("yaw", [0.0, 2.0])
@pytest.mark.parametrize(
    ("steps_left", "places", "level"),
    [
        (None, [[0.3, 0.1], [0.5, -0.1]], True),
        (0, [[0.3, 0.1], [0.5, -0.1]], True),
        (1, [[0.115, 0.1], [0.5, -0.1]], True),
        (1, [[0.3, 0.1], [0.3, -0.1]], False),
        (2, [[0.3, 0.1], [0.3, -0.1]], True),
        (2, [[0.1, 0.1], [0.3, -0.1]], False),
        (3, [[0.3, 0.1], [0.5, -0.1]], True),  # beyond what is planned
    ],
)
def test_a_walk_ends_level_where_the_last_foot_stands_beside_the_other(planner, walking, yaw, steps_left, places, level):
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, -s], [s, c]])
    plan = planner.plan(on_the_right_foot(), walking)
    plan = replace(
        plan,
        steps_left=steps_left,
        support=turn @ [0.1, -0.1],
        solution=replace(plan.solution, footsteps=np.array(places) @ turn.T),
        footsteps=replace(plan.footsteps, angles=np.full_like(plan.footsteps.angles, yaw)),
    )
    assert plan.ends_level(0.02) is level


def test_the_steps_to_come_alternate_and_come_down_a_step_apart(planner, walking):
    plan = planner.plan(on_the_right_foot(), walking)
    steps = plan.list_steps(Phase.SINGLE, 0.1, None, 0.02)
    assert [step.side for step in steps] == ["left", "right", "left", "right"]
    assert steps[0].delay == pytest.approx(walking.single_support - 0.1)
    assert np.diff([step.delay for step in steps]) == pytest.approx(walking.step_duration)
    assert all(step.pose[2, 3] == 0.02 for step in steps)
    assert np.array([step.pose[:2, 3] for step in steps]) == pytest.approx(plan.solution.footsteps)


def test_only_the_steps_that_are_left_are_told(planner, walking):
    plan = planner.plan(on_the_right_foot(steps_left=2), walking)
    assert len(plan.list_steps(Phase.SINGLE, 0.1, 2, 0.0)) == 2
    assert plan.list_steps(Phase.STANDING, 0.0, None, 0.0) == ()


def test_a_step_that_is_about_to_be_made_stays(planner, walking):
    gait_state = on_the_right_foot(elapsed=walking.single_support - 0.05)
    plan = planner.plan(gait_state, walking)
    assert plan.solution.footsteps[0] == pytest.approx(gait_state.target[:2], abs=NEAR)


@pytest.mark.parametrize(("elapsed", "farthest"), [(0.3, 0.152), (0.45, 0.030)])
def test_a_foot_on_its_way_is_turned_to_another_footstep_only_as_far_as_it_gets(planner, walking, elapsed, farthest):
    pendulum = on_the_right_foot().pendulum
    pushed = replace(pendulum, velocity=pendulum.velocity + np.array([0.0, 1.5]))
    gait_state = on_the_right_foot(elapsed=elapsed, pendulum=pushed, aimed=True)
    plan = planner.plan(gait_state, walking)
    moved = np.abs(plan.solution.footsteps[0] - gait_state.target[:2])
    assert moved.max() <= farthest
    free = planner.plan(replace(gait_state, aimed=False), walking)
    assert np.abs(free.solution.footsteps[0] - gait_state.target[:2]).max() > farthest


def test_a_foot_that_has_touched_early_stands_where_it_does(planner, walking):
    plan = planner.plan(on_the_right_foot(elapsed=0.4, swing=None), walking)
    assert plan.solution.footsteps[0] == pytest.approx([-0.1, 0.1], abs=NEAR)


def test_under_a_push_a_swing_is_hurried_but_never_drawn_out(planner, walking):
    pendulum = on_the_right_foot().pendulum
    pushed = on_the_right_foot(pendulum=replace(pendulum, velocity=pendulum.velocity + np.array([0.0, 0.6])))
    quicker = planner.plan(pushed, walking, shorten=True)
    assert quicker.timing.single_support < walking.single_support
    late = replace(pushed, elapsed=0.45)
    again = planner.plan(late, quicker.timing)
    assert again.timing.single_support <= quicker.timing.single_support


def test_the_first_foot_to_come_is_the_one_in_the_air(planner, walking):
    plan = planner.plan(on_the_right_foot(), walking)
    assert plan.footsteps.sides[0] == LEFT


def test_the_zmp_goes_on_from_cell_to_cell_also_of_a_plan_that_begins_within_one(planner, walking):
    plan = planner.plan(on_the_right_foot(elapsed=0.17), walking)
    velocities = plan.solution.zmp_velocities
    assert plan.ends[0] == pytest.approx(0.03)
    assert plan.find_zmp_velocity(0.029) == pytest.approx(velocities[0])
    assert plan.find_zmp_velocity(0.031) == pytest.approx(velocities[1])
    assert plan.find_zmp_velocity(60.0) == pytest.approx(np.zeros(2))


def step_of(x, height):
    """Return the map of a floor and a step up that begins at x."""
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, :3, 3] = x + 5.0, 0.0, height
    corners = 5.0 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    surfaces = [Surface(pose=pose, boundary=corners, area=100.0, quality=1.0, age=0.0) for pose in poses]
    return GroundMap(tuple(surfaces), SOLE)


@pytest.mark.parametrize("beyond", [-0.05, 0.02, 0.07])
def test_a_footstep_is_put_beside_an_edge(planner, walking, beyond):
    gait_state = on_the_right_foot(elapsed=0.2)
    desired = planner.plan(gait_state, walking).solution.footsteps[0]
    edge = desired[0] + beyond
    ground = step_of(edge, 0.05)
    plan = planner.plan(replace(gait_state, ground=ground), walking)
    position = plan.solution.footsteps[0]
    assert position == pytest.approx(plan.chosen.position, abs=NEAR)
    assert abs(position[0] - edge) > SOLE[0]
    # rather beyond the edge than before it
    assert np.linalg.norm(position - desired) < 2.0 * SOLE[0]
    # It stays chosen as long as it is near enough.
    faster = replace(gait_state, ground=ground, velocity=WalkingVelocity(forward=0.32), chosen=plan.chosen)
    again = planner.plan(faster, walking)
    assert again.chosen.position == pytest.approx(plan.chosen.position)


def test_where_there_is_no_edge_nothing_is_chosen(planner, walking):
    plan = planner.plan(on_the_right_foot(ground=step_of(3.0, 0.05)), walking)
    assert plan.chosen is None
