"""A camera that is unplugged and connected again."""

import numpy as np
import pytest
from camera_frames import PINHOLE, make_frames

from handhold.perception.cameras.camera_errors import CameraLost, FirmwareUnfit, NoCamera, StreamSize
from handhold.perception.cameras.reconnecting import RETRY_PERIOD, ReconnectingCamera
from handhold.perception.errors import BadFrame

(FRAME,) = make_frames(1)
LOST = CameraLost("D455", "it is not connected any more")


class ScriptedCamera:
    """Gives what a script says, one step a read; waits for the whole time where that is nothing."""

    def __init__(self, world, script, title):
        self.world, self.script, self.title, self.intrinsics = world, list(script), title, PINHOLE
        self.closed = 0

    def read(self, timeout):
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Exception):
            raise step
        if step is None:
            self.world.sleep(timeout)
        return step

    def close(self):
        self.closed += 1


class World:
    """A clock that goes on while somebody waits, and cameras as they can be opened one after the other."""

    def __init__(self, *scripts):
        self.now, self.scripts, self.opened, self.attempts = 0.0, list(scripts), [], []

    def __call__(self):
        return self.now

    def sleep(self, duration):
        assert duration >= 0.0
        self.now += duration

    def open(self):
        self.attempts.append(self.now)
        script = self.scripts.pop(0) if self.scripts else NoCamera()
        if isinstance(script, Exception):
            raise script
        self.opened.append(ScriptedCamera(self, script, f"camera {len(self.opened)}"))
        return self.opened[-1]


def connect(world):
    return ReconnectingCamera(world.open, world, world.sleep)


def test_a_camera_that_is_lost_is_opened_anew():
    world = World([FRAME, LOST], NoCamera(), NoCamera(), [FRAME])
    camera = connect(world)
    assert camera.status.connected
    assert camera.read(0.1) is FRAME
    assert camera.read(0.1) is None
    assert not camera.status.connected
    assert camera.status.words == str(LOST)
    read = [camera.read(0.1) for _ in range(40)]
    assert [frame for frame in read if frame is not None] == [FRAME]
    assert camera.status.connected
    assert camera.title == "camera 1"
    assert [one.closed for one in world.opened] == [1, 0]


def test_it_is_tried_at_most_once_a_second_and_no_less_often():
    world = World([LOST])
    camera = connect(world)
    while world.now < 20.0:
        assert camera.read(0.13) is None
    apart = np.diff(world.attempts[1:])
    assert world.attempts[1] >= RETRY_PERIOD
    assert apart.min() >= RETRY_PERIOD - 1e-9
    assert apart.max() < RETRY_PERIOD + 0.13
    assert camera.status.words == str(NoCamera())


@pytest.mark.parametrize("timeout", [0.0, 0.05, 0.9, 3.0])
def test_reading_a_lost_camera_takes_no_longer_than_asked_for(timeout):
    world = World([LOST], NoCamera(), NoCamera())
    camera = connect(world)
    camera.read(timeout)
    for _ in range(5):
        before = world.now
        assert camera.read(timeout) is None
        assert world.now - before <= timeout + 1e-9


@pytest.mark.parametrize("error", [FirmwareUnfit("D455", "old"), StreamSize("a", "b"), BadFrame("odd", "mend it")])
def test_whatever_else_is_wrong_is_told_and_tried_again(error):
    world = World([error], error, [FRAME])
    camera = connect(world)
    assert camera.read(0.1) is None
    assert camera.status.words == str(error)
    assert [camera.read(2.0) for _ in range(2)] == [None, FRAME]


def test_a_camera_that_is_not_there_at_first_is_an_error():
    with pytest.raises(NoCamera):
        connect(World())


def test_closing_closes_the_camera_for_good():
    world = World([FRAME], [FRAME])
    camera = connect(world)
    camera.close()
    camera.close()
    assert world.opened[0].closed == 1
    with pytest.raises(CameraLost, match="closed"):
        camera.read(5.0)
    assert len(world.attempts) == 1
