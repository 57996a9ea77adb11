"""Reading files that anybody may have written: what is no file, or is too large, is refused before it is read."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_file(file: Path, largest: int) -> bytes:
    """Return what is in a file of at most ``largest`` bytes.

    Raises:
        OSError: It cannot be read, is no regular file, or is too large; ``strerror`` says which.
    """
    require_regular(file)
    with file.open("rb") as opened:
        content = opened.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"larger than {largest} bytes", str(file))
    return content


def require_regular(file: Path) -> None:
    """Look whether a path is a file: a pipe would keep its reader waiting, and a device has no end.

    Raises:
        OSError: It is not there, or no regular file, or its name is none; ``strerror`` says which.
    """
    try:
        mode = file.stat().st_mode
    except ValueError as error:  # a name with a zero byte in it
        raise OSError(errno.EINVAL, str(error), str(file)) from None
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(file))
