"""Pictures that the OpenXR runtime lends to be drawn into."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from handhold.devices.openxr.session import OpenXrSession
from handhold.render.errors import FormatNotOffered

# OpenGL's numbers, the best first. Shaders write linear light; an sRGB picture makes the hardware encode it.
COLOR_FORMATS = (0x8C43, 0x8C41)  # SRGB8_ALPHA8, SRGB8
DEPTH_FORMATS = (0x8CAC, 0x81A6)  # DEPTH_COMPONENT32F, DEPTH_COMPONENT24


class Swapchain:
    """A few textures of one size, used in turn.

    Attributes:
        width: Width [pixels].
        height: Height [pixels].
        textures: OpenGL's names of the textures.
        format: OpenGL's number of their format.
    """

    def __init__(self, session: OpenXrSession, size: tuple[int, int], formats: Sequence[int], *, depth: bool = False) -> None:
        """Ask the runtime for the textures.

        Args:
            session: A session with OpenGL.
            size: Width and height [pixels].
            formats: Formats that will do, the best first.
            depth: They hold depth and not colour.

        Raises:
            FormatNotOffered: The runtime has none of the formats.
            RuntimeLost: The runtime is gone.
        """
        import xr

        self._session = session
        self.width, self.height = size
        self.format = choose_format(session, formats)
        flags = xr.SwapchainUsageFlags
        attachment = flags.DEPTH_STENCIL_ATTACHMENT_BIT if depth else flags.COLOR_ATTACHMENT_BIT
        info = xr.SwapchainCreateInfo(
            usage_flags=attachment | flags.SAMPLED_BIT,
            format=self.format,
            sample_count=1,
            width=self.width,
            height=self.height,
            face_count=1,
            array_size=1,
            mip_count=1,
        )
        with session.losing():
            self.handle = xr.create_swapchain(session.handle, info)
            images = xr.enumerate_swapchain_images(self.handle, xr.SwapchainImageOpenGLKHR)
        self.textures = tuple(int(image.image) for image in images)

    @contextlib.contextmanager
    def lend(self) -> Iterator[int]:
        """Lend the next texture, by its name in OpenGL, to be drawn into.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        import xr

        with self._session.losing():
            index = xr.acquire_swapchain_image(self.handle, xr.SwapchainImageAcquireInfo())
            xr.wait_swapchain_image(self.handle, xr.SwapchainImageWaitInfo(timeout=xr.INFINITE_DURATION))
        try:
            yield self.textures[index]
        finally:
            with self._session.losing():
                xr.release_swapchain_image(self.handle, xr.SwapchainImageReleaseInfo())

    @property
    def sub_image(self) -> Any:
        """The whole picture, as layers name it."""
        import xr

        rectangle = xr.Rect2Di(xr.Offset2Di(0, 0), xr.Extent2Di(self.width, self.height))
        return xr.SwapchainSubImage(self.handle, rectangle, 0)

    def close(self) -> None:
        """Give the textures back, unless they went with their session; a lost runtime may refuse."""
        import xr

        if self._session.handle is None:
            return
        with contextlib.suppress(xr.exception.XrException):
            xr.destroy_swapchain(self.handle)


def choose_format(session: OpenXrSession, formats: Sequence[int]) -> int:
    """Return the first of some formats that the runtime can lend textures of.

    Raises:
        FormatNotOffered: The runtime has none of them.
        RuntimeLost: The runtime is gone.
    """
    import xr

    with session.losing():
        offered = set(xr.enumerate_swapchain_formats(session.handle))
    for candidate in formats:
        if candidate in offered:
            return candidate
    raise FormatNotOffered(tuple(formats), tuple(sorted(offered)))
