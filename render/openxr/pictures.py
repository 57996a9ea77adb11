"""The pictures of one OpenXR session: what is drawn for each eye and for what is fixed to the head, and handed over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from handhold.devices.openxr.runtime import DEPTH_LAYER
from handhold.devices.openxr.session import OpenXrSession
from handhold.render.errors import FormatNotOffered
from handhold.render.gl.target import Target
from handhold.render.openxr.mask import read_hidden_area
from handhold.render.openxr.swapchain import COLOR_FORMATS, DEPTH_FORMATS, Swapchain
from handhold.render.openxr.views import EYES, read_recommended_sizes


class Picture:
    """What is drawn anew for a frame, into textures that the runtime lends.

    Attributes:
        color: The runtime's textures of colours.
        depth: Its textures of depths, or None.
        target: What the renderer draws into.
    """

    def __init__(self, session: OpenXrSession, size: tuple[int, int], *, depth: bool) -> None:
        """Ask the runtime for the textures, in the current context.

        Raises:
            FormatNotOffered: The runtime has no format of colours that will do.
            DrawingFailed: OpenGL cannot draw into it.
            RuntimeLost: The runtime is gone.
        """
        self.color = Swapchain(session, size, COLOR_FORMATS)
        self.depth = _ask_for_depth(session, size) if depth else None
        formats = {} if self.depth is None else {"depth_format": self.depth.format}
        self.target = Target(*size, color_format=self.color.format, **formats)

    @contextlib.contextmanager
    def lend(self) -> Iterator[Target]:
        """Lend the target, with the runtime's next textures attached.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        with contextlib.ExitStack() as stack:
            color = stack.enter_context(self.color.lend())
            depth = stack.enter_context(self.depth.lend()) if self.depth is not None else None
            self.target.attach(color, depth)
            yield self.target

    def close(self) -> None:
        """Give the textures back and free the target."""
        self.target.close()
        self.color.close()
        if self.depth is not None:
            self.depth.close()


def _ask_for_depth(session: OpenXrSession, size: tuple[int, int]) -> Swapchain | None:
    """Ask for textures of depths, which a runtime may offer a layer for and have in no format of ours."""
    try:
        return Swapchain(session, size, DEPTH_FORMATS, depth=True)
    except FormatNotOffered:
        return None


def _make_picture(session: OpenXrSession, size: tuple[int, int], depth: bool, unfinished: contextlib.ExitStack) -> Picture:
    """Make a picture that is closed with others where one of them cannot be made."""
    picture = Picture(session, size, depth=depth)
    unfinished.callback(picture.close)
    return picture


class EyePictures:
    """The pictures of both eyes in one session.

    Attributes:
        session: The session they belong to.
        sizes: Width and height of each eye's picture [pixels].
        eyes: Left and right eye.
        hidden: What of each eye's picture cannot be seen (see ``read_hidden_area``).
    """

    def __init__(self, session: OpenXrSession) -> None:
        """Ask for pictures of the size that the runtime recommends now.

        Raises:
            FormatNotOffered: The runtime has no format of colours that will do.
            DrawingFailed: OpenGL cannot draw into them.
            RuntimeLost: The runtime is gone.
        """
        self.session = session
        self.sizes = read_recommended_sizes(session)
        depth = DEPTH_LAYER in session.extensions
        self.hidden: tuple[np.ndarray | None, ...] = ()
        self._mask_changes = -1
        with contextlib.ExitStack() as unfinished:
            self.eyes = tuple(_make_picture(session, size, depth, unfinished) for size in self.sizes)
            self.update_hidden()
            unfinished.pop_all()

    def update_hidden(self) -> None:
        """Read the hidden areas again where the runtime has said that they changed.

        Raises:
            RuntimeLost: The runtime is gone.
        """
        mask_changes = self.session.state.mask_changes
        if self._mask_changes != mask_changes:
            self._mask_changes = mask_changes
            self.hidden = tuple(read_hidden_area(self.session, eye) for eye in range(EYES))

    def close(self) -> None:
        """Give the textures back."""
        for picture in self.eyes:
            picture.close()
