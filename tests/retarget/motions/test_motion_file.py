"""Files of motions: there and back, and every mistake is one line that says what mends it."""

import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from motions import HUMANOIDS

from handhold.retarget.motions.errors import MotionFileError
from handhold.retarget.motions.motion_file import (
    MAX_FILE_SIZE,
    MAX_UNPACKED_SIZE,
    find_motion_file,
    known_motions,
    read_motion,
    write_motion,
)

SHIPPED = ("feet-apart", "feet-together", "squat", "stand-up", "step-up", "wave")


def spoil(file, **changes) -> None:
    """Write a file again with some of its arrays, or keys of its header, changed; None takes an array away."""
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(str(arrays["header"]))
    for name, value in changes.items():
        if name not in arrays:
            header[name] = value
        elif value is None:
            del arrays[name]
        else:
            arrays[name] = value
    if "header" in arrays:
        arrays["header"] = np.array(json.dumps(header))
    np.savez(file, **arrays)


@pytest.fixture
def file(tmp_path, step):
    path = tmp_path / "step.npz"
    write_motion(step, path)
    return path


def test_a_motion_is_the_same_after_writing_and_reading(file, step):
    read = read_motion(file)
    assert (read.name, read.title, read.robot, read.world) == (step.name, step.title, step.robot, step.world)
    assert read.joints == step.joints
    assert read.contacts == step.contacts
    assert np.array_equal(read.times, step.times)
    assert np.array_equal(read.postures, step.postures)
    assert np.array_equal(read.sample(1.234).x, step.sample(1.234).x)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version 2 of the format, this Handhold reads 1; update Handhold"),
        ({"format": "something else"}, "header: format"),
        ({"colour": "red"}, "header: colour"),
        ({"times": None}, "has no 'times'"),
        ({"header": None}, "has no 'header'"),
        ({"times": np.zeros(3)}, "ask for"),
        ({"postures": np.full((211, 36), np.nan)}, "NaN"),
        ({"times": np.zeros(211)}, "times must rise"),
        ({"times": np.linspace(0.0, 1e12, 211)}, "lasts longer than 600 s"),
        ({"times": np.r_[0.0, 5e-324, np.linspace(1.0, 2.0, 209)]}, "knots 0 and 1 are nearer than 0.001 s"),
        ({"postures": np.full((211, 36), 1e300)}, "beyond 100 m or rad"),
        ({"name": "a\nb"}, "header: name: a text has a line break"),
        ({"title": "a" * 2000}, "header: title: a text of 2000 characters"),
        ({"times": np.array(["a"] * 211)}, "no archive of NumPy arrays"),
        ({"contacts": []}, "header: contacts"),
        ({"contacts": [{"effector": "left_foot", "start": 2.0, "end": 1.0}]}, "begin before they end"),
        ({"contacts": [{"effector": "left_foot", "start": 0.0, "end": 9.0}]}, "within the motion"),
    ],
)
def test_a_spoilt_file_is_refused_in_a_line(file, changes, words):
    spoil(file, **changes)
    with pytest.raises(MotionFileError) as refused:
        read_motion(file)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(file) in str(refused.value)


def test_what_is_no_archive_is_refused(tmp_path):
    for name, content in (("text.npz", b"hello"), ("empty.npz", b""), ("cut.npz", b"PK\x03\x04")):
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(MotionFileError, match="no archive of NumPy arrays"):
            read_motion(file)
    with pytest.raises(MotionFileError, match="check the path"):
        read_motion(tmp_path / "nowhere.npz")


def test_an_archive_of_pickled_objects_is_refused(tmp_path):
    file = tmp_path / "pickled.npz"
    np.savez(file, header=np.array([{}], dtype=object), times=np.zeros(1), postures=np.zeros(1))
    with pytest.raises(MotionFileError, match="no archive of NumPy arrays"):
        read_motion(file)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (400000000,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551616,), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 18446744073709551616), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n",
        "{'descr': '|O', 'fortran_order': False, 'shape': (10,), }\n",
        "{'descr': '|V1000000000', 'fortran_order': False, 'shape': (3,), }\n",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (100000000000,), }\n",
        "{'descr': '<f8', 'fortran_order': ",
        "(" * 9000 + ")" * 9000,
    ],
)
def test_a_crafted_array_header_is_refused_and_sets_no_memory_aside(file, header):
    with zipfile.ZipFile(file) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    members["times.npy"] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    tracemalloc.start()
    try:
        with pytest.raises(MotionFileError, match="no archive of NumPy arrays"):
            read_motion(file)
        assert tracemalloc.get_traced_memory()[1] < 10 * MAX_FILE_SIZE
    finally:
        tracemalloc.stop()


def test_a_damaged_file_is_read_as_it_was_or_refused(file, step):
    whole, refused = file.read_bytes(), 0
    for place in range(0, len(whole), 41):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            postures = read_motion(file).postures
        except MotionFileError:
            refused += 1
        else:
            assert np.array_equal(postures, step.postures)
    assert refused > 100


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path):
    file = tmp_path / "bomb.npz"
    np.savez_compressed(file, header=np.array("{}"), times=np.zeros(MAX_UNPACKED_SIZE // 8), postures=np.zeros(1))
    assert file.stat().st_size < MAX_FILE_SIZE
    with pytest.raises(MotionFileError, match="bytes in it"):
        read_motion(file)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    file = tmp_path / "large.npz"
    file.write_bytes(bytes(MAX_FILE_SIZE + 1))
    with pytest.raises(MotionFileError, match="larger than"):
        read_motion(file)


def test_the_shipped_motions_are_small_and_known_by_name():
    for robot in HUMANOIDS:
        assert known_motions(robot) == SHIPPED
        for name in SHIPPED:
            assert find_motion_file(name, robot).stat().st_size < MAX_FILE_SIZE
    with pytest.raises(MotionFileError, match="take one of feet-apart"):
        find_motion_file("fly", "talos")
    with pytest.raises(MotionFileError, match="give the path"):
        find_motion_file("wave", "anymal")
