"""Waiting for a runtime's frames without standing still: the operator's samples go on while the runtime takes its time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

FrameT = TypeVar("FrameT")

ENDED_WITHIN = 1.0
"""How long a wait may still take once nothing is wanted of it any more [s]; a runtime that hangs is left alone."""


class FrameWaiter(Generic[FrameT]):
    """Waits in a thread of its own, one frame after another, each from when it is first asked for.

    A runtime lets an application that is slower than its display wait for whole frames of it: longer, with the time to draw,
    than the link to the robot may be silent.
    """

    def __init__(self, wait: Callable[[], FrameT]) -> None:
        """Start the thread.

        Args:
            wait: Waits for the next frame and returns it; called in the thread.
        """
        self._wait = wait
        self._requests: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[FrameT | Exception] = queue.SimpleQueue()
        self._is_asked = False
        self._thread = threading.Thread(target=self._work, name="frame waiter", daemon=True)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> FrameT | None:
        """Return the next frame, or None where it has not come yet; then a later call returns it.

        Args:
            timeout: How long to wait for it [s]; None for until it comes.

        Raises:
            Exception: What waiting for it has raised.
        """
        if not self._is_asked:
            self._requests.put(True)
            self._is_asked = True
        try:
            result = self._results.get(timeout=timeout)
        except queue.Empty:
            return None
        self._is_asked = False
        if isinstance(result, Exception):
            raise result
        return result

    def close(self, timeout: float = ENDED_WITHIN) -> bool:
        """End the thread once it does not wait any more.

        Args:
            timeout: How long to wait for that [s].

        Returns:
            Whether it has ended: otherwise nothing that it needs must go yet.
        """
        self._requests.put(False)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while self._requests.get():
            try:
                self._results.put(self._wait())
            except Exception as error:
                self._results.put(error)
