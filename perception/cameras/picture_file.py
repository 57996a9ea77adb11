"""Pictures in PNG files, which may come from anybody: depth of 16 bits a pixel, or colour."""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from handhold.perception.cameras.camera_errors import CameraLibraryMissing
from handhold.perception.cameras.depth_frame import MAX_SIDE
from handhold.perception.errors import BadFrame

MAX_FILE = 1 << 27
"""Size of a file that is read [bytes]: more than the largest picture takes without any packing."""

DEPTH_REMEDY = "give a PNG of 16 bits a pixel, with 0 where nothing was measured"
COLOR_REMEDY = "give a PNG with colours, aligned with the depth image"

_HEAD = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"
"""What every PNG begins with; columns and rows follow."""

_DEPTH_MODES = ("I;16", "I;16B", "I;16L", "I;16N", "I")
_COLOR_MODES = ("RGB", "RGBA", "L", "LA", "P", "1")
_KINDS = {"L": "8 bits of grey a pixel", "1": "one bit a pixel", "RGB": "colours", "RGBA": "colours", "P": "a palette"}
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, OverflowError, MemoryError, struct.error, zlib.error)
"""What pillow raises over damaged pictures."""


def read_depth(path: Path) -> np.ndarray:
    """Return a depth image, shape ``(height, width)``, uint16.

    Raises:
        BadFrame: The file is none.
        CameraLibraryMissing: pillow is not installed.
        OSError: It cannot be read.
    """
    picture = _open(path, _DEPTH_MODES, DEPTH_REMEDY)
    depth = _load(path, picture, DEPTH_REMEDY)
    if depth.min(initial=0) < 0 or depth.max(initial=0) > 65535:
        raise BadFrame(f"{path} has depths beyond 16 bits", DEPTH_REMEDY)
    return np.ascontiguousarray(depth, dtype=np.uint16)


def read_color(path: Path, size: tuple[int, int]) -> np.ndarray:
    """Return a colour picture, shape ``(height, width, 3)``, uint8.

    Args:
        path: Of the file.
        size: Columns and rows that it has to have.

    Raises:
        BadFrame: The file is none, or of another size.
        CameraLibraryMissing: pillow is not installed.
        OSError: It cannot be read.
    """
    picture = _open(path, _COLOR_MODES, COLOR_REMEDY)
    if picture.size != size:
        found = f"{path} of {picture.width} x {picture.height} pixels, where the depth image has {size[0]} x {size[1]}"
        raise BadFrame(found, COLOR_REMEDY)
    return np.ascontiguousarray(_load(path, picture, COLOR_REMEDY, convert_to="RGB"), dtype=np.uint8)


def _open(path: Path, modes: tuple[str, ...], remedy: str) -> Any:
    """Read what a picture says of itself, and see that it is worth reading on."""
    library = _load_pillow()
    if not path.is_file():
        raise BadFrame(f"{path} is no file", remedy)
    with path.open("rb") as opened:
        content = opened.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise BadFrame(f"{path} has more than {MAX_FILE >> 20} MB", remedy)
    if not content.startswith(_HEAD) or len(content) < len(_HEAD) + 8:
        raise BadFrame(f"{path} is no PNG picture", remedy)
    width, height = struct.unpack_from(">II", content, len(_HEAD))
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise BadFrame(f"{path} has {width} x {height} pixels", f"give 1 to {MAX_SIDE} columns and rows")
    try:
        picture = library.open(io.BytesIO(content), formats=("PNG",))
    except _DAMAGE:
        raise BadFrame(f"{path} is a damaged PNG picture", remedy) from None
    if picture.mode not in modes:
        raise BadFrame(f"{path} has {_KINDS.get(picture.mode, picture.mode)}", remedy)
    return picture


def _load(path: Path, picture: Any, remedy: str, convert_to: str | None = None) -> np.ndarray:
    try:
        picture.load()
        return np.asarray(picture if convert_to is None else picture.convert(convert_to))
    except _DAMAGE:
        raise BadFrame(f"{path} is damaged, or only a part of a picture", remedy) from None


def _load_pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise CameraLibraryMissing("pillow", str(error)) from None
