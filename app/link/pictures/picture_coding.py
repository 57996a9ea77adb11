"""Which coding a picture crosses a link in, and what reads it at the other end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec

import numpy as np

from handhold.app.extras import find_missing_extra
from handhold.app.link.config import LinkConfig
from handhold.app.link.pictures.encoded_picture import EncodedPicture, PictureDecoder, PictureEncoder, PictureFormat


def make_encoder(config: LinkConfig) -> PictureEncoder:
    """Make what codes pictures for a link: H.264 where it crosses a network and PyAV can encode it, else JPEG."""
    if not config.is_local and find_spec("av") is not None:
        from handhold.app.link.pictures.h264 import H264Encoder, has_encoder

        if has_encoder():
            return H264Encoder()
    from handhold.app.link.pictures.jpeg import JpegEncoder

    return JpegEncoder()


def _make_jpeg_decoder() -> PictureDecoder:
    from handhold.app.link.pictures.jpeg import JpegDecoder

    return JpegDecoder()


def _make_h264_decoder() -> PictureDecoder:
    from handhold.app.link.pictures.h264 import H264Decoder

    return H264Decoder()


_DECODERS: dict[PictureFormat, Callable[[], PictureDecoder]] = {
    PictureFormat.JPEG: _make_jpeg_decoder,
    PictureFormat.H264: _make_h264_decoder,
}


class PictureReader:
    """Decodes pictures of any coding that this installation has the library of."""

    def __init__(self, expected: PictureFormat | None = None) -> None:
        """Decode nothing yet.

        Args:
            expected: What is to come, whose library is loaded now where it is installed: that takes as long as several samples
                of the operator.
        """
        self._decoders: dict[PictureFormat, PictureDecoder] = {}
        if expected is not None:
            with suppress(ModuleNotFoundError):
                self._decoders[expected] = _DECODERS[expected]()

    def read(self, picture: EncodedPicture) -> np.ndarray | None:
        """Return a picture, shape ``(height, width, 3)``, uint8 (sRGB); None where pictures before it are missing.

        Raises:
            PictureUnreadable: Its bytes are no picture.
            ExtraMissing: The library of its coding is not installed.
        """
        try:
            if picture.format not in self._decoders:
                self._decoders[picture.format] = _DECODERS[picture.format]()
        except ModuleNotFoundError as error:
            if missing := find_missing_extra(error):
                raise missing from None
            raise
        return self._decoders[picture.format].decode(picture)
