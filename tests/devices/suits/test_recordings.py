"""Recordings of people: files of several kinds, and the suit that plays them."""

from __future__ import annotations

import io
import zipfile
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from people import angle_between, find_offset, make_human
from recording_files import write_bvh, write_joints, write_mvnx

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.joint_names import find_segments
from handhold.devices.suits.joint_positions import LAYOUTS
from handhold.devices.suits.joint_posture import build_orientations
from handhold.devices.suits.open_recording import open_recording
from handhold.devices.suits.recording import RecordedSuit, Recording
from handhold.devices.suits.suit_errors import RecordingUnreadable
from handhold.devices.tracked_human import Segment

FRAMES = 120
RATE = 60.0
PEOPLE = [make_human(k / RATE) for k in range(FRAMES)]
POSITIONS = np.array([human.positions for human in PEOPLE])
ORIENTATIONS = np.array([human.orientations for human in PEOPLE])


def unreadable(file: Path) -> str:
    with pytest.raises(RecordingUnreadable) as refused:
        open_recording(file)
    return str(refused.value)


def write(folder: Path, text: str, name: str = "a.mvnx") -> Path:
    file = folder / name
    file.write_text(text)
    return file


@pytest.mark.parametrize("version", [3, 4])
def test_a_recording_of_mvn_is_read(tmp_path: Path, version: int) -> None:
    recording = open_recording(write(tmp_path, write_mvnx(PEOPLE, version, RATE)))
    assert (recording.rate, len(recording), recording.tracked.all()) == (RATE, FRAMES, True)
    assert np.allclose(recording.positions, POSITIONS, atol=1e-5)
    assert angle_between(recording.orientations, ORIENTATIONS) < 1e-3
    assert recording.positions_com is not None
    assert np.allclose(recording.positions_com, [human.position_com for human in PEOPLE], atol=1e-5)
    assert (recording.feet_in_contact is not None) == (version == 4)
    sample = recording.sample(3, time=1.0, sequence=3, suit="x")
    assert (sample.left_foot_in_contact, sample.right_foot_in_contact) == ((False, True) if version == 4 else (None, None))


def test_segments_of_a_recording_of_mvn_are_told_by_their_names(tmp_path: Path) -> None:
    text = write_mvnx(PEOPLE[:5], 4, RATE).replace('label="LeftToe"', 'label="Sword"')
    recording = open_recording(write(tmp_path, text))
    assert list(np.flatnonzero(~recording.tracked)) == [Segment.LEFT_TOE]
    assert not recording.positions[:, Segment.LEFT_TOE].any()


