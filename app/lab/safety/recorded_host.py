"""Hosts that are there to be killed: each is a fork that feeds the real recorder with Talos's cycles at 1 kHz.

``python -m handhold.app.lab.safety.recorded_host FOLDER`` reads names of logs, a line each, and answers with the process that
writes it; an empty line asks for the end of the last one, which is answered once it is dead. Forks share what took seconds to
load. A host publishes its times in ``NAME.times`` before it records a cycle: what a kill may find recorded.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.pacing import Pacing
from handhold.app.host.program import SWITCH_INTERVAL, describe_session
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.far_reach import FAR_REACH
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE
from handhold.app.logs.limits import LogLimits
from handhold.app.logs.recording import CycleRecord, Recorder
from handhold.app.session.config import SessionConfig
from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
from handhold.devices.operator_input import OperatorInput
from handhold.robots.model import load_model
from handhold.robots.robot import CONTROL_PERIOD, RobotState
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

TIMES = struct.Struct("<dd")
"""Host time of the first and of the newest cycle that was handed to the recorder [s]; 0 before the first."""

PART_BYTES = 1 << 21
"""Size of a log's parts [B]: one is full after about a second."""

CYCLES = 400
"""Cycles that are computed once and recorded over and over."""

WORK_TIME = 5e-4
"""CPU time that a cycle holds the interpreter besides recording [s], as the control cycle of Talos does."""


def make_records(cycles: int) -> tuple[RobotState, list[CycleRecord]]:
    """Run Talos through the beginning of a far reach; return its first state and every cycle's record."""
    model = load_model("talos")
    body = make_robot("mujoco", model, load_world("flat"))
    start = state = body.reset(find_standing_posture(model))
    operator = FAR_REACH.script(model, model.effector_poses(state.q), np.random.default_rng(0))
    cycle = Cycle(model, state)
    records: list[CycleRecord] = []
    sample = OperatorInput(time=0.0)
    for number in range(cycles):
        now = number * CONTROL_PERIOD
        if int(now * OPERATOR_RATE) != int((now - CONTROL_PERIOD) * OPERATOR_RATE) or not number:
            sample = operator.sample(now, None)
        command, snapshot = cycle.step(sample, state, (), CONTROL_PERIOD)
        records.append(
            CycleRecord(
                cycle=number,
                host_time=now,
                cpu_time=WORK_TIME,
                age=0.0,
                dt=CONTROL_PERIOD,
                sample=sample,
                surfaces=(),
                robot_state=state,
                reference=snapshot.reference,
                command=command,
                engaged=(snapshot.left.engaged, snapshot.right.engaged),
            )
        )
        body.send(command)
        body.advance(CONTROL_PERIOD)
        state = body.read()
    body.close()
    return start, records


def record_until_killed(folder: Path, name: str, start: RobotState, records: Sequence[CycleRecord]) -> None:
    """Record cycles at the control rate for ever."""
    os.setsid()  # as the supervisor starts hosts; Linux weighs sessions before it weighs processes
    ask_for_priority(HOST_NICENESS)
    sys.setswitchinterval(SWITCH_INTERVAL)
    with (folder / f"{name}.times").open("r+b") as file:
        times = mmap.mmap(file.fileno(), TIMES.size)
    config = SessionConfig(link_port=1, log_folder=str(folder))
    # small parts, so that kills fall between two of them as well
    recorder = Recorder(folder, name, describe_session(config, CONTROL_PERIOD), start, LogLimits(part_bytes=PART_BYTES))
    pacing = Pacing(CONTROL_PERIOD, time.monotonic, time.sleep)
    number, first = 0, 0.0
    while True:
        now = pacing.wait()
        first = first or now
        TIMES.pack_into(times, 0, first, now)
        recorder.record(replace(records[number % len(records)], cycle=number, host_time=now))
        number += 1
        _work(time.thread_time() + WORK_TIME)


def _work(until: float) -> None:
    while time.thread_time() < until:
        pass


def serve(folder: Path) -> None:
    """Start a host for each name on the standard input and tell its process."""
    start, records = make_records(CYCLES)
    child = 0
    print("ready", flush=True)
    for line in sys.stdin:
        if name := line.strip():
            child = os.fork()
            if child == 0:
                record_until_killed(folder, name, start, records)
            print(child, flush=True)
        else:
            os.waitpid(child, 0)
            print("dead", flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
