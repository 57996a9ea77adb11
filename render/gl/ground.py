"""The ground of a scene, which has no end."""

from __future__ import annotations

from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.call_list import CallList
from handhold.render.gl.program import build_program
from handhold.render.scene import Ground

_UNIFORMS = ("height", "cell", "floor_color", "line_color")


class GroundPlane:
    """The ground on the graphics card, one square around the eye whose shader draws the lines."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("ground")
        self._locations = {name: gl.get_uniform_location(self._program, name.encode()) for name in _UNIFORMS}
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        self._ground: Ground | None = None

    def load(self, ground: Ground | None) -> None:
        """Take a scene's ground, or none."""
        if ground is self._ground:
            return
        self._ground = ground
        if ground is not None:
            gl.use_program(self._program)
            gl.uniform_1f(self._locations["height"], ground.height)
            gl.uniform_1f(self._locations["cell"], ground.cell)
            gl.uniform_4f(self._locations["floor_color"], *map(float, ground.color))
            gl.uniform_4f(self._locations["line_color"], *map(float, ground.line_color))

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw it."""
        return (self._ground is None,)

    def draw(self, calls: CallList) -> None:
        """Draw it from above and below; it hides nothing."""
        if self._ground is not None:
            calls(gl.use_program, self._program)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.depth_mask, False)
            calls(gl.draw_arrays, GL.GL_TRIANGLE_STRIP, 0, 4)
            calls(gl.depth_mask, True)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
