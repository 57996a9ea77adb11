"""Replay: the recorded inputs of every cycle through a new cycle, which has to compute the same again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from handhold.app.logs.difference import Difference, find_difference
from handhold.app.logs.reader import LogReader, LogTruncated
from handhold.app.logs.recording import CycleRecord
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.robots.robot import JointCommand, RobotState


class ControlCycle(Protocol):
    """What a replay feeds: the control cycle, as the host runs it."""

    def step(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> tuple[JointCommand, Snapshot]:
        """Run one cycle."""
        ...


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of a replay.

    Attributes:
        cycles: Cycles that were computed again.
        differs_at: Number of the first cycle that differs, or None where all are the same bit for bit.
        difference: In what it differs.
        truncated: Why the log ends early, or empty.
    """

    cycles: int
    differs_at: int | None = None
    difference: Difference | None = None
    truncated: str = ""

    @property
    def identical(self) -> bool:
        """Whether every reference and every command came back bit for bit."""
        return self.differs_at is None


def replay(log: LogReader, cycle: ControlCycle, progress: Callable[[float], None], *, incomplete: bool = False) -> Replay:
    """Feed a log through a cycle until it ends or a cycle differs.

    Args:
        log: The log, at its first cycle.
        cycle: A cycle built as the recorded one was.
        progress: Called with the part of the log that is done, 0 to 1.
        incomplete: Take a truncated log as far as it goes.

    Raises:
        LogTruncated: The log ends early and ``incomplete`` is not set.
        LogError: The log cannot be read.
    """
    count = 0
    try:
        for entry in log.entries():
            if not isinstance(entry, CycleRecord):
                continue
            count += 1
            difference = replay_cycle(entry, cycle)
            if difference is not None:
                return Replay(count, entry.cycle, difference)
            if count % 100 == 0:
                progress(log.bytes_read / log.bytes_total)
    except LogTruncated as truncated:
        if not incomplete:
            raise
        return Replay(count, truncated=truncated.reason)
    progress(1.0)
    return Replay(count)


def replay_cycle(record: CycleRecord, cycle: ControlCycle) -> Difference | None:
    """Compute one recorded cycle again and return its first difference, or None."""
    sample = replace(record.sample, age=record.age)
    command, snapshot = cycle.step(sample, record.robot_state, record.surfaces, record.dt)
    return find_difference("reference", record.reference, snapshot.reference) or find_difference(
        "command", record.command, command
    )