def test_a_document_type_is_refused_before_anything_grows(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><mvnx>&b;</mvnx>'
    assert "document type" in unreadable(write(tmp_path, laughs))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<mvnx", "<svg", "begins with"),
        ('frameRate="60.0"', 'frameRate="fast"', "number"),
        ('frameRate="60.0"', 'frameRate="0"', "rate"),
        ("<position>", "<position>1 2 ", "not that of 23"),
        ("<position>", "<position>x", "no number"),
        ("<position>", "<position>" + "1 " * 10_000, "more numbers"),
        ("<orientation>", "<orientation>9", "unit length"),
        ('type="normal"', 'type="tpose"', "no frame"),
        ("</mvnx>", "", "no sound XML"),
    ],
)
def test_what_no_recording_of_mvn_says_is_refused_in_words(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert told in unreadable(write(tmp_path, write_mvnx(PEOPLE[:2], 4, RATE).replace(old, new)))


def test_something_else_is_refused_in_words(tmp_path: Path) -> None:
    assert "begins with <svg>" in unreadable(write(tmp_path, "<svg/>"))
    assert "deep" in unreadable(write(tmp_path, "<mvnx>" + "<a>" * 100))
    assert ".mvnx, .bvh, .npy" in unreadable(write(tmp_path, "hello"))
    with pytest.raises(OSError, match=r"directory"):
        open_recording(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_recording(tmp_path / "nothing")


@pytest.mark.parametrize("order", ["Zrotation Xrotation Yrotation", "Yrotation Zrotation Xrotation"])
@pytest.mark.parametrize("unit", [1.0, 0.01, 0.0254])
def test_a_recording_for_animation_is_read(tmp_path: Path, order: str, unit: float) -> None:
    recording = open_recording(write(tmp_path, write_bvh(PEOPLE, RATE, order, unit), "a.bvh"))
    assert recording.rate == pytest.approx(RATE)
    assert recording.tracked.all()
    assert np.allclose(recording.positions, POSITIONS, atol=2e-5)
    assert angle_between(recording.orientations, ORIENTATIONS) < 1e-3


def test_a_person_who_is_drawn_with_hanging_arms_has_arms_turned_so(tmp_path: Path) -> None:
    # arms of the skeleton hang at 45 degrees when nothing is turned; the person then stands exactly so
    text = write_bvh(PEOPLE[:1], RATE, "Zrotation Xrotation Yrotation", 1.0, arms_down=np.pi / 4)
    recording = open_recording(write(tmp_path, text, "a.bvh"))
    half = np.pi / 8
    for segment, sign in ((Segment.LEFT_UPPER_ARM, -1), (Segment.RIGHT_FOREARM, 1), (Segment.LEFT_HAND, -1)):
        expected = np.array([sign * np.sin(half), 0.0, 0.0, np.cos(half)])
        assert angle_between(recording.orientations[0, segment], expected) < 1e-6
    assert angle_between(recording.orientations[0, Segment.T8], np.array([0.0, 0.0, 0.0, 1.0])) < 1e-6


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("ROOT", "TRUNK", "HIERARCHY"),
        ("OFFSET", "OFFSET x", "OFFSET"),
        ("CHANNELS 3 Z", "CHANNELS 3 W", "CHANNELS"),
        ("CHANNELS 3", "CHANNELS 9", "CHANNELS"),
        ("Frames: 2", "Frames: 3", "2 frames where 3"),
        ("Frames: 2", "Frames: 99999999", "MOTION"),
        ("Frame Time: 0.0", "Frame Time: -0.0", "MOTION"),
        ("LeftHip", "Tail", "names"),
        ("}", "", "HIERARCHY"),
    ],
)
def test_what_no_skeleton_has_is_refused_in_words(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = write_bvh(PEOPLE[:2], RATE, "Zrotation Xrotation Yrotation", 1.0).replace(old, new, 1)
    assert told in unreadable(write(tmp_path, text, "a.bvh"))


def test_names_of_several_exporters_are_known() -> None:
    sides = ("Left", "Right")
    mixamo = [f"mixamorig:{name}" for name in ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")]
    mixamo += [f"mixamorig:{side}{joint}" for side in sides for joint in ("Shoulder", "Arm", "ForeArm", "Hand")]
    mixamo += [f"mixamorig:{side}{joint}" for side in sides for joint in ("UpLeg", "Leg", "Foot", "ToeBase")]
    found = find_segments(mixamo)
    assert found[Segment.T8] == 3
    assert found[Segment.LEFT_UPPER_ARM] == mixamo.index("mixamorig:LeftArm")
    ours = ["Hips", "Chest", "Chest2", "Chest3", "Chest4", "Neck", "Head"]
    ours += [
        f"{side}{joint}" for side in sides for joint in ("Collar", "Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle", "Toe")
    ]
    assert len(find_segments(ours)) == 23
    assert find_segments(ours)[Segment.LEFT_UPPER_ARM] == ours.index("LeftShoulder")
    assert find_segments(["Hips", "Tail"]) == {}
    assert all(find_segments(names) for names, _ in LAYOUTS.values())
    assert all(len(names) == count for count, (names, _) in LAYOUTS.items())


def test_a_t_pose_of_joints_turns_no_segment() -> None:
    turned = build_orientations(POSITIONS[:1], {segment: int(segment) for segment in Segment}, {}, RATE)
    assert angle_between(turned[0], ORIENTATIONS[0]) < 1e-9
    assert np.linalg.norm(find_offset(Segment.HEAD)) > 0.0


def test_segments_are_turned_as_joints_that_are_hinges_say() -> None:
    known = [each for each in Segment if each not in (Segment.L5, Segment.L3, Segment.T12, Segment.HEAD)]
    turned = build_orientations(POSITIONS, {segment: int(segment) for segment in Segment}, {}, RATE)
    assert angle_between(turned[:, known], ORIENTATIONS[:, known]) < 1e-4


@pytest.mark.parametrize("count", sorted(LAYOUTS))
@pytest.mark.parametrize("packed", [False, True])
def test_arrays_of_joints_are_read(tmp_path: Path, count: int, packed: bool) -> None:
    data = write_joints(PEOPLE, LAYOUTS[count][0])
    file = tmp_path / ("a.npz" if packed else "a.npy")
    file.write_bytes(pack(data) if packed else data)
    recording = open_recording(file, rate=RATE)
    known = recording.tracked
    assert known.sum() >= 20
    assert np.allclose(recording.positions[:, known], POSITIONS[:, known], atol=1e-5)
    assert recording.rate == RATE
    assert open_recording(file).rate == LAYOUTS[count][1]


def pack(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("global_joint_positions.npy", data)
    return stream.getvalue()


def test_arrays_that_are_none_of_joints_are_refused_in_words(tmp_path: Path) -> None:
    def told(array: np.ndarray) -> str:
        stream = io.BytesIO()
        np.save(stream, array)
        (tmp_path / "a.npy").write_bytes(stream.getvalue())
        return unreadable(tmp_path / "a.npy")

    assert "shape" in told(np.zeros((3, 53)))
    assert "shape" in told(np.zeros((3, 53, 3), dtype=int))
    assert "7 joints" in told(np.zeros((3, 7, 3)))
    assert "finite" in told(np.full((3, 53, 3), np.nan))
    assert "no frame" in told(np.zeros((0, 53, 3)))
    assert "thigh" in told(np.zeros((3, 53, 3)))
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(whole[:-1])
    assert "not as long" in unreadable(tmp_path / "a.npy")
    (tmp_path / "a.npz").write_bytes(pack(whole)[:-30])
    assert "archive" in unreadable(tmp_path / "a.npz")


def test_captures_of_somebody_who_climbs_are_read_true_and_go_on_without_a_jump() -> None:
    folder = metadata.distribution("holosoma-retargeting").locate_file("holosoma_retargeting/demo_data/climb")
    files = sorted(Path(str(folder)).glob("*/*_joint_positions_*.npy"))
    assert len(files) == 5
    for file in files:
        recording = open_recording(file)
        assert 2303 <= len(recording) <= 3011
        assert recording.tracked.sum() == 21
        cosines = np.abs(np.sum(recording.orientations[1:] * recording.orientations[:-1], axis=-1))
        assert np.degrees(2.0 * np.arccos(cosines.clip(0.0, 1.0).min())) < 15.0
        upright = 1.0 - 2.0 * np.sum(recording.orientations[0, [Segment.PELVIS, Segment.T8], :2] ** 2, axis=1)
        assert upright.min() > 0.95


class Clock:
    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now


def record() -> Recording:
    known = np.ones(23, dtype=bool)
    return Recording(title="a", rate=RATE, positions=POSITIONS, orientations=ORIENTATIONS, tracked=known)


def test_a_recording_is_played_at_its_own_rate() -> None:
    clock = Clock()
    suit = RecordedSuit(record(), clock=clock)
    with pytest.raises(DeviceNotOpen):
        suit.read()
    suit.open()
    for frame in (0, 1, 7, FRAMES - 1):
        clock.now = 10.0 + (frame + 0.4) / RATE
        sample = suit.read()
        assert sample is not None
        assert sample.sequence == frame
        assert sample.time == pytest.approx(10.0 + frame / RATE)
        assert np.array_equal(sample.positions, POSITIONS[frame])
    assert not suit.ended
    clock.now = 60.0
    last = suit.read()
    assert last is not None
    assert suit.ended
    # it ages, as that of a suit which is switched off
    assert last.time == pytest.approx(10.0 + (FRAMES - 1) / RATE)


def test_a_recording_that_begins_again_is_another_run() -> None:
    clock = Clock()
    suit = RecordedSuit(record(), clock=clock, speed=2.0, loops=True)
    suit.open()
    first = suit.read()
    clock.now = 10.0 + (FRAMES + 3) / (2.0 * RATE)
    again = suit.read()
    assert first is not None
    assert again is not None
    assert (again.sequence, again.time) == (3, pytest.approx(clock.now))
    assert again.suit != first.suit
