"""A connected camera, of which the library's software device takes the place, and what becomes of one that is lost."""

import numpy as np
import pytest
from camera_frames import ARRIVAL, D455, PINHOLE, make_frames

from handhold.perception.cameras.camera_errors import (
    CameraBusy,
    CameraLost,
    FirmwareUnfit,
    NoCamera,
    StreamRefused,
    StreamSize,
)
from handhold.perception.cameras.camera_streams import CameraStreams
from handhold.perception.cameras.realsense import MAX_SILENCE, SIZE, RealSenseCamera, open_realsense
from handhold.perception.cameras.realsense_devices import find_device, name_device, require_firmware
from handhold.perception.cameras.recorded_camera import RecordedCamera
from handhold.perception.cameras.software_device import ColorCamera, SoftwareDevice
from handhold.perception.cameras.streaming_pipeline import StreamingPipeline

EPOCH = 1.8e9  # of the wall clock, when the other clock says 0 [s]


class Clock:
    def __init__(self):
        self.now = 50.0

    def __call__(self):
        return self.now

    def wall(self):
        return EPOCH + self.now


def open_device(clock, *, record_to=None):
    software = SoftwareDevice(D455, 1e-3, ColorCamera(intrinsics=D455), "4711")
    frames = StreamingPipeline(software.device, "D455", SIZE, SIZE, record_to)
    return software, RealSenseCamera(frames, "D455", clock, clock.wall)


def push(software, frame, stamp, domain):
    software.push_depth(frame.depth, stamp, frame.number, domain)
    software.push_color(frame.color, stamp, frame.number, domain)


@pytest.mark.parametrize("domain", ["system_time", "global_time"])
def test_times_by_the_wall_clock_become_times_by_the_own_clock(domain):
    clock = Clock()
    software, camera = open_device(clock)
    for frame in make_frames(3, D455):
        push(software, frame, clock.wall() - 0.04, domain)
        read = camera.read(ARRIVAL)
        # milliseconds since 1970 are exact to a quarter of a microsecond
        assert read.time == pytest.approx(clock.now - 0.04, abs=1e-6)
        assert np.array_equal(read.depth, frame.depth)
        assert read.number == frame.number
        assert read.color is not None
        clock.now += 1 / 30
    assert camera.read(0.0) is None
    camera.close()


def test_times_by_the_cameras_own_clock_count_from_the_least_delay():
    clock = Clock()
    software, camera = open_device(clock)
    delays = [0.02, 0.005, 0.03, 0.01]
    for frame, delay in zip(make_frames(4, D455), delays, strict=True):
        push(software, frame, clock.now - 30.0 - delay, "hardware_clock")
        late = camera.read(ARRIVAL).time - (clock.now - delay)
        assert late == pytest.approx(min(delays[: 1 + delays.index(delay)]), abs=1e-4)
        clock.now += 1 / 30
    camera.close()


def test_a_connected_camera_is_recorded_while_it_is_used(tmp_path):
    clock = Clock()
    software, camera = open_device(clock, record_to=tmp_path / "walk.db3")
    frames = make_frames(4, D455)
    for frame in frames:
        push(software, frame, frame.time, "hardware_clock")
        assert camera.read(ARRIVAL) is not None
    camera.close()
    recording = RecordedCamera(tmp_path / "walk.db3")
    for frame in frames:
        assert np.array_equal(recording.read(ARRIVAL).depth, frame.depth)
    recording.close()


def test_a_size_that_a_camera_does_not_offer_is_refused_in_words():
    software = SoftwareDevice(PINHOLE, 1e-3, None, "4711")
    with pytest.raises(StreamRefused, match=r"848 x 480 pixels with colour at 30 Hz: connect it to a USB 3 port"):
        StreamingPipeline(software.device, "D455", SIZE, SIZE)


class Image:
    def __init__(self, number, size=SIZE):
        self.number, self.size = number, size

    def get_frame_number(self):
        return self.number

    def get_width(self):
        return self.size[0]

    def get_height(self):
        return self.size[1]

    def get_stride_in_bytes(self):
        return 2 * self.size[0]

    def get_data_size(self):
        return 2 * self.size[0] * self.size[1]


class Frameset:
    def __init__(self, image):
        self.image = image

    def get_depth_frame(self):
        return self.image


