"""What was recorded is played back."""

from dataclasses import replace

import pytest
from camera_frames import ARRIVAL, D455, PINHOLE, assert_same, make_frames, read_all
from ros_bag import write_bag

from handhold.perception.cameras.camera_errors import RecordingEnded, RecordingNotWritten
from handhold.perception.cameras.color_pairing import MAX_GAP, MAX_HELD, ColorPairing
from handhold.perception.cameras.recorded_camera import RecordedCamera
from handhold.perception.cameras.recording_check import check_recording
from handhold.perception.cameras.software_camera import SoftwareCamera
from handhold.perception.cameras.software_device import ColorCamera


def record(path, frames):
    """Record frames; returns what the camera gave for them."""
    first = frames[0]
    color = None if first.color is None else ColorCamera(intrinsics=first.intrinsics)
    camera = SoftwareCamera(first.intrinsics, first.unit, color=color, record_to=path, serial="4711")
    given = []
    for frame in frames:
        camera.push(frame)
        given.append(camera.read(ARRIVAL))
    camera.close()
    return given


@pytest.mark.parametrize(("intrinsics", "color"), [(PINHOLE, False), (PINHOLE, True), (D455, True)])
def test_thirty_frames_are_played_as_they_were_recorded(intrinsics, color, tmp_path):
    frames = make_frames(30, intrinsics, color=color)
    given = record(tmp_path / "walk.db3", frames)
    camera = RecordedCamera(tmp_path / "walk.db3")
    assert camera.intrinsics == intrinsics
    played = list(read_all(camera))
    camera.close()
    assert len(played) == 30
    for frame, sent, live in zip(played, frames, given, strict=True):
        assert_same(frame, sent)
        assert (frame.color is None) == (live.color is None)
        assert frame.color is None or (frame.color == live.color).all()


def test_a_paced_recording_gives_frames_in_their_order(tmp_path):
    record(tmp_path / "walk.db3", make_frames(10))
    camera = RecordedCamera(tmp_path / "walk.db3", is_paced=True)
    numbers = [frame.number for frame in read_all(camera)]
    camera.close()
    # who reads slowly misses some
    assert 0 < len(numbers) <= 10
    assert numbers == sorted(set(numbers))


def test_the_end_of_a_recording_is_an_error_that_says_so(tmp_path):
    record(tmp_path / "walk.db3", make_frames(3))
    camera = RecordedCamera(tmp_path / "walk.db3")
    assert len(list(read_all(camera))) == 3
    for _ in range(2):
        with pytest.raises(RecordingEnded, match="ended after 3 depth images: open it again"):
            camera.read(ARRIVAL)
    camera.close()


def test_a_recording_of_one_frame_is_one(tmp_path):
    record(tmp_path / "walk.db3", make_frames(1))
    camera = RecordedCamera(tmp_path / "walk.db3")
    assert len(list(read_all(camera))) == 1
    camera.close()


def test_a_recording_can_be_closed_in_the_middle_and_played_again(tmp_path):
    frames = make_frames(8)
    record(tmp_path / "walk.db3", frames)
    for count in range(5):
        camera = RecordedCamera(tmp_path / "walk.db3")
        for frame in frames[:count]:
            assert_same(camera.read(ARRIVAL), frame)
        camera.close()
        camera.close()
        with pytest.raises(RecordingEnded):
            camera.read(0.0)


def test_what_is_fed_faster_than_it_is_written_is_recorded_whole(tmp_path):
    frames = make_frames(100, D455, color=False)
    camera = SoftwareCamera(D455, 1e-3, record_to=tmp_path / "walk.db3")
    for frame in frames:
        camera.push(frame)
    camera.close()
    recording = RecordedCamera(tmp_path / "walk.db3")
    assert [frame.number for frame in read_all(recording)] == [frame.number for frame in frames]
    recording.close()


def test_the_title_names_file_and_camera(tmp_path):
    record(tmp_path / "walk.db3", make_frames(1, color=False))
    camera = RecordedCamera(tmp_path / "walk.db3")
    assert camera.title == "recording walk.db3 of software camera"
    camera.close()


