"""A camera picture as it crosses a link, and what codes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from handhold.app.errors import AppError

MAX_PICTURE_BYTES = 1 << 18
"""Bytes of one picture at most: of 424 x 240 pixels JPEG takes 15 kB, and noise 100 kB."""


MAX_PIXELS = 1 << 20
"""Pixels of a picture that is decoded at most: ten times what is sent."""


class PictureFormat(Enum):
    """How a picture is coded."""

    JPEG = "jpeg"
    H264 = "h264"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EncodedPicture:
    """A coded picture.

    Attributes:
        time: When it was exposed, by the host's clock [s].
        number: Counted by its encoder from 1 on: where one is missing, video cannot be decoded until the next whole picture.
        format: How it is coded.
        whole: Whether it can be decoded without the one before.
        data: The bytes.
    """

    time: float
    number: int
    format: PictureFormat
    whole: bool
    data: bytes


class PictureUnreadable(AppError):
    """The bytes of a picture cannot be decoded.

    Attributes:
        format: How they were said to be coded.
    """

    def __init__(self, picture_format: PictureFormat, reason: str) -> None:
        self.format = picture_format
        super().__init__(
            f"a camera's picture ({picture_format.value}) cannot be read ({reason}): the next whole one is waited for"
        )


class PictureEncoder(Protocol):
    """Codes the pictures of one camera, one after the other."""

    def encode(self, image: np.ndarray, time: float) -> EncodedPicture:
        """Return a picture as bytes.

        Args:
            image: Shape ``(height, width, 3)``, uint8 (sRGB), even lengths; all of a camera of one shape, or it begins anew.
            time: When it was exposed [s].
        """
        ...


class PictureDecoder(Protocol):
    """Decodes what one encoder made, in order."""

    def decode(self, picture: EncodedPicture) -> np.ndarray | None:
        """Return a picture, shape ``(height, width, 3)``, uint8 (sRGB); None where pictures before it are missing.

        Raises:
            PictureUnreadable: Its bytes are no picture.
        """
        ...
