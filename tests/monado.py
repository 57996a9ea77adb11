"""A real OpenXR runtime (Monado) with a headset and controllers whose poses and buttons a test sends over TCP.

Monado runs inside the process that opens the session and reads its environment when it is loaded, so that every session has a
process of its own (``openxr_worker.py``), which is asked over its standard input and answers in JSON lines.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from openxr_axes import convert_pose_to_openxr

HERE = Path(__file__).parent
RUNTIME_SCRIPT = HERE / "runtime" / "monado.sh"
ANSWER_TIMEOUT = 300.0  # [s]: beyond it a worker hangs; software rendering and a cold import take their time
HEADER = b"mndrmt3\0"
PACKET_SIZE = 376

Pose = tuple[tuple[float, float, float, float], tuple[float, float, float]]  # quaternion xyzw, position; OpenXR's axes


def find_runtime_json() -> Path:
    """Return the runtime's JSON file: that of the environment, or else of the script that fetches or builds Monado."""
    if "XR_RUNTIME_JSON" in os.environ:
        return Path(os.environ["XR_RUNTIME_JSON"])
    done = subprocess.run([RUNTIME_SCRIPT], check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip().splitlines()[-1])


def find_service_json() -> Path:
    """Return the JSON file of a runtime that runs in a process of its own (see ``start_service``)."""
    done = subprocess.run([RUNTIME_SCRIPT, "service"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip().splitlines()[-1])


def pose_at(pose: pin.SE3) -> Pose:
    """Return a pose of Handhold's axes as the remote driver takes it."""
    position, quat_xyzw = convert_pose_to_openxr(pose)
    return tuple(quat_xyzw), tuple(position)


@dataclass(frozen=True, kw_only=True)
class Controller:
    """State of one controller as the remote driver takes it."""

    pose: Pose = ((0.0, 0.0, 0.0, 1.0), (0.0, 1.2, -0.4))
    trigger: float = 0.0
    squeeze: float = 0.0
    stick: tuple[float, float] = (0.0, 0.0)
    trackpad_force: float = 0.0
    active: bool = True
    system: bool = False
    a: bool = False
    b: bool = False
    stick_click: bool = False
    curl: tuple[float, float, float, float, float] | None = None
    """Of little finger to thumb, 0 straight to 1, where the hand itself is tracked."""

    def pack(self) -> bytes:
        orientation, position = self.pose
        values = (
            *orientation,
            *position,
            *(0.0,) * 6,
            *(self.curl or (0.0,) * 5),
            self.trigger,
            self.squeeze,
            0.0,
            *self.stick,
        )
        clicks = (self.active, self.system, self.system, self.a, self.a, self.b, self.b)
        remaining = (self.trigger > 0.5, self.trigger > 0, self.stick_click, self.stick_click, False)
        return struct.pack("<26f13?3x", *values, self.trackpad_force, 0.0, 0.0, self.curl is not None, *clicks, *remaining)


@dataclass(frozen=True, kw_only=True)
class Headset:
    """State of the headset and both controllers as the remote driver takes it."""

    head: Pose = ((0.0, 0.0, 0.0, 1.0), (0.0, 1.6, 0.0))
    left: Controller = field(default_factory=Controller)
    right: Controller = field(default_factory=Controller)

    def pack(self) -> bytes:
        view = struct.pack("<11f4x", -0.8, 0.8, 0.8, -0.8, 0, 0, 0, 1, 0, 0, 0)
        orientation, position = self.head
        head = view + view + struct.pack("<7f?3x", *orientation, *position, False)
        packet = HEADER + head + self.left.pack() + self.right.pack()
        assert len(packet) == PACKET_SIZE
        return packet


class RemoteDriver:
    """Connection to the remote driver of a running session."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = self._connect()

    def _connect(self) -> socket.socket:
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while True:
            try:
                connected = socket.create_connection(("127.0.0.1", self._port), timeout=ANSWER_TIMEOUT)
                break
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected

    def connect_again(self) -> None:
        """Connect to the session that was opened in place of the one before."""
        self.close()
        self._socket = self._connect()

    def send(self, state: Headset) -> None:
        self._socket.sendall(state.pack())

    def close(self) -> None:
        self._socket.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def runtime_environment(runtime_json: Path, folder: Path, port: int) -> dict[str, str]:
    """Return the environment of a process that shall load Monado with its remote driver at a port."""
    config = folder / "config" / "monado"
    config.mkdir(parents=True, mode=0o700)
    (folder / "run").mkdir(mode=0o700)
    remote = {"active": "remote", "remote": {"version": 0, "port": port, "view_count": 2}}
    (config / "config_v0.json").write_text(json.dumps(remote))
    vulkan = str(next(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")))  # package mesa-vulkan-drivers
    inherited = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    return inherited | {
        "XR_RUNTIME_JSON": str(runtime_json),
        "P_OVERRIDE_ACTIVE_CONFIG": "remote",
        "XRT_COMPOSITOR_NULL": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "XRT_LOG": "info",
        "VK_DRIVER_FILES": vulkan,
        "VK_ICD_FILENAMES": vulkan,
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }


@contextlib.contextmanager
def start_service(service_json: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run Monado in a process of its own, which may be killed; its log is in the folder of ``XDG_RUNTIME_DIR``."""
    run = Path(environment["XDG_RUNTIME_DIR"])
    (run / "monado_comp_ipc").unlink(missing_ok=True)
    with (
        (run / "service.log").open("a") as log,
        subprocess.Popen(
            [service_json.parents[3] / "bin" / "monado-service"],
            env=environment | {"XRT_NO_STDIN": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        ) as service,
    ):
        try:
            deadline = time.monotonic() + ANSWER_TIMEOUT
            while not (run / "monado_comp_ipc").exists():
                assert service.poll() is None, (run / "service.log").read_text()[-2000:]
                assert time.monotonic() < deadline, "the runtime does not answer"
                time.sleep(0.02)
            yield service
        finally:
            service.kill()


class Worker:
    """A process with an ``OpenXrDevice`` of its own."""

    def __init__(
        self, environment: dict[str, str], log: Path, graphics: str, profile: str = "all", script: str = "openxr_worker.py"
    ) -> None:
        self.log = log
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / script), graphics, profile],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("w"),
            start_new_session=True,
        )

    def ask(self, do: str, **arguments: Any) -> Any:
        """Let the process do something with its device, and return what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], ANSWER_TIMEOUT)
        line = self._process.stdout.readline() if ready else b""
        assert line, f"no answer to '{do}'; the worker's log ends with: {self.log.read_text()[-2000:]}"
        return json.loads(line)

    def read_until(self, holds: Callable[[dict[str, Any]], bool], timeout: float = ANSWER_TIMEOUT) -> dict[str, Any]:
        """Read samples until one is as wanted; fails, showing the last one, where none is within the timeout [s]."""
        deadline = time.monotonic() + timeout
        while True:
            sample = self.ask("read")
            if holds(sample):
                return sample
            assert time.monotonic() < deadline, f"no sample as wanted; the last one: {sample}"
            time.sleep(0.005)

    def finish(self) -> int:
        """Close the device, let the process end, and return its exit code."""
        self.ask("close")
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(timeout=ANSWER_TIMEOUT)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@dataclass(frozen=True)
class Session:
    """A device in its own process on a running Monado, and the remote driver that moves the operator."""

    worker: Worker
    driver: RemoteDriver

    def send(self, **state: Any) -> None:
        self.driver.send(Headset(**state))


@contextlib.contextmanager
def open_monado(
    runtime_json: Path,
    folder: Path,
    graphics: str = "headless",
    profile: str = "all",
    script: str = "openxr_worker.py",
    **environment: str,
) -> Iterator[Session]:
    """Open a device on a Monado of its own, focused, with both controllers there.

    Args:
        runtime_json: The runtime.
        folder: Empty folder for the runtime's files and the worker's log.
        graphics: ``"headless"``, ``"egl"`` or ``"glx"``.
        profile: The only interaction profile to suggest controls for, ``"all"`` for all of them; after it, names of actions
            that nothing is bound to.
        script: What the process runs.
        environment: More variables for the process.
    """
    port = free_port()
    variables = runtime_environment(runtime_json, folder, port) | environment
    worker = Worker(variables, folder / "worker.log", graphics, profile, script)
    driver = None
    try:
        answer = worker.ask("open")
        assert answer == {"done": True}, answer
        driver = RemoteDriver(port)
        driver.send(Headset())
        worker.read_until(lambda s: s["focused"] and s["left"]["pose"] is not None and s["right"]["pose"] is not None)
        yield Session(worker, driver)
    finally:
        if driver is not None:
            driver.close()
        worker.kill()


def as_pose(matrix: list[list[float]] | None) -> pin.SE3:
    """Return a pose that a worker answered with."""
    assert matrix is not None
    return pin.SE3(np.array(matrix))
