"""The robot host: everything that protects the robot runs here, in a process of its own."""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from handhold.app.cadence import Cadence, CadenceReport
from handhold.app.cycle import Cycle, Headline
from handhold.app.errors import AppError
from handhold.app.events import find_events
from handhold.app.figures import current_commit
from handhold.app.link import HostLink
from handhold.app.log_store import STAMP, to_bytes
from handhold.app.pacing import SIMULATED_ROBOT, Pacing, PacingRules
from handhold.app.priority import HOST_NICENESS, ask_for_priority
from handhold.app.process import Stop, run_process
from handhold.app.pulses import Felt, find_pulses
from handhold.app.recording import CycleRecord, LogHeader, Recorder
from handhold.app.session import CONTROL_PERIOD, SessionConfig
from handhold.app.surfaces import list_surfaces
from handhold.app.warm_up import warm_up
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.presence import LINK_LOST_AFTER
from handhold.robots.robot import JointCommand, RobotState, SimulatedRobot
from handhold.robots.worlds import load_world

SNAPSHOT_PERIOD = 1.0 / 60.0
"""Period at which viewers are told of the robot [s]."""

NOBODY = OperatorInput(time=0.0, focused=False)
"""What the robot is told before the first sample of an operator arrives."""

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
    """Runs the control cycle on a simulated robot and tells the station and the log of it."""

    def __init__(
        self,
        robot: SimulatedRobot,
        cycle: Cycle,
        link: HostLink,
        recorder: Recorder,
        cadence: Cadence,
        *,
        surfaces: tuple[Surface, ...] = (),
        dt: float = CONTROL_PERIOD,
        rules: PacingRules = SIMULATED_ROBOT,
        clock: Callable[[], float] = time.monotonic,
        boot_clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the parts; nothing runs yet.

        Args:
            robot: The robot.
            cycle: Its control cycle, which calls ``cadence.mark``.
            link: Where samples come from and snapshots go.
            recorder: The log.
            cadence: Times the cycles.
            surfaces: What is known of the surroundings.
            dt: Control period [s].
            rules: What is done about a machine that is too slow.
            clock: Monotonic clock of the host [s].
            boot_clock: A clock that goes on while the machine sleeps [s]; None where ``clock`` does.
            sleep: Waits for a time [s].
        """
        self._robot = robot
        self._cycle = cycle
        self._link = link
        self._recorder = recorder
        self._cadence = cadence
        self._dt = dt
        self._rules = rules
        self._clock = clock
        self._boot_clock = boot_clock or clock
        self._sleep = sleep
        self._surfaces = surfaces
        self._held_sample = NOBODY
        self._cycles = 0
        self._snapshot: Snapshot | None = None
        self._felt: Felt | None = None
        self._names = tuple(effector.name for effector in robot.model.effectors)
        self._link_messages: tuple[str, ...] = ()
        self._headline: Headline | None = None
        self._next_snapshot = 0.0

    def run(self, stop: Callable[[], bool]) -> CadenceReport:
        """Run cycles until told to stop, then close the log; that of a cycle that raised too, with the fault in words."""
        self._start, self._read_at = self._clock(), self._boot_clock()
        pacing = Pacing(self._dt, self._clock, self._sleep)
        try:
            while not stop():
                self._run_cycle(pacing.wait())
        except BaseException as error:
            self._close_log(pacing, describe_fault(self._cycles, error))
            raise
        return self._close_log(pacing)

    def _close_log(self, pacing: Pacing, fault: str = "") -> CadenceReport:
        now, recorder = self._clock(), self._recorder
        report = self._cadence.report(now - self._start, pacing.lag)
        try:
            if fault:
                recorder.event(now, fault)
            elif self._cycles:
                self._tell_changes(self._cycle.report(), now)
        finally:
            # Whatever the last report comes to, what was recorded is kept.
            recorder.close(now, recorder.cycles, report.to_json() | ({"fault": fault} if fault else {}))
        return report

    def _run_cycle(self, now: float) -> None:
        cadence = self._cadence
        cadence.begin()
        sample, age = self._newest_sample()
        state = self._robot.read()
        cadence.mark("read")
        command = self._cycle.advance(replace(sample, age=age), state, self._surfaces, self._dt)
        headline = self._cycle.headline
        self._apply(command)
        self._recorder.record(
            CycleRecord(
                cycle=self._cycles,
                host_time=now,
                cpu_time=cadence.spent,
                age=age,
                dt=self._dt,
                sample=sample,
                surfaces=self._surfaces,
                robot_state=state,
                reference=self._cycle.reference,
                command=command,
                engaged=(headline.left_engaged, headline.right_engaged),
            )
        )
        cadence.mark("record")
        if now >= self._next_snapshot or headline != self._headline:
            self._headline = headline
            self._tell(self._cycle.report(), now)
        cadence.mark("tell")
        cadence.end()
        self._cycles += 1

    def _apply(self, command: JointCommand) -> None:
        """Send a command and let the robot follow it; one that is as old as a lost link is not sent: the next cycle holds."""
        late = self._boot_clock() - self._read_at >= LINK_LOST_AFTER
        if not late:
            self._robot.send(command)
        self._cadence.mark("send")
        if not late:
            self._robot.advance(self._dt)
        self._cadence.mark("physics")

    def _newest_sample(self) -> tuple[OperatorInput, float]:
        """Return the newest sample and its age [s] by the host's clock; the same object while nothing newer has come.

        Where the host itself stood still for as long as makes a link lost, the link was lost, whatever has arrived meanwhile.
        """
        now, boot_time = self._clock(), self._boot_clock()
        gap, self._read_at = boot_time - self._read_at, boot_time
        arrival = self._link.newest_input()
        sample, taken = (NOBODY, self._start) if arrival is None else (arrival.sample, arrival.time)
        if self._rules.must_hold(self._cadence.over_in_a_row) and sample.focused:
            sample = self._without_focus(sample)
        if stop := self._link.next_stop():
            sample = replace(sample, stop=stop)
        # the sample may have arrived meanwhile
        return sample, max(0.0, now - taken, gap if gap >= LINK_LOST_AFTER else 0.0)

    def _without_focus(self, sample: OperatorInput) -> OperatorInput:
        if self._held_sample.sequence != sample.sequence or self._held_sample.device != sample.device:
            self._held_sample = replace(sample, focused=False)
        return self._held_sample

    def _tell(self, snapshot: Snapshot, now: float) -> None:
        """Tell the log and the operator's hands what has changed, and the station, if it is time, of everything."""
        self._tell_changes(snapshot, now)
        if now >= self._next_snapshot:
            self._next_snapshot = max(self._next_snapshot + SNAPSHOT_PERIOD, now)
            self._link.send_snapshot(self._complete(snapshot, now))

    def _tell_changes(self, snapshot: Snapshot, now: float) -> None:
        for event in find_events(self._snapshot, snapshot):
            self._recorder.event(now, event)
        self._felt, pulses = find_pulses(self._felt, snapshot, self._names)
        for pulse in pulses:
            self._link.send_pulse(pulse)
        self._snapshot = snapshot

    def _complete(self, snapshot: Snapshot, now: float) -> Snapshot:
        """Add to a snapshot what the cycle does not know: link, log and machine."""
        before, self._link_messages = self._link_messages, self._link.describe()
        for message in self._link_messages:
            if message not in before:
                self._recorder.event(now, f"message: {message}")
        messages = tuple(message for message in (*snapshot.messages, *self._link_messages, self._recorder.failure) if message)
        counters = replace(snapshot.counters, overruns=self._cadence.over_budget, refused_messages=self._link.refused)
        return replace(snapshot, messages=messages, counters=counters, measured_at=now)


def read_boot_clock() -> float:
    """Return a clock that goes on while the machine sleeps [s], as Linux' monotonic one does not."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def describe_fault(cycle: int, error: BaseException) -> str:
    """Say in words what ended a session, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    raised = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"cycle {cycle} raised {type(error).__name__}: {' '.join(str(error).split())}{raised}"


def run_host(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """Build the robot and run it until told to stop.

    Raises:
        RobotError: The robot, its world or its engine cannot be had.
        AppError: The link or the log cannot be opened, or no station came before the session's time was over.
    """
    ask_for_priority(HOST_NICENESS)
    # the port is asked for first: a second host must say so before it compiles anything
    with HostLink(config.link, time.monotonic) as link:
        say(f"robot host: loading {config.robot} and {config.world}, compiling (a minute or two at the first start)")
        robot = _make_robot(config)
        start = _stand(robot, config.world)
        cadence = Cadence(CONTROL_PERIOD)
        cycle = Cycle(robot.model, start, mark=cadence.mark)
        folder, cap = Path(config.log_folder), to_bytes(config.log_cap)
        recorder = Recorder(folder, _log_name(config), describe_session(config), start, cap_bytes=cap)
        say(f"robot host: {config.robot} stands; the log is {recorder.file}")
        gc.collect()
        # what lives now lives on: leaving it out of collections removes the long ones
        gc.freeze()
        sys.setswitchinterval(SWITCH_INTERVAL)
        surfaces = list_surfaces(load_world(config.world))
        loop = ControlLoop(robot, cycle, link, recorder, cadence, surfaces=surfaces, boot_clock=read_boot_clock)
        try:
            report = loop.run(stop.after(config.duration, time.monotonic))
        except BaseException:
            say(f"robot host: a cycle failed, and the robot is not commanded any more; its log is closed: {recorder.file}")
            raise
        finally:
            robot.close()
        for line in report.to_lines():
            say(f"robot host: {line}")
        if recorder.failure:
            say(f"robot host: {recorder.failure}")
        if link.newest_input() is None and not stop.told:
            raise StationNeverCame(config.duration or 0.0)


def _make_robot(config: SessionConfig) -> SimulatedRobot:
    from handhold.robots.engines import make_robot
    from handhold.robots.model import load_model

    model = load_model(config.robot)
    return make_robot(config.engine, model, load_world(config.world), timestep=CONTROL_PERIOD)


def _stand(robot: SimulatedRobot, world: str) -> RobotState:
    """Let the robot stand at its start, with all compiled that a session calls."""
    from handhold.app.footholds import find_start

    posture = find_start(world, robot.model)
    warm_up(robot, posture)
    return robot.reset(posture)


def _log_name(config: SessionConfig) -> str:
    return f"{config.link.robot}-{datetime.now(UTC):{STAMP}}"


def describe_session(config: SessionConfig) -> LogHeader:
    """Return what a log has to know of the session it records."""
    names = ("handhold", "pin", "numpy", "scipy", "daqp", "numba", "mujoco", "pybullet")
    installed = {distribution.metadata["Name"].lower() for distribution in metadata.distributions()}
    return LogHeader(
        robot=config.robot,
        engine=config.engine,
        world=config.world,
        dt=CONTROL_PERIOD,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=current_commit(),
        versions={name: metadata.version(name) for name in names if name in installed},
    )


if __name__ == "__main__":
    run_process(run_host)
