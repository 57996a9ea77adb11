"""``handhold replay``: compute a recorded session again and compare."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from handhold.app.host.cycle import Cycle
    from handhold.app.logs.reader import LogReader
    from handhold.app.logs.replay import Replay


def command(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A .mcap file that 'handhold run' wrote.")],
    incomplete: Annotated[bool, typer.Option("--incomplete", help="Take a truncated log as far as it can be read.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Feed a session's recorded inputs through the control cycle and compare every result bit for bit.

    Exit code 0 where every reference and every command comes back, 1 where one differs, 8 where the log cannot be used.
    """
    from handhold.app.logs.reader import LogReader, require_complete

    if not incomplete:
        require_complete(log)
    reader = LogReader(log)
    outcome = _replay_with_progress(reader, incomplete)
    print(json_module.dumps(_to_json(reader, outcome)) if json else _to_text(outcome))
    if not outcome.identical:
        raise typer.Exit(1)


def _replay_with_progress(reader: LogReader, incomplete: bool) -> Replay:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from handhold.app.logs.replay import replay

    cycle, console = _build_cycle(reader), Console(file=sys.stderr)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"replaying {escape(reader.file.name)}", total=1.0)
        return replay(reader, cycle, lambda part: progress.update(task, completed=part), incomplete=incomplete)


def _build_cycle(reader: LogReader) -> Cycle:
    from handhold.app.host.cycle import Cycle
    from handhold.app.logs.checks import ValueUnfit, check_start
    from handhold.app.logs.reader import LogError
    from handhold.robots.model import load_model

    model = load_model(reader.header.robot)
    try:
        check_start(reader.start, model)
    except ValueUnfit as error:
        raise LogError(f"{reader.file}: {error}; give another log") from None
    return Cycle(model, reader.start)


def _to_json(reader: LogReader, outcome: Replay) -> dict[str, object]:
    difference = outcome.difference
    return {
        "log": str(reader.file),
        "robot": reader.header.robot,
        "engine": reader.header.engine,
        "commit": reader.header.commit,
        "cycles": outcome.cycles,
        "identical": outcome.identical,
        "differs_at": outcome.differs_at,
        "field": difference.field if difference else None,
        "recorded": difference.recorded if difference else None,
        "computed": difference.computed if difference else None,
        "truncated": outcome.truncated or None,
    }


def _to_text(outcome: Replay) -> str:
    end = f" (the log is truncated: {outcome.truncated})" if outcome.truncated else ""
    if outcome.difference is None:
        return f"{outcome.cycles} cycles came back bit for bit{end}"
    difference = outcome.difference
    return (
        f"cycle {outcome.differs_at} is the first that differs: {difference.field} was {difference.recorded!r}, "
        f"is now {difference.computed!r} (by {difference.size:.3g}){end}"
    )
