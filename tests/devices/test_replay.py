"""The device that plays a recorded operator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.devices.errors import DeviceNotOpen, RecordingEmpty
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.devices.replay import ReplayDevice
from handhold.devices.stop import Stop


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def record(times: list[float]) -> list[OperatorInput]:
    def hand(time: float) -> HandInput:
        return HandInput(pose=pin.SE3(np.eye(3), np.array([time, 0.0, 1.0])), squeeze=1.0)

    return [
        OperatorInput(time=time, sequence=40 + k, device="openxr 1.0", origin=2, left=hand(time), age=0.01)
        for k, time in enumerate(times)
    ]


def opened(samples: list[OperatorInput]) -> tuple[ReplayDevice, Clock]:
    clock = Clock()
    device = ReplayDevice(samples, clock=clock)
    device.open()
    return device, clock


def test_samples_are_played_as_far_apart_as_they_were_recorded() -> None:
    device, clock = opened(record([7.0, 7.1, 7.3, 9.0]))
    played = []
    for elapsed in (0.0, 0.05, 0.11, 0.2, 0.31):
        clock.now = 100.0 + elapsed
        pose = device.read().left.pose
        assert pose is not None
        played.append(pose.translation[0])
    assert played == [7.0, 7.0, 7.1, 7.1, 7.3]


def test_a_played_sample_is_of_now_and_of_this_run() -> None:
    device, clock = opened(record([7.0, 8.0]))
    clock.now = 100.5
    samples = [device.read() for _ in range(3)]
    assert [sample.sequence for sample in samples] == [0, 1, 2]
    assert {sample.time for sample in samples} == {100.5}
    assert {sample.age for sample in samples} == {0.0}
    assert {sample.origin for sample in samples} == {2}
    first_run = samples[0].device
    clock.now = 200.0
    device.open()
    assert device.read().device != first_run


def test_a_recording_that_is_over_leaves_an_operator_who_is_gone() -> None:
    device, clock = opened(record([7.0, 7.1]))
    clock.now = 100.2
    last = device.read()
    assert last.focused
    assert last.left.squeeze == 1.0
    assert device.ended
    after = device.read()
    assert not after.focused
    assert after.left.pose is None
    assert after.left.squeeze == 0.0
    assert after.sequence == last.sequence + 1


def test_a_recording_is_taken_as_it_is_played() -> None:
    taken = []

    def samples() -> Iterator[OperatorInput]:
        for sample in record([0.0, 1.0, 2.0, 3.0]):
            taken.append(sample)
            yield sample

    device = ReplayDevice(samples(), clock=Clock())
    device.open()
    device.read()
    assert len(taken) == 2


def test_an_empty_recording_says_so() -> None:
    with pytest.raises(RecordingEmpty, match="no sample"):
        ReplayDevice([], clock=Clock()).open()


def test_a_device_that_is_closed_cannot_be_read() -> None:
    device, _ = opened(record([0.0]))
    device.close()
    with pytest.raises(DeviceNotOpen):
        device.read()


def test_a_stop_in_one_sample_of_many_is_played_once_and_of_two_the_stronger() -> None:
    samples = record([7.0, 7.1, 7.1, 7.1, 7.2, 7.3])
    stops = (Stop.HOLD, Stop.RESUME, Stop.HOLD, Stop.NONE, Stop.NONE, Stop.RESUME)
    device, clock = opened([replace(sample, stop=stop) for sample, stop in zip(samples, stops, strict=True)])
    played = []
    for elapsed in (0.0, 0.01, 0.15, 0.16, 0.25, 0.31, 0.32):
        clock.now = 100.0 + elapsed
        played.append(device.read().stop)
    assert played == [Stop.HOLD, "", Stop.HOLD, "", "", Stop.RESUME, ""]
