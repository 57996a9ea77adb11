"""The robot host: everything that protects the robot runs here, in a process of its own."""

from __future__ import annotations

import gc
import math
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.host.bodies import start_robot
from handhold.app.host.cadence import Cadence, CadenceReport
from handhold.app.host.command_rate import MIN_RATIO
from handhold.app.host.cycle import Cycle, Headline
from handhold.app.host.cycle_period import CyclePeriod
from handhold.app.host.driven_robot import DrivenRobot, UnwellRobot
from handhold.app.host.events import find_events
from handhold.app.host.loop_clocks import MACHINE_CLOCKS, LoopClocks
from handhold.app.host.pulses import HapticState, find_pulses
from handhold.app.host.slowness import Slowness
from handhold.app.host.surfaces import list_surfaces
from handhold.app.host.surroundings import Surroundings
from handhold.app.link import HostLink
from handhold.app.logs.limits import LogLimits
from handhold.app.logs.recording import CycleRecord, LogHeader, Recorder
from handhold.app.logs.store import STAMP, to_bytes
from handhold.app.session.commit import current_commit
from handhold.app.session.config import PERFECT, SIMULATED_BODY, SessionConfig, has_camera
from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
from handhold.app.session.process import Stop, run_process
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop as OperatorStop
from handhold.devices.stop import choose_stop
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.engagement.presence import LINK_LOST_AFTER
from handhold.robots.health import RobotHealth
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.worlds import load_world

SNAPSHOT_PERIOD = 1.0 / 60.0
"""Period at which snapshots of the robot are published [s]."""

LOOK_PERIOD = 0.1
"""How often a robot that knows all of a simulated world looks where that is from where it thinks it is [s]."""

NO_OPERATOR = OperatorInput(time=0.0, focused=False)
"""The robot's input before the first sample of an operator arrives."""

RATE_TOO_LOW = (
    f"held: commanded at less than {100.0 * MIN_RATIO:.0f} % of its rate; end what else this machine runs, and look at the "
    "robot's network"
)
"""What the operator is told of a robot that holds for that."""

SETTLING, RESTING, REST_SPEED = 10.0, 0.5, 0.01
"""How long a robot may take to come to rest before it is handed back [s], for how long it rests then [s], and under which
velocity of every joint of its reference it does [rad/s]."""

SWITCH_INTERVAL = 1e-3
"""How long the loop may keep a thread of the link from noting a sample's arrival [s]; Python's own 5 ms would make it late."""


class StationNeverCame(AppError):
    """A session's time is over before anything was heard of its station.

    Attributes:
        duration: How long the robot stood [s].
    """

    def __init__(self, duration: float) -> None:
        self.duration = duration
        super().__init__(
            f"no station has connected within the {duration:g} s of the session; mend what it says above, "
            "or give a longer --duration"
        )


