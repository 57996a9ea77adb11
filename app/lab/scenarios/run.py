"""Runs a scenario: operator, cycle and simulated robot in lockstep, no clock but the robot's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from handhold.app.camera.sight import Sight
from handhold.app.host.cycle import Cycle
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.body import make_body
from handhold.app.lab.scenarios.deviation import NO_DEVIATION, STAND_IN, Deviation
from handhold.app.lab.scenarios.knowledge import Knowledge, see_by
from handhold.app.lab.scenarios.observer import Observer
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Disturbance, Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.proposals.proposer import Proposer
from handhold.app.session.commit import current_commit
from handhold.app.session.config import PERFECT, REAL
from handhold.app.stand_in.program import find_model
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.model import RobotModel, load_model, weigh
from handhold.robots.robot import CONTROL_PERIOD, RobotState, SimulatedRobot
from handhold.robots.unitree.stand_in_file import find_mass
from handhold.robots.worlds import World, load_world

PERIOD = CONTROL_PERIOD
"""Control period of a simulated robot [s]."""

LANDING = 0.5
"""Time the robot stands before the script begins and anything is measured: it is put down on the floor without a load [s]."""

LINGERING = 1.0
"""Time a run goes on after the script is over: whatever it left behind shows itself [s]."""

MAX_EXACT_DURATION = 60.0
"""Duration up to which every cycle is kept; of a longer run only so many samples [s]."""


def run_scenario(
    scenario: Scenario,
    robot: str,
    engine: str,
    seed: int,
    *,
    duration: float | None = None,
    seiko: SeikoParameters | None = None,
    deviation: Deviation = NO_DEVIATION,
    camera: str = PERFECT,
) -> tuple[Outcome, Trace]:
    """Run a scenario on a robot in a physics engine and measure it.

    Args:
        scenario: What to run.
        robot: Name or file of the robot.
        engine: Name of the physics engine.
        seed: Seed of all randomness.
        duration: Simulated time in place of the scenario's own [s].
        seiko: Parameters of SEIKO; None for the defaults.
        deviation: How far the robot is from its model.
        camera: What sees the surroundings: ``"perfect"`` knows them from the start, ``"sim"`` sees them as a camera does.

    Raises:
        RobotError: The robot, the world or the engine cannot be had.
        RobotUnfit: The robot lacks what the scenario needs.
        RetargetError: The robot cannot stand.
    """
    if duration is not None:
        scenario = replace(scenario, duration=duration)
    model = load_model(robot)
    if deviation.body == STAND_IN:
        # Whoever drives a real robot has put it on a scale before.
        model = weigh(model, find_mass(find_model(model.description.name)))
    trace = play(scenario, model, engine, seed, make_cycle=partial(Cycle, seiko=seiko), deviation=deviation, camera=camera)
    return _measure(scenario, model, engine, seed, trace, deviation, camera), trace


def _measure(
    scenario: Scenario, model: RobotModel, engine: str, seed: int, trace: Trace, deviation: Deviation, camera: str
) -> Outcome:
    """Measure a run: the scenario's own figures, and those of every run."""
    return Outcome(
        name=scenario.name,
        robot=model.description.name,
        engine=engine,
        seed=seed,
        commit=current_commit(),
        duration_s=trace.cycles * deviation.period,
        fell=trace.fell,
        figures=[
            *scenario.measure(model, trace),
            *trace.sight,
            Figure("missed_waits", float(len(trace.missed)), "-", must=0.0),
            Figure("damped", float(bool(trace.damped)), "-", must=0.0),
        ],
        extra={
            "imperfect": deviation.imperfect,
            "payload": deviation.payload,
            "sensors": deviation.sensors,
            "body": deviation.body,
            "mass": model.mass,
            "camera": camera,
            "camera_noise": None if camera == PERFECT else scenario.camera_noise.sigma,
            "constraint_activity": trace.activity_ratios,
            "missed": list(trace.missed),
            "damped_because": trace.damped,
        },
    )


