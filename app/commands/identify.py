"""``handhold identify``: what the drives of a robot are like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from handhold.app.identify.consent import Operator
    from handhold.robots.model import RobotModel


def command(
    output: Annotated[Path, typer.Option(help="Copy of the robot's description, with what is found: a .toml file.")],
    robot: Annotated[str, typer.Option(help="A robot's name or .toml file.")] = "g1",
    body: Annotated[
        str, typer.Option(help="unitree (by its maker's protocol), or stand-in (what stands in for it, in lockstep).")
    ] = "unitree",
    interface: Annotated[str, typer.Option(help="Network interface that leads to the robot.")] = "lo",
    joints: Annotated[str, typer.Option(metavar="NAME,NAME", help="Joints to move; all by default.")] = "",
    motors: Annotated[
        str | None,
        typer.Option(metavar="MS,RATIO", help="What stands in has motors so late [ms] and so much too weak: 4,0.3."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of torques that change at random, and of what stands in.")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Consent to every step beforehand.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else; needs --yes.")] = False,
) -> None:
    """Find out what the drives of a robot are like: friction and rotor of each joint, delay and bandwidth of its torque.

    The robot hangs, and is held as it is. One joint after the other moves by 0.1 rad for some 10 s, each with your consent.
    Ctrl-C damps the robot, and writes nothing. What is found is in a copy of the robot's description, and counts where that
    is used.
    """
    from handhold.app.errors import AppError
    from handhold.app.identify.bodies import BodyChoice
    from handhold.app.identify.drives_text import check_output
    from handhold.app.identify.program import identify
    from handhold.app.identify.report import print_found
    from handhold.app.session.process import say
    from handhold.app.stand_in.flaws import read_flaws
    from handhold.robots.model import load_model

    if json and not yes:
        raise AppError("--json prints nothing that could be asked: give --yes as well")
    choice = BodyChoice(name=body, interface=interface, flaws=read_flaws(motors), seed=seed)
    model = load_model(robot)
    check_output(model.description, output)
    tell = _say_nothing if json else say
    found, drives = identify(model, choice, _find_joints(model, joints), _make_operator(tell, yes=yes), tell, output)
    print_found(found, drives, output, json=json)


def _say_nothing(_line: str) -> None:
    pass


def _find_joints(model: RobotModel, names: str) -> Sequence[int]:
    """Return the joints that are named, all where none is.

    Raises:
        AppError: The robot has no such joint.
    """
    from handhold.app.errors import AppError
    from handhold.robots.errors import closest

    wanted = [name.strip() for name in names.split(",")] if names else list(model.joint_names)
    for name in wanted:
        if name not in model.joint_names:
            near = closest(name, model.joint_names, 3) or list(model.joint_names)
            raise AppError(f"--joints: no joint '{name}'; take {' or '.join(near)}")
    return [model.joint_names.index(name) for name in dict.fromkeys(wanted)]


def _make_operator(say: Callable[[str], None], *, yes: bool) -> Operator:
    import sys

    from handhold.app.identify.consent import Consenting, Terminal

    return Consenting(say) if yes else Terminal(sys.stdin.fileno(), say)
