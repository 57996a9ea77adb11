"""A window on the desktop that shows bystanders what the operator sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handhold.render.gl.eye import Eye
from handhold.render.gl.glx import GlxContext, make_window
from handhold.render.gl.overlay import Overlay
from handhold.render.gl.target import Target
from handhold.render.openxr.painter import Painter

PERIOD = 1.0 / 30.0
"""Minimum time from one picture to the next [s]: bystanders need no more, and the headset goes first."""

SLOW_PERIOD = 0.2
"""The same where the processor draws [s]."""

HEIGHT = 720
"""Height of the window to begin with [pixels]."""


class Mirror:
    """The left eye's picture in a window, which may be resized, and closed.

    Attributes:
        window: The window, or None while there is none.
        shown: Pictures shown so far.
    """

    def __init__(self, context: GlxContext, head_painter: Painter, clock: Callable[[], float], period: float = PERIOD) -> None:
        """Open the window, or leave it where the X server has no other.

        Args:
            context: What the headset is drawn with; it stays the current one.
            head_painter: Draws what is fixed to the head, which is no part of the eyes' pictures.
            clock: The monotonic clock [s].
            period: Minimum time from one picture to the next [s].
        """
        import glfw

        self._context = context
        self._head_painter = head_painter
        self._clock = clock
        self._period = period
        self._due = 0.0
        self._around: Target | None = None
        self._at_head: Target | None = None
        self.shown = 0
        self.window = make_window(HEIGHT, HEIGHT, visible=True, shared=context.window)
        if self.window:
            glfw.make_context_current(self.window)
            # Never wait for the screen: the headset paces.
            glfw.swap_interval(0)
            self._overlay = Overlay()
            glfw.make_context_current(context.window)

    def take(self, number: int, target: Target, eye: Eye) -> None:
        """Show the left eye's picture (number 0) if it is time for one; see ``headset.OnEye``."""
        now = self._clock()
        if number != 0 or not self.window or now < self._due:
            return
        self._due = now + self._period
        around, at_head = self._prepare(target.width, target.height)
        target.copy_to(around.framebuffer, around.width, around.height)
        self._head_painter.draw(at_head, replace(eye, width=at_head.width, height=at_head.height, hidden=None))
        self._show(around, at_head)

    def _prepare(self, width: int, height: int) -> tuple[Target, Target]:
        """Return textures of the eye's size, which outlive those that the headset's runtime lends."""
        if self._around is None or self._at_head is None or (self._around.width, self._around.height) != (width, height):
            self._close_targets()
            self._around, self._at_head = Target(width, height, samples=1), Target(width, height)
        return self._around, self._at_head

    def _show(self, around: Target, at_head: Target) -> None:
        import glfw

        glfw.make_context_current(self.window)
        area = fit(around.width / around.height, *glfw.get_framebuffer_size(self.window))
        self._overlay.draw(around.color, at_head.color, area)
        glfw.swap_buffers(self.window)
        glfw.make_context_current(self._context.window)
        self.shown += 1

    def poll(self) -> None:
        """Answer the desktop; a window that people close is gone for the rest of the session."""
        import glfw

        if self.window:
            glfw.poll_events()
            if glfw.window_should_close(self.window):
                self.close()

    def close(self) -> None:
        """Close the window; the headset goes on."""
        import glfw

        self._close_targets()
        if self.window:
            glfw.make_context_current(self.window)
            self._overlay.close()
            glfw.destroy_window(self.window)
            self.window = None
            glfw.make_context_current(self._context.window)

    def _close_targets(self) -> None:
        for target in (self._around, self._at_head):
            if target is not None:
                target.close()
        self._around = self._at_head = None


def fit(aspect: float, width: int, height: int) -> tuple[int, int, int, int]:
    """Return the largest area of an aspect ratio (width by height) in the middle of a window.

    Returns:
        Left, bottom, width and height [pixels].
    """
    fitted_width, fitted_height = min(width, round(height * aspect)), min(height, round(width / aspect))
    return (width - fitted_width) // 2, (height - fitted_height) // 2, fitted_width, fitted_height
