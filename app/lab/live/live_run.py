"""Plays a scenario's operator as the station of a live session, and measures what happened."""

from __future__ import annotations

import math
import re
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.host.footholds import find_start as find_session_start
from handhold.app.lab.benches.timing import KernelClock
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.live.live_session import LiveOptions, LiveSession, live_session
from handhold.app.lab.live.told_process import LiveRunFailed, ToldProcess
from handhold.app.lab.safety.link_attacker import TOPICS, Attack, count_sent, start_attack
from handhold.app.lab.scenarios.run import find_start
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Operator, Scenario
from handhold.app.link.station_link import StationLink
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord
from handhold.app.session.commit import current_commit
from handhold.app.session.config import default_log_folder
from handhold.render.snapshot import Snapshot
from handhold.robots.control.hand_over import DURATION as HANDING_OVER
from handhold.robots.model import RobotModel, load_model

FREEZES = 10
"""How often the host is stopped for a moment while the robot stands."""

FLOODS, FLOOD = 10, 5000
"""How often the host is flooded while the robot stands, and with how many messages."""

DAMPED = r"damped at .* after ([\d.]+) ms"
"""What the robot says when it damps itself."""

DAMPING = 5.0
"""How long it is waited for the robot to say that it is damped [s]."""

BETWEEN_FREEZES = 0.5
"""Time from one to the next [s]."""

CONNECTING = 60.0
"""How long the station may take to be heard [s]."""

STANDING_STILL, RESTING = 12.0, 6.0
"""How long the robot is left alone before the operator begins, and for how long of it, at its end, its torques at rest are
measured [s]: the hoist lets it go before, after which it sways for some seconds."""

LATENESS = 10.0
"""By how much the script may come later to its end than in lockstep [s]."""

LINGERING = 1.0
"""Time after the script is over, before the robot is handed back [s]."""

TAKING = 2.0
"""Time for which a robot that has been handed back is left to its maker's controller [s]."""

MAX_SILENCE, MAX_RIPPLE, MAX_HOST = 20.0, 2.0, 2.0
"""Largest time from silence to damping [ms], torques at rest [% of the limit], and work of the host around a cycle
[kernels]."""

STANDING_HEIGHT = 0.5
"""Height of the base above which a robot stands [m]."""

KERNEL_PERIOD, KERNELS = 1.0, 10
"""How often the kernel is timed while the robot is driven [s], and how many times in a row: what slows the host meanwhile
slows it as well, and the median is none that began with cold caches."""

CYCLE, ESTIMATE = ("operator", "retarget", "controller", "report"), "estimate"
"""Stages that are the cycle's, and the one that estimates; the others are the host's share: reading, sending, recording,
telling."""


class OnlyInLockstep(AppError):
    """A scenario cannot be played in real processes.

    Attributes:
        scenario: Its name.
        reason: Why, in words that follow it.
    """

    def __init__(self, scenario: str, reason: str) -> None:
        self.scenario, self.reason = scenario, reason
        super().__init__(f"{scenario} {reason}; play it in lockstep, with --body stand-in")


@dataclass(frozen=True, slots=True)
class _Played:
    """What the operator saw.

    Attributes:
        seconds: How long he played [s].
        missed: What he waited for in vain.
        is_over: Whether he came to the end.
        failures: Programs without a solution.
    """

    seconds: float
    missed: tuple[str, ...]
    is_over: bool
    failures: int


