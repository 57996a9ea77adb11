"""``handhold stand-in``: a robot that stands in for a real one, behind its maker's protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    robot: Annotated[str, typer.Argument(help="Robot that it stands in for: g1.")],
    model: Annotated[
        Path | None,
        typer.Option(help="MuJoCo model of it; by default that of the package holosoma-retargeting.", dir_okay=False),
    ] = None,
    world: Annotated[str, typer.Option(help="A shipped world's name, or a world's .toml file.")] = "flat",
    interface: Annotated[str, typer.Option(help="Network interface that it is reached by.")] = "lo",
    seed: Annotated[int, typer.Option(min=0, help="Seed of its sensors' biases and noise.")] = 0,
    duration: Annotated[float | None, typer.Option(min=0.0, help="How long it is there [s]; until Ctrl-C by default.")] = None,
) -> None:
    """Simulate a robot behind its maker's protocol, as if it were there: somebody else's model of it, with motors of its own.

    It hangs on a hoist and holds its posture until it is commanded, and damps itself when commands cease for 20 ms.
    """
    import time

    from handhold.app.extras import require_extra
    from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
    from handhold.app.session.process import say
    from handhold.app.stand_in.program import find_model, make_body, run_stand_in
    from handhold.robots.model import load_model
    from handhold.robots.unitree.stand_in_link import StandInLink

    file = model or find_model(robot)
    require_extra("unitree")
    ask_for_priority(HOST_NICENESS)
    body = make_body(load_model(robot), file, world, seed)
    link, begun = StandInLink(interface), time.monotonic()
    say(f"stand-in: a {robot} is there on '{interface}'")
    run_stand_in(body, link, lambda: duration is not None and time.monotonic() - begun >= duration, say)
