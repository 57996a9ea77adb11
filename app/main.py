"""The ``handhold`` command: which commands there are, and what becomes of their errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated

import typer

import handhold
from handhold.app.errors import AppError, find_damaged_code, to_line
from handhold.app.extras import find_missing_extra
from handhold.devices.errors import DeviceError
from handhold.perception.errors import PerceptionError
from handhold.render.errors import RenderError
from handhold.retarget.errors import RetargetError
from handhold.robots.errors import RobotError


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: Name on the command line.
        module: Module that has it as ``command``: a function, or a typer application for a group of commands.
        title: What it does, in a line of the list of commands.
    """

    name: str
    module: str
    title: str


COMMANDS = (
    Command("run", "handhold.app.commands.run", "Simulate a robot and teleoperate it."),
    Command("doctor", "handhold.app.commands.doctor", "Tell what this machine has and lacks."),
    Command("camera", "handhold.app.commands.camera", "Show the planes that a depth camera, a recording or a picture sees."),
    Command("suit", "handhold.app.commands.suit", "Motion capture suits: watch what arrives of one, send a recording as one."),
    Command("robot", "handhold.app.commands.robot", "Add a robot: list, check, new."),
    Command("motion", "handhold.app.commands.motion", "Motions made beforehand: list, check, optimise, play."),
    Command("replay", "handhold.app.commands.replay", "Compute a recorded session again, and compare."),
    Command("station", "handhold.app.commands.station", "Join a running session with a second station."),
    Command("stand-in", "handhold.app.commands.stand_in", "Simulate a robot behind its maker's protocol."),
    Command("commission", "handhold.app.commands.commission", "Go through the check list of a maker's robot."),
    Command("identify", "handhold.app.commands.identify", "Find friction, rotors and delays of a robot that hangs."),
    Command("gallery", "handhold.app.commands.gallery", "Draw pictures of all that an operator can see."),
    Command("scenario", "handhold.app.commands.scenario", "Play a scripted operator, and measure the robot."),
    Command("bench", "handhold.app.commands.bench", "Time a part of Handhold."),
    Command("safety", "handhold.app.commands.safety", "Attack a session, or let an accident happen to it."),
)

# Exit codes: 0 done, 1 a figure or a check fails, 2 wrong usage (typer's), 130 interrupted, and for what went wrong:
EXIT_CODES: dict[type[Exception], int] = {
    RobotError: 3,
    DeviceError: 4,
    PerceptionError: 5,
    RetargetError: 6,
    RenderError: 7,
    AppError: 8,
    OSError: 9,  # a full disk, a folder that may not be written to: the system's own words name the file
}


def main() -> None:
    """Run the command line of this process; the console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    An error of one of these families becomes one line on stderr; with ``--debug`` its traceback is shown instead.
    """
    debug = "--debug" in arguments
    words = [word for word in arguments if word != "--debug"]
    try:
        build_app(words)(words, prog_name="handhold")
    except SystemExit as exiting:
        return exiting.code if isinstance(exiting.code, int) else int(exiting.code is not None)
    except tuple(EXIT_CODES) as error:
        if debug:
            raise
        return _report(error)
    except SystemError as error:
        damaged = find_damaged_code(error)
        if debug or damaged is None:
            raise
        return _report(damaged)
    except ModuleNotFoundError as error:
        missing = find_missing_extra(error)
        if debug or missing is None:
            raise
        return _report(missing)
    return 0


def _report(error: Exception) -> int:
    """Print an error as one line on stderr; return the exit code of its family."""
    print(f"handhold: {to_line(error)}", file=sys.stderr)
    return next(code for family, code in EXIT_CODES.items() if isinstance(error, family))


def build_app(words: Sequence[str]) -> typer.Typer:
    """Build the typer application; only the command that ``words`` name is imported, or all for a help page."""
    app = typer.Typer(
        callback=_root,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        # plain text: as markup, units such as [s] in help texts would vanish
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    named = next((command for command in COMMANDS if command.name in words[:1]), None)
    for command in (named,) if named else COMMANDS:
        _add(app, command)
    return app


def _add(app: typer.Typer, command: Command) -> None:
    body = import_module(command.module).command
    if isinstance(body, typer.Typer):
        app.add_typer(body, name=command.name, short_help=command.title)
    else:
        app.command(name=command.name, short_help=command.title)(body)


def _show_version(requested: bool) -> None:
    if requested:
        print(f"handhold {handhold.__version__}")
        raise typer.Exit


def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error (anywhere on the line).")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Teleoperate humanoids that stay on their feet."""
