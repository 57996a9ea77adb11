"""A look at a recording before librealsense reads it, which some damage makes crash or wait forever.

A ``.db3`` file is a database of SQLite with messages on topics. Topics without their partners keep the library's reader in a
circle, and a rotation of fewer than nine numbers lets it read what is not there. A ``.bag`` file is a row of records; bytes
too many keep its reader in a circle, too. The rest is left to the library, and images are looked at one by one as they come.
Some damage still ends the process that reads it, so read what strangers have recorded in one that may be lost.
"""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from handhold.perception.cameras.camera_errors import RecordingUnreadable

MAX_TOPICS = 4096
"""Topics of a recording: far more than a camera has streams and options."""

MAX_TEXT = 1 << 16
"""Length of a message that describes something [bytes]; they have up to 200."""

_PARTNERS = (
    ("/value", "/description"),
    ("/description", "/value"),
    ("/camera_info", "/info"),
    ("/imu_intrinsic", "/info"),
)
"""Endings of topics that come with another one."""

_DATABASE, _BAG = b"SQLite format 3\0", b"#ROSBAG V2.0"

_COLUMNS = "SELECT name, type, serialization_format, offered_qos_profiles FROM topics LIMIT ?"
_TOPICS = "SELECT name FROM topics WHERE id IN (SELECT topic_id FROM messages) LIMIT ?"
_TEXTS = """SELECT substr(data, 1, ?) FROM messages JOIN topics ON topics.id = topic_id WHERE name LIKE '%' || ?"""
_LAST = """SELECT substr(data, 1, ?) FROM messages JOIN topics ON topics.id = topic_id
    WHERE name LIKE '%/Depth_0/image/metadata' ORDER BY messages.timestamp DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class RecordingFacts:
    """What is known of a recording before it is played.

    Attributes:
        last_stamp: When its last depth image was taken, by the camera [s]; None where that is not known.
    """

    last_stamp: float | None = None


def check_recording(path: Path) -> RecordingFacts:
    """Look whether a file is a recording, without the damage that is known to end or stop who reads it.

    Raises:
        RecordingUnreadable: It is none.
    """
    try:
        if not path.is_file():
            raise RecordingUnreadable(path, "there is no such file")
        with path.open("rb") as opened:
            head = opened.read(len(_DATABASE))
    except (OSError, ValueError) as error:
        raise RecordingUnreadable(path, str(error)) from None
    if path.suffix == ".bag" and head.startswith(_BAG):
        _check_bag(path)
        return RecordingFacts()
    if path.suffix != ".db3" or head != _DATABASE:
        raise RecordingUnreadable(path, "it is no .db3 or .bag file of librealsense")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            return _check_database(database, path)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise RecordingUnreadable(path, f"it is damaged: {error}") from None


def _check_bag(path: Path) -> None:
    """See that records follow each other to the end: four bytes of length and a head, four bytes of length and a body."""
    with path.open("rb") as bag:
        end = bag.seek(0, io.SEEK_END)
        place = bag.seek(len(_BAG) + 1)
        while place < end:
            for largest in (MAX_TEXT, end):
                length = int.from_bytes(bag.read(4), "little")
                place = bag.seek(place + 4 + length)
                if length > largest or place > end:
                    raise RecordingUnreadable(path, "it is damaged, or was cut off")


def _check_database(database: sqlite3.Connection, path: Path) -> RecordingFacts:
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    columns = database.execute(_COLUMNS, (MAX_TOPICS + 1,)).fetchall()
    are_texts = all(isinstance(each, str) and each.isascii() for row in columns for each in row)
    if len(columns) > MAX_TOPICS or not are_texts:
        raise RecordingUnreadable(path, "it is damaged: it has topics that no camera has")
    names = [name for (name,) in database.execute(_TOPICS, (MAX_TOPICS,))]
    for one, other in _PARTNERS:
        have_one = {name.removesuffix(one) for name in names if name.endswith(one) and "/image/" not in name}
        have_other = {name.removesuffix(other) for name in names if name.endswith(other)}
        if not have_one <= have_other:
            raise RecordingUnreadable(path, f"it is damaged: there is {one} without {other}")
    for text in _read_texts(database, "/tf/ref_1") + _read_texts(database, "/tf/ref_0"):
        if not _is_transform(text):
            raise RecordingUnreadable(path, "it is damaged: where a camera is has not all its numbers")
    return RecordingFacts(_read_stamp(database.execute(_LAST, (MAX_TEXT,)).fetchone()))


def _read_texts(database: sqlite3.Connection, ending: str) -> list[str]:
    return [_to_text(data) for (data,) in database.execute(_TEXTS, (MAX_TEXT, ending))]


def _to_text(data: object) -> str:
    """Return the text of a message: four bytes of encoding, four of length, the text."""
    return data[8:].decode("ascii", "replace").rstrip("\0") if isinstance(data, bytes) else ""


def _is_transform(text: str) -> bool:
    parts = dict(part.partition("=")[::2] for part in text.split(";"))
    return len(parts.get("rotation", "").split(",")) == 9 and len(parts.get("translation", "").split(",")) == 3


def _read_stamp(row: tuple[object] | None) -> float | None:
    if row is None:
        return None
    parts = dict(part.partition("=")[::2] for part in _to_text(row[0]).split(";"))
    try:
        return 1e-3 * float(parts["timestamp"])
    except (KeyError, ValueError):
        return None
