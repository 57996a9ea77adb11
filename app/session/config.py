"""What a session is made of: the configuration that ``handhold run`` hands to its processes."""

from __future__ import annotations

import os
import re
import socket
from contextlib import ExitStack
from pathlib import Path

import msgspec

from handhold.app.errors import AppError
from handhold.app.link.config import LOOPBACK, LinkConfig, TlsFiles, make_key
from handhold.app.logs.store import DEFAULT_CAP

SIMULATED_BODY, UNITREE = BODY_NAMES = ("simulated", "unitree")
"""What a session drives: a simulation of the robot, or a robot by its maker's protocol."""

IDEAL, REAL = SENSORS = ("ideal", "real")
"""Whether a simulated robot is told where its base is, or estimates that by what it carries."""

PERFECT, NO_CAMERA = "perfect", "none"
"""Cameras that are none: all of a simulated world is known from the start, or nothing is."""

SIMULATED = "sim"
"""Cameras that see the simulated world, where the robot's description has some."""

AUTO = "auto"
"""Those where there are some, and otherwise ``PERFECT``."""


class UnknownBody(AppError):
    """No body of that name can be driven.

    Attributes:
        body: Its name.
    """

    def __init__(self, body: str) -> None:
        self.body = body
        super().__init__(f"no body '{body}'; take one of: {', '.join(BODY_NAMES)}")


class UnknownSensors(AppError):
    """No sensors of that name can be had.

    Attributes:
        sensors: Their name.
    """

    def __init__(self, sensors: str) -> None:
        self.sensors = sensors
        super().__init__(f"no sensors '{sensors}'; take one of {', '.join(SENSORS)}")


class SessionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One session of one robot.

    Attributes:
        robot: Robot's name, or the file of its description.
        engine: Physics engine.
        world: World's name or file.
        body: ``"simulated"``, or the maker whose protocol the robot speaks.
        sensors: ``"ideal"``, a simulated robot is told where its base is; ``"real"``, it estimates that.
        interface: Network interface that leads to a maker's robot.
        motors_file: File that the robot's guard and its host share; empty for a simulation.
        device: ``"auto"``, or the operator's device by name.
        page_port: Port of the page in the browser.
        played_log: Log whose operator is played, for the device ``replay``.
        link_port: Port of the link between station and host.
        view_port: Port of the link between station and cameras, for what people look at; 0 for none.
        link_key: Key of the link; a new one unless told. It goes from process to process by a pipe, never by a command line.
        link_address: Address of the host.
        tls: Certificates of the link, or None.
        log_folder: Folder of the log.
        log_cap: Size of all logs in the folder above which the oldest are removed [GB].
        mirror: Whether a window shows what an operator in a headset sees; None where there is a screen for it.
        joins: Whether the station joined a session of another one: it drives only when its operator says so.
        take_over: Whether the station takes the robot from whoever drives it, which stops it.
        duration: Time after which the session ends by itself [s], or None.
        camera: ``"perfect"``, ``"none"``, ``"sim"``, ``"live"``, or a recorded file; ``"auto"`` until the session starts.
        suit: What the operator wears besides: ``"none"``, ``"headset"``, ``"mvn"``, ``"mvn:ADDRESS[:PORT]"``, or a
            recording's file.
        choice_pipe: Where the station says which session its operator has chosen instead; None where he cannot.
    """

    robot: str = "talos"
    engine: str = "mujoco"
    world: str = "flat"
    body: str = SIMULATED_BODY
    sensors: str = REAL
    interface: str = "lo"
    motors_file: str = ""
    device: str = "auto"
    page_port: int = 8080
    played_log: str | None = None
    link_port: int
    view_port: int = 0
    link_key: bytes = msgspec.field(default_factory=make_key)
    link_address: str = LOOPBACK
    tls: TlsFiles | None = None
    log_folder: str
    log_cap: float = DEFAULT_CAP
    mirror: bool | None = None
    joins: bool = False
    take_over: bool = False
    duration: float | None = None
    camera: str = PERFECT
    suit: str = "none"
    choice_pipe: int | None = None

    def __repr__(self) -> str:
        """Return all but the key: what is printed may be read by anybody."""
        shown = (name for name in self.__struct_fields__ if name != "link_key")
        return f"SessionConfig({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @property
    def link(self) -> LinkConfig:
        """Where station and host meet."""
        return self._make_link(self.link_port)

    @property
    def view_link(self) -> LinkConfig | None:
        """Where station and cameras meet; None where a session has no such link."""
        return self._make_link(self.view_port) if self.view_port and has_camera(self) else None

    def _make_link(self, port: int) -> LinkConfig:
        return LinkConfig(robot=to_key(self.robot), key=self.link_key, address=self.link_address, port=port, tls=self.tls)


def check_sensors(sensors: str) -> None:
    """Look for mistakes in what ``--sensors`` says.

    Raises:
        UnknownSensors: There are no such sensors.
    """
    if sensors not in SENSORS:
        raise UnknownSensors(sensors)


def to_key(robot: str) -> str:
    """Return what a robot is called on the link and in files' names, by its name or the file of its description."""
    # zenoh's keys give some characters a meaning that a file's name may contain
    return re.sub(r"[^\w.-]", "-", Path(robot).stem)


def knows_surfaces(config: SessionConfig) -> bool:
    """Whether anything of the surroundings is known in a session, by a camera or without."""
    return config.camera != NO_CAMERA


def has_camera(config: SessionConfig) -> bool:
    """Whether a session has a camera that sees, in a process of its own."""
    return config.camera not in (PERFECT, NO_CAMERA)


def default_log_folder() -> Path:
    """Return the folder of logs of this user."""
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "handhold" / "logs"


def find_free_port(address: str = LOOPBACK) -> int:
    """Return a TCP port that nothing uses now."""
    return find_free_ports(1, address)[0]


def find_free_ports(count: int, address: str = LOOPBACK) -> tuple[int, ...]:
    """Return TCP ports that nothing uses now, each another one."""
    with ExitStack() as opened:
        probes = [opened.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((address, 0))
        return tuple(int(probe.getsockname()[1]) for probe in probes)
