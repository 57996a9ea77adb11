"""A small picture of the scene itself from elsewhere, on a screen within it."""

from __future__ import annotations

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import number_layer_and_anchor
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.pictures import SCREEN_FLOATS, SCREENS_BINDING
from handhold.render.gl.program import build_program
from handhold.render.gl.target import Target
from handhold.render.scene import Inset

SIZE = (400, 300)
"""Width and height of the picture [pixels]: as dense as a headset's eye at the size in which it is seen."""


class InsetScreen:
    """The picture, drawn anew when its version changes, and its screen; nothing is held for it before the first is shown."""

    def __init__(self) -> None:
        """Compile the shaders."""
        self._program = build_program("picture")
        self._index_location = gl.get_uniform_location(self._program, b"screen")
        self._rows = ElementRows(SCREEN_FLOATS, _write, capacity=1)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        self._target: Target | None = None
        self._inset: Inset | None = None
        self._version: int | None = None

    def load(self, inset: Inset | None) -> None:
        """Take a scene's inset, or its lack of one; after that it is drawn anew."""
        self._inset = inset
        if inset is None:
            self._version = None
        else:
            self._rows.load((inset,), [1])

    def find_due(self, room: np.ndarray) -> tuple[Target, Eye] | None:
        """Return what is to be drawn into and by which eye, where the picture is not the inset's; it then counts as drawn.

        Args:
            room: Where the operator's room stands in world, shape ``(4, 4)``.
        """
        inset = self._inset
        if inset is None or inset.version == self._version:
            return None
        self._version = inset.version
        if self._target is None:
            self._target = Target(*SIZE)
        width, height = SIZE
        across, upright = inset.tangent, inset.tangent * height / width
        field_of_view = FieldOfView(left=-across, right=across, up=upright, down=-upright)
        return self._target, Eye(
            view=np.linalg.solve(room, inset.eye), field_of_view=field_of_view, width=width, height=height
        )

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw the screen."""
        return (None if self._inset is None or self._target is None else self._target.color,)

    def draw(self, calls: CallList) -> None:
        """Draw the screen."""
        if self._inset is not None and self._target is not None:
            calls(gl.use_program, self._program)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, SCREENS_BINDING, self._rows.name)
            calls(gl.active_texture, GL.GL_TEXTURE0)
            calls(gl.bind_texture, GL.GL_TEXTURE_2D, self._target.color)
            calls(gl.uniform_1i, self._index_location, 0)
            calls(gl.draw_arrays, GL.GL_TRIANGLE_STRIP, 0, 4)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        self._rows.close()
        if self._target is not None:
            self._target.close()


def _write(rows: np.ndarray, inset: Inset, _number: int) -> None:
    transform = inset.transform.copy()
    # a picture that OpenGL has drawn has its first row below
    transform[:, 1] *= -1.0
    rows[0, :16] = transform.reshape(16)
    rows[0, 16] = number_layer_and_anchor(inset)
