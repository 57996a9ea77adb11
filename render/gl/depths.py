"""The depth of a finished picture, as others understand it."""

from __future__ import annotations

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList
from handhold.render.gl.program import build_program
from handhold.render.gl.target import Target


class Depths:
    """Resolves the depth that a picture was drawn with, in which each layer has a share of the range, into that of one range.

    What reads a picture's depth (an OpenXR runtime, which shifts what is near further than what is far) then has every
    element where it is, those of the interface as well.
    """

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("depths")
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def resolve(self, calls: CallList, target: Target, width: int, height: int) -> None:
        """Write the depths of the lower left ``width`` x ``height`` pixels that were drawn last into the target's texture."""
        calls(gl.bind_framebuffer, GL.GL_FRAMEBUFFER, target.framebuffer)
        calls(gl.viewport, 0, 0, width, height)
        calls(gl.depth_func, GL.GL_ALWAYS)
        calls(gl.color_mask, False, False, False, False)
        calls(gl.use_program, self._program)
        calls(gl.bind_vertex_array, self._vertex_array)
        calls(gl.active_texture, GL.GL_TEXTURE0)
        calls(gl.bind_texture, GL.GL_TEXTURE_2D_MULTISAMPLE, target.depth_samples)
        calls(gl.draw_arrays, GL.GL_TRIANGLES, 0, 3)
        calls(gl.color_mask, True, True, True, True)
        calls(gl.depth_func, GL.GL_LEQUAL)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