def run_live(scenario: Scenario, robot: str, seed: int, options: LiveOptions) -> Outcome:
    """Play a scenario in real processes and real time, freeze the host, hand the robot back, and let its maker take it.

    Where a figure does not hold the log is kept among the user's logs, to be looked at.

    Args:
        scenario: What to play: its world, operator and needs count.
        robot: Name of the robot.
        seed: Of the robot's sensors and of the operator.
        options: What stands in, and where.

    Raises:
        RobotError: The robot or its stand-in cannot be had.
        AppError: It lacks what the scenario needs, or a process does not start.
    """
    model, kernel = load_model(robot), KernelClock()
    check_live(scenario, model)
    with tempfile.TemporaryDirectory() as name, live_session(model, scenario.world, seed, Path(name), options) as session:
        operator = scenario.script(model, model.effector_poses(scenario.start(model)), np.random.default_rng(seed))
        played = _play(session, operator, scenario.duration, kernel)
        floods = [_flood(session, seed=FLOODS * seed + k) for k in range(FLOODS)]
        silences = _freeze_again_and_again(session)
        stands, moved = _hand_back(session)
        records = _read_log(Path(name))
        parts = find_host_parts(session.host)
        figures = [
            Figure("moved", moved, "m", must=scenario.moves, larger_is_better=True),
            *_measure(model, records, played, parts, kernel.microseconds),
            Figure("handed_back", float(stands), "-", must=1.0, larger_is_better=True),
            Figure("silence_to_damping", max(silences), "ms", must=MAX_SILENCE),
            Figure("silence_in_floods", max(floods), "ms", must=MAX_SILENCE),
        ]
        if not all(figure.holds for figure in figures):
            _keep_log(Path(name), f"{scenario.name}-live-seed-{seed}", default_log_folder())
    return Outcome(
        name=scenario.name,
        robot=model.description.name,
        engine="stand-in",
        seed=seed,
        commit=current_commit(),
        duration_s=played.seconds,
        fell=not stands,
        figures=figures,
        extra={"body": "unitree", "missed": list(played.missed), "stand_in": list(options.list_words())},
    )


def check_live(scenario: Scenario, model: RobotModel) -> None:
    """Check that a scenario has nothing that only a simulation in lockstep gives.

    Raises:
        RobotUnfit: The robot lacks what it needs.
        OnlyInLockstep: It has.
    """
    scenario.check(model)
    if scenario.disturb is not None or scenario.delay is not None or scenario.must_see or scenario.proposes:
        raise OnlyInLockstep(scenario.name, "is about what happens to the robot besides")
    start = find_start(scenario, model)
    if not np.allclose(start, find_session_start(scenario.world, model), atol=1e-6):
        raise OnlyInLockstep(scenario.name, "begins elsewhere than a session in its world does")


def _play(session: LiveSession, operator: Operator, duration: float, kernel: KernelClock) -> _Played:
    """Be the station until the script is over, and a little longer, and time the kernel; ends early where the host does."""
    snapshot: Snapshot | None = None
    begun, over_at, opened, timed = float("inf"), float("inf"), time.monotonic(), 0.0
    with StationLink(session.config.link, time.monotonic, name="script") as link:
        while session.host.process.poll() is None:
            now, snapshot = time.monotonic(), link.newest_snapshot() or snapshot
            if link.drives and snapshot is not None:
                begun = min(begun, now + STANDING_STILL)
            elif now - opened > CONNECTING:
                raise LiveRunFailed("station", "the robot's lease", [])
            # By the station's clock, which says how old a sample is.
            link.send(replace(operator.sample(max(0.0, now - begun), snapshot), time=now))
            if now - timed > KERNEL_PERIOD:
                timed = now
                for _ in range(KERNELS):
                    kernel.tick()
            over_at = min(over_at, now) if operator.over else over_at
            if now - over_at > LINGERING or now - begun > duration + LATENESS:
                break
            time.sleep(1.0 / OPERATOR_RATE)
    failures = 0 if snapshot is None else _count_failures(snapshot)
    seconds = max(0.0, time.monotonic() - begun)
    return _Played(seconds, operator.missed, is_over=operator.over, failures=failures)


def _count_failures(snapshot: Snapshot) -> int:
    return snapshot.counters.qp_failures_reference + snapshot.counters.qp_failures_controller


def _freeze_again_and_again(session: LiveSession) -> list[float]:
    """Freeze the host some times, or until the robot is not damped in time; returns the silences [ms]."""
    silences: list[float] = []
    while len(silences) < FREEZES and max(silences, default=0.0) < float("inf"):
        silences.append(_freeze(session))
    return silences


def _flood(session: LiveSession, seed: int) -> float:
    """Send the host all that a stranger with a connection can; returns the longest silence that damped the robot [ms].

    Where it was commanded all the time that is none.
    """
    config, since = session.config, time.monotonic()
    attack = Attack(
        robot=config.link.robot,
        port=config.link_port,
        transport_key=config.link_key,
        recorded=dict.fromkeys(TOPICS, ()),
        count=FLOOD,
        seed=seed,
    )
    count_sent(start_attack(attack))
    return max((float(silence[1]) for silence in session.robot.find_all(DAMPED, since)), default=0.0)


