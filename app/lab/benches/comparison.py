"""``bench cycle --against FOLDER``: the loop of this checkout beside that of another one, by turns every 0.2 s.

What a shared machine gives changes by half within seconds, so that two runs one after the other tell nothing of a few percent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np

import handhold
from handhold.app.errors import AppError
from handhold.app.lab.benches import cycle_pieces
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit

ROUNDS, PIECES = 3, 50
"""Runs of both, and pieces of each run."""


OURS = Path(handhold.__path__[0]).parent
"""Where the packages of this checkout are."""


class NoCheckout(AppError):
    """A folder to compare with is no checkout of Handhold, or its loop does not run."""

    def __init__(self, folder: Path, problem: str) -> None:
        self.folder = folder
        super().__init__(f"{folder}: {problem}; make one with: git worktree add FOLDER COMMIT")


def compare_cycles(engine: str, folder: Path, rounds: int = ROUNDS, pieces: int = PIECES) -> Outcome:
    """Compare the loop's CPU time with another checkout's; the Python and the packages are those of this one.

    Args:
        engine: Physics engine.
        folder: The other checkout.
        rounds: Runs of both.
        pieces: Pieces of each run.

    Raises:
        NoCheckout: The folder is none.
    """
    source = folder.resolve() / "src"
    if not (source / "handhold").is_dir():
        raise NoCheckout(folder, "no checkout of Handhold")
    start = time.monotonic()
    runs = [_run_by_turns(engine, source, pieces) for _ in range(rounds)]
    ours, theirs = ([piece for pair in runs for piece in pair[which]] for which in (0, 1))
    names = dict.fromkeys([*ours[0], *theirs[0]])
    stages = {stage: np.array([[piece.get(stage, 0.0) for piece in side] for side in (ours, theirs)]) for stage in names}
    totals = np.array([[sum(piece.values()) for piece in side] for side in (ours, theirs)])
    cycle = 1e6 / cycle_pieces.PIECE
    return Outcome(
        name="cycle-against",
        robot="talos",
        engine=engine,
        seed=0,
        commit=current_commit(),
        duration_s=time.monotonic() - start,
        fell=None,
        figures=[
            Figure("load_ratio", float(np.median(totals[0] / totals[1])), "-", must=1.0),
            Figure("cycle", cycle * float(np.median(totals[0])), "us"),
            Figure("cycle_before", cycle * float(np.median(totals[1])), "us"),
            *(Figure(f"more_{stage}", cycle * float(np.median(both[0] - both[1])), "us") for stage, both in stages.items()),
        ],
        extra={"against": str(folder), "pieces": len(ours)},
    )


def _run_by_turns(engine: str, other: Path, max_pieces: int) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Run both to the end, piece by piece; the first of each pair of turns changes."""
    with ExitStack() as stack:
        said = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        processes: list[subprocess.Popen[str]] = []
        for source, errors in zip((OURS, other), said, strict=True):
            processes.append(_start(engine, source, max_pieces, errors))
            stack.callback(_end, processes[-1])
        pieces = _take_turns(processes)
        if not pieces[0]:
            died = next((which for which in (1, 0) if processes[which].poll()), 1)
            said[died].seek(0)
            last = (said[died].read().strip().splitlines() or ["it said nothing"])[-1]
            raise NoCheckout((OURS, other)[died], f"its loop does not run here ({last})")
    return pieces


def _take_turns(processes: list[subprocess.Popen[str]]) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Return the pieces of two loops; none where one does not get to its first."""
    pieces: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
    for process in processes:
        _take_turn(process, proceed=False)
    turn = 0
    while True:
        first, second = ((0, 1), (1, 0))[turn % 2]
        pair = {which: _take_turn(processes[which], proceed=True) for which in (first, second)}
        ours, theirs = pair[0], pair[1]
        if ours is None or theirs is None:
            return pieces
        pieces[0].append(ours)
        pieces[1].append(theirs)
        turn += 1


def _start(engine: str, source: Path, pieces: int, errors: IO[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", str(Path(cycle_pieces.__file__).resolve()), engine, str(pieces)]
    path = os.environ | {"PYTHONPATH": str(source)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=path)


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def _take_turn(process: subprocess.Popen[str], *, proceed: bool) -> dict[str, float] | None:
    """Let a process run a piece and return what its stages took [s]; None at its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if proceed:
            process.stdin.write("\n")
            process.stdin.flush()
        line = process.stdout.readline().strip()
    except BrokenPipeError:
        return None
    piece: dict[str, float] | None = json.loads(line) if line.startswith("{") else None
    return piece
