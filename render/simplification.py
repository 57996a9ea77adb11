r"""Meshes of fewer triangles that keep their shape, the edges of open sheets included.

Edges are collapsed while the quadric error of the vertex that remains [Garland1997]_, the sum of its squared distances to the
planes of the triangles that it stands for, stays below a tolerance squared:

.. math:: \sum_k (n_k^T v + d_k)^2 \le \tau^2

Bounding the error, and not the number of triangles, keeps what is fine (the slots of a perforated sheet) and takes what is
flat. An open edge alone bounds nothing: a flat sheet may be eaten from its edge without leaving its plane. So every open edge
carries a wall that stands on the sheet (Garland's constraint planes), and the walls are thrown away in the end.

.. [Garland1997] M. Garland and P. S. Heckbert, "Surface simplification using quadric error metrics", SIGGRAPH 1997.
"""

from __future__ import annotations

import fast_simplification
import numpy as np
import trimesh

LIBRARY_ERROR = float(np.finfo(np.float64).eps)
"""Quadric error below which ``fast_simplification`` calls a collapse lossless, in units of the mesh it is given."""

WALL_HEIGHT = 100.0
"""Height of the walls [m]: no link is as large, so that what reaches as far is a wall."""


def simplify(mesh: trimesh.Trimesh, tolerance: float) -> trimesh.Trimesh:
    """Return a mesh of fewer triangles.

    Args:
        mesh: Its vertices merged where triangles touch.
        tolerance: Bound of the quadric error's root [m]; 0 returns the mesh as it is.

    Returns:
        Vertices that moved, and no normals.
    """
    if tolerance <= 0.0:
        return mesh
    vertices, faces = _add_walls(mesh)
    scale = np.sqrt(LIBRARY_ERROR) / tolerance
    vertices, faces = fast_simplification.simplify(vertices * scale, faces.astype(np.int32), lossless=True)
    vertices = np.asarray(vertices) / scale
    sheet = (np.abs(vertices) < 0.5 * WALL_HEIGHT).all(axis=1)
    return trimesh.Trimesh(vertices, np.asarray(faces)[sheet[faces].all(axis=1)], process=False)


def find_open_edges(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return the edges of one triangle alone, from vertex to vertex as it goes round, shape ``(edges, 2)``."""
    _, which, counts = np.unique(np.sort(mesh.edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    return np.asarray(mesh.edges[counts[which.ravel()] == 1])


def _add_walls(mesh: trimesh.Trimesh) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and triangles of the mesh and of walls on its open edges."""
    edges = find_open_edges(mesh)
    at_edge, which = np.unique(edges, return_inverse=True)
    tops = mesh.vertices[at_edge] + WALL_HEIGHT * _find_normals(mesh)[at_edge]
    a, b = edges.T
    over_a, over_b = len(mesh.vertices) + which.reshape(-1, 2).T
    # a neighbour goes along an edge the other way
    walls = np.concatenate([np.stack([b, a, over_a], axis=1), np.stack([b, over_a, over_b], axis=1)])
    return np.concatenate([mesh.vertices, tops]), np.concatenate([mesh.faces, walls])


def _find_normals(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return a direction off the sheet for every vertex, also where its triangles look to both sides, shape ``(v, 3)``."""
    normals = np.array(mesh.vertex_normals)
    unclear = np.linalg.norm(normals, axis=1) < 0.5
    if unclear.any():
        of_a_face = np.zeros_like(normals)
        of_a_face[mesh.faces] = mesh.face_normals[:, None]
        normals[unclear] = of_a_face[unclear]
    return normals
