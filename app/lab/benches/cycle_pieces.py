"""Runs the far reach of ``bench cycle`` piece by piece, each when a line comes on stdin, and prints what every stage took.

A script that runs with the packages of any checkout on its path, older ones too: it takes of them only what has been there
since the loop was timed by stages, from the rooms in which it has been.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

PIECE = 200
"""Cycles of a piece: short beside the seconds in which a shared machine changes its mood."""

_ROOMS = ("handhold.app.lab.benches.cycle", "handhold.app.benches.cycle")
"""Where the benchmark is, and where it was before 0.2.0."""


class PieceMeter:
    """Asked before every cycle whether it is the last; waits at the end of each piece for the next one's turn."""

    def __init__(self, loop: Any, stop: Callable[[], bool], pieces: int) -> None:
        """Take a loop, what ends it, and after how many pieces it ends at the latest."""
        self._stages: dict[str, float] = loop._cadence._stages
        self._stop = stop
        self._before: dict[str, float] = {}
        self._cycles, self._max_cycles = 0, PIECE * pieces

    def __call__(self) -> bool:
        """Say whether the run is over."""
        if self._stop() or self._cycles > self._max_cycles:
            return True
        if self._cycles % PIECE == 0:
            spent = {stage: total - self._before.get(stage, 0.0) for stage, total in self._stages.items()}
            self._before = dict(self._stages)
            print(json.dumps(spent), flush=True)
            sys.stdin.readline()
        self._cycles += 1
        return False


def run_pieces(engine: str, pieces: int) -> None:
    """Run the benchmark's first course; whatever it does after it is left out."""
    bench = _import_bench()
    whole = bench.ControlLoop.run

    def run(self: Any, stop: Callable[[], bool]) -> Any:
        whole(self, PieceMeter(self, stop, pieces))
        print("end", flush=True)
        sys.exit()

    bench.ControlLoop.run = run
    bench.run_cycle_bench(engine)


def _import_bench() -> ModuleType:
    newest, *older = _ROOMS
    try:
        return import_module(newest)
    except ModuleNotFoundError:
        return import_module(*older)


if __name__ == "__main__":
    run_pieces(sys.argv[1], int(sys.argv[2]))
