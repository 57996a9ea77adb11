"""``bench cycle``: what one simulated second of the whole robot host costs.

The host's own loop runs as in ``handhold run``: the link is open and told of the robot at 60 Hz, the session is recorded, and
the operator is the far-reach scenario's. Only the clock is simulated, so that nothing waits, and the samples come from the
script rather than from a station's process.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from handhold.app.cadence import Cadence
from handhold.app.cycle import Cycle
from handhold.app.figures import Figure, Outcome, current_commit
from handhold.app.host import ControlLoop, describe_session
from handhold.app.link import Arrival, HostLink
from handhold.app.recording import Recorder
from handhold.app.scenarios.far_reach import FAR_REACH
from handhold.app.scenarios.scenario import OPERATOR_RATE, Operator
from handhold.app.session import CONTROL_PERIOD, SessionConfig, find_free_port
from handhold.app.standing import find_standing_posture
from handhold.app.surfaces import list_surfaces
from handhold.app.warm_up import warm_up
from handhold.robots.engines import make_robot
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

SECONDS = 10.0
"""Simulated time that is measured; the far reach is saturated for most of it [s]."""

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
    """The host's end of the link with the operator's samples taken from a script."""

    def __init__(self, config: SessionConfig, clock: Callable[[], float], operator: Operator) -> None:
        super().__init__(config.link, clock)
        self._now = clock
        self._operator = operator
        self._last: Arrival | None = None
        self._sample = -1

    def newest_input(self) -> Arrival | None:
        """Return the script's newest sample."""
        self._publish_status()
        now = self._now()
        if int(now * OPERATOR_RATE) != self._sample:
            self._sample = int(now * OPERATOR_RATE)
            self._last = Arrival(self._operator.sample(now, None), now)
        return self._last


def run_cycle_bench(engine: str) -> Outcome:
    """Measure the CPU time that the robot host's process takes for a simulated second, all its threads together."""
    import numpy as np

    model = load_model("talos")
    world = load_world("flat")
    body = make_robot(engine, model, world)
    posture = find_standing_posture(model)
    warm_up(body, posture)
    state = body.reset(posture)
    clock, cadence = SimulatedClock(), Cadence(CONTROL_PERIOD)
    operator = FAR_REACH.script(model, model.effector_poses(state.q), np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        config = SessionConfig(engine=engine, link_port=find_free_port(), log_folder=folder)
        recorder = Recorder(Path(folder), "bench", describe_session(config), state)
        with ScriptedLink(config, clock, operator) as link:
            cycle = Cycle(model, state, mark=cadence.mark)
            surfaces = list_surfaces(world)
            loop = ControlLoop(body, cycle, link, recorder, cadence, surfaces=surfaces, clock=clock, sleep=clock.sleep)
            gc.collect()
            gc.freeze()
            start = time.process_time()
            report = loop.run(lambda: clock() >= SECONDS)
            spent = time.process_time() - start
    body.close()
    must, aim = BOUNDS[engine]
    return Outcome(
        name="cycle",
        robot="talos",
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=SECONDS,
        fell=None,
        figures=[
            Figure("busiest_load", spent / SECONDS, "s/s", must=must, aim=aim),
            *(Figure(f"share_{stage}", share, "-") for stage, share in report.shares.items()),
        ],
    )
