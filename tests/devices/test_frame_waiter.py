"""``FrameWaiter``: frames are waited for in a thread of its own, one after another."""

from __future__ import annotations

import queue
from collections.abc import Iterator

import pytest

from handhold.devices.openxr.frame_waiter import FrameWaiter


class Runtime:
    """A runtime whose frames come when the test says so."""

    def __init__(self) -> None:
        self.frames: queue.SimpleQueue[int | Exception] = queue.SimpleQueue()
        self.waits: queue.SimpleQueue[None] = queue.SimpleQueue()

    def wait(self) -> int:
        self.waits.put(None)
        frame = self.frames.get()
        if isinstance(frame, Exception):
            raise frame
        return frame


@pytest.fixture
def runtime() -> Runtime:
    return Runtime()


@pytest.fixture
def waiter(runtime: Runtime) -> Iterator[FrameWaiter[int]]:
    waiter = FrameWaiter(runtime.wait)
    yield waiter
    runtime.frames.put(0)
    waiter.close()


def test_a_frame_that_is_late_is_returned_by_a_later_call_and_waited_for_once(
    runtime: Runtime, waiter: FrameWaiter[int]
) -> None:
    assert waiter.wait(0.0) is None
    assert waiter.wait(0.001) is None
    runtime.frames.put(1)
    assert waiter.wait() == 1
    assert runtime.waits.qsize() == 1


def test_the_next_frame_is_not_waited_for_before_it_is_asked_for(runtime: Runtime, waiter: FrameWaiter[int]) -> None:
    runtime.frames.put(1)
    runtime.frames.put(2)
    assert waiter.wait() == 1
    assert runtime.waits.qsize() == 1
    assert waiter.wait() == 2


def test_what_the_runtime_raises_is_raised_where_its_frame_is_awaited(runtime: Runtime, waiter: FrameWaiter[int]) -> None:
    assert waiter.wait(0.0) is None
    runtime.frames.put(OSError("the runtime is gone"))
    with pytest.raises(OSError, match="the runtime is gone"):
        waiter.wait()
    runtime.frames.put(2)
    assert waiter.wait() == 2


def test_one_that_is_closed_while_it_waits_ends_with_that_wait(runtime: Runtime) -> None:
    waiter = FrameWaiter(runtime.wait)
    assert waiter.wait(0.0) is None
    runtime.frames.put(1)
    waiter.close()
    assert not waiter._thread.is_alive()
