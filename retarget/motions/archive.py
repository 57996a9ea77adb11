"""Arrays out of a NumPy archive that anybody may have written: a header is believed only where the bytes agree with it."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from tokenize import TokenError

import numpy as np

DAMAGES = (
    ValueError,
    EOFError,
    TypeError,
    SyntaxError,
    TokenError,
    RuntimeError,  # of an archive that says it is encrypted, or packed in some other way; RecursionError is one, too
    zlib.error,
    zipfile.BadZipFile,
)
"""What bytes that are no archive, or a damaged one, make NumPy, ``zipfile`` and this module raise."""

_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_NUMBERS, _TEXT = "fiu", "U"


def read_array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return an array of numbers; the sizes of the archive's members are the caller's to look at first.

    Raises:
        ValueError: It has no numbers in it, or not as many as its header says; other ``DAMAGES`` where it is damaged.
    """
    return _read(archive, name, _NUMBERS)


def read_text(archive: zipfile.ZipFile, name: str) -> str:
    """Return a text that is an array without an axis.

    Raises:
        ValueError: It is none; other ``DAMAGES`` where it is damaged.
    """
    array = _read(archive, name, _TEXT)
    if array.ndim:
        raise ValueError("several texts")
    return str(array)


def _read(archive: zipfile.ZipFile, name: str, kinds: str) -> np.ndarray:
    member = archive.getinfo(f"{name}.npy")
    if member.compress_type not in _PACKED:
        raise ValueError("packed in a way that NumPy does not use")
    stream = io.BytesIO(archive.read(member))
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError("another version of the format")
    shape, by_columns, dtype = readers[version](stream)
    data = stream.read()
    # NumPy itself would set aside whatever memory the header asks for
    if dtype.kind not in kinds or not dtype.itemsize or min(shape, default=0) < 0:
        raise ValueError("an array of another type or shape")
    if math.prod(shape) * dtype.itemsize != len(data) or max(shape, default=0) > len(data):
        raise ValueError("an array whose shape does not fit its bytes")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if by_columns else "C")
