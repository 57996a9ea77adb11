"""Complaints of librealsense as errors that say what to do."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from handhold.perception.cameras import camera_errors
from handhold.perception.cameras.camera_errors import (
    CameraAbsent,
    CameraBusy,
    CameraFailed,
    CameraForbidden,
    CameraLibraryMissing,
    CameraLost,
    FirmwareUnfit,
    NoCamera,
    StreamRefused,
)
from handhold.perception.cameras.librealsense import load_librealsense, translate_error
from handhold.perception.errors import PerceptionError


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("xioctl(VIDIOC_S_FMT) failed, errno=16 Last Error: Device or resource busy", CameraBusy),
        ("failed to claim usb interface: 0, error: RS2_USB_STATUS_BUSY", CameraBusy),
        ("libusb_claim_interface(...) returned LIBUSB_ERROR_BUSY", CameraBusy),
        ("command transfer failed to execute bulk transfer, error: RS2_USB_STATUS_ACCESS", CameraForbidden),
        ("Cannot open '/dev/video2': Permission denied", CameraForbidden),
        ("No device connected", NoCamera),
        ("Frame didn't arrive within 5000", CameraLost),
        ("Device disconnected. Failed to reconnect: No device connected5000", NoCamera),
        ("xioctl(UVCIOC_CTRL_QUERY) failed Last Error: No such device", CameraLost),
        ("failed to set power state", CameraLost),
        ("Couldn't resolve requests", StreamRefused),
        ("Failed to resolve the request: \n\tFormat: Z16, width: 848", StreamRefused),
        ("Firmware version 5.9 is not supported", FirmwareUnfit),
        ('null pointer passed for argument "device"', CameraFailed),
    ],
)
def test_a_complaint_becomes_an_error(message, kind):
    error = translate_error(RuntimeError(message), "Intel RealSense D455 (1)")
    assert type(error) is kind
    assert "\n" not in str(error)


def test_what_may_come_back_is_told_from_what_will_not():
    assert {kind for kind in vars(camera_errors).values() if isinstance(kind, type) and issubclass(kind, CameraAbsent)} == {
        CameraAbsent,
        NoCamera,
        CameraBusy,
        CameraLost,
    }


ERRORS = (
    CameraLibraryMissing("pyrealsense2", "No module named 'pyrealsense2'"),
    CameraLibraryMissing("pyrealsense2", "libusb-1.0.so.0: cannot open shared object file: No such file or directory"),
    NoCamera(),
    NoCamera("1"),
    NoCamera("1", ("D455 (2)",)),
    CameraBusy("D455"),
    CameraLost("D455", "it is gone."),
    CameraForbidden("D455"),
    FirmwareUnfit("D455", "5.9"),
    StreamRefused("D455", "depth", "2.1"),
    CameraFailed("D455", "odd"),
    camera_errors.StreamSize("640 x 480 pixels", "848 x 480"),
    camera_errors.RecordingUnreadable(Path("a.db3"), "odd."),
    camera_errors.RecordingEnded(Path("a.db3"), 3),
    camera_errors.RecordingNotWritten(Path("a.db3"), "odd"),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_is_one_line_with_a_remedy(error):
    assert isinstance(error, PerceptionError)
    problem, _, remedy = str(error).partition(": ")
    assert problem
    assert len(remedy) > 10
    assert "\n" not in str(error)
    assert "..)" not in str(error)


def test_the_library_that_is_missing_is_named_with_the_way_to_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrealsense2", None)
    with pytest.raises(CameraLibraryMissing, match=r"pip install 'handhold\[camera\]'"):
        load_librealsense()


def test_the_library_below_the_library_is_named_where_it_is_missing(monkeypatch):
    def fail(name):
        raise ImportError("libusb-1.0.so.0: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(CameraLibraryMissing, match=r"apt-get install libusb-1\.0-0"):
        load_librealsense()


def test_importing_cameras_loads_neither_librealsense_nor_pillow():
    modules = ("image_file", "realsense", "recorded_camera", "reconnecting", "software_camera")
    program = "import sys\n" + "".join(f"import handhold.perception.cameras.{module}\n" for module in modules)
    program += "sys.exit(any(name in sys.modules for name in ('pyrealsense2', 'PIL')))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
