"""Recordings of MVN in its own format, .mvnx, versions 3 and 4.

XML: ``subject`` has ``frameRate`` and ``segments``, whose order is that of the numbers in each ``frame``: quaternions (w, x,
y, z) in ``orientation``, positions [m] in ``position``, z up; ``centerOfMass``, and from version 4 on ``footContacts``. Frames
of types other than ``normal`` are poses of calibration. Joint angles are not read: their conventions differ between versions.
"""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

import numpy as np

from handhold.devices.suits.recording import MAX_FRAMES, Recording, check_recording, open_regular
from handhold.devices.suits.skeleton import ROTATION_TOLERANCE, SEGMENT_TITLES
from handhold.devices.suits.suit_errors import RecordingUnreadable

MAX_SIZE = 1 << 31
"""Size of a file at most [bytes]; 14 minutes at 240 Hz with all that MVN can write take 1.5 GB."""

MAX_TEXT = 1 << 14
"""Length of a frame's numbers at most: 69 segments take 9,000 letters."""

CHUNK = 1 << 20
MAX_DEPTH = 64
_VALUES = ("orientation", "position", "centerOfMass", "footContacts")
_FEET = (("LeftFoot_Heel", "LeftFoot_Toe"), ("RightFoot_Heel", "RightFoot_Toe"))
_CONTACTS = tuple(name for foot in _FEET for name in foot)
"""Order of contacts where the file does not say it."""


def read_mvnx(file: Path) -> Recording:
    """Read a recording.

    Raises:
        OSError: The file cannot be read.
        RecordingUnreadable: It is no recording of MVN, or says what no recording does.
    """
    reader = _MvnxReader(file.name)
    with open_regular(file, MAX_SIZE).open("rb") as opened:
        try:
            while chunk := opened.read(CHUNK):
                reader.feed(chunk)
            reader.feed(b"", is_last=True)
        except expat.ExpatError as error:
            raise RecordingUnreadable(file.name, f"no sound XML: {error}") from None
        except (UnicodeError, LookupError):
            raise RecordingUnreadable(file.name, "no sound XML: its letters are in no known code") from None
    return reader.finish()


