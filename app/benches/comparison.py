"""``bench cycle --against FOLDER``: the loop of this checkout beside that of another one, by turns every 0.2 s.

What a shared machine gives changes by half within seconds, so that two runs one after the other tell nothing of a few percent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from handhold.app.benches import cycle_pieces
from handhold.app.errors import AppError
from handhold.app.figures import Figure, Outcome, current_commit

ROUNDS, PIECES = 3, 50
"""Runs of both, and pieces of each run."""


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
    stages = {stage: np.array([[piece.get(stage, 0.0) for piece in side] for side in (ours, theirs)]) for stage in ours[0]}
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


def _run_by_turns(engine: str, other: Path, most: int) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Run both to the end, piece by piece; the first of each pair of turns changes."""
    processes = [_start(engine, None, most), _start(engine, other, most)]
    pieces: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
    try:
        for process in processes:
            _take_turn(process, go=False)
        over, turn = False, 0
        while not over:
            pair: dict[int, dict[str, float]] = {}
            for which in ((0, 1), (1, 0))[turn % 2]:
                piece = _take_turn(processes[which], go=True)
                over = over or piece is None
                if piece is not None:
                    pair[which] = piece
            if not over:
                pieces[0].append(pair[0])
                pieces[1].append(pair[1])
            turn += 1
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    if not pieces[0]:
        raise NoCheckout(other, "its loop does not run here")
    return pieces


def _start(engine: str, source: Path | None, pieces: int) -> subprocess.Popen[str]:
    path = {} if source is None else {"PYTHONPATH": str(source)}
    command = [sys.executable, str(Path(cycle_pieces.__file__).resolve()), engine, str(pieces)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | path
    )


def _take_turn(process: subprocess.Popen[str], *, go: bool) -> dict[str, float] | None:
    """Let a process run a piece and return what its stages took [s]; None at its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if go:
            process.stdin.write("\n")
            process.stdin.flush()
        line = process.stdout.readline().strip()
    except BrokenPipeError:
        return None
    piece: dict[str, float] | None = json.loads(line) if line.startswith("{") else None
    return piece
