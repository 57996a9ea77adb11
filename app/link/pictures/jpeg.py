"""Pictures as JPEG, each by itself: what every installation can read, and what is best within one machine."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from handhold.app.link.pictures.encoded_picture import MAX_PIXELS, EncodedPicture, PictureFormat, PictureUnreadable

QUALITY = 80
"""Of the coding, 1 to 95; 424 x 240 pixels of a room take 10 to 20 kB."""


class JpegEncoder:
    """Codes pictures as JPEG."""

    def __init__(self) -> None:
        self._number = 0

    def encode(self, image: np.ndarray, time: float) -> EncodedPicture:
        """Return a picture as bytes (see ``PictureEncoder``)."""
        coded = io.BytesIO()
        Image.fromarray(image).save(coded, format="JPEG", quality=QUALITY)
        self._number += 1
        return EncodedPicture(time=time, number=self._number, format=PictureFormat.JPEG, whole=True, data=coded.getvalue())


class JpegDecoder:
    """Decodes pictures that are JPEG."""

    def decode(self, picture: EncodedPicture) -> np.ndarray:
        """Return a picture (see ``PictureDecoder``).

        Raises:
            PictureUnreadable: It is no JPEG, damaged, or larger than what is shown.
        """
        try:
            with Image.open(io.BytesIO(picture.data), formats=["JPEG"]) as coded:
                if coded.width * coded.height > MAX_PIXELS:
                    raise PictureUnreadable(PictureFormat.JPEG, f"{coded.width} x {coded.height} pixels")
                return np.array(coded.convert("RGB"))
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise PictureUnreadable(PictureFormat.JPEG, str(error)) from None
