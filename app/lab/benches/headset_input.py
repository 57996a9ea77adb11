"""A headset to be read from while a benchmark runs: Monado, a real OpenXR runtime, with simulated controllers.

The runtime runs within the process (its own threads are not counted by a thread's CPU time). It is the one that the tests take
(``tests/runtime/monado.sh``: where it is not there yet, the script fetches or builds it).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from handhold.app.session.commit import find_checkout
from handhold.devices.errors import DeviceError
from handhold.devices.openxr.device import OpenXrDevice

SCRIPT = find_checkout() / "tests" / "runtime" / "monado.sh"
"""Prints the runtime's manifest; a checkout has it."""

SOFTWARE_VULKAN = "/usr/share/vulkan/icd.d"
"""Where Mesa's Vulkan without a graphics card is named, which Monado wants even where it shows nothing."""

FOCUS_TIMEOUT = 60.0
"""How long the session may take to get focus with both hands tracked [s]."""


@contextlib.contextmanager
def open_headset() -> Iterator[OpenXrDevice | None]:
    """Open a device with focus and both hands tracked, or None, with a line on stderr, where it cannot be had."""
    manifest = find_runtime()
    if manifest is None:
        print("bench: no OpenXR runtime to read from, so that a frame's cost is not known", file=sys.stderr)
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(describe_environment(manifest, folder))
        device = OpenXrDevice(clock=time.monotonic)
        try:
            yield device if _get_focus(device) else None
        finally:
            device.close()


def find_runtime() -> Path | None:
    """Return Monado's manifest, which is fetched or built where it is not there yet; None where it cannot be had."""
    if not SCRIPT.is_file():
        return None
    done = subprocess.run([SCRIPT], check=False, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.strip().splitlines()
    return Path(lines[-1]) if done.returncode == 0 and lines else None


def describe_environment(manifest: Path, folder: str) -> dict[str, str]:
    """Return the variables by which this process loads Monado, with simulated controllers and its files in a folder."""
    drivers = sorted(Path(SOFTWARE_VULKAN).glob("lvp_icd*.json"))
    vulkan = {name: str(drivers[0]) for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")} if drivers else {}
    return vulkan | {
        "XR_RUNTIME_JSON": str(manifest),
        "SIMULATED_ENABLE": "1",
        "SIMULATED_LEFT": "wmr",
        "SIMULATED_RIGHT": "wmr",
        "XRT_COMPOSITOR_NULL": "1",
        "XRT_LOG": "error",
        "XDG_RUNTIME_DIR": folder,
        "XDG_CONFIG_HOME": folder,
    }


def _get_focus(device: OpenXrDevice) -> bool:
    """Open the device, and read it until the operator is there; say on stderr where that fails."""
    try:
        device.open()
        deadline = time.monotonic() + FOCUS_TIMEOUT
        while time.monotonic() < deadline:
            sample = device.read()
            if sample.focused and sample.left.pose is not None and sample.right.pose is not None:
                return True
            time.sleep(0.01)
    except DeviceError as error:
        print(f"bench: {error}", file=sys.stderr)
        return False
    print("bench: the OpenXR runtime tracks no hands", file=sys.stderr)
    return False
