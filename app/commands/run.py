"""``handhold run``: start everything, teleoperate, stop everything."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from handhold.app.session.config import SessionConfig


Sensors = Annotated[
    str, typer.Option(help="Of a simulated robot: real (it estimates where its base is), or ideal (it is told that).")
]
World = Annotated[
    str | None, typer.Option(help="A world's name or .toml file; workshop by default, for a maker's robot flat ground.")
]
LogCap = Annotated[
    float | None, typer.Option(metavar="GB", help="Size of all logs in that folder; the oldest go (20 by default).")
]
Suit = Annotated[str, typer.Option(help="none, headset, mvn, mvn:ADDRESS[:PORT], or a recording (.mvnx .bvh .npy).")]


def command(
    robot: Annotated[str, typer.Option(help="A shipped robot's name, or a description's .toml file.")] = "talos",
    engine: Annotated[str, typer.Option(help="Physics engine: mujoco or pybullet.")] = "mujoco",
    world: World = None,
    body: Annotated[str, typer.Option(help="simulated, or unitree: by its maker's protocol.")] = "simulated",
    interface: Annotated[str, typer.Option(help="Network interface that leads to a maker's robot.")] = "lo",
    sensors: Sensors = "real",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page in the browser (this machine only).")] = 8080,
    device: Annotated[str, typer.Option(help="auto (a headset or the page), openxr, browser, replay with --play.")] = "auto",
    camera: Annotated[str, typer.Option(help="auto (sim or perfect), sim, perfect, live[:NAME=SERIAL], none, FILE.")] = "auto",
    suit: Suit = "none",
    play: Annotated[Path | None, typer.Option(metavar="LOG", help="Let the operator of a recorded session drive.")] = None,
    log: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the log of the session.")] = None,
    log_cap: LogCap = None,
    mirror: Annotated[
        bool | None, typer.Option(help="Show in a window what the operator sees in the headset (where there is a screen).")
    ] = None,
    duration: Annotated[float | None, typer.Option(min=0.0, help="End by itself after this time [s].")] = None,
) -> None:
    """Teleoperate a robot: starts it (simulated, or a maker's) and the operator's station, and prints the address to open.

    Ctrl-C ends the session. Every session is recorded; 'handhold replay' computes it again.
    """
    from handhold.app.logs.store import DEFAULT_CAP
    from handhold.app.session.config import SIMULATED_BODY, SessionConfig, default_log_folder, find_free_ports
    from handhold.app.session.process import say

    link_port, view_port = find_free_ports(2)
    config = SessionConfig(
        robot=robot,
        engine=engine,
        world=world or ("workshop" if body == SIMULATED_BODY else "flat"),
        body=body,
        sensors=sensors,
        interface=interface,
        page_port=port,
        device="replay" if play else device,
        played_log=str(play) if play else None,
        link_port=link_port,
        view_port=view_port,
        log_folder=str(log or default_log_folder()),
        log_cap=DEFAULT_CAP if log_cap is None else log_cap,
        mirror=mirror,
        duration=duration,
        camera=camera,
        suit=suit,
    )
    _check(config)
    _introduce(config, say)
    raise typer.Exit(_supervise(config, say))


def _supervise(config: SessionConfig, say: Callable[[str], None]) -> int:
    """Run a session, with what a maker's robot is driven through while it runs; returns the exit code."""
    import msgspec

    from handhold.app.session.motors_file import motors_file
    from handhold.app.session.processes import supervise
    from handhold.app.session.session_file import default_session_folder, published

    with motors_file(config.body) as shared:
        config = msgspec.structs.replace(config, motors_file=shared)
        return supervise(config, say, publish=lambda one: published(one, default_session_folder()))


def _check_body(config: SessionConfig) -> None:
    """Look for what keeps a maker's robot from being driven.

    Raises:
        RobotError: It is none of that maker's.
        AppError: The maker's library is not installed, there is no such network interface, or a camera would see a simulated
            world about a robot that stands in another one.
    """
    from handhold.app.errors import AppError
    from handhold.app.extras import require_extra
    from handhold.app.session.config import SIMULATED
    from handhold.app.session.interfaces import check_interface
    from handhold.robots.model import load_model
    from handhold.robots.unitree.makers_robots import find_makers_robot

    require_extra(config.body)
    check_interface(config.interface)
    if config.camera == SIMULATED:
        raise AppError("--camera sim sees a simulated world, and the robot stands in another one; take live, perfect or none")
    find_makers_robot(load_model(config.robot))


def _introduce(config: SessionConfig, say: Callable[[str], None]) -> None:
    """Tell people what starts, and how long that takes."""
    from handhold import __version__
    from handhold.app.session.config import SIMULATED_BODY
    from handhold.robots.description import load_description
    from handhold.robots.worlds import load_world

    title, about = load_description(config.robot).title, load_world(config.world).title
    body = config.engine if config.body == SIMULATED_BODY else f"{config.body} on '{config.interface}'"
    say(f"Handhold {__version__}: {title} in '{config.world}' ({about[0].lower()}{about[1:]}), {body}")
    say("starting: some 10 s, the first time a minute or two")


def _check(config: SessionConfig) -> None:
    """Look for mistakes that can be found at once, before anything is started.

    Raises:
        RobotError: Robot, world or engine is unknown.
        AppError: What the page needs is not installed, the device is unknown, the log to play cannot be used, or the cap of
            all logs is no size.
    """
    from handhold.app.camera.sources import check_camera
    from handhold.app.extras import require_extra
    from handhold.app.logs.store import to_bytes
    from handhold.app.session.config import BODY_NAMES, SIMULATED_BODY, UnknownBody, check_sensors
    from handhold.app.station.console import LogNeeded, UnknownDevice, known_devices
    from handhold.app.station.worn_suit import check_wearer, make_suit
    from handhold.robots.description import load_description
    from handhold.robots.errors import EngineNotAvailable
    from handhold.robots.simulation.engines import known_engines
    from handhold.robots.worlds import load_world

    if config.duration is not None and not math.isfinite(config.duration):
        raise typer.BadParameter("give a number of seconds", param_hint="--duration")
    require_extra("browser")
    to_bytes(config.log_cap)
    load_description(config.robot)
    load_world(config.world)
    if config.body not in BODY_NAMES:
        raise UnknownBody(config.body)
    check_sensors(config.sensors)
    if config.body != SIMULATED_BODY:
        _check_body(config)
    if config.engine not in known_engines():
        raise EngineNotAvailable(config.engine, f"take one of: {', '.join(known_engines())}")
    if config.device not in known_devices():
        raise UnknownDevice(config.device)
    check_camera(config.camera)
    make_suit(config.suit, time.monotonic)
    if config.device != "auto":
        check_wearer(config.suit, config.device)
    if config.device == "replay" and config.played_log is None:
        raise LogNeeded
    if config.played_log is not None:
        from handhold.app.logs.reader import LogReader

        LogReader(Path(config.played_log))
