"""Runs a scenario: operator, cycle and simulated robot in lockstep, no clock but the robot's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from handhold.app.cycle import Cycle
from handhold.app.errors import AppError
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.scenarios.needs import any_hand, choose_hand
from handhold.app.scenarios.scenario import OPERATOR_RATE, Disturbance, Operator, RobotUnfit, Scenario
from handhold.app.scenarios.trace import Trace
from handhold.app.surfaces import list_surfaces
from handhold.devices.operator_input import OperatorInput
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.robots.engines import make_robot
from handhold.robots.fall import find_ground, has_fallen
from handhold.robots.imperfect_robot import ImperfectRobot
from handhold.robots.imperfection import LEVELS, displace_walls, draw_mechanics, find_true_normals
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.mechanics import AS_MODELLED
from handhold.robots.model import RobotModel, load_model
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.worlds import World, load_world

PERIOD = 1e-3
"""Control period [s]."""

LANDING = 0.5
"""Time the robot stands before the script begins and anything is measured: it is put down on the floor without a load [s]."""

LINGERING = 1.0
"""Time a run goes on after the script is over: whatever it left behind shows itself [s]."""

LONGEST_EXACT = 60.0
"""Duration up to which every cycle is kept; of a longer run only so many samples [s]."""


def check_level(imperfect: int) -> None:
    """Check that there is a level of imperfection.

    Raises:
        AppError: There is none of that number.
    """
    if imperfect not in (0, *LEVELS):
        levels = ", ".join(str(level) for level in (0, *LEVELS))
        raise AppError(f"no level of imperfection {imperfect}; take one of {levels}")


def run_scenario(
    scenario: Scenario,
    robot: str,
    engine: str,
    seed: int,
    *,
    duration: float | None = None,
    seiko: SeikoParameters | None = None,
    imperfect: int = 0,
    payload: float = 0.0,
) -> tuple[Outcome, Trace]:
    """Run a scenario on a robot in a physics engine and measure it.

    Args:
        scenario: What to run.
        robot: Name or file of the robot.
        engine: Name of the physics engine.
        seed: Seed of all randomness.
        duration: Simulated time in place of the scenario's own [s].
        seiko: Parameters of SEIKO; None for the defaults.
        imperfect: How far the robot is from an ideal one: a level of ``LEVELS``, 0 for not at all.
        payload: Mass in one of the robot's hands that its model does not know of [kg].

    Raises:
        RobotError: The robot, the world or the engine cannot be had.
        RobotUnfit: The robot lacks what the scenario needs.
        RetargetError: The robot cannot stand.
    """
    if duration is not None:
        scenario = replace(scenario, duration=duration)
    model = load_model(robot)
    trace = play(scenario, model, engine, seed, make_cycle=partial(Cycle, seiko=seiko), imperfect=imperfect, payload=payload)
    outcome = Outcome(
        name=scenario.name,
        robot=model.description.name,
        engine=engine,
        seed=seed,
        commit=current_commit(),
        duration_s=trace.cycles * PERIOD,
        fell=trace.fell,
        figures=[
            *scenario.measure(model, trace),
            Figure("missed_waits", float(len(trace.missed)), "-", must=0.0),
            Figure("damped", float(bool(trace.damped)), "-", must=0.0),
        ],
        extra={
            "imperfect": imperfect,
            "payload": payload,
            "constraint_activity": trace.activity_shares,
            "missed": list(trace.missed),
            "damped_because": trace.damped,
        },
    )
    return outcome, trace


def play(
    scenario: Scenario,
    model: RobotModel,
    engine: str,
    seed: int,
    make_cycle: Callable[[RobotModel, RobotState], Cycle] = Cycle,
    disturb: Disturbance | None = None,
    imperfect: int = 0,
    payload: float = 0.0,
) -> Trace:
    """Play a scenario's script and return the run; ends early after a fall, and when the script is over.

    Args:
        scenario: What to play.
        model: The robot.
        engine: Name of the physics engine.
        seed: Seed of all randomness.
        make_cycle: Makes the control cycle of a robot, from its first state.
        disturb: What pushes the robot in place of the scenario's own; None for that.
        imperfect: How far the robot is from an ideal one: a level of ``LEVELS``, 0 for not at all.
        payload: Mass in one of the robot's hands that its model does not know of [kg].

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
    """
    scenario.check(model)
    start = find_start(scenario, model)
    poses = model.effector_poses(start)
    known = scenario.fit(load_world(scenario.world), model, poses)
    surfaces = list_surfaces(scenario.fit(load_world(scenario.mapped), model, poses) if scenario.mapped else known)
    body = _make_body(engine, model, known, seed, imperfect=imperfect, payload=payload)
    try:
        state = body.reset(start)
        operator = scenario.script(model, model.effector_poses(state.q), np.random.default_rng(seed))
        disturb = disturb or _make_disturbance(scenario, model, seed)
        station = _Station(operator, _make_delay(scenario, seed))
        cycle = make_cycle(model, state)
        kinematics = EffectorKinematics(model)
        trace = Trace(stride=max(1, round(scenario.duration / LONGEST_EXACT)))
        for tick in range(round((LANDING + scenario.duration) / PERIOD)):
            time = tick * PERIOD - LANDING
            command, snapshot = cycle.step(station.newest_input(time), state, surfaces, PERIOD)
            station.see(snapshot)
            if time >= 0.0:
                truth = body.truth if isinstance(body, ImperfectRobot) else state
                kinematics.update(truth.q)
                fallen = has_fallen(model, truth, find_ground(model, kinematics.poses))
                normals = snapshot.reference.contact_normals
                if isinstance(body, ImperfectRobot):
                    normals = find_true_normals(normals, kinematics.poses[:, :3, 3], known, body.world)
                trace.add(snapshot, truth, kinematics.poses, normals, fallen=fallen)
            if trace.fell or station.over_for(time, LINGERING):
                break
            body.send(command)
            disturb(body, state)
            body.advance(PERIOD)
            state = body.read()
        trace.samples, trace.received = station.samples, station.received
        trace.missed, trace.notes = operator.missed, operator.notes
    finally:
        body.close()
    return trace


def _make_body(engine: str, model: RobotModel, world: World, seed: int, *, imperfect: int, payload: float) -> SimulatedRobot:
    if payload > 0.0 and (lack := any_hand(model)):
        raise RobotUnfit(model.description.source, "a payload", lack)
    carried = ((choose_hand(model)[1], payload),) if payload > 0.0 else ()
    if imperfect == 0:
        mechanics = replace(AS_MODELLED, payload=carried)
        return make_robot(engine, model, world, mechanics=mechanics)
    imperfection, random = LEVELS[imperfect], np.random.default_rng((seed, 3))
    mechanics = replace(draw_mechanics(model, imperfection, random), payload=carried)
    body = make_robot(engine, model, displace_walls(world, imperfection, random), mechanics=mechanics)
    return ImperfectRobot(body, imperfection, random)


def find_start(scenario: Scenario, model: RobotModel) -> np.ndarray:
    """Find the configuration in which a robot begins a scenario, shape ``(nq,)``."""
    q = scenario.start(model)
    q[:2] += scenario.place(model, model.effector_poses(q))
    return q


def _make_disturbance(scenario: Scenario, model: RobotModel, seed: int) -> Disturbance:
    if scenario.disturb is None:
        return lambda _body, _state: None
    return scenario.disturb(model, np.random.default_rng((seed, 1)))


def _make_delay(scenario: Scenario, seed: int) -> Callable[[], float]:
    return (lambda: 0.0) if scenario.delay is None else scenario.delay(np.random.default_rng((seed, 2)))


class _Station:
    """Samples the scripted operator at the rate of a headset, and shows him what happens.

    Attributes:
        samples: All samples, one after the other.
        received: Those that arrived before any newer one, with the times at which they did [s].
    """

    def __init__(self, operator: Operator, delay: Callable[[], float]) -> None:
        self._operator = operator
        self._delay = delay
        # Samples under way, with the times at which they arrive [s].
        self._coming: list[tuple[float, OperatorInput]] = []
        self._snapshot: Snapshot | None = None
        self._sample = -1
        self._newest = operator.sample(0.0, None)
        self.samples = [self._newest]
        self.received = [(-LANDING, self._newest)]
        self._over_at = np.inf

    def newest_input(self, time: float) -> OperatorInput:
        """Return the newest sample that has arrived at a time [s]; one that others have overtaken is dropped."""
        if int(time * OPERATOR_RATE) > self._sample:
            self._sample = int(time * OPERATOR_RATE)
            sample = self._operator.sample(max(0.0, time), self._snapshot)
            self.samples.append(sample)
            self._coming.append((time + self._delay(), sample))
            if self._operator.over:
                self._over_at = min(self._over_at, time)
        for arrival, sample in self._coming:
            if arrival <= time and sample.sequence > self._newest.sequence:
                self._newest = sample
                self.received.append((time, sample))
        self._coming = [(arrival, sample) for arrival, sample in self._coming if arrival > time]
        return self._newest

    def see(self, snapshot: Snapshot) -> None:
        """Show the operator the last snapshot."""
        self._snapshot = snapshot

    def over_for(self, time: float, duration: float) -> bool:
        """Return whether the script has been over for a duration [s]."""
        return time >= self._over_at + duration
