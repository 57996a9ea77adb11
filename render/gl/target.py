"""What a picture is drawn into: many samples a pixel, resolved into a texture of our own or of somebody else's."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.errors import DrawingFailed
from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList

SAMPLES = 4
"""Samples a pixel: what every OpenGL 4 driver has, and edges look smooth with."""

PLAIN_FORMAT = int(GL.GL_RGBA8)
"""Format of colours that are read back as the shaders wrote them (``Renderer(plain=True)``)."""


class Target:
    """A picture of fixed size with colour (sRGB) and depth.

    It is drawn with ``samples`` samples a pixel and, at the end of ``Renderer.draw``, resolved into single-sample textures:
    its own, or those last passed to ``attach`` (an image of an OpenXR swapchain): all images of a swapchain share the samples.

    Attributes:
        width: [pixels]
        height: [pixels]
        framebuffer: OpenGL's name of the framebuffer with the resolved textures, for others to read or blit from.
        color: OpenGL's name of the target's own colour texture.
        depth: OpenGL's name of the target's own depth texture: depth from 0 at ``NEAR`` to 1 at ``FAR``, not linear; of
            what can be seen through it is that of what is behind it, but for plates behind texts.
        depth_samples: OpenGL's name of the samples' depth, each layer in its own share of the range (see ``Depths``).
    """

    def __init__(
        self,
        width: int,
        height: int,
        samples: int = SAMPLES,
        color_format: int = GL.GL_SRGB8_ALPHA8,
        depth_format: int = GL.GL_DEPTH_COMPONENT32F,
    ) -> None:
        """Make the textures and framebuffers in the current context.

        Args:
            width: [pixels]
            height: [pixels]
            samples: Samples a pixel, at least 1; drivers give at least 4.
            color_format: Format of the colours, an sRGB one.
            depth_format: Format of the depth; an attached depth texture must have the same one.

        Raises:
            DrawingFailed: The driver has no such framebuffer.
        """
        self.width, self.height = width, height
        self.color = self._make_texture(color_format)
        self.depth = self._make_texture(depth_format)
        self._attached = (self.color, self.depth)
        self.framebuffer = gl.make(gl.gen_framebuffers)
        self._samples_framebuffer = gl.make(gl.gen_framebuffers)
        self._color_samples, self.depth_samples = (self._make_samples(samples, kind) for kind in (color_format, depth_format))
        gl.bind_framebuffer(GL.GL_FRAMEBUFFER, self._samples_framebuffer)
        for attachment, texture in (
            (GL.GL_COLOR_ATTACHMENT0, self._color_samples),
            (GL.GL_DEPTH_ATTACHMENT, self.depth_samples),
        ):
            gl.framebuffer_texture_2d(GL.GL_FRAMEBUFFER, attachment, GL.GL_TEXTURE_2D_MULTISAMPLE, texture, 0)
        self._check()
        self._attach_all(*self._attached)
        self._check()

    def _make_texture(self, kind: int) -> int:
        texture = gl.make(gl.gen_textures)
        gl.bind_texture(GL.GL_TEXTURE_2D, texture)
        gl.tex_storage_2d(GL.GL_TEXTURE_2D, 1, kind, self.width, self.height)
        gl.tex_parameter(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR)
        return texture

    def _make_samples(self, samples: int, kind: int) -> int:
        texture = gl.make(gl.gen_textures)
        gl.bind_texture(GL.GL_TEXTURE_2D_MULTISAMPLE, texture)
        gl.tex_storage_2d_multisample(GL.GL_TEXTURE_2D_MULTISAMPLE, samples, kind, self.width, self.height, True)
        return texture

    def _check(self) -> None:
        status = gl.check_framebuffer_status(GL.GL_FRAMEBUFFER)
        if status != GL.GL_FRAMEBUFFER_COMPLETE:
            raise DrawingFailed("making a framebuffer", int(status))

    def _attach_all(self, color: int, depth: int) -> None:
        gl.bind_framebuffer(GL.GL_FRAMEBUFFER, self.framebuffer)
        gl.framebuffer_texture_2d(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, color, 0)
        gl.framebuffer_texture_2d(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, depth, 0)
        self._attached = (color, depth)

    def attach(self, color: int | None = None, depth: int | None = None) -> None:
        """Let the pictures to come be resolved into given textures of the target's size; None takes the target's own.

        Args:
            color: OpenGL's name of a two-dimensional texture, such as an image of a swapchain.
            depth: OpenGL's name of a two-dimensional texture in the target's depth format.
        """
        textures = (self.color if color is None else color, self.depth if depth is None else depth)
        if textures != self._attached:
            self._attach_all(*textures)

    def begin(self, calls: CallList, width: int, height: int) -> None:
        """Make the lower left ``width`` x ``height`` pixels what is drawn into; called by the renderer."""
        calls(gl.bind_framebuffer, GL.GL_FRAMEBUFFER, self._samples_framebuffer)
        calls(gl.viewport, 0, 0, width, height)

    def finish(self, calls: CallList, width: int, height: int) -> None:
        """Resolve the samples' colours into the texture; called by the renderer, which resolves their depths (``Depths``)."""
        calls(gl.bind_framebuffer, GL.GL_READ_FRAMEBUFFER, self._samples_framebuffer)
        calls(gl.bind_framebuffer, GL.GL_DRAW_FRAMEBUFFER, self.framebuffer)
        area = (0, 0, width, height)
        calls(gl.blit_framebuffer, *area, *area, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)

    def copy_to(self, framebuffer: int, width: int, height: int) -> None:
        """Copy the resolved colours, scaled, onto the lower left of another framebuffer (0: the window's)."""
        gl.bind_framebuffer(GL.GL_READ_FRAMEBUFFER, self.framebuffer)
        gl.bind_framebuffer(GL.GL_DRAW_FRAMEBUFFER, framebuffer)
        area = (0, 0, self.width, self.height, 0, 0, width, height)
        gl.blit_framebuffer(*area, GL.GL_COLOR_BUFFER_BIT, GL.GL_LINEAR)

    def read_pixels(self) -> np.ndarray:
        """Wait for the picture and return it as sRGB and alpha, first row on top, shape ``(height, width, 4)``, uint8."""
        pixels = np.empty((self.height, self.width, 4), dtype=np.uint8)
        self._read(GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, pixels)
        return pixels[::-1]

    def read_depth(self) -> np.ndarray:
        """Wait for the picture and return its depth as OpenGL has it, first row on top, shape ``(height, width)``, float32."""
        depth = np.empty((self.height, self.width), dtype=np.float32)
        self._read(GL.GL_DEPTH_COMPONENT, GL.GL_FLOAT, depth)
        return depth[::-1]

    def _read(self, kind: int, number: int, into: np.ndarray) -> None:
        gl.bind_framebuffer(GL.GL_READ_FRAMEBUFFER, self.framebuffer)
        gl.pixel_store(GL.GL_PACK_ALIGNMENT, 1)
        gl.read_pixels(0, 0, self.width, self.height, kind, number, into.ctypes.data)

    def close(self) -> None:
        """Free what OpenGL holds for it; textures that were attached stay."""
        gl.free(gl.delete_framebuffers, self.framebuffer, self._samples_framebuffer)
        gl.free(gl.delete_textures, self.color, self.depth, self._color_samples, self.depth_samples)
