"""``handhold stand-in``: a robot that stands in for a real one, behind its maker's protocol."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer


def command(
    robot: Annotated[str, typer.Argument(help="Robot that it stands in for: g1 or h1.")],
    model: Annotated[
        Path | None,
        typer.Option(help="Model of it (MJCF or URDF); by default that of the package holosoma-retargeting.", dir_okay=False),
    ] = None,
    world: Annotated[str, typer.Option(help="A shipped world's name, or a world's .toml file.")] = "flat",
    interface: Annotated[str, typer.Option(help="Network interface that it is reached by.")] = "lo",
    seed: Annotated[int, typer.Option(min=0, help="Seed of its sensors' biases and noise.")] = 0,
    delay: Annotated[float, typer.Option(min=0.0, help="Time until a command is there [ms].")] = 2.0,
    torque_error: Annotated[float, typer.Option(min=0.0, max=0.9, help="Part by which torques are less than told.")] = 0.0,
    hot: Annotated[
        list[str] | None, typer.Option(metavar="JOINT:CELSIUS", help="A motor that is warm; may be given again.")
    ] = None,
    voltage: Annotated[float | None, typer.Option(min=0.0, help="Voltage of its supply [V]; nearly full by default.")] = None,
    hang: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Height at which its soles hang until SIGUSR2 lowers it [m].")
    ] = 0.0,
    duration: Annotated[float | None, typer.Option(min=0.0, help="How long it is there [s]; until Ctrl-C by default.")] = None,
) -> None:
    """Simulate a robot behind its maker's protocol, as if it were there: somebody else's model of it, with motors of its own.

    It hangs on a hoist and holds its posture until it is commanded, and damps itself when commands cease for 20 ms. Its
    motors warm up with the square of their torques. SIGUSR1 is its remote: its maker's controller takes it back, whoever
    commands it. With --hang it hangs until SIGUSR2 lowers it onto its soles and lets it go.
    """
    import time

    from handhold.app.extras import require_extra
    from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
    from handhold.app.session.process import say
    from handhold.app.stand_in.hoist import StandInHoist
    from handhold.app.stand_in.program import find_model, make_body, run_stand_in
    from handhold.robots.model import load_model
    from handhold.robots.unitree.motor_heat import StandInHealth
    from handhold.robots.unitree.stand_in_link import StandInLink
    from handhold.robots.unitree.stand_in_motors import MotorFlaws
    from handhold.robots.unitree.wiring import Wiring

    source = find_model(robot, model)
    require_extra("unitree")
    ask_for_priority(HOST_NICENESS)
    flaws = MotorFlaws(delay=1e-3 * delay, torque_error=torque_error)
    health = StandInHealth(hot=dict(_read_temperature(words) for words in hot or ()), voltage=voltage)
    body = make_body(load_model(robot), source, world, seed, flaws, health, hang)
    link, begun = StandInLink(interface, Wiring(source.robot, body.joint_names)), time.monotonic()
    say(f"stand-in: a {robot} is there on '{interface}'")
    must_stop, is_taken_back, is_lowered = _listen(math.inf if duration is None else begun + duration)
    hoist = StandInHoist(body, hang) if hang else None
    run_stand_in(body, link, must_stop, say, is_taken_back=is_taken_back, hoist=hoist, is_lowered=is_lowered)


def _listen(end: float) -> tuple[Callable[[], bool], Callable[[], bool], Callable[[], bool]]:
    """Listen to signals; returns whether to stop (by a time of the monotonic clock [s]), to be taken, to be lowered."""
    import signal
    import time

    heard: set[int] = set()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda number, _frame: heard.add(number))

    def must_stop() -> bool:
        return bool(heard & {signal.SIGTERM, signal.SIGINT}) or time.monotonic() >= end

    def was_heard(number: int) -> bool:
        found = number in heard
        heard.discard(number)
        return found

    return must_stop, lambda: was_heard(signal.SIGUSR1), lambda: was_heard(signal.SIGUSR2)


def _read_temperature(words: str) -> tuple[str, float]:
    """Return a joint and the temperature of its motor [degrees Celsius]."""
    joint, _, value = words.rpartition(":")
    try:
        temperature = float(value)
    except ValueError:
        temperature = math.nan
    if not (joint and math.isfinite(temperature)):
        raise typer.BadParameter(f"'{words}' is no JOINT:CELSIUS, such as left_knee_joint:80", param_hint="--hot")
    return joint, temperature
