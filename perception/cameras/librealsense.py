"""The library of RealSense cameras: loaded when it is first used, and its complaints as errors of ours."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from handhold.perception.cameras.camera_errors import (
    CameraBusy,
    CameraFailed,
    CameraForbidden,
    CameraLibraryMissing,
    CameraLost,
    FirmwareUnfit,
    NoCamera,
    StreamRefused,
)
from handhold.perception.errors import PerceptionError

_MEANINGS: tuple[tuple[tuple[str, ...], Callable[[str, str], PerceptionError]], ...] = (
    (("device or resource busy", "errno=16", "status_busy", "error_busy"), lambda title, _: CameraBusy(title)),
    (("permission denied", "errno=13", "status_access", "error_access"), lambda title, _: CameraForbidden(title)),
    (("no device connected",), lambda _, __: NoCamera()),
    (
        (
            "frame didn't arrive",
            "device disconnected",
            "no such device",
            "errno=19",
            "status_no_device",
            "failed to set power",
        ),
        CameraLost,
    ),
    (
        ("couldn't resolve requests", "failed to resolve the request"),
        lambda title, _: StreamRefused(title, "the streams that were asked for"),
    ),
    (("firmware",), FirmwareUnfit),
)
"""What stands in the library's messages, in small letters, and what it means; the first that fits."""


def load_librealsense() -> Any:
    """Import ``pyrealsense2``.

    Raises:
        CameraLibraryMissing: It is not installed, or does not load.
    """
    try:
        return importlib.import_module("pyrealsense2")
    except ImportError as error:
        raise CameraLibraryMissing("pyrealsense2", str(error)) from None


def translate_error(error: RuntimeError, title: str) -> PerceptionError:
    """Return the error of ours for one of the library's, which are all ``RuntimeError``.

    Args:
        error: What the library has raised.
        title: Of the camera.
    """
    message = " ".join(str(error).split())
    lowered = message.lower()
    for fragments, make in _MEANINGS:
        if any(fragment in lowered for fragment in fragments):
            return make(title, message)
    return CameraFailed(title, message)
