"""The shapes of solids as triangles; each fits a cube from -1/2 to 1/2, its axis along z."""

from __future__ import annotations

import numpy as np
import trimesh

from handhold.render.meshes import LinkMesh
from handhold.render.scene import Shape

SECTIONS = 32
"""Faces around an axis: round enough at arm's length."""
EDGE_ANGLE = 0.6
"""Faces that meet at more keep a sharp edge [rad]."""


def make_shape(shape: Shape) -> LinkMesh:
    """Return a shape as a mesh (of no joint)."""
    mesh = trimesh.graph.smooth_shade(_make_triangles(shape), angle=EDGE_ANGLE)
    return LinkMesh(
        joint=0,
        color=(1.0, 1.0, 1.0, 1.0),
        vertices=np.asarray(mesh.vertices, np.float32),
        normals=np.asarray(mesh.vertex_normals, np.float32),
        faces=np.asarray(mesh.faces, np.uint32),
    )


def _make_triangles(shape: Shape) -> trimesh.Trimesh:
    if shape is Shape.BOX:
        return trimesh.creation.box(extents=(1.0, 1.0, 1.0))
    if shape is Shape.SPHERE:
        return trimesh.creation.icosphere(subdivisions=3, radius=0.5)
    if shape is Shape.CYLINDER:
        return trimesh.creation.cylinder(radius=0.5, height=1.0, sections=SECTIONS)
    cone = trimesh.creation.cone(radius=0.5, height=1.0, sections=SECTIONS)
    return cone.apply_translation((0.0, 0.0, -0.5))
