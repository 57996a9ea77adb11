"""What native libraries write to standard error, caught: it belongs into our one line of an error, or nowhere."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_BYTES = 1 << 20
"""What is read of it; a library that repeats itself must not fill the memory."""


class NativeErrors:
    """What has been written.

    Attributes:
        lines: The lines without ends; set when the block is left.
    """

    def __init__(self) -> None:
        self.lines: tuple[str, ...] = ()

    def pass_on(self) -> None:
        """Write it where it was meant to go."""
        for line in self.lines:
            print(line, file=sys.stderr)


@contextmanager
def catch_native_errors() -> Iterator[NativeErrors]:
    """Catch what the whole process writes to file descriptor 2 within the block; for loading, not for a loop."""
    caught = NativeErrors()
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), 2)
            try:
                yield caught
            finally:
                sys.stderr.flush()
                os.dup2(kept, 2)
                file.seek(0)
                text = file.read(_MAX_BYTES).decode("utf-8", "replace")
                caught.lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    finally:
        os.close(kept)
