"""The help of every command as one page of docs, which a checkout shows before anything is installed."""

from __future__ import annotations

from importlib import import_module

import typer
from typer.testing import CliRunner

from handhold.app.main import COMMANDS, build_app

WIDTH = 80
"""Width of the help, that of a terminal [characters]."""

_HEAD = """# Commands

The help of every command, as `./handhold COMMAND --help` prints it. `python -m handhold.app.usage >docs/commands.md` writes
this page, and `./handhold` reads it while nothing is installed yet.
"""


def list_commands() -> tuple[tuple[str, ...], ...]:
    """List the words of all commands: none for the program, one for a command or a group, two for a command of a group."""
    found: list[tuple[str, ...]] = [()]
    for command in COMMANDS:
        found.append((command.name,))
        body = import_module(command.module).command
        if isinstance(body, typer.Typer):
            below = (each.name or getattr(each.callback, "__name__", "") for each in body.registered_commands)
            found += [(command.name, name) for name in below]
    return tuple(found)


def render_help(words: tuple[str, ...]) -> str:
    """Return what a command prints for ``--help``."""
    result = CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(build_app(words), [*words, "--help"], prog_name="handhold")
    return result.output.strip()


def render_usage() -> str:
    """Return the page: a heading and a block for each command."""
    sections = (f"\n## {' '.join(('handhold', *words))}\n\n```text\n{render_help(words)}\n```\n" for words in list_commands())
    return _HEAD + "".join(sections)


if __name__ == "__main__":
    print(render_usage(), end="")
