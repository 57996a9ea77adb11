"""The processes of a live run: a robot that stands in, its guard and its host; the station is who plays the scenario."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from handhold.app.lab.live.told_process import ToldProcess
from handhold.app.session.config import PERFECT, UNITREE, SessionConfig, find_free_port
from handhold.app.session.motors_file import motors_file
from handhold.app.session.processes import GUARD, HOST, ProcessSpec
from handhold.app.stand_in.program import find_model
from handhold.robots.attachment import Attachment
from handhold.robots.description import RobotDescription
from handhold.robots.model import RobotModel, weigh
from handhold.robots.unitree.stand_in_file import find_mass
from handhold.robots.unitree.stand_in_motors import MotorFlaws

PROGRAM = "from handhold.app.main import main; main()"
"""What runs a command of ours, wherever its script is installed."""

LASTING = "1800"
"""After how long a robot that stands in ends by itself [s], whatever becomes of who started it."""

STARTING = 600.0
"""How long a host may take until its robot stands [s]: the first time it compiles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """What a live run is made of.

    Attributes:
        interface: Network interface that the robot is reached by.
        flaws: Of the motors of what stands in; None for its own.
    """

    interface: str = "lo"
    flaws: MotorFlaws | None = None

    def list_words(self) -> tuple[str, ...]:
        """List the options of ``handhold stand-in`` that say so."""
        flaws = self.flaws or MotorFlaws()
        motors = ("--delay", str(1e3 * flaws.delay), "--torque-error", str(flaws.torque_error))
        return ("--interface", self.interface, *motors)


@dataclass(frozen=True, slots=True)
class LiveSession:
    """Processes that run.

    Attributes:
        config: The session's configuration.
        robot: What stands in for the robot.
        guard: Its guard.
        host: Its host, with the robot handed over.
    """

    config: SessionConfig
    robot: ToldProcess
    guard: ToldProcess
    host: ToldProcess


@contextmanager
def live_session(model: RobotModel, world: str, seed: int, folder: Path, options: LiveOptions) -> Iterator[LiveSession]:
    """Start a robot that stands in, guard and host, wait until the robot has been taken over, and end them all.

    Args:
        model: The robot as it is described; what it weighs besides is put into a description of its own.
        world: The world that stands about it.
        seed: Of the robot's sensors.
        folder: Where description and log are kept.
        options: The rest.

    Raises:
        LiveRunFailed: A process ended, or did not start in time.
    """
    name = model.description.name
    weighed = weigh(model, find_mass(find_model(name)))
    description = write_description(model.description, weighed.description.attachments, folder)
    with ExitStack() as ending:
        shared = ending.enter_context(motors_file(UNITREE))
        config = SessionConfig(
            robot=str(description),
            world=world,
            body=UNITREE,
            interface=options.interface,
            motors_file=shared,
            link_port=find_free_port(),
            log_folder=str(folder),
            camera=PERFECT,
        )
        words = ("stand-in", name, "--world", world, "--seed", str(seed), "--duration", LASTING, *options.list_words())
        standing = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        robot = ToldProcess("stand-in", standing, time.monotonic)
        ending.callback(robot.stop)
        robot.wait_for("held by its maker's controller", STARTING)
        guard = _start(GUARD, config)
        ending.callback(guard.stop)
        host = _start(HOST, config)
        ending.callback(_kill, host)
        host.wait_for("stands; the log is", STARTING)
        yield LiveSession(config, robot, guard, host)


def _start(spec: ProcessSpec, config: SessionConfig) -> ToldProcess:
    process = spec.start(config, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ToldProcess(spec.name, process, time.monotonic)


def _kill(process: ToldProcess) -> None:
    process.process.send_signal(signal.SIGKILL)
    process.process.wait()


def write_description(description: RobotDescription, attachments: tuple[Attachment, ...], folder: Path) -> Path:
    """Write a description with attachments that its file does not have, and return the new file.

    Args:
        description: As its file has it.
        attachments: All of them, those of the file first.
        folder: Where to write it.
    """
    text = Path(description.source).read_text(encoding="utf-8")
    for attachment in attachments[len(description.attachments) :]:
        place = ", ".join(repr(coordinate) for coordinate in attachment.position)
        text += f'\n[[attachments]]\nframe = "{attachment.frame}"\nmass = {attachment.mass!r}\nposition = [{place}]\n'
    file = folder / f"{description.name}.toml"
    file.write_text(text, encoding="utf-8")
    return file
