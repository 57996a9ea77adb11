"""From librealsense's framesets to depth frames: smoothed if wanted, with the colour picture laid over the depth image.

Planes are found in the depth image, so it stays as it was measured, and colour is sampled where its points are seen; that is
black where nothing was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from handhold.perception.cameras.camera_errors import StreamSize
from handhold.perception.cameras.camera_streams import CameraStreams
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.perception.cameras.librealsense import load_librealsense

DEPTH_BYTES, COLOR_BYTES = 2, 3
"""Bytes a pixel."""


class FramesetJoiner:
    """Makes a frameset of single images, as the library's blocks take them."""

    def __init__(self) -> None:
        library = load_librealsense()
        self._images: list[Any] = []
        self._block = library.processing_block(self._join)
        self._queue = library.frame_queue(1, keep_frames=True)
        self._block.start(self._queue)

    def join(self, images: list[Any]) -> Any:
        """Return a frameset of images."""
        self._images = images
        self._block.invoke(images[0])
        self._images = []
        return self._queue.wait_for_frame().as_frameset()

    def _join(self, _: Any, source: Any) -> None:
        source.frame_ready(source.allocate_composite_frame(self._images))


class FrameMaker:
    """Makes depth frames of the framesets of one camera.

    Args:
        streams: What the camera streams.
        find_time: Tells when a frame of librealsense was exposed [s].
        is_smooth: Whether depth is averaged over time by librealsense's temporal filter, for a camera that stands still.
        counts_bytes: Whether to look how many bytes an image has: those of a damaged recording have others than they should.
            The library counts none for images that a program has made.
    """

    def __init__(
        self, streams: CameraStreams, find_time: Callable[[Any], float], *, is_smooth: bool = False, counts_bytes: bool = False
    ) -> None:
        library = load_librealsense()
        self._streams = streams
        self._find_time = find_time
        self._counts_bytes = counts_bytes
        self._temporal_filter = library.temporal_filter() if is_smooth else None
        self._align = None if streams.color_size is None else library.align(library.stream.depth)

    def make(self, frameset: Any) -> DepthFrame:
        """Return the depth frame of a frameset; its arrays are its own.

        Raises:
            StreamSize: The images are of another size than their streams.
            BadFrame: They are none in another way.
        """
        intrinsics = self._streams.intrinsics
        depth = frameset.get_depth_frame()
        self._check_size(depth, (intrinsics.width, intrinsics.height), DEPTH_BYTES)
        moment, number = self._find_time(depth), depth.get_frame_number()
        has_color = self._align is not None and bool(frameset.get_color_frame())
        if has_color and self._streams.color_size is not None:
            self._check_size(frameset.get_color_frame(), self._streams.color_size, COLOR_BYTES)
        if self._temporal_filter is not None:
            frameset = self._temporal_filter.process(frameset).as_frameset()
        color = self._read_color(frameset) if has_color else None
        return DepthFrame(
            time=moment,
            number=number,
            depth=np.array(frameset.get_depth_frame().get_data()),
            unit=self._streams.unit,
            intrinsics=intrinsics,
            color=color,
        )

    def _read_color(self, frameset: Any) -> np.ndarray:
        assert self._align is not None
        color = np.array(self._align.process(frameset).get_color_frame().get_data())
        return np.ascontiguousarray(color[:, :, ::-1]) if self._streams.is_bgr else color

    def _check_size(self, frame: Any, size: tuple[int, int], pixel: int) -> None:
        """Look at a frame's size before its pixels: what a damaged recording says of its size, the library believes."""
        width, height = size
        if not frame:
            raise StreamSize("nothing", f"an image of {width} x {height} pixels")
        found = (frame.get_width(), frame.get_height(), frame.get_stride_in_bytes())
        is_whole = not self._counts_bytes or frame.get_data_size() == pixel * width * height
        if found != (width, height, pixel * width) or not is_whole:
            there = f"{found[0]} x {found[1]} pixels and {frame.get_data_size()} bytes"
            raise StreamSize(there, f"one of {width} x {height} pixels of {pixel} bytes")
