"""Somebody else's G1 and H1 behind their maker's protocol, in lockstep: they are driven as they will be the first time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.program import NO_OPERATOR
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.deviation import STAND_IN, Deviation
from handhold.app.lab.scenarios.far_reach import FAR_REACH
from handhold.app.lab.scenarios.first_tour import FIRST_TOUR, WALKED
from handhold.app.lab.scenarios.run import run_scenario
from handhold.app.stand_in.program import find_model
from handhold.robots.control.holding import compute_holding_stiffness
from handhold.robots.model import load_model, weigh
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.stand_in_file import find_mass
from handhold.robots.unitree.stand_in_robot import StandInRobot
from handhold.robots.unitree.unitree_robot import PERIOD
from handhold.robots.worlds import load_world

DRIVEN, HELD = 2.5, 8.0
"""For how long it is driven, and then held [s]: with too little stiffness it fell within 3 s."""

H1_REACHED, MIN_REACH = 6.0, 0.6
"""For how long an H1 reaches [s], and how far at least [m]."""

AT_REST = 0.1
"""Velocity of joints under which it stands still, with the noise of drives that are commanded 500 times a second [rad/s]."""

MIN_BRACE = 20.0
"""Force with which the hand leans on the table, at least [N]."""

MAX_LOST, MAX_LEAN, MIN_MOVED = 0.03, 0.02, 1e-3
"""How far lean [rad] and, 0.2 s later, velocity [m/s] may be off after a silence in which its base moved [m]."""


@pytest.mark.timeout(900)
def test_it_reaches_leans_on_a_table_and_walks_back_though_its_motors_are_late_and_it_is_another_model() -> None:
    outcome, trace = run_scenario(FIRST_TOUR, "g1", "mujoco", 0, deviation=Deviation(body=STAND_IN))
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert not trace.fell
    assert trace.missed == ()
    assert figures["walked"] > WALKED
    assert figures["brace_force"] > MIN_BRACE
    assert outcome.holds


@pytest.mark.timeout(900)
def test_an_h1_in_the_order_of_its_makers_motors_and_with_its_unit_in_the_trunk_reaches_far() -> None:
    outcome, trace = run_scenario(FAR_REACH, "h1", "mujoco", 0, duration=H1_REACHED, deviation=Deviation(body=STAND_IN))
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert not trace.fell
    assert not trace.damped
    assert figures["qp_failures"] == 0.0
    assert figures["reach"] > MIN_REACH


@pytest.mark.parametrize("robot", ["g1", "h1"])
def test_handed_back_it_stands_without_anybody_who_balances_it(robot: str) -> None:
    source = find_model(robot)
    model = weigh(load_model(robot), find_mass(source))
    body = StandInRobot(model, source, load_world("flat"), 0)
    state = body.reset(find_standing_posture(model))
    cycle, height = Cycle(model, state), body.truth.q[2]
    for k in range(round((DRIVEN + HELD) / body.period)):
        if k == round(DRIVEN / body.period):
            body.hand_back()
        command, _ = cycle.step(NO_OPERATOR, body.read(), (), body.period)
        body.send(command)
        body.advance(body.period)
    assert body.truth.q[2] == pytest.approx(height, abs=0.01)
    assert abs(body.truth.v).max() < AT_REST


@pytest.mark.parametrize("silence", [0.04, 0.08])
def test_a_host_that_stood_still_knows_how_its_robot_moved_meanwhile(silence: float) -> None:
    """Nobody commands it: it damps itself and sags."""
    model = load_model("g1")
    robot = StandInRobot(model, find_model("g1"), load_world("flat"), seed=0)
    state, ones = robot.reset(model.q_nominal), np.ones(model.n)
    command = JointCommand(
        time=0.0,
        positions=state.q[7:],
        velocities=0.0 * ones,
        torques=state.joint_torques,
        stiffness=compute_holding_stiffness(model),
        damping=2.0 * ones,
    )

    def hold(duration: float) -> None:
        for _ in range(round(duration / PERIOD)):
            robot.send(command)
            robot.advance(PERIOD)
            robot.read()

    hold(1.5)
    begun = robot.truth.q[:7]
    robot.advance(silence)
    for duration in (PERIOD, 0.2):
        hold(duration)
        state, truth = robot.read(), robot.truth
        turns = [pin.XYZQUATToSE3(each.q[:7]).rotation for each in (state, truth)]
        assert np.linalg.norm(pin.log3(turns[0].T @ turns[1])[:2]) < MAX_LEAN
    assert np.linalg.norm(state.v[:3] - truth.v[:3]) < MAX_LOST
    assert np.linalg.norm(truth.q[:3] - begun[:3]) > MIN_MOVED