def _freeze(session: LiveSession) -> float:
    """Stop the host until the robot is damped, and let it go on; returns after how long a silence that was [ms]."""
    host, since = session.host.process, time.monotonic()
    host.send_signal(signal.SIGSTOP)
    try:
        _, damped = session.robot.wait_for(DAMPED, DAMPING, since=since)
    except LiveRunFailed:
        return float("inf")
    finally:
        host.send_signal(signal.SIGCONT)
    time.sleep(BETWEEN_FREEZES)
    return float(damped[1])


def _hand_back(session: LiveSession) -> tuple[bool, float]:
    """Let the host hand the robot back and its maker's controller take it, and end all.

    Returns:
        Whether the robot stands in the end, and how far it is from where it began, by its own physics [m].
    """
    host, robot = session.host, session.robot
    host.process.terminate()
    try:
        host.wait_for("holds its posture", CONNECTING)
        time.sleep(1.5 * HANDING_OVER)
        robot.process.send_signal(signal.SIGUSR1)
        robot.wait_for("held by its maker's controller at .* s$", CONNECTING, since=time.monotonic() - HANDING_OVER)
        time.sleep(TAKING)
    except LiveRunFailed:
        return False, math.nan
    host.stop()
    robot.stop()
    _, end = robot.wait_for(r"its base at (-?[\d.]+) m, ([\d.]+) m from where it began", CONNECTING)
    return float(end[1]) > STANDING_HEIGHT, float(end[2])


def _keep_log(folder: Path, name: str, kept: Path) -> None:
    """Keep the log of a run that does not hold, in place of an older one of its name: no second run is like it."""
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(next(folder.glob("*.mcap")), kept / f"{name}.mcap")


def _read_log(folder: Path) -> list[CycleRecord]:
    return [entry for entry in LogReader(next(folder.glob("*.mcap"))).entries() if isinstance(entry, CycleRecord)]


def _measure(model: RobotModel, records: list[CycleRecord], played: _Played, parts: HostParts, kernel: float) -> list[Figure]:
    """Measure the robot's torques at rest, the host's work, and what failed."""
    end = records[0].robot_state.time + STANDING_STILL
    start = end - RESTING
    rest = [record.robot_state.joint_torques for record in records if start < record.robot_state.time < end]
    ripple = 100.0 * float((np.std(rest, axis=0) / model.motor_torques).max()) if rest else float("nan")
    cycle = 1e6 * float(np.mean([record.cpu_time for record in records])) / kernel
    rate = (len(records) - 1) / (records[-1].host_time - records[0].host_time)
    return [
        Figure("missed_waits", float(len(played.missed)), "-", must=0.0),
        Figure("played_through", float(played.is_over), "-", must=1.0, larger_is_better=True),
        Figure("qp_failures", float(played.failures), "-", must=0.0),
        Figure("torque_ripple", ripple, "%", must=MAX_RIPPLE),
        Figure("tick_kernels", cycle * parts.host, "-", must=MAX_HOST),
        Figure("estimate_kernels", cycle * parts.estimate, "-"),
        Figure("cycle_kernels", cycle, "-"),
        Figure("rate", rate, "Hz"),
    ]


@dataclass(frozen=True, slots=True)
class HostParts:
    """Which parts of a cycle's CPU time are not the control cycle's [-].

    Attributes:
        host: The host's own: reading, sending, recording and telling.
        estimate: Finding where the base is and what the contacts exert.
    """

    host: float
    estimate: float


def find_host_parts(host: ToldProcess) -> HostParts:
    """Find the parts by what the host tells at its end; NaN where it told nothing."""
    try:
        _, told = host.wait_for(r"CPU time: (.*)", CONNECTING)
    except LiveRunFailed:
        return HostParts(math.nan, math.nan)
    stages = {name: float(percent) for name, percent in re.findall(r"(\w+) (\d+) %", told[1])}
    whole = max(1.0, sum(stages.values()))
    own = sum(percent for stage, percent in stages.items() if stage not in (*CYCLE, ESTIMATE))
    return HostParts(own / whole, stages.get(ESTIMATE, 0.0) / whole)
