"""What this machine has of what Handhold can use; each part answers with what it found and what mends it."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from handhold.app.logs.store import KEPT, list_logs

_PROBE_TIME = 20.0  # [s] a driver that has not answered by then hangs

# Each probe is a process of its own: a broken driver or runtime ends the process that loads it.
_GL_PROBE = """
import os
os.environ["PYOPENGL_PLATFORM"] = "egl"
if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
from OpenGL import EGL
from ctypes import byref, c_int
display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
EGL.eglInitialize(display, byref(c_int()), byref(c_int()))
EGL.eglBindAPI(EGL.EGL_OPENGL_API)
none = EGL.EGL_NONE
wanted = (c_int * 5)(EGL.EGL_CONTEXT_MAJOR_VERSION, 4, EGL.EGL_CONTEXT_MINOR_VERSION, 3, none)
context = EGL.eglCreateContext(display, None, EGL.EGL_NO_CONTEXT, wanted)
EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, context)
from OpenGL import GL
print((GL.glGetString(GL.GL_RENDERER) or b"").decode(), "OpenGL", (GL.glGetString(GL.GL_VERSION) or b"").decode())
"""

_OPENXR_PROBE = """
import os
os.environ["PYOPENGL_PLATFORM"] = "egl"
import xr
instance = xr.create_instance(xr.InstanceCreateInfo(application_info=xr.ApplicationInfo(application_name="handhold doctor")))
name = xr.get_instance_properties(instance).runtime_name
name = name.decode() if isinstance(name, bytes) else name
try:
    system = xr.get_system(instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
    headset = xr.get_system_properties(instance, system).system_name
    headset = headset.decode() if isinstance(headset, bytes) else headset
except xr.exception.FormFactorUnavailableError:
    headset = "no headset connected"
print(f"{name}, {headset}")
"""

USB_3 = 5000.0
"""Speed of USB 3 [Mbit/s]."""


class FindingState(StrEnum):
    """What a finding means for Handhold."""

    OK = "ok"
    OPTIONAL = "optional"
    """Not there, and Handhold runs without."""

    MISSING = "missing"
    """Nothing runs without it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part.

    Attributes:
        name: The part, in words.
        state: What it means for Handhold.
        found: What is there, or what is wrong.
        mend: Command or step that mends it; empty where there is nothing to mend.
    """

    name: str
    state: FindingState
    found: str
    mend: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the finding as a JSON object."""
        return asdict(self)


def examine(port: int, logs: Path, cap: float) -> tuple[Finding, ...]:
    """Examine this machine, every part at the same time.

    Args:
        port: Port of the loopback interface that the page in the browser would be served at.
        logs: Folder of logs.
        cap: Size of all logs above which the oldest are removed [GB].
    """
    parts: tuple[Callable[[], Finding], ...] = (
        _python,
        _cores,
        lambda: _package("dynamics", "pin", FindingState.MISSING),
        lambda: _package("physics engine MuJoCo", "mujoco", FindingState.MISSING),
        _pybullet,
        _opengl,
        _openxr,
        _browser,
        lambda: _port(port),
        lambda: find_logs(logs, cap),
        _link,
        find_cameras,
        _suit,
    )
    with ThreadPoolExecutor(len(parts)) as pool:
        return tuple(pool.map(lambda part: part(), parts))


def _python() -> Finding:
    found = f"Python {platform.python_version()} in {sys.prefix}"
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Finding("Python", FindingState.OK, found)
    return Finding(
        "Python", FindingState.MISSING, found, "install Python 3.11, 3.12 or 3.13, remove .venv, then ./handhold setup"
    )


def _cores() -> Finding:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores >= 2:
        return Finding("processor", FindingState.OK, f"{cores} cores")
    return Finding(
        "processor", FindingState.OPTIONAL, "one core: the robot will move slower than real time", "use two cores or more"
    )


def _package(name: str, package: str, otherwise: FindingState) -> Finding:
    try:
        return Finding(name, FindingState.OK, f"{package} {metadata.version(package)}")
    except metadata.PackageNotFoundError:
        return Finding(name, otherwise, f"the package {package} is not installed", "./handhold setup")


def _pybullet() -> Finding:
    finding = _package("physics engine PyBullet", "pybullet", FindingState.OPTIONAL)
    if finding.state is FindingState.OK or sys.version_info < (3, 12):
        return finding
    return Finding(
        finding.name,
        FindingState.OPTIONAL,
        "its last wheel is for Python 3.11",
        "use --engine mujoco, or Python 3.11 and ./handhold setup",
    )


def _opengl() -> Finding:
    shown, worked = _probe(_GL_PROBE)
    if worked:
        return Finding("OpenGL 4.3", FindingState.OK, shown)
    mend = f"install the graphics card's driver, or a software one: {_install('libegl1', 'libgl1', 'libgl1-mesa-dri')}"
    return Finding("OpenGL 4.3", FindingState.OPTIONAL, f"no headset pictures ({shown})", mend)


def _openxr() -> Finding:
    manifest = active_openxr_manifest(dict(os.environ), Path.home())
    if manifest is None:
        mend = "start SteamVR or Monado once and make it the active runtime, or set XR_RUNTIME_JSON; without: --device browser"
        return Finding("OpenXR runtime", FindingState.OPTIONAL, "none is active", mend)
    shown, worked = _probe(_OPENXR_PROBE)
    if worked:
        return Finding("OpenXR runtime", FindingState.OK, f"{shown} ({manifest})")
    return Finding(
        "OpenXR runtime",
        FindingState.OPTIONAL,
        f"{manifest} does not answer ({shown})",
        "start the runtime, or choose another",
    )


def active_openxr_manifest(environment: dict[str, str], home: Path) -> Path | None:
    """Return the manifest of the OpenXR runtime that the loader would take, or None.

    The loader's own order: ``XR_RUNTIME_JSON``, then ``openxr/1/active_runtime.json`` in the user's and the system's
    configuration folders.
    """
    named = environment.get("XR_RUNTIME_JSON")
    if named:
        return Path(named) if Path(named).is_file() else None
    folders = [environment.get("XDG_CONFIG_HOME") or str(home / ".config")]
    folders += (environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")
    folders += ["/etc", "/usr/local/share", "/usr/share"]
    candidates = [Path(folder) / "openxr" / "1" / "active_runtime.json" for folder in folders]
    return next((file for file in candidates if file.is_file()), None)


def _browser() -> Finding:
    names = ("chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr")
    there = next((path for path in map(shutil.which, names) if path), None)
    if there:
        return Finding("browser", FindingState.OK, there)
    return Finding("browser", FindingState.OPTIONAL, "none on this machine; any other can open the page", _install("chromium"))


def _port(port: int) -> Finding:
    with socket.socket() as probe:
        # As asyncio's servers do: a port that is only in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            mend = "stop what uses it, or choose another: handhold run --port N"
            return Finding(f"port {port}", FindingState.MISSING, error.strerror or "cannot be had", mend)
    return Finding(f"port {port}", FindingState.OK, "free on 127.0.0.1")


def find_logs(folder: Path, cap: float) -> Finding:
    """Tell what the logs of a folder take.

    Args:
        folder: Folder of logs.
        cap: Size of all of them above which the oldest are removed [GB].
    """
    logs, kept = list_logs(folder), list_logs(folder / KEPT)
    size, kept_size = (sum(log.size for log in found) / 1e9 for found in (logs, kept))
    numbers = f"{len(logs)} logs, {size:.1f} of {cap:.0f} GB, {len(kept)} kept ({kept_size:.1f} GB) in {folder}"
    if size <= cap:
        return Finding("logs", FindingState.OK, numbers)
    mend = f"the oldest go with the next session; move those you want to {folder / KEPT}, or choose handhold run --log-cap GB"
    return Finding("logs", FindingState.OPTIONAL, numbers, mend)


def _link() -> Finding:
    finding = _package("network", "eclipse-zenoh", FindingState.MISSING)
    try:
        socket.create_server(("127.0.0.1", 0)).close()
    except OSError as error:
        return Finding(
            "network", FindingState.MISSING, f"the loopback interface is down ({error.strerror})", "ip link set lo up"
        )
    if finding.state is not FindingState.OK:
        return finding
    return Finding("network", FindingState.OK, f"loopback works, {finding.found}")


def find_cameras(devices: Path = Path("/sys/bus/usb/devices"), nodes: Path = Path("/dev/bus/usb")) -> Finding:
    """Find the RealSense cameras that are connected, and what keeps them from being used.

    Args:
        devices: Where the kernel tells of the devices at its USB buses.
        nodes: Where those are opened.
    """
    name = "depth camera"
    cameras = [folder for folder in sorted(devices.glob("*")) if _is_realsense(folder)]
    if not cameras:
        return Finding(name, FindingState.OPTIONAL, "none connected", "connect an Intel RealSense by USB 3, or go without")
    found = ", ".join(f"{_read(camera / 'product')} ({_describe_speed(camera)})" for camera in cameras)
    if find_spec("pyrealsense2") is None:
        return Finding(name, FindingState.OPTIONAL, f"{found}, but no pyrealsense2", "pip install 'handhold[camera]'")
    if not all(os.access(_find_node(camera, nodes), os.R_OK | os.W_OK) for camera in cameras):
        mend = "install the udev rules of librealsense, then connect the camera anew"
        return Finding(name, FindingState.OPTIONAL, f"{found}, which this user may not open", mend)
    if any(_read_speed(camera) < USB_3 for camera in cameras):
        mend = "use a USB 3 port and cable: at USB 2 there is no depth of 848 x 480 at 30 Hz"
        return Finding(name, FindingState.OPTIONAL, found, mend)
    return Finding(name, FindingState.OK, found)


def _is_realsense(folder: Path) -> bool:
    return _read(folder / "idVendor") == "8086" and "RealSense" in _read(folder / "product")


def _read(file: Path) -> str:
    """Return what a file of the kernel's says; empty where it is not there."""
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _read_speed(camera: Path) -> float:
    """Return the speed of a device at USB [Mbit/s]; 0 where it is not known."""
    try:
        return float(_read(camera / "speed"))
    except ValueError:
        return 0.0


def _describe_speed(camera: Path) -> str:
    return "USB 3" if _read_speed(camera) >= USB_3 else "USB 2"


def _find_node(camera: Path, nodes: Path) -> Path:
    bus, device = _read(camera / "busnum"), _read(camera / "devnum")
    return nodes / bus.zfill(3) / device.zfill(3)


def _suit() -> Finding:
    # A suit cannot be asked whether it is there: it shows itself by the packets it sends while `handhold run` listens.
    return Finding("motion capture suit", FindingState.OPTIONAL, "not looked for; none is needed")


def _install(*packages: str) -> str:
    tool = "apt-get install -y" if shutil.which("apt-get") else "install"
    sudo = "" if os.geteuid() == 0 else "sudo "
    return f"{sudo}{tool} {' '.join(packages)}"


def _probe(program: str) -> tuple[str, bool]:
    """Run a program in an interpreter of its own; return its last line, and whether it succeeded."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=_PROBE_TIME, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {_PROBE_TIME:.0f} s", False
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}", False
    lines = (done.stdout if done.returncode == 0 else done.stderr).splitlines()
    error_lines = [line for line in lines if line[:1].isalpha()]  # the last of a traceback: the error itself
    return (error_lines[-1] if error_lines else "no answer"), done.returncode == 0
