"""Runs a scenario: operator, cycle and simulated robot in lockstep, no clock but the robot's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from handhold.app.cycle import Cycle
from handhold.app.figures import Outcome, current_commit
from handhold.app.scenarios.scenario import OPERATOR_RATE, Scenario
from handhold.app.scenarios.trace import Trace
from handhold.app.standing import find_standing_posture
from handhold.robots.engines import make_robot
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import RobotState
from handhold.robots.worlds import load_world

PERIOD = 1e-3
"""Control period [s]."""

LANDING = 0.5
"""Time the robot stands before the script begins and anything is measured: it is put down on the floor without a load [s]."""


def run_scenario(scenario: Scenario, robot: str, engine: str, seed: int) -> tuple[Outcome, Trace]:
    """Run a scenario on a robot in a physics engine and measure it.

    Raises:
        RobotError: The robot, the world or the engine cannot be had.
        RetargetError: The robot cannot stand.
    """
    model = load_model(robot)
    trace = play(scenario, model, engine, seed)
    outcome = Outcome(
        name=scenario.name,
        robot=model.description.name,
        engine=engine,
        seed=seed,
        commit=current_commit(),
        duration_s=scenario.duration,
        fell=trace.fell,
        figures=scenario.measure(model, trace),
        extra={"constraint_activity": trace.activity_shares},
    )
    return outcome, trace


def play(
    scenario: Scenario,
    model: RobotModel,
    engine: str,
    seed: int,
    make_cycle: Callable[[RobotModel, RobotState], Cycle] = Cycle,
) -> Trace:
    """Play a scenario's script and return the run; ends early after a fall."""
    body = make_robot(engine, model, load_world(scenario.world))
    try:
        state = body.reset(find_standing_posture(model))
        script = scenario.script(model, model.effector_poses(state.q), np.random.default_rng(seed))
        cycle = make_cycle(model, state)
        kinematics = EffectorKinematics(model)
        trace = Trace()
        sample, operator_input = -1, script(0.0)
        for tick in range(round((LANDING + scenario.duration) / PERIOD)):
            time = tick * PERIOD - LANDING
            if int(time * OPERATOR_RATE) > sample:
                sample = int(time * OPERATOR_RATE)
                operator_input = script(max(0.0, time))
            command, snapshot = cycle.step(operator_input, state, (), PERIOD)
            if time >= 0.0:
                kinematics.update(state.q)
                trace.add(snapshot, state, kinematics.poses[:, :3, 3].copy())
            if trace.fell:
                break
            body.send(command)
            body.advance(PERIOD)
            state = body.read()
    finally:
        body.close()
    return trace