class ScriptedFrames:
    """Gives what a script says, then nothing."""

    def __init__(self, *script, connected=True):
        self.streams = CameraStreams(intrinsics=D455, unit=1e-3, color_size=None)
        self.script, self.connected, self.stopped = list(script), connected, 0

    def take(self, timeout):
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Exception):
            raise step
        return step

    def is_connected(self):
        return self.connected

    def stop(self):
        self.stopped += 1


def test_a_camera_that_is_unplugged_is_lost():
    frames, clock = ScriptedFrames(), Clock()
    camera = RealSenseCamera(frames, "D455 (1)", clock, clock.wall)
    assert camera.read(0.1) is None
    frames.connected = False
    with pytest.raises(CameraLost, match=r"D455 \(1\) is lost .* cable"):
        camera.read(0.1)


def test_a_camera_that_falls_silent_is_lost_after_a_while():
    clock = Clock()
    camera = RealSenseCamera(ScriptedFrames(), "D455", clock, clock.wall)
    clock.now += 0.9 * MAX_SILENCE
    assert camera.read(0.1) is None
    clock.now += 0.2 * MAX_SILENCE
    with pytest.raises(CameraLost, match="sent nothing for 5 s"):
        camera.read(0.1)


def test_an_error_of_the_library_is_one_of_ours():
    clock = Clock()
    busy = RuntimeError("xioctl(VIDIOC_S_FMT) failed, errno=16 Last Error: Device or resource busy")
    camera = RealSenseCamera(ScriptedFrames(busy), "D455", clock, clock.wall)
    with pytest.raises(CameraBusy):
        camera.read(0.1)


def test_a_frame_of_another_size_is_refused_before_its_pixels_are_touched():
    clock = Clock()
    camera = RealSenseCamera(ScriptedFrames(Frameset(Image(1, (640, 480)))), "D455", clock, clock.wall)
    with pytest.raises(StreamSize, match=r"640 x 480 .* 848 x 480"):
        camera.read(0.1)


def test_a_closed_camera_stops_once_and_says_so():
    frames, clock = ScriptedFrames(), Clock()
    camera = RealSenseCamera(frames, "D455", clock, clock.wall)
    camera.close()
    camera.close()
    assert frames.stopped == 1
    with pytest.raises(CameraLost, match="closed"):
        camera.read(0.0)


def test_without_a_camera_one_is_asked_for():
    # no camera is connected to where tests run; the library by itself would look for one for 15 s
    clock = Clock()
    with pytest.raises(NoCamera, match="serial number nobody's is connected: connect"):
        open_realsense(clock, clock.wall, serial="nobody's")


def test_cameras_are_told_apart_by_their_serial_numbers():
    devices = [SoftwareDevice(PINHOLE, 1e-3, None, serial).device for serial in ("11", "22")]
    assert name_device(find_device(devices, "22")) == "software camera (22)"
    assert name_device(find_device(devices, None)) == "software camera (11)"
    with pytest.raises(NoCamera, match=r"33 .* choose one of software camera \(11\), software camera \(22\)"):
        find_device(devices, "33")


class Device:
    """A device by what it says of its firmware."""

    def __init__(self, version, needed, *, recovering=False):
        self.version, self.needed, self.recovering = version, needed, recovering

    def is_in_recovery_mode(self):
        return self.recovering

    def get_firmware_min_version(self):
        return self.needed

    def supports(self, field):
        return str(field) == "camera_info.firmware_version"  # this kind has a member called name

    def get_info(self, field):
        return self.version


def test_firmware_that_is_too_old_or_half_written_is_refused():
    require_firmware(Device("5.16.0", "5.13.0"), "D455")
    require_firmware(Device("5.13.0", "5.13.0"), "D455")
    require_firmware(SoftwareDevice(PINHOLE, 1e-3, None, "1").device, "software camera")
    with pytest.raises(FirmwareUnfit, match=r"5\.9\.2.* update it to 5\.13\.0 or later"):
        require_firmware(Device("5.9.2", "5.13.0"), "D455")
    with pytest.raises(FirmwareUnfit, match="not finished"):
        require_firmware(Device("5.16.0", "5.13.0", recovering=True), "D455")
