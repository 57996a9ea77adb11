"""``handhold motion``: make pre-optimised motions, check them and play them in physics."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from handhold.retarget.motions.motion import Motion
    from handhold.robots.model import RobotModel

command = typer.Typer(no_args_is_help=True, help="Make pre-optimised motions, check them and play them in physics.")

Robot = Annotated[str, typer.Option(help="A shipped robot's name or a description's .toml file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@command.callback()
def _group() -> None:
    """Make pre-optimised motions, check them and play them in physics."""


@command.command(name="list")
def list_motions(robot: Robot = "talos") -> None:
    """List the motions that are shipped for a robot."""
    from handhold.retarget.motions.motion_file import find_motion_file, known_motions, read_motion
    from handhold.robots.description import load_description

    name = load_description(robot).name
    known = known_motions(name)
    if not known:
        print(f"no motions are shipped for {name}; make one with: handhold motion optimise")
    for each in known:
        motion = read_motion(find_motion_file(each, name))
        print(f"{motion.name}: {motion.title}, {motion.duration:.1f} s")


@command.command(short_help="Check whether a robot can do a motion.")
def check(
    motion: Annotated[str, typer.Argument(metavar="FILE", help="A motion's .npz file, or a shipped motion's name.")],
    robot: Robot = "talos",
    json: Json = False,
) -> None:
    """Check whether a robot can do a motion; a line for everything that it cannot, exit code 1 where there is one."""
    from handhold.retarget.motions.motion_file import find_motion_file, read_motion
    from handhold.robots.model import load_model

    model = load_model(robot)
    raise typer.Exit(_examine(read_motion(find_motion_file(motion, model.description.name)), model, json=json))


@command.command(short_help="Make a motion of key postures.")
def optimise(
    key_postures: Annotated[
        str,
        typer.Argument(
            metavar="KEYPOSTURES", help="A .toml file of key postures, see docs/motions.md, or a shipped one's name."
        ),
    ],
    output: Annotated[
        Path | None, typer.Option(help="The motion's .npz file to write; left out, in the working folder, by its name.")
    ] = None,
    robot: Annotated[
        str | None, typer.Option(help="A robot's name or file; left out, the robot that the key postures name.")
    ] = None,
) -> None:
    """Make a motion of key postures, check it and write it; nothing is written where the robot cannot do it."""
    from handhold.retarget.motions.authoring.adapt import adapt_key_postures
    from handhold.retarget.motions.authoring.key_postures import find_key_postures, load_key_postures
    from handhold.retarget.motions.authoring.optimise import optimise_motion
    from handhold.retarget.motions.errors import MotionFileError
    from handhold.retarget.motions.motion_file import write_motion
    from handhold.robots.model import load_model

    if output is not None and output.suffix != ".npz":
        raise MotionFileError(str(output), "is no name for a motion", "end it in .npz")
    named = None if robot is None else load_model(robot)
    keys = load_key_postures(find_key_postures(key_postures, named.description.name if named else "talos"))
    model = named or load_model(keys.robot)
    output = output or Path(f"{keys.name}-{model.description.name}.npz")
    keys = adapt_key_postures(keys, model)
    motion = optimise_motion(model, keys)
    code = _examine(motion, model, json=False)
    if code == 0:
        write_motion(motion, output)
        print(f"wrote {output} ({output.stat().st_size / 1e3:.0f} kB)")
    raise typer.Exit(code)


@command.command(short_help="Play motions in physics.")
def play(
    motions: Annotated[list[str], typer.Argument(metavar="NAME...", help="Shipped motions or .npz files, one after another.")],
    robot: Robot = "talos",
    engine: Annotated[str, typer.Option(help="Physics engine: mujoco or pybullet.")] = "mujoco",
    world: Annotated[
        str | None, typer.Option(help="World by its name or .toml file; left out, the one that the motions ask for.")
    ] = None,
    standing: Annotated[
        bool, typer.Option("--standing", help="Begin in the standing posture, not in the motion's first one.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(help="Seed of where the robot stands at first, and of small pushes; left out, none of either."),
    ] = None,
    pause_at: Annotated[float | None, typer.Option(help="Pause each motion at this time of its own for 1 s [s].")] = None,
    back_at: Annotated[float | None, typer.Option(help="Let each motion run back from this time of its own [s].")] = None,
    sensors: Annotated[str, typer.Option(help="ideal, or real: the robot estimates where its base is.")] = "ideal",
    json: Json = False,
) -> None:
    """Play motions in physics with the whole-body controller; exit code 0 only where the robot stands and every must holds."""
    from handhold.app.lab.authoring.motion_trial import TrialPlan, try_motions
    from handhold.app.lab.figures import print_outcome
    from handhold.app.session.config import check_sensors
    from handhold.retarget.motions.loading import load_motion
    from handhold.robots.model import load_model

    model = load_model(robot)
    check_sensors(sensors)
    plan = TrialPlan(
        engine=engine, world=world, standing=standing, seed=seed, pause_at=pause_at, back_at=back_at, sensors=sensors
    )
    outcome = try_motions([load_motion(name, model) for name in motions], model, plan)
    print_outcome(outcome, json)
    raise typer.Exit(outcome.exit_code)


def _examine(motion: Motion, model: RobotModel, *, json: bool) -> int:
    from handhold.retarget.motions.check import examine

    examination = examine(motion, model)
    lines = [violation.describe(motion) for violation in examination.violations]
    if json:
        print(json_module.dumps(_summarize(motion, lines)))
    elif lines:
        print("\n".join(lines))
    else:
        print(f"{motion.name}: {model.description.title} can do it, {motion.duration:.1f} s")
    return 1 if lines else 0


def _summarize(motion: Motion, lines: list[str]) -> dict[str, Any]:
    return {"name": motion.name, "robot": motion.robot, "duration_s": motion.duration, "violations": lines}
