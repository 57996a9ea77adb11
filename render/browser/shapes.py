"""Shapes drawn as instances on the page in the browser."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import trimesh
import viser

from handhold.render.scene import Shape


def add_solids(
    scene: viser.SceneApi, name: str, shape: Shape, transforms: np.ndarray, colors: np.ndarray, *, opacity: float = 1.0
) -> viser.BatchedMeshHandle:
    """Add many shapes of one kind as one node.

    Args:
        scene: Of all pages, or of one.
        name: Name of the node.
        shape: Their kind.
        transforms: Poses times sizes in world, shape ``(k, 4, 4)``.
        colors: Linear red, green, blue, alpha, shape ``(k, 4)``.
        opacity: Of all of them.
    """
    vertices, faces = _SHAPES[shape]
    wxyzs, positions, scales = take_apart(transforms)
    return scene.add_batched_meshes_simple(
        name,
        vertices,
        faces,
        wxyzs,
        positions,
        batched_scales=scales,
        batched_colors=to_bytes(colors),
        opacity=None if opacity >= 1.0 else opacity,
        lod="off",
        cast_shadow=False,
        receive_shadow=False,
    )


def to_bytes(colors: np.ndarray) -> np.ndarray:
    """Return colours, mixed with white by their alpha, as the page takes those of many things at once: in linear light."""
    return np.clip(np.rint(255.0 * mix_with_white(colors)), 0, 255).astype(np.uint8)


def mix_with_white(colors: np.ndarray, ratio: float = 1.0) -> np.ndarray:
    """Return red, green and blue of colours, shape ``(k, 4)``, on white, by a share of their alpha."""
    alpha = ratio * colors[:, 3:]
    return np.asarray(colors[:, :3] * alpha + (1.0 - alpha))


def take_apart(transforms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return orientations (w, x, y, z), positions and sizes along the own axes of ``(k, 4, 4)`` transforms."""
    sizes = np.maximum(np.linalg.norm(transforms[:, :3, :3], axis=1), 1e-6)
    rotations = (transforms[:, :3, :3] / sizes[:, None]).astype(float)
    quat_xyzw = np.array([pin.Quaternion(rotation).normalized().coeffs() for rotation in rotations]).reshape(-1, 4)
    return np.roll(quat_xyzw, 1, axis=1), transforms[:, :3, 3], sizes


def _make_shapes() -> dict[Shape, tuple[np.ndarray, np.ndarray]]:
    cone = trimesh.creation.cone(radius=0.5, height=1.0, sections=24)
    cone.apply_translation((0.0, 0.0, -0.5))
    shapes = {
        Shape.BOX: trimesh.creation.box(extents=(1.0, 1.0, 1.0)),
        Shape.SPHERE: trimesh.creation.icosphere(subdivisions=2, radius=0.5),
        Shape.CYLINDER: trimesh.creation.cylinder(radius=0.5, height=1.0, sections=24),
        Shape.CONE: cone,
    }
    smooth = {kind: trimesh.graph.smooth_shade(mesh, angle=0.6) for kind, mesh in shapes.items()}
    return {kind: (np.array(mesh.vertices), np.array(mesh.faces)) for kind, mesh in smooth.items()}


_SHAPES = _make_shapes()
