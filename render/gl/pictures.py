"""Camera pictures of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import number_layer_and_anchor
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.program import build_program
from handhold.render.scene import Picture

SCREENS_BINDING = 5
SCREEN_FLOATS = 20
"""Size of ``Screen`` in ``picture.vert``: transform, layer and anchor."""


@dataclass(slots=True)
class _Texture:
    """One picture's texture.

    Attributes:
        name: OpenGL's name.
        shape: Shape of the images it has room for.
        version: Version of the image it holds.
    """

    name: int
    shape: tuple[int, ...]
    version: int | None = None


class Screens:
    """Pictures on the graphics card, each a texture of its own, drawn by a call each."""

    def __init__(self, *, plain: bool = False) -> None:
        """Compile the shaders."""
        self._program = build_program("picture", plain=plain)
        self._rows = ElementRows(SCREEN_FLOATS, _write, capacity=4)
        self._textures: list[_Texture] = []
        self._vertex_array = gl.make(gl.gen_vertex_arrays)
        self._index_location = gl.get_uniform_location(self._program, b"screen")

    def load(self, pictures: Sequence[Picture]) -> None:
        """Upload those of a scene's screens that were not in the last one, and images of other versions than before."""
        self._rows.load(pictures, [1] * len(pictures))
        for i, picture in enumerate(pictures):
            self._load_image(i, picture)

    def _load_image(self, i: int, picture: Picture) -> None:
        if i == len(self._textures):
            self._textures.append(_make_texture(picture.image.shape))
        elif self._textures[i].shape != picture.image.shape:
            gl.free(gl.delete_textures, self._textures[i].name)
            self._textures[i] = _make_texture(picture.image.shape)
        if self._textures[i].version != picture.version:
            self._textures[i].version = picture.version
            _upload(self._textures[i], picture.image)

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return tuple(texture.name for texture in self._textures[: self._rows.count])

    def draw(self, calls: CallList) -> None:
        """Draw them."""
        if self._rows.count:
            calls(gl.use_program, self._program)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, SCREENS_BINDING, self._rows.name)
            calls(gl.active_texture, GL.GL_TEXTURE0)
            for i in range(self._rows.count):
                calls(gl.bind_texture, GL.GL_TEXTURE_2D, self._textures[i].name)
                calls(gl.uniform_1i, self._index_location, i)
                calls(gl.draw_arrays, GL.GL_TRIANGLE_STRIP, 0, 4)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        gl.free(gl.delete_textures, *(texture.name for texture in self._textures))
        self._rows.close()


def _write(rows: np.ndarray, picture: Picture, _number: int) -> None:
    # drawn plainly, a screen has the colour of its first pixel
    rows[:, 17:20] = picture.image[0, 0] / 255.0
    rows[0, :16] = picture.transform.reshape(16)
    rows[0, 16] = number_layer_and_anchor(picture)


def _make_texture(shape: tuple[int, ...]) -> _Texture:
    name = gl.make(gl.gen_textures)
    gl.bind_texture(GL.GL_TEXTURE_2D, name)
    gl.tex_storage_2d(GL.GL_TEXTURE_2D, 1, GL.GL_SRGB8, shape[1], shape[0])
    for parameter in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
        gl.tex_parameter(GL.GL_TEXTURE_2D, parameter, GL.GL_LINEAR)
    for parameter in (GL.GL_TEXTURE_WRAP_S, GL.GL_TEXTURE_WRAP_T):
        gl.tex_parameter(GL.GL_TEXTURE_2D, parameter, GL.GL_CLAMP_TO_EDGE)
    return _Texture(name, shape)


def _upload(texture: _Texture, image: np.ndarray) -> None:
    height, width, _ = texture.shape
    rows = np.ascontiguousarray(image, dtype=np.uint8)
    gl.bind_texture(GL.GL_TEXTURE_2D, texture.name)
    gl.pixel_store(GL.GL_UNPACK_ALIGNMENT, 1)
    area = (0, 0, 0, width, height)
    gl.tex_sub_image_2d(GL.GL_TEXTURE_2D, *area, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, rows.ctypes.data)
