"""What is no recording, or a damaged one, is refused in words: in a process of its own, which the library could take down."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from camera_frames import ARRIVAL, PINHOLE, make_frames
from ros_bag import write_bag

from handhold.perception.cameras.software_camera import SoftwareCamera
from handhold.perception.cameras.software_device import ColorCamera

READER = """
import json, sys
from pathlib import Path
from handhold.perception.cameras.recorded_camera import RecordedCamera
from handhold.perception.errors import PerceptionError

for name in sys.argv[1:]:
    frames, camera = 0, None
    try:
        camera = RecordedCamera(Path(name))
        while True:
            frames += camera.read(300.0) is not None
    except PerceptionError as error:
        print(json.dumps([name, frames, type(error).__name__, str(error)]), flush=True)
    finally:
        if camera is not None:
            camera.close()
"""

DEPTH = "/device_0/sensor_0/Depth_0"
FRAMES = 12


def read_in_a_process(*files: Path) -> list[tuple[int, str, str]]:
    """Return of each file: frames, kind of error and what it says."""
    result = subprocess.run(
        [sys.executable, "-c", READER, *map(str, files)], capture_output=True, text=True, check=False, timeout=ARRIVAL
    )
    assert result.returncode == 0, result.stderr[-2000:]
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line[0] for line in lines] == [str(file) for file in files]
    return [(line[1], line[2], line[3]) for line in lines]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "sound.db3"
    camera = SoftwareCamera(PINHOLE, 1e-3, color=ColorCamera(intrinsics=PINHOLE), record_to=path)
    for frame in make_frames(FRAMES):
        camera.push(frame)
        assert camera.read(ARRIVAL) is not None
    camera.close()
    return path


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    contents = {
        "empty.db3": b"",
        "text.db3": b"depth, depth",
        "noise.db3": bytes(range(256)) * 300,
        "other.txt": b"",
        "e.bag": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "database.db3")) as database:
        database.execute("CREATE TABLE songs (name TEXT)")
        database.commit()
    (tmp_path / "bag.bag").write_bytes(b"#ROSBAG V2.0\n" + b"\0" * 5000)
    (tmp_path / "folder.db3").mkdir()
    names = [*contents, "database.db3", "bag.bag", "folder.db3", "missing.db3", "missing"]
    for frames, kind, words in read_in_a_process(*(tmp_path / name for name in names)):
        assert (frames, kind) == (0, "RecordingUnreadable"), words
        assert "\n" not in words
        assert "choose another" in words


def test_a_recording_that_is_cut_off_is_refused(recording: Path, tmp_path: Path) -> None:
    content = recording.read_bytes()
    files = [tmp_path / f"{part}.db3" for part in range(1, 20)]
    for part, file in enumerate(files, start=1):
        file.write_bytes(content[: part * len(content) // 20])
    for _, kind, words in read_in_a_process(*files):
        assert kind == "RecordingUnreadable", words


def test_a_bag_that_is_cut_off_or_has_too_much_is_refused(tmp_path: Path) -> None:
    write_bag(tmp_path / "sound.bag", make_frames(2), has_rates=True)
    content = (tmp_path / "sound.bag").read_bytes()
    files = [tmp_path / f"{part}.bag" for part in range(1, 20)]
    for part, file in enumerate(files, start=1):
        place = part * len(content) // 20
        file.write_bytes(content[:place] + (b"" if part % 2 else content[place - 700 :]))
    for _, kind, words in read_in_a_process(*files):
        assert kind == "RecordingUnreadable", words
        assert "cut off" in words


def change(recording: Path, changed: Path, topic: str, old: bytes, new: bytes) -> None:
    """Change what messages of a topic say."""
    changed.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(changed)) as database:
        found = "SELECT m.id, m.data FROM messages m JOIN topics t ON t.id = m.topic_id WHERE t.name = ?"
        messages = database.execute(found, (topic,)).fetchall()
        assert any(old in data for _, data in messages)
        for number, data in messages:
            text = data[8:].replace(old, new)
            whole = data[:4] + len(text).to_bytes(4, "little") + text
            database.execute("UPDATE messages SET data = ? WHERE id = ?", (whole, number))
        database.commit()


@pytest.mark.parametrize(
    ("topic", "old", "new", "said"),
    [
        # these two end or stop the process of whoever lets the library read them
        ("tf/ref_1", b"rotation=1.000000,", b"rotation=", "not all its numbers"),
        ("camera_info", b"width=96", b"width=4000", "4000 x 64 pixels"),
        ("camera_info", b"width=96", b"width=40000", "40000 x 64 pixels"),
        ("camera_info", b"width=96", b"width=97", "97 x 64 pixels"),
        ("camera_info", b"fx=80.25", b"fx=x", "no number where one belongs"),
        ("camera_info", b"coeffs=0", b"coeffs=0.2", "distorted"),
        ("info", b"Z16", b"Y8", "no depth image of 16 bits"),
    ],
)
def test_a_recording_that_says_what_is_not_so_is_refused(recording, topic, old, new, said, tmp_path):
    changed = tmp_path / "changed.db3"
    change(recording, changed, f"{DEPTH}/{topic}", old, new)
    ((frames, kind, words),) = read_in_a_process(changed)
    assert (frames, kind) == (0, "RecordingUnreadable"), words
    assert said in words


def test_a_depth_unit_that_is_none_is_refused(recording, tmp_path):
    change(recording, tmp_path / "changed.db3", "/device_0/sensor_0/option/Depth_Units/value", b"0.001", b"7.001")
    ((_, kind, words),) = read_in_a_process(tmp_path / "changed.db3")
    assert kind == "RecordingUnreadable"
    assert "depth unit" in words


@pytest.mark.parametrize("topic", [f"{DEPTH}/info", "/device_0/sensor_0/option/Depth_Units/description"])
def test_a_recording_that_lacks_a_topic_is_refused(recording, topic, tmp_path):
    # the library would look for it without end
    changed = tmp_path / "changed.db3"
    changed.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(changed)) as database:
        database.execute("DELETE FROM messages WHERE topic_id = (SELECT id FROM topics WHERE name = ?)", (topic,))
        database.commit()
    ((frames, kind, words),) = read_in_a_process(changed)
    assert (frames, kind) == (0, "RecordingUnreadable"), words


def test_a_recording_that_is_damaged_in_the_middle_says_so_there(recording, tmp_path):
    changed = tmp_path / "changed.db3"
    changed.write_bytes(recording.read_bytes())
    with closing(sqlite3.connect(changed)) as database:
        found = "SELECT m.id FROM messages m JOIN topics t ON t.id = m.topic_id WHERE t.name LIKE ? ORDER BY m.timestamp"
        numbers = database.execute(found, (f"{DEPTH}/image/data%",)).fetchall()
        database.execute("UPDATE messages SET data = substr(data, 1, 90) WHERE id = ?", numbers[2])
        database.commit()
    ((frames, kind, words),) = read_in_a_process(changed)
    assert kind == "RecordingUnreadable"
    assert 1 <= frames <= 2
    assert f"damaged after {frames} depth images" in words
