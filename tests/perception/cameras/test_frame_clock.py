"""When frames were exposed, by another clock than the camera's."""

import numpy as np
import pytest

from handhold.perception.cameras.frame_clock import DRIFT, FrameClock

EPOCH = 1.8e9
LEAST_DELAY = 0.012


class Clock:
    def __init__(self):
        self.now = 10.0
        self.set_by = 0.0

    def __call__(self):
        return self.now

    def wall(self):
        return EPOCH + self.now + self.set_by


def convert_all(camera_rate, *, is_wall_time=False, count=3000):
    """Return by how much frames at 30 Hz are thought later than they were exposed, with delays at random."""
    random = np.random.default_rng(0)
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    late = []
    for k in range(count):
        exposed = 100.0 + k / 30.0
        clock.now = exposed + LEAST_DELAY + random.exponential(0.004)
        stamp = EPOCH + exposed if is_wall_time else 5.0 + camera_rate * (exposed - 100.0)
        late.append(frames.convert(stamp, is_wall_time=is_wall_time) - exposed)
    return np.array(late)


@pytest.mark.parametrize("drift", [0.0, 5e-5, -5e-5])
def test_a_cameras_own_clock_is_followed_whether_it_is_fast_or_slow(drift):
    late = convert_all(1.0 + drift)[300:]
    # never earlier than exposed, and later by the least delay and what the drift allows for between two short delays
    assert late.min() > 0.9 * LEAST_DELAY
    assert late.max() < LEAST_DELAY + 0.003


def test_a_stamp_by_the_wall_clock_is_exact():
    assert np.abs(convert_all(1.0, is_wall_time=True)).max() < 1e-6


def test_no_frame_is_of_the_future():
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    assert frames.convert(clock.wall() + 0.01, is_wall_time=True) == clock.now


def test_a_wall_clock_that_is_set_does_not_move_frames_in_time():
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    for step in (0.0, 3600.0, -3600.0):
        stamp = clock.wall() - 0.02
        clock.set_by += step
        # the frame was stamped before the clock was set
        assert frames.convert(stamp, is_wall_time=True) == pytest.approx(clock.now - 0.02, abs=1e-6)
        clock.now += 1.0 / 30.0


@pytest.mark.parametrize("is_wall_time", [True, False])
def test_a_frame_that_was_left_lying_is_old(is_wall_time):
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    start = clock.wall() if is_wall_time else 7.0
    for waited in (0.0, 0.0, 20.0):
        exposed = clock.now
        clock.now += 0.01 + waited
        stamp = start + exposed - 10.0
        assert frames.convert(stamp, is_wall_time=is_wall_time) == pytest.approx(clock.now - waited, abs=0.0101)


def test_a_camera_that_begins_to_count_anew_is_followed():
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    for stamp in (500.0, 500.1, 0.0, 0.1, 900.0):
        moment = frames.convert(stamp, is_wall_time=False)
        assert clock.now - 0.2 <= moment <= clock.now
        clock.now += 0.1


def test_an_offset_grows_no_faster_than_clocks_drift():
    clock = Clock()
    frames = FrameClock(clock, clock.wall)
    first = frames.convert(1.0, is_wall_time=False)
    clock.now += 1.5
    assert frames.convert(2.0, is_wall_time=False) - first == pytest.approx(1.0 + DRIFT, abs=1e-9)
