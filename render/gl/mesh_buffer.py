"""All triangles that never change, in one buffer of OpenGL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.meshes import LinkMesh

COMMAND_FIELDS = 5
"""Of an indirect draw: indices, instances, first index, base vertex, base instance."""
VERTEX_BYTES = 24
"""Position and normal, three float32 each."""
INSTANCE = np.dtype([("placement", np.uint32), ("color", np.float32, 3)])
"""Attributes of each instance: the number of its placement, and its own colour."""
POSITION, NORMAL, PLACEMENT, COLOR = 0, 1, 2, 3
"""Locations of the attributes in ``body.vert``."""


class MeshBuffer:
    """Vertices and indices of many meshes, of which instances are drawn.

    OpenGL 4.3 gives shaders no base instance: the data of an instance are attributes that go on by an instance at a time.

    Attributes:
        vertex_array: OpenGL's name of the vertex array that has them all.
        commands: An indirect draw of one instance for every mesh, shape ``(meshes, 5)``, uint32.
    """

    def __init__(self, meshes: Sequence[LinkMesh]) -> None:
        """Upload the meshes."""
        self.commands = _make_commands(meshes)
        self.vertex_array = gl.make(gl.gen_vertex_arrays)
        self._buffers = [gl.make(gl.gen_buffers) for _ in range(2)]
        vertices, faces = self._buffers
        gl.bind_vertex_array(self.vertex_array)
        self._upload(GL.GL_ELEMENT_ARRAY_BUFFER, faces, np.concatenate([mesh.faces for mesh in meshes], dtype=np.uint32))
        rows = [np.hstack([mesh.vertices, mesh.normals], dtype=np.float32) for mesh in meshes]
        self._upload(GL.GL_ARRAY_BUFFER, vertices, np.concatenate(rows))
        gl.bind_vertex_buffer(0, vertices, 0, VERTEX_BYTES)
        for location, offset in ((POSITION, 0), (NORMAL, VERTEX_BYTES // 2)):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_format(location, 3, GL.GL_FLOAT, GL.GL_FALSE, offset)
            gl.vertex_attrib_binding(location, 0)
        gl.bind_vertex_array(0)

    def bind_instances(self, buffer: int) -> None:
        """Take the attributes of instances from a buffer, whose rows are ``INSTANCE``."""
        gl.bind_vertex_array(self.vertex_array)
        gl.bind_vertex_buffer(1, buffer, 0, INSTANCE.itemsize)
        gl.vertex_binding_divisor(1, 1)
        gl.vertex_attrib_i_format(PLACEMENT, 1, GL.GL_UNSIGNED_INT, 0)
        gl.vertex_attrib_format(COLOR, 3, GL.GL_FLOAT, GL.GL_FALSE, 4)
        for location in (PLACEMENT, COLOR):
            gl.enable_vertex_attrib_array(location)
            gl.vertex_attrib_binding(location, 1)
        gl.bind_vertex_array(0)

    @staticmethod
    def _upload(kind: int, name: int, array: np.ndarray) -> None:
        gl.bind_buffer(kind, name)
        gl.buffer_data(kind, array.nbytes, array.ctypes.data, GL.GL_STATIC_DRAW)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.free(gl.delete_vertex_arrays, self.vertex_array)
        gl.free(gl.delete_buffers, *self._buffers)


def _make_commands(meshes: Sequence[LinkMesh]) -> np.ndarray:
    commands = np.zeros((len(meshes), COMMAND_FIELDS), dtype=np.uint32)
    indices = np.array([3 * len(mesh.faces) for mesh in meshes])
    vertices = np.array([len(mesh.vertices) for mesh in meshes])
    commands[:, 0] = indices
    commands[:, 1] = 1
    commands[:, 2] = np.cumsum(indices) - indices
    commands[:, 3] = np.cumsum(vertices) - vertices
    return commands
