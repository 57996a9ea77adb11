"""Intrinsics as people give them: numbers on a command line, or a calibration file of OpenCV's, as XML or YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.errors import BadFrame

MAX_FILE = 1 << 20
"""Size of a calibration file that is read [bytes]; they have a few thousand."""

NUMBERS_REMEDY = "give fx,fy,cx,cy in pixels, and the baseline in metres after them where it is known"
FILE_REMEDY = "give a calibration file of OpenCV, or fx,fy,cx,cy"

_DEPTH_WORDS = ("depth", "ir", "infra", "left")
"""Words in the names of matrices that belong to a depth image, where there are several."""

_YAML_MATRIX = re.compile(
    r"^[ \t]*(\w+):[ \t]*(?:!!opencv-matrix)?[ \t]*\n[ \t]+rows:[ \t]*3[ \t]*\n[ \t]+cols:[ \t]*3[ \t]*\n"
    r"(?:[ \t]+dt:[ \t]*\w+[ \t]*\n)?[ \t]+data:[ \t]*\[([^\]]{1,2000})\]",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinhole:
    """Intrinsics without the size of the image, which the image itself tells.

    Attributes:
        fx: Focal length along a row [pixels].
        fy: Focal length along a column [pixels].
        cx: Column of the optical axis [pixels].
        cy: Row of the optical axis [pixels].
        baseline: Distance of the two imagers [m]; 0 where it is not known.
    """

    fx: float
    fy: float
    cx: float
    cy: float
    baseline: float = 0.0

    def with_size(self, width: int, height: int) -> Intrinsics:
        """Return the intrinsics of an image.

        Raises:
            BadFrame: They are no intrinsics of an image of this size.
        """
        return Intrinsics(width=width, height=height, fx=self.fx, fy=self.fy, cx=self.cx, cy=self.cy, baseline=self.baseline)


def parse_pinhole(text: str) -> Pinhole:
    """Return what ``fx,fy,cx,cy`` or ``fx,fy,cx,cy,baseline`` says.

    Raises:
        BadFrame: It is neither.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (4, 5):
        raise BadFrame(f"intrinsics of '{text[:80]}'", NUMBERS_REMEDY)
    return Pinhole(**dict(zip(("fx", "fy", "cx", "cy", "baseline"), numbers, strict=False)))


def read_calibration(path: Path) -> Pinhole:
    """Return the camera matrix of a calibration file; of several, that of the depth image by its name.

    Distortion is left out: depth images are of pinholes, and those of cameras are rectified.

    Raises:
        BadFrame: The file has none, or several of which none is the depth image's.
        OSError: It cannot be read.
    """
    if not path.is_file():
        raise BadFrame(f"{path} is no file", FILE_REMEDY)
    with path.open("rb") as opened:
        content = opened.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise BadFrame(f"{path} is larger than {MAX_FILE >> 20} MB", FILE_REMEDY)
    text = content.decode("utf-8", "replace")
    found = _read_xml(text, path) if text.lstrip("\ufeff \r\n\t").startswith("<") else _read_yaml(text)
    matrices = {name: pinhole for name, numbers in found if (pinhole := _read_matrix(numbers)) is not None}
    of_depth = {name: pinhole for name, pinhole in matrices.items() if set(_split(name)) & set(_DEPTH_WORDS)}
    chosen = of_depth if len(matrices) > 1 else matrices
    if len(chosen) != 1:
        which = f"the camera matrices {', '.join(sorted(matrices))[:200]}" if matrices else "no camera matrix"
        raise BadFrame(f"{path} has {which}", FILE_REMEDY)
    return next(iter(chosen.values()))


def _read_xml(text: str, path: Path) -> Iterator[tuple[str, str]]:
    # no calibration declares entities, which could stand for files or grow without end
    if "<!" in text.replace("<!--", ""):
        raise BadFrame(f"{path} has declarations", FILE_REMEDY)
    try:
        root = Xml.fromstring(text)
    except (Xml.ParseError, ValueError) as error:
        raise BadFrame(f"{path} is no XML ({error})", FILE_REMEDY) from None
    for node in root.iter():
        if node.findtext("rows", "").strip() == "3" and node.findtext("cols", "").strip() == "3":
            yield node.tag, node.findtext("data", "")


def _read_yaml(text: str) -> Iterator[tuple[str, str]]:
    for match in _YAML_MATRIX.finditer(text.replace("\r\n", "\n")):
        yield match[1], match[2].replace(",", " ")


def _read_matrix(text: str) -> Pinhole | None:
    """Return the pinhole of nine numbers, or None where they are no camera matrix."""
    try:
        numbers = [float(part) for part in text.split()]
    except ValueError:
        return None
    if len(numbers) != 9 or [numbers[k] for k in (1, 3, 6, 7, 8)] != [0.0, 0.0, 0.0, 0.0, 1.0]:
        return None
    # a rotation about the axis of sight has such a shape, too
    if min(numbers[0], numbers[4]) <= 1.0:
        return None
    return Pinhole(fx=numbers[0], fy=numbers[4], cx=numbers[2], cy=numbers[5])


def _split(name: str) -> list[str]:
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_")
