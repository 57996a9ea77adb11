"""Replay: the same inputs give the same outputs, or the first cycle that differs is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from random_values import random_snapshot
from sessions import recorded_file
from small_cycle import SmallCycle

from handhold.app.logs.difference import find_difference
from handhold.app.logs.reader import LogReader, LogTruncated, require_complete
from handhold.app.logs.replay import replay
from handhold.app.main import run
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.robots.robot import JointCommand, RobotState


class ChangedCycle(SmallCycle):
    """Computes one bit differently from its 250th cycle on."""

    def step(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> tuple[JointCommand, Snapshot]:
        command, snapshot = super().step(operator_input, robot_state, surfaces, dt)
        if self.cycle <= 250:
            return command, snapshot
        torques = command.torques.copy()
        torques[4] = np.nextafter(torques[4], np.inf)
        return replace(command, torques=torques), snapshot


def test_a_replay_gets_every_cycle_back_bit_for_bit(tmp_path: Path) -> None:
    log = LogReader(recorded_file(tmp_path))
    shares: list[float] = []
    outcome = replay(log, SmallCycle(log.start), shares.append)
    assert outcome.identical
    assert outcome.cycles == 500
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_replay_over_several_files_gets_every_cycle_back(tmp_path: Path) -> None:
    log = LogReader(recorded_file(tmp_path, 1000, part_bytes=1 << 19))
    outcome = replay(log, SmallCycle(log.start), lambda part: None)
    assert outcome.identical
    assert outcome.cycles == 1000


def test_the_first_cycle_that_differs_is_named_with_field_and_size(tmp_path: Path) -> None:
    log = LogReader(recorded_file(tmp_path))
    outcome = replay(log, ChangedCycle(log.start), lambda part: None)
    assert outcome.differs_at == 250
    assert outcome.difference is not None
    assert outcome.difference.field == "command.torques[4]"
    assert 0.0 < outcome.difference.size < 1e-15


def test_a_truncated_log_is_refused_before_any_cycle_runs(tmp_path: Path) -> None:
    file = truncated_file(tmp_path)
    with pytest.raises(LogTruncated, match="205 cycles could be read"):
        require_complete(file)


def test_a_truncated_log_is_replayed_as_far_as_it_goes_on_request(tmp_path: Path) -> None:
    log = LogReader(truncated_file(tmp_path))
    outcome = replay(log, SmallCycle(log.start), lambda part: None, incomplete=True)
    assert outcome.identical
    assert outcome.truncated
    assert outcome.cycles == 205


def test_the_command_refuses_a_truncated_log_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["replay", str(truncated_file(tmp_path))])
    lines = capsys.readouterr().err.splitlines()
    assert code != 0
    assert len(lines) == 1
    assert "205 cycles could be read" in lines[0]


def truncated_file(folder: Path) -> Path:
    file = recorded_file(folder)
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    return file


def test_a_changed_bit_is_found_in_numbers_arrays_and_nested_values() -> None:
    snapshot = random_snapshot(3)
    reference = snapshot.reference
    assert find_difference("reference", reference, reference) is None
    negative_zero = replace(reference, time=0.0), replace(reference, time=-0.0)
    assert find_difference("reference", *negative_zero) is not None
    nested = replace(reference, residuals=replace(reference.residuals, torque=1.0))
    difference = find_difference("reference", reference, nested)
    assert difference is not None
    assert difference.field == "reference.residuals.torque[0]"
    shorter = replace(reference, support_polygon=reference.support_polygon[:-1])
    assert find_difference("reference", reference, shorter) is not None
    nan = replace(reference, time=float("nan"))
    assert find_difference("reference", nan, nan) is None
