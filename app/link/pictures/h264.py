"""Pictures as H.264, each told by its difference from the one before: a tenth of JPEG, for networks.

PyAV is BSD, but the FFmpeg in its wheels has x264, which is GPL: so it is an extra (``[video]``) that nothing else needs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import av
import numpy as np
from av.video.frame import PictureType

from handhold.app.link.pictures.encoded_picture import MAX_PIXELS, EncodedPicture, PictureFormat, PictureUnreadable

WHOLE_EVERY = 10
"""Of how many pictures one is whole: who comes later, or has lost one, sees nothing until then."""

ENCODERS = ("libx264", "libopenh264")
"""Encoders of FFmpeg, the first that is there is taken."""

OPTIONS = {"preset": "ultrafast", "tune": "zerolatency", "crf": "26"}
"""No picture waits for a later one."""

RATE = 10
"""Pictures a second that the encoder plans with [Hz]."""


class H264Encoder:
    """Codes the pictures of one camera as H.264."""

    def __init__(self) -> None:
        self._number = self._coded = 0
        self._shape: tuple[int, ...] = ()
        self._codec: Any = None

    def encode(self, image: np.ndarray, time: float) -> EncodedPicture:
        """Return a picture as bytes (see ``PictureEncoder``)."""
        if image.shape != self._shape:
            self._shape, self._codec, self._coded = image.shape, _open_encoder(image), 0
        whole = self._coded % WHOLE_EVERY == 0
        frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format="yuv420p")
        frame.pts = self._coded
        frame.pict_type = PictureType.I if whole else PictureType.NONE
        data = b"".join(bytes(packet) for packet in self._codec.encode(frame))
        self._number, self._coded = self._number + 1, self._coded + 1
        return EncodedPicture(time=time, number=self._number, format=PictureFormat.H264, whole=whole, data=data)


class H264Decoder:
    """Decodes the pictures of one camera that are H.264."""

    def __init__(self) -> None:
        self._codec: Any = None
        self._number = 0

    def decode(self, picture: EncodedPicture) -> np.ndarray | None:
        """Return a picture (see ``PictureDecoder``); None until a whole one, and where one is missing before it.

        Raises:
            PictureUnreadable: It is no H.264, or damaged.
        """
        if picture.whole:
            self._codec = av.CodecContext.create("h264", "r")
            # one thread: several hold pictures back
            self._codec.thread_count = 1
        elif self._codec is None or picture.number != self._number + 1:
            self._codec = None
            return None
        self._number = picture.number
        try:
            frames = self._codec.decode(av.Packet(picture.data))
        except (av.FFmpegError, ValueError) as error:
            self._codec = None
            raise PictureUnreadable(PictureFormat.H264, str(error)) from None
        if not frames:
            return None
        if frames[-1].width * frames[-1].height > MAX_PIXELS:
            self._codec = None
            raise PictureUnreadable(PictureFormat.H264, f"{frames[-1].width} x {frames[-1].height} pixels")
        return np.asarray(frames[-1].to_ndarray(format="rgb24"))


def has_encoder() -> bool:
    """Whether FFmpeg has an encoder that we know."""
    return any(name in av.codecs_available for name in ENCODERS)


def _open_encoder(image: np.ndarray) -> Any:
    name = next(name for name in ENCODERS if name in av.codecs_available)
    codec: Any = av.CodecContext.create(name, "w")
    codec.height, codec.width = image.shape[:2]
    codec.pix_fmt, codec.time_base, codec.framerate = "yuv420p", Fraction(1, RATE), Fraction(RATE, 1)
    codec.gop_size, codec.max_b_frames, codec.thread_count = WHOLE_EVERY, 0, 1
    codec.options = dict(OPTIONS) if name == "libx264" else {}
    return codec
