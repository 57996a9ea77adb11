"""``bench cycle``: what one simulated second of the whole robot host costs.

The host's own loop runs as in ``handhold run``: the link is open and publishes at 60 Hz, the session is recorded, and
the operator is a scenario's: of a far reach, and of one past a wall on which a hand braces. Only the clock is simulated, so
that nothing waits, and the samples come from the script rather than from a station's process.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.host.cadence import Cadence
from handhold.app.host.cycle import Cycle
from handhold.app.host.driven_robot import SteppedRobot
from handhold.app.host.loop_clocks import LoopClocks
from handhold.app.host.program import ControlLoop, describe_session
from handhold.app.host.standing import find_standing_posture
from handhold.app.host.surfaces import list_surfaces
from handhold.app.host.surroundings import Surroundings
from handhold.app.host.warm_up import warm_up
from handhold.app.lab.benches.timing import KernelClock
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.brace_hand import BRACE_HAND
from handhold.app.lab.scenarios.far_reach import FAR_REACH
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Operator, Scenario
from handhold.app.link import Arrival, HostLink
from handhold.app.logs.recording import Recorder
from handhold.app.session.commit import current_commit
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState
from handhold.robots.model import load_model
from handhold.robots.robot import CONTROL_PERIOD
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

SECONDS = 10.0
"""Simulated time that is measured of either; the reaches are saturated for most of it [s]."""

LATEST = 40.0
"""Simulated time after which a stretch that has not begun never will [s]."""

KERNEL_EVERY = 20
"""Cycles from one calibration to the next."""

# Most CPU seconds a simulated second may cost, and what we aim at.
BOUNDS = {"mujoco": (0.95, 0.6), "pybullet": (1.4, 0.9)}


class SimulatedClock:
    """A clock that goes on by what the loop sleeps, so that nothing waits."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        """Return the time [s]."""
        return self._now

    def sleep(self, duration: float) -> None:
        """Let time pass [s]."""
        self._now += duration


class ScriptedLink(HostLink):
    """The host's end of the link with the operator's samples taken from a script.

    Attributes:
        shown: The newest snapshot sent to the station, which the script sees; None before there is one.
    """

    def __init__(self, config: SessionConfig, clock: Callable[[], float], operator: Operator) -> None:
        super().__init__(config.link, clock)
        self._now = clock
        self._operator = operator
        self._last: Arrival | None = None
        self._sample = -1
        self.shown: Snapshot | None = None

    def newest_input(self) -> Arrival | None:
        """Return the script's newest sample."""
        self._publish_status()
        now = self._now()
        if int(now * OPERATOR_RATE) != self._sample:
            self._sample = int(now * OPERATOR_RATE)
            self._last = Arrival(self._operator.sample(now, self.shown), now)
        return self._last

    def send_snapshot(self, snapshot: Snapshot) -> None:
        """Send a snapshot, and show it to the script."""
        self.shown = snapshot
        super().send_snapshot(snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopCost:
    """What a cycle of the loop's own thread cost.

    Attributes:
        stages: CPU time of every stage [s a cycle].
        kernel: Calibration kernel of the same seconds [s].
        process: CPU time of the whole process, all its threads, a simulated second [s/s].
    """

    stages: Mapping[str, float]
    kernel: float
    process: float

    @property
    def load(self) -> float:
        """Kernels a cycle, which is a millisecond."""
        return sum(self.stages.values()) / self.kernel


class StageMeter:
    """Takes stage times and kernels of a stretch of cycles: asked before every cycle whether it is over."""

    def __init__(self, cadence: Cadence, seconds: float, begins: Callable[[], bool]) -> None:
        """Begin where ``begins`` says so for the first time; an operator who never gets there is found out by ``LATEST``."""
        self._cadence = cadence
        self._begins = begins
        self._cycles = round(seconds / CONTROL_PERIOD)
        self._kernel = KernelClock()
        self._before: dict[str, float] | None = None
        self._process = self._kernels = 0.0
        self._count = self._waited = 0

    def __call__(self) -> bool:
        """Say whether the stretch is over."""
        if self._before is None:
            self._waited += 1
            if self._waited * CONTROL_PERIOD > LATEST:
                raise AppError(f"bench cycle: the script did not get there in {LATEST:.0f} s; see the scenario it is of")
            if self._begins():
                self._before, self._process = self._cadence.totals, time.process_time()
            return False
        if self._count >= self._cycles:
            return True
        self._count += 1
        if self._count % KERNEL_EVERY == 0:
            start = time.process_time()
            self._kernel.tick()
            self._kernels += time.process_time() - start
        return False

    def read(self) -> LoopCost:
        """Return what the stretch cost."""
        assert self._before is not None, "the stretch has not begun"
        spent = time.process_time() - self._process - self._kernels
        stages = {name: total - self._before.get(name, 0.0) for name, total in self._cadence.totals.items()}
        return LoopCost(
            stages={name: total / self._count for name, total in stages.items()},
            kernel=1e-6 * self._kernel.microseconds,
            process=spent / (self._count * CONTROL_PERIOD),
        )


def measure_loop(engine: str, scenario: Scenario, begins: Callable[[Snapshot], bool], seconds: float) -> LoopCost:
    """Run a scenario's operator in the host's loop, and measure some seconds of it.

    Args:
        engine: Physics engine.
        scenario: Whose operator, world and place it is.
        begins: Whether the stretch that is measured begins, by the newest snapshot.
        seconds: Its length [s].
    """
    model, world = load_model("talos"), load_world(scenario.world)
    body = make_robot(engine, model, world)
    posture = find_standing_posture(model)
    posture[:2] += scenario.start_offset(model, model.effector_poses(posture))
    warm_up(body, posture)
    state = body.reset(posture)
    clock, cadence = SimulatedClock(), Cadence(CONTROL_PERIOD)
    operator = scenario.script(model, model.effector_poses(state.q), np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        config = SessionConfig(engine=engine, link_port=find_free_port(), log_folder=folder)
        recorder = Recorder(Path(folder), "bench", describe_session(config, CONTROL_PERIOD), state)
        with ScriptedLink(config, clock, operator) as link:
            cycle = Cycle(model, state, mark=cadence.mark)
            surroundings = Surroundings(list_surfaces(world))
            clocks = LoopClocks(monotonic=clock, boot=clock, sleep=clock.sleep)
            loop = ControlLoop(
                SteppedRobot(body, clocks), cycle, link, recorder, cadence, surroundings=surroundings, clocks=clocks
            )
            meter = StageMeter(cadence, seconds, lambda: link.shown is not None and begins(link.shown))
            gc.collect()
            gc.freeze()
            loop.run(meter)
    body.close()
    return meter.read()


def run_cycle_bench(engine: str) -> Outcome:
    """Measure the CPU time that the robot host takes for a simulated second, of a far reach and of a braced one."""
    reach = measure_loop(engine, FAR_REACH, lambda _: True, SECONDS)
    braced = measure_loop(engine, BRACE_HAND, lambda snapshot: snapshot.left.contact is ContactState.LOADED, SECONDS)
    must, aim = BOUNDS[engine]
    return Outcome(
        name="cycle",
        robot="talos",
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=2 * SECONDS,
        fell=None,
        figures=[
            Figure("busiest_load", max(reach.process, braced.process), "s/s", must=must, aim=aim),
            Figure("load_kernels", reach.load, "-", must=3.0, aim=2.2),
            Figure("braced_load_kernels", braced.load, "-", must=4.5),
            Figure("kernel", 1e6 * reach.kernel, "us"),
            *(Figure(f"stage_{stage}", spent / reach.kernel, "-") for stage, spent in reach.stages.items()),
            *(Figure(f"braced_stage_{stage}", spent / braced.kernel, "-") for stage, spent in braced.stages.items()),
        ],
    )