def test_nothing_is_overwritten_by_a_recording(tmp_path):
    (tmp_path / "there.db3").write_text("precious")
    for name in ("there.db3", "walk.bag", "nowhere/walk.db3"):
        with pytest.raises(RecordingNotWritten):
            SoftwareCamera(PINHOLE, 1e-3, record_to=tmp_path / name)
    assert (tmp_path / "there.db3").read_text() == "precious"


def test_the_time_of_the_last_image_is_known_beforehand(tmp_path):
    frames = make_frames(5)
    record(tmp_path / "walk.db3", frames)
    assert check_recording(tmp_path / "walk.db3").last_stamp == pytest.approx(frames[-1].time, abs=1e-8)


class Image:
    def __init__(self, time):
        self.time = time

    def get_timestamp(self):
        return self.time


def pair(images, *, last):
    """Give images to a pairing; returns the times of the pairs that come of it."""
    pairing, pairs = ColorPairing(), []
    for kind, time in images:
        (pairing.add_depth if kind == "depth" else pairing.add_picture)(Image(time))
        while (found := pairing.take()) is not None:
            pairs.append(found)
    while last and (found := pairing.take(is_last=True)) is not None:
        pairs.append(found)
    return [(depth.time, picture and picture.time) for depth, picture in pairs]


def test_each_depth_image_gets_the_picture_nearest_in_time():
    images = [("depth", 0), ("picture", 5), ("depth", 33), ("picture", 30), ("depth", 66), ("depth", 99), ("picture", 80)]
    images += [("picture", 110), ("depth", 133)]
    expected = [(0, 5), (33, 30), (66, 80), (99, 110)]
    assert pair(images, last=False) == expected
    assert pair(images, last=True) == [*expected, (133, 110)]


def test_depth_goes_on_without_pictures():
    depth = [("depth", 33 * k) for k in range(40)]
    alone = pair(depth, last=False)
    assert 40 - MAX_HELD <= len(alone) < 40
    assert pair(depth, last=True) == [(33 * k, None) for k in range(40)]
    # one picture at the beginning belongs to what was measured then
    with_one = pair([("picture", 1), *depth], last=True)
    assert with_one == [(time, 1 if time <= MAX_GAP else None) for _, time in depth]


def test_pictures_alone_are_let_go():
    assert pair([("picture", 10 * k) for k in range(100)] + [("depth", 980)], last=True) == [(980, 980)]


def test_a_recording_without_rates_is_played_whole(tmp_path, monkeypatch):
    from handhold.perception.cameras.software_device import SoftwareDevice

    monkeypatch.setattr(SoftwareDevice, "_state_rate", lambda *_: None)
    # with numbers that do not begin with the time, the library would pair nothing by itself
    frames = [replace(frame, number=frame.number + 500) for frame in make_frames(10)]
    given = record(tmp_path / "walk.db3", frames)
    camera = RecordedCamera(tmp_path / "walk.db3")
    played = list(read_all(camera))
    camera.close()
    assert len(played) == 10
    for frame, sent, live in zip(played, frames, given, strict=True):
        assert_same(frame, sent)
        assert (frame.color == live.color).all()


@pytest.mark.parametrize("has_rates", [True, False])
def test_a_bag_of_an_older_library_is_played(has_rates, tmp_path):
    frames = make_frames(12)
    write_bag(tmp_path / "walk.bag", frames, has_rates=has_rates)
    camera = RecordedCamera(tmp_path / "walk.bag")
    assert camera.title == "recording walk.bag of Intel RealSense D455"
    assert camera.intrinsics == PINHOLE
    played = list(read_all(camera))
    camera.close()
    assert len(played) == 12
    for frame, sent in zip(played, frames, strict=True):
        assert_same(frame, sent)
        # what is measured has its own colour, or that of a pixel beside it
        measured = sent.depth > 0
        assert (frame.color == sent.color)[measured].mean() > 0.9