def play(
    scenario: Scenario,
    model: RobotModel,
    engine: str,
    seed: int,
    make_cycle: Callable[[RobotModel, RobotState], Cycle] = Cycle,
    disturb: Disturbance | None = None,
    deviation: Deviation = NO_DEVIATION,
    camera: str = PERFECT,
) -> Trace:
    """Play a scenario's script and return the run; ends early after a fall, and when the script is over.

    Args:
        scenario: What to play.
        model: The robot.
        engine: Name of the physics engine.
        seed: Of all randomness.
        make_cycle: Makes the control cycle of a robot, from its first state.
        disturb: What pushes the robot in place of the scenario's own; None for that.
        deviation: How far the robot is from its model.
        camera: What sees the surroundings; see ``run_scenario``.

    Raises:
        RobotUnfit: The robot lacks what the scenario needs.
    """
    scenario.check(model)
    start, period = find_start(scenario, model), deviation.period
    known, surfaces = _find_surroundings(scenario, model, start, seed)
    with contextlib.closing(make_body(engine, model, known, seed, deviation)) as body:
        state = body.reset(start)
        operator = scenario.script(model, model.effector_poses(state.q), np.random.default_rng(seed))
        disturb = disturb or _make_disturbance(scenario, model, seed)
        knowledge, snapshot = _gather_knowledge(scenario, model, body, surfaces, seed, camera, deviation), None
        station, cycle = _Station(operator, _make_delay(scenario, seed)), make_cycle(model, state)
        trace = Trace(stride=max(1, round(scenario.duration / MAX_EXACT_DURATION)))
        observer = Observer(model, body, known, trace, has_camera=camera != PERFECT)
        for tick in range(round((LANDING + scenario.duration) / period)):
            time = tick * period - LANDING
            surfaces = knowledge.update(state, snapshot)
            command, snapshot = cycle.step(station.newest_input(time), state, surfaces, period)
            station.receive(snapshot)
            if time >= 0.0:
                observer.add(snapshot, state, surfaces)
            if trace.fell or station.over_for(time, LINGERING):
                break
            body.send(command)
            observer.add_push(disturb(body, state))
            body.advance(period)
            state = body.read()
    return _complete(trace, observer, station, operator)


def _complete(trace: Trace, observer: Observer, station: _Station, operator: Operator) -> Trace:
    """Return a trace with what the operator did, what of it arrived, and how right was what was seen."""
    observer.complete()
    trace.samples, trace.received = station.samples, station.received
    trace.missed, trace.notes = operator.missed, operator.notes
    return trace


def _gather_knowledge(
    scenario: Scenario,
    model: RobotModel,
    body: SimulatedRobot,
    surfaces: tuple[Surface, ...],
    seed: int,
    camera: str,
    deviation: Deviation,
) -> Knowledge:
    """Return what tells the surfaces that are known in each cycle: all of the world, or what the camera has seen."""
    see = None
    if camera != PERFECT:
        noise, make_fault = scenario.camera_noise, scenario.make_frame_fault
        see = see_by(Sight(model, body.world, seed=seed, noise=noise, make_frame_fault=make_fault), body)
    find_true = (lambda: body.truth.q) if deviation.sensors == REAL else None
    return Knowledge(surfaces, see, Proposer(model) if scenario.proposes else None, find_true)


def _find_surroundings(
    scenario: Scenario, model: RobotModel, start: np.ndarray, seed: int
) -> tuple[World, tuple[Surface, ...]]:
    """Return the world about a robot that begins in a configuration, and the surfaces in it that are known."""
    poses = model.effector_poses(start)
    world = scenario.vary(load_world(scenario.world), np.random.default_rng((seed, 3)))
    known = scenario.fit(world, model, poses)
    return known, list_surfaces(scenario.fit(load_world(scenario.mapped), model, poses) if scenario.mapped else known)


def find_start(scenario: Scenario, model: RobotModel) -> np.ndarray:
    """Find the configuration in which a robot begins a scenario, shape ``(nq,)``."""
    q = scenario.start(model)
    q[:2] += scenario.start_offset(model, model.effector_poses(q))
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
        # Samples in transit, with the times at which they arrive [s].
        self._in_transit: list[tuple[float, OperatorInput]] = []
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
            self._in_transit.append((time + self._delay(), sample))
            if self._operator.over:
                self._over_at = min(self._over_at, time)
        for arrival, sample in self._in_transit:
            if arrival <= time and sample.sequence > self._newest.sequence:
                self._newest = sample
                self.received.append((time, sample))
        self._in_transit = [(arrival, sample) for arrival, sample in self._in_transit if arrival > time]
        return self._newest

    def receive(self, snapshot: Snapshot) -> None:
        """Show the operator the last snapshot."""
        self._snapshot = snapshot

    def over_for(self, time: float, duration: float) -> bool:
        """Return whether the script has been over for a duration [s]."""
        return time >= self._over_at + duration
