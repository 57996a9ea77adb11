"""Two pictures, one over the other, in the window of another context."""

from __future__ import annotations

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.program import build_program


class Overlay:
    """Draws a picture and another over it into the window of the current context, which shares their textures."""

    def __init__(self) -> None:
        """Compile the shaders in the current context.

        Raises:
            ShaderRefused: The driver does not take them.
        """
        self._program = build_program("mirror")
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def draw(self, below: int, above: int, area: tuple[int, int, int, int]) -> None:
        """Draw textures of sRGB format.

        Args:
            below: OpenGL's name of the picture behind.
            above: OpenGL's name of the one in front, its colours multiplied by its alpha.
            area: Left, bottom, width and height of where they go [pixels]; the rest is black.
        """
        gl.bind_framebuffer(GL.GL_FRAMEBUFFER, 0)
        gl.clear_color(0.0, 0.0, 0.0, 1.0)
        gl.clear(GL.GL_COLOR_BUFFER_BIT)
        gl.viewport(*area)
        gl.use_program(self._program)
        gl.bind_vertex_array(self._vertex_array)
        for unit, texture in enumerate((below, above)):
            gl.active_texture(GL.GL_TEXTURE0 + unit)
            gl.bind_texture(GL.GL_TEXTURE_2D, texture)
        gl.draw_arrays(GL.GL_TRIANGLES, 0, 3)

    def close(self) -> None:
        """Free what OpenGL holds for it, its context being current."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