class _MvnxReader:
    """Reads the file as it comes, and keeps numbers alone."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._rate = 0.0
        self._labels: list[str] = []
        self._contacts: dict[int, str] = {}
        self._frame: dict[str, np.ndarray] | None = None
        self._frames: dict[str, list[np.ndarray]] = {name: [] for name in _VALUES}
        self._text: list[str] | None = None
        self._length = self._depth = 0
        self._is_mvnx = False
        self._has_subject = self._subject_over = False
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text
        # entities are declared there: nothing in a recording needs any, and some grow without bounds
        parser.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, chunk: bytes, is_last: bool = False) -> None:
        """Take the next bytes."""
        self._parser.Parse(chunk, is_last)

    def _fail(self, reason: str) -> RecordingUnreadable:
        return RecordingUnreadable(self._title, reason)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._fail("it declares a document type, which no recording of MVN does")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fail("its elements lie too deep in each other")
        name = tag.rpartition(" ")[2]
        if self._depth == 1:
            self._is_mvnx = name == "mvnx"
        if not self._is_mvnx:
            raise self._fail(f"it begins with <{name[:40]}>, not with <mvnx>")
        if self._subject_over:
            return
        self._start_within(name, attributes)

    def _start_within(self, name: str, attributes: dict[str, str]) -> None:
        if name == "subject":
            self._rate = self._number(attributes.get("frameRate", ""))
        elif name == "segment" and len(self._labels) < 256:
            self._labels.append(attributes.get("label", ""))
        elif name == "contactDefinition":
            self._contacts[int(self._number(attributes.get("index", "")))] = attributes.get("label", "")
        elif name == "frame":
            self._frame = {} if attributes.get("type", "normal") == "normal" else None
        elif name in _VALUES and self._frame is not None:
            self._text, self._length = [], 0

    def _add_text(self, text: str) -> None:
        if self._text is None:
            return
        self._length += len(text)
        if self._length > MAX_TEXT:
            raise self._fail("a frame has more numbers than anybody has segments")
        self._text.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        name = tag.rpartition(" ")[2]
        if name == "subject":
            # of several people the first one counts
            self._subject_over = True
        elif name in _VALUES and self._text is not None and self._frame is not None:
            try:
                self._frame[name] = np.array("".join(self._text).split(), dtype=np.float64)
            except ValueError:
                raise self._fail(f"what is no number in <{name}> of frame {self._count()}") from None
            self._text = None
        elif name == "frame" and self._frame is not None:
            self._keep(self._frame)
            self._frame = None

    def _count(self) -> int:
        return len(self._frames["position"])

    def _keep(self, frame: dict[str, np.ndarray]) -> None:
        if self._count() >= MAX_FRAMES:
            raise self._fail(f"more than {MAX_FRAMES} frames")
        count, is_first = len(self._labels), not self._count()
        for name, width in (("orientation", 4), ("position", 3)):
            if len(frame.get(name, ())) != width * count or not count:
                raise self._fail(f"<{name}> of frame {self._count()} is not that of {count} segments")
        for name in _VALUES:
            # a centre of mass alone, or velocity and acceleration with it
            values = frame[name][:3] if name == "centerOfMass" and name in frame else frame.get(name)
            kept = self._frames[name]
            if kept and (values is None or len(values) != len(kept[0])):
                raise self._fail(f"<{name}> of frame {self._count()} is not as long as those before")
            # what the first frame has not is not looked for in others
            if values is not None and (kept or is_first):
                kept.append(values)

    def _number(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not abs(number) < 1e6:
            raise self._fail(f"'{text[:40]}' where a number should be")
        return number

    def finish(self) -> Recording:
        """Return what has been read."""
        if not self._count():
            raise self._fail("it has no frame")
        names = [label.replace("_", "").replace(" ", "").lower() for label in self._labels]
        columns = [names.index(title.lower()) if title.lower() in names else -1 for title in SEGMENT_TITLES]
        tracked = np.array(columns) >= 0
        positions = np.array(self._frames["position"]).reshape(-1, len(names), 3)[:, columns]
        orientations = self._normalize(np.array(self._frames["orientation"]).reshape(-1, len(names), 4)[:, columns], tracked)
        positions[:, ~tracked] = 0.0
        center = self._frames["centerOfMass"]
        return check_recording(
            Recording(
                title=self._title,
                rate=self._rate,
                positions=positions,
                orientations=orientations,
                tracked=tracked,
                feet_in_contact=self._find_contacts(),
                positions_com=np.array(center) if len(center) == self._count() and center[0].size == 3 else None,
            )
        )

    def _normalize(self, values: np.ndarray, tracked: np.ndarray) -> np.ndarray:
        """Return (w, x, y, z) as unit quaternions (x, y, z, w)."""
        values = values[..., [1, 2, 3, 0]]
        values[:, ~tracked] = (0.0, 0.0, 0.0, 1.0)
        lengths = np.linalg.norm(values, axis=-1, keepdims=True)
        if not (np.abs(lengths - 1.0) <= ROTATION_TOLERANCE).all():
            raise self._fail("a quaternion is not of unit length")
        return values / lengths

    def _find_contacts(self) -> np.ndarray | None:
        rows = self._frames["footContacts"]
        names = [self._contacts[index] for index in sorted(self._contacts)] or list(_CONTACTS)
        if len(rows) != self._count() or len(rows[0]) != len(names):
            return None
        columns = [[names.index(name) for name in foot if name in names] for foot in _FEET]
        if not all(columns):
            return None
        contacts = np.array(rows) > 0.5
        return np.stack([contacts[:, foot].any(axis=1) for foot in columns], axis=1)
