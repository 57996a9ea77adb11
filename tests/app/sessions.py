"""Recorded sessions of the small cycle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from small_cycle import SmallCycle, small_state

from handhold.app.logs.limits import LogLimits
from handhold.app.logs.recording import CycleRecord, LogHeader, Recorder
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.perception.surface import Surface

DT = 0.001

HEADER = LogHeader(
    robot="talos",
    engine="mujoco",
    world="flat",
    dt=DT,
    started="2026-01-01T00:00:00+00:00",
    commit="unknown",
    versions={"numpy": np.__version__},
)


def operator(number: int) -> OperatorInput:
    return OperatorInput(time=0.011 * number, sequence=number, device="scripted/1", right=HandInput(squeeze=number % 7 / 7))


def surfaces_at(cycle: int) -> tuple[Surface, ...]:
    if cycle < 100:
        return ()
    boundary = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    return (Surface(pose=np.eye(4), boundary=boundary, area=0.5, quality=1.0, age=0.0),)


def record_session(folder: Path, cycles: int, name: str = "session", **limits: int) -> tuple[Recorder, list[CycleRecord]]:
    """Run and record a session of 1 ms cycles and 90 samples a second; the recorder is still open."""
    start = small_state(0)
    cycle = SmallCycle(start)
    recorder = Recorder(folder, name, HEADER, start, LogLimits(**limits))
    records = []
    sample, surfaces = operator(0), surfaces_at(0)
    for number in range(cycles):
        if number % 11 == 0:
            sample = operator(number // 11)
        if number in (100, 333):
            surfaces = surfaces_at(number)
        age = (number % 11) * DT
        state = small_state(number)
        command, snapshot = cycle.step(replace(sample, age=age), state, surfaces, DT)
        record = CycleRecord(
            cycle=number,
            host_time=number * DT,
            cpu_time=1e-4,
            age=age,
            dt=DT,
            sample=sample,
            surfaces=surfaces,
            robot_state=state,
            reference=snapshot.reference,
            command=command,
            engaged=(number % 2 == 0, number % 3 == 0),
        )
        recorder.record(record)
        records.append(record)
    return recorder, records


def recorded_file(folder: Path, cycles: int = 500, name: str = "session", **limits: int) -> Path:
    """Record a session, close it and return its file."""
    recorder, _ = record_session(folder, cycles, name, **limits)
    recorder.close(cycles * DT, cycles, {})
    assert not recorder.failure
    return recorder.file
