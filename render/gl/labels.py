"""Texts of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import number_layer_and_anchor
from handhold.render.gl.atlas import UNKNOWN, Atlas, make_atlas
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.program import build_program
from handhold.render.scene import Label

GLYPHS_BINDING, LABELS_BINDING = 3, 4
GLYPH_FLOATS = 12
"""Size of ``Glyph`` in ``label.vert``: box, box in the atlas, label."""
LABEL_FLOATS = 20
"""Size of ``Label`` in ``label.vert``: position, height, x axis, layer and anchor, y axis, facing, two colours."""
MARGINS = (0.35, 0.12)
"""How much wider and higher than its text a plate is, on each side [line heights]."""
LAYOUTS = 512
"""Texts whose layout is remembered: most stay from scene to scene."""


class Labels:
    """Texts on the graphics card, drawn by one call."""

    def __init__(self, *, plain: bool = False) -> None:
        """Compile the shaders and draw the letters."""
        self._program = build_program("label", plain=plain)
        atlas = make_atlas()
        self._texture = _upload(atlas.image)
        self._lay_out = lru_cache(LAYOUTS)(lambda text, plate: lay_out(text, atlas)[0 if plate else 1 :])
        self._glyphs = ElementRows(GLYPH_FLOATS, _write_glyphs, capacity=1024)
        self._labels = ElementRows(LABEL_FLOATS, _write)
        self._vertex_array = gl.make(gl.gen_vertex_arrays)

    def load(self, labels: Sequence[Label]) -> None:
        """Upload those of a scene's texts that were not in the last one; one that only moves keeps its glyphs."""
        layouts = [self._lay_out(label.text, bool(label.background[3])) for label in labels]
        self._glyphs.load(layouts, [len(layout) for layout in layouts])
        self._labels.load(labels, [1] * len(labels))

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return (self._glyphs.count,)

    def draw(self, calls: CallList) -> None:
        """Draw them: each plate and then its glyphs; what is behind a plate stays hidden by it."""
        if self._glyphs.count:
            calls(gl.use_program, self._program)
            calls(gl.bind_vertex_array, self._vertex_array)
            calls(gl.active_texture, GL.GL_TEXTURE0)
            calls(gl.bind_texture, GL.GL_TEXTURE_2D, self._texture)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, GLYPHS_BINDING, self._glyphs.name)
            calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, LABELS_BINDING, self._labels.name)
            calls(gl.draw_arrays_instanced, GL.GL_TRIANGLE_STRIP, 0, 4, self._glyphs.count)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        gl.free(gl.delete_vertex_arrays, self._vertex_array)
        gl.free(gl.delete_textures, self._texture)
        self._glyphs.close()
        self._labels.close()


def lay_out(text: str, atlas: Atlas) -> np.ndarray:
    """Lay out a text around its middle, every line centred.

    Returns:
        A row for the plate and one for each glyph: left, bottom, right, top [line heights], then the same edges in the atlas,
        zero for the plate; shape ``(1 + glyphs, 8)``, float32.
    """
    lines = text.split("\n")
    widths = [0.0]
    blocks = [np.zeros((1, 8))]
    for number, line in enumerate(lines):
        rows = np.array([atlas.index.get(character, atlas.index[UNKNOWN]) for character in line], dtype=np.intp)
        ends = np.cumsum(atlas.advances[rows])
        widths.append(ends[-1] if len(line) else 0.0)
        x = ends - atlas.advances[rows] - widths[-1] / 2.0
        y = np.full(len(line), len(lines) / 2.0 - number - 0.5 + atlas.base_line)
        blocks.append(np.hstack([atlas.boxes[rows] + np.stack([x, y, x, y], axis=1), atlas.texture_boxes[rows]]))
    half = (max(widths) / 2.0 + MARGINS[0], len(lines) / 2.0 + MARGINS[1])
    blocks[0][0, :4] = (-half[0], -half[1], half[0], half[1])
    layout = np.vstack(blocks).astype(np.float32)
    layout.setflags(write=False)
    return layout


def _write_glyphs(rows: np.ndarray, layout: np.ndarray, number: int) -> None:
    rows[:, :8] = layout
    rows[:, 8] = number


def _write(rows: np.ndarray, label: Label, _number: int) -> None:
    row = rows[0]
    row[0:3] = label.position
    row[3] = label.height
    row[7] = number_layer_and_anchor(label)
    row[11] = label.rotation is None
    if label.rotation is not None:
        row[4:7] = label.rotation[:, 0]
        row[8:11] = label.rotation[:, 1]
    row[12:16] = label.color
    row[16:20] = label.background


def _upload(image: np.ndarray) -> int:
    name = gl.make(gl.gen_textures)
    height, width = image.shape
    gl.bind_texture(GL.GL_TEXTURE_2D, name)
    gl.tex_storage_2d(GL.GL_TEXTURE_2D, 1, GL.GL_R8, width, height)
    gl.pixel_store(GL.GL_UNPACK_ALIGNMENT, 1)
    gl.tex_sub_image_2d(GL.GL_TEXTURE_2D, 0, 0, 0, width, height, GL.GL_RED, GL.GL_UNSIGNED_BYTE, image.ctypes.data)
    gl.tex_parameter(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR)
    gl.tex_parameter(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR)
    return name