class ControlLoop:
    """Runs the control cycle on a robot, publishes it to the station and records it."""

    def __init__(
        self,
        driven: DrivenRobot,
        cycle: Cycle,
        link: HostLink,
        recorder: Recorder,
        cadence: Cadence,
        *,
        surroundings: Surroundings | None = None,
        clocks: LoopClocks = MACHINE_CLOCKS,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """Take the parts; nothing runs yet.

        Args:
            driven: The robot.
            cycle: Its control cycle, which calls ``cadence.mark``.
            link: Where samples come from and snapshots go.
            recorder: The log.
            cadence: Times the cycles.
            surroundings: What is known of them; nothing unless told.
            clocks: The time it lives by.
            say: Tells people, once, that the machine is too slow.
        """
        self._driven, self._robot = driven, driven.robot
        self._cycle = cycle
        self._link = link
        self._recorder = recorder
        self._cadence = cadence
        self._clock, self._boot_clock = clocks.monotonic, clocks.boot
        self._say = say
        self._said_slow = False
        self._said_sight = False
        self._slowness = Slowness(driven.period, driven.slowness_words)
        self._surroundings = surroundings or Surroundings()
        self._held_sample, self._stop = NO_OPERATOR, OperatorStop.NONE
        self._cycles = 0
        self._snapshot: Snapshot | None = None
        self._haptics: HapticState | None = None
        self._names = tuple(effector.name for effector in driven.robot.model.effectors)
        self._link_messages: tuple[str, ...] = ()
        self._health_message, self._concerns = "", frozenset[str]()
        self._rate_message = ""
        self._headline: Headline | None = None
        self._next_snapshot = self._next_look = 0.0
        self._period = CyclePeriod(driven.period)

    def run(self, stop: Callable[[], bool], hurries: Callable[[], bool] = lambda: False) -> CadenceReport:
        """Run cycles until it is to stop, then close the log; that of a cycle that raised too, with the fault in words.

        Args:
            stop: Whether it is to stop.
            hurries: Whether it is not to wait for a robot that is handed back.
        """
        self._start, self._read_at = self._clock(), self._boot_clock()
        driven = self._driven
        driven.begin()
        try:
            while not (stop() or self._is_unwell):
                self._run_cycle(driven.wait())
            if driven.is_left_standing:
                self._come_to_rest(hurries)
            if ending := driven.begin_end():
                self._say(f"robot host: {ending}")
            while not (driven.has_ended or hurries()):
                self._run_cycle(driven.wait())
        except BaseException as error:
            self._close_log(describe_fault(self._cycles, error))
            raise
        return self._close_log()

    @property
    def _is_unwell(self) -> bool:
        watch = self._driven.health
        return watch is not None and bool(watch.ending)

    def _come_to_rest(self, hurries: Callable[[], bool]) -> None:
        """Hold, as by the operator's stop, until the reference has rested for a while; whoever walks ends its step."""
        self._stop = OperatorStop.HOLD
        since, end = math.inf, self._clock() + SETTLING
        while not hurries() and (now := self._clock()) < end and now - since < RESTING:
            self._run_cycle(self._driven.wait())
            at_rest = float(np.abs(self._cycle.reference.v).max()) < REST_SPEED
            since = min(since, now) if at_rest else math.inf

    def _close_log(self, fault: str = "") -> CadenceReport:
        now, recorder = self._clock(), self._recorder
        report = self._cadence.report(now - self._start, self._driven.lag)
        try:
            if fault:
                recorder.event(now, fault)
            elif self._cycles:
                self._publish_changes(self._cycle.report(), now)
        finally:
            # Whatever the last report comes to, what was recorded is kept.
            recorder.close(now, recorder.cycles, report.to_json() | ({"fault": fault} if fault else {}))
        return report

    def _run_cycle(self, now: float) -> None:
        cadence = self._cadence
        cadence.begin()
        sample, age = self._newest_sample()
        cadence.mark("read")
        state = self._robot.read()
        cadence.mark("estimate")
        surfaces, dt = self._look_around(state, now), self._period.measure(state.time, now)
        cadence.mark("read")
        command = self._cycle.advance(replace(sample, age=age), state, surfaces, dt)
        headline = self._cycle.headline
        self._apply(command)
        self._recorder.record(
            CycleRecord(
                cycle=self._cycles,
                host_time=now,
                cpu_time=cadence.spent,
                age=age,
                dt=dt,
                sample=sample,
                surfaces=surfaces,
                robot_state=state,
                reference=self._cycle.reference,
                command=command,
                engaged=(headline.left_engaged, headline.right_engaged),
            )
        )
        cadence.mark("record")
        if now >= self._next_snapshot or headline != self._headline:
            self._headline = headline
            self._publish(self._cycle.report(), now)
        cadence.mark("tell")
        cadence.end()
        self._cycles += 1

    def _look_around(self, state: RobotState, now: float) -> tuple[Surface, ...]:
        """Return what is known of the surroundings: what cameras have told, or all of a simulated world."""
        self._surroundings.update(self._link.newest_sighting, now, self._link.newest_proposal)
        if now >= self._next_look and not self._surroundings.has_camera:
            self._next_look = now + LOOK_PERIOD
            if (truth := self._driven.find_truth(now)) is not None:
                self._surroundings.follow_drift(state.q, truth.q)
        return self._surroundings.surfaces

    def _apply(self, command: JointCommand) -> None:
        """Send a command and let the robot follow it; one that is as old as a lost link is not sent: the next cycle holds."""
        late = self._boot_clock() - self._read_at >= LINK_LOST_AFTER
        if not late:
            self._robot.send(command)
        self._cadence.mark("send")
        if not late:
            self._driven.follow()
        self._cadence.mark("physics")

    def _newest_sample(self) -> tuple[OperatorInput, float]:
        """Return the newest sample and its age [s] by the host's clock; the same object while nothing newer has come.

        Where the host itself stood still for as long as makes a link lost, the link was lost, whatever has arrived meanwhile.
        """
        now, boot_time = self._clock(), self._boot_clock()
        gap, self._read_at = boot_time - self._read_at, boot_time
        arrival = self._link.newest_input()
        sample, taken = (NO_OPERATOR, self._start) if arrival is None else (arrival.sample, arrival.time)
        if self._driven.is_rate_too_low and sample.focused:
            sample = self._without_focus(sample)
        stop, self._stop = choose_stop(self._link.next_stop(), self._stop), OperatorStop.NONE
        if stop:
            sample = replace(sample, stop=stop)
        # the sample may have arrived meanwhile
        return sample, max(0.0, now - taken, gap if gap >= LINK_LOST_AFTER else 0.0)

    def _without_focus(self, sample: OperatorInput) -> OperatorInput:
        if self._held_sample.sequence != sample.sequence or self._held_sample.device != sample.device:
            self._held_sample = replace(sample, focused=False)
        return self._held_sample

    def _publish(self, snapshot: Snapshot, now: float) -> None:
        """Publish what has changed to the log and the operator's hands, and everything to the station, if it is time."""
        self._publish_changes(snapshot, now)
        if now >= self._next_snapshot:
            self._next_snapshot = max(self._next_snapshot + SNAPSHOT_PERIOD, now)
            self._link.send_snapshot(self._complete(snapshot, now))
            if self._surroundings.has_camera and (truth := self._driven.find_truth(now)) is not None:
                self._link.send_truth(truth)

    def _publish_changes(self, snapshot: Snapshot, now: float) -> None:
        for event in find_events(self._snapshot, snapshot):
            self._recorder.event(now, event)
        self._haptics, pulses = find_pulses(self._haptics, snapshot, self._names)
        for pulse in pulses:
            self._link.send_pulse(pulse)
        self._snapshot = snapshot

    def _complete(self, snapshot: Snapshot, now: float) -> Snapshot:
        """Add to a snapshot what the cycle does not know: link, log and machine."""
        before, self._link_messages = self._link_messages, self._link.describe()
        for message in self._link_messages:
            if message not in before:
                self._recorder.event(now, f"message: {message}")
        self._measure_slowness(now)
        self._announce_rate(now)
        self._announce_sight(now)
        health = self._announce_health(now)
        added = (
            self._health_message,
            *self._link_messages,
            self._surroundings.message,
            self._recorder.failure,
            self._slowness.message,
            self._rate_message,
        )
        messages = tuple(message for message in (*snapshot.messages, *added) if message)
        counters = replace(snapshot.counters, overruns=self._cadence.over_budget, refused_messages=self._link.refused)
        return replace(snapshot, messages=messages, counters=counters, measured_at=now, health=health)

    def _measure_slowness(self, now: float) -> None:
        """Measure how fast the robot's clock runs; too slow, it is logged, and reported to people the first time."""
        slowness, before = self._slowness, self._slowness.message
        if not slowness.is_due(now):
            return
        slowness.update(now, self._cycles, self._cadence.totals)
        if slowness.message and not before:
            self._recorder.event(now, f"message: {slowness.message}")
        if slowness.message and not self._said_slow:
            self._said_slow = True
            self._say(f"robot host: {slowness.message}; {self._driven.slowness_effect}")

    def _announce_rate(self, now: float) -> None:
        """Note whether the robot holds for its rate; that is logged when it begins."""
        before, self._rate_message = self._rate_message, RATE_TOO_LOW if self._driven.is_rate_too_low else ""
        if self._rate_message and not before:
            self._recorder.event(now, f"message: {self._rate_message}")

    def _announce_health(self, now: float) -> RobotHealth | None:
        """Return how the robot is; a warning of it is logged, and said to people, when there is something new to say."""
        if (watch := self._driven.health) is None:
            return None
        message, before = watch.ending or watch.warning, self._concerns
        self._health_message, self._concerns = message, watch.concerns
        if watch.concerns - before:
            self._recorder.event(now, f"message: {message}")
            self._say(f"robot host: {message}")
        return watch.health

    def _announce_sight(self, now: float) -> None:
        """Tell people and the log, the first time, that the cycle knows surfaces by its camera."""
        count = len(self._surroundings.surfaces)
        if self._said_sight or not self._surroundings.has_camera or not count:
            return
        self._said_sight = True
        seen = f"{count} surface{'s' if count > 1 else ''} seen by its camera"
        self._recorder.event(now, f"message: {seen}")
        self._say(f"robot host: {seen}")


def describe_fault(cycle: int, error: BaseException) -> str:
    """Say in words what ended a session, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    raised = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"cycle {cycle} raised {type(error).__name__}: {' '.join(str(error).split())}{raised}"


def run_host(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """Build the robot and run it until a stop is requested.

    Raises:
        RobotError: The robot, its world or its engine cannot be had.
        AppError: The link or the log cannot be opened, or no station came before the session's time was over.
    """
    ask_for_priority(HOST_NICENESS)
    # the port is asked for first: a second host must say so before it compiles anything
    with HostLink(config.link, time.monotonic) as link:
        driven, start = start_robot(config, MACHINE_CLOCKS)
        robot, cadence = driven.robot, Cadence(driven.period)
        cycle = Cycle(robot.model, start, mark=cadence.mark)
        # from here on there is a log to close
        stop.defer()
        folder, cap = Path(config.log_folder), to_bytes(config.log_cap)
        header = describe_session(config, driven.period)
        recorder = Recorder(folder, _log_name(config), header, start, LogLimits(cap_bytes=cap))
        say(f"robot host: {config.link.robot} stands; the log is {recorder.file}")
        if config.camera == PERFECT:
            about = "all of the simulated world is known, exactly"
            if config.body != SIMULATED_BODY:
                about = f"the world is taken to be as '{config.world}' has it, with the robot where it starts there"
            say(f"robot host: no camera: {about}")
        gc.collect()
        # what lives now lives on: leaving it out of collections removes the long ones
        gc.freeze()
        sys.setswitchinterval(SWITCH_INTERVAL)
        loop = ControlLoop(driven, cycle, link, recorder, cadence, surroundings=_begin_surroundings(config), say=say)
        try:
            report = loop.run(stop.after(config.duration, time.monotonic), lambda: stop.insisted)
        except BaseException:
            say(f"robot host: a cycle failed, and the robot is not commanded any more; its log is closed: {recorder.file}")
            raise
        finally:
            robot.close()
        for line in report.to_lines():
            say(f"robot host: {line}")
        if recorder.failure:
            say(f"robot host: {recorder.failure}")
        if driven.health is not None and driven.health.ending:
            raise UnwellRobot(driven.health.ending)
        if link.newest_input() is None and not stop.requested:
            raise StationNeverCame(config.duration or 0.0)


def _begin_surroundings(config: SessionConfig) -> Surroundings:
    """Return what is known before any camera has seen anything: all of a simulated world only where that is asked for."""
    is_perfect = config.camera == PERFECT
    return Surroundings(list_surfaces(load_world(config.world)) if is_perfect else (), has_camera=has_camera(config))


def _log_name(config: SessionConfig) -> str:
    return f"{config.link.robot}-{datetime.now(UTC):{STAMP}}"


def describe_session(config: SessionConfig, period: float) -> LogHeader:
    """Return what a log has to know of the session it records, with its control period [s]."""
    names = ("handhold", "pin", "numpy", "scipy", "daqp", "numba", "mujoco", "pybullet")
    installed = {distribution.metadata["Name"].lower() for distribution in metadata.distributions()}
    return LogHeader(
        robot=config.robot,
        engine=config.engine if config.body == SIMULATED_BODY else config.body,
        world=config.world,
        dt=period,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=current_commit(),
        versions={name: metadata.version(name) for name in names if name in installed},
    )


if __name__ == "__main__":
    run_process(run_host)
