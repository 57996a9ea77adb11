"""Devices of librealsense: which there are, what they are called, and whether their firmware will do."""

from __future__ import annotations

import math
from typing import Any

from handhold.perception.cameras.camera_errors import FirmwareUnfit, NoCamera
from handhold.perception.cameras.librealsense import load_librealsense


def find_device(devices: list[Any], serial: str | None) -> Any:
    """Return the device with a serial number, or the first one.

    The devices are listed first because a pipeline that finds none looks for one for 15 s.

    Raises:
        NoCamera: It is not among them.
    """
    for device in devices:
        if serial is None or read_info(device, "serial_number") == serial:
            return device
    raise NoCamera(serial, tuple(name_device(device) for device in devices))


def name_device(device: Any) -> str:
    """Return the name of a device for people."""
    name, serial = read_info(device, "name") or "the depth camera", read_info(device, "serial_number")
    return f"{name} ({serial})" if serial else name


def require_firmware(device: Any, title: str) -> None:
    """Look whether the library can use a device with the firmware that it has.

    Raises:
        FirmwareUnfit: It cannot.
    """
    if device.is_in_recovery_mode():
        raise FirmwareUnfit(title, "an update of it was not finished")
    try:
        needed = str(device.get_firmware_min_version())
    except RuntimeError:
        return  # this kind of device knows of none
    found = read_info(device, "firmware_version")
    if found and _to_numbers(found) < _to_numbers(needed):
        raise FirmwareUnfit(title, found, needed)


def _to_numbers(version: str) -> tuple[float, ...]:
    return tuple(float(part) if part.isdigit() else math.inf for part in version.split("."))


def read_info(device: Any, name: str) -> str:
    """Return what a device says of itself, or nothing."""
    field = getattr(load_librealsense().camera_info, name)
    return str(device.get_info(field)) if device.supports(field) else ""
