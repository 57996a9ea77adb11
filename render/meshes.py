"""Visual meshes of a robot, as fine as they are needed, kept in a cache because reading and simplifying takes seconds."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin
import trimesh

from handhold.render.fingers import number_fingers
from handhold.render.simplification import simplify
from handhold.robots.description import RobotDescription
from handhold.robots.model import RobotModel

FORMAT = "handhold-meshes-5"
SMOOTH_ANGLE = 0.6
"""Faces that meet at less are shaded as one smooth surface [rad]."""
PAGE_TOLERANCE = 0.004
"""Simplification for pages [m]: Talos has 70 000 triangles of 160 000, and its perforated back stays whole."""
COARSE_TOLERANCE = 0.015
"""The same where the processor draws into a headset [m]: Talos has 36 000, an eye of 320 x 240 takes 14 ms in place of 46."""

Progress = Callable[[str, float], None]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LinkMesh:
    """Triangles of one colour that move with one joint.

    Attributes:
        joint: Pinocchio's id of the joint, or the number of a finger's (see ``number_fingers``).
        color: Red, green, blue, alpha, 0 to 1.
        vertices: In the joint's frame, shape ``(v, 3)``, float32 [m].
        normals: Outward, unit length, one a vertex, shape ``(v, 3)``, float32.
        faces: Indices of the vertices, counter-clockwise seen from outside, shape ``(f, 3)``, uint32.
    """

    joint: int
    color: tuple[float, float, float, float]
    vertices: np.ndarray
    normals: np.ndarray
    faces: np.ndarray


def default_cache_folder() -> Path:
    """Return the user's folder for things that can be made again."""
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "handhold"


def load_link_meshes(
    model: RobotModel,
    cache: Path | None = None,
    progress: Progress = lambda _what, _share: None,
    *,
    tolerance: float = 0.0,
) -> tuple[LinkMesh, ...]:
    """Return the robot's visual meshes, from the cache where the URDF and its meshes are unchanged.

    Args:
        model: The robot.
        cache: Folder of the cache; by default the user's.
        progress: Called with what is being done and the share done, 0 to 1.
        tolerance: How far simplifying may go (see ``simplify``) [m]; 0, for graphics cards, keeps every triangle.
    """
    folder = cache or default_cache_folder()
    file = folder / f"{model.description.name}-{_key(model.description, tolerance)[:16]}.npz"
    progress("meshes", 0.0)
    try:
        meshes = _read(file)
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        meshes = tuple(_build(model, progress, tolerance))
        _write(file, meshes)
    progress("meshes", 1.0)
    return meshes


def _key(description: RobotDescription, tolerance: float) -> str:
    """Hash what the meshes depend on: the URDF, every mesh it names, the description, and how they are simplified."""
    file = description.model_file()
    digest = hashlib.sha256(f"{FORMAT} {SMOOTH_ANGLE} {tolerance}".encode())
    fingers = [finger.links for gripper in description.grippers for finger in gripper.fingers]
    known = [description.locked_joints, description.base_rpy, description.color, fingers]
    digest.update(json.dumps(known, sort_keys=True).encode())
    text = file.path.read_bytes()
    digest.update(text)
    for name in sorted(set(re.findall(rb"file(?:name)?\s*=\s*[\"']([^\"']+)", text))):
        mesh = file.find_mesh(name.decode())
        digest.update(mesh.read_bytes() if mesh.is_file() else b"")
    return digest.hexdigest()


def _build(model: RobotModel, progress: Progress, tolerance: float) -> Iterator[LinkMesh]:
    pieces: dict[tuple[int, tuple[float, ...]], list[trimesh.Trimesh]] = {}
    geometries, fingers = model.visuals.geometryObjects, number_fingers(model)
    for done, geometry in enumerate(geometries):
        progress("meshes", done / len(geometries))
        mesh = _shade(simplify(_triangles(geometry), tolerance))
        if _is_double_sided(geometry.meshPath):
            mesh = _add_back_sides(mesh)
        mesh.apply_transform(geometry.placement.homogeneous)
        color = tuple(round(float(channel), 3) for channel in _choose_color(model.description, geometry))
        joint = fingers.get(geometry.parentFrame, geometry.parentJoint)
        pieces.setdefault((joint, color), []).append(mesh)
    for (joint, color), parts in pieces.items():
        yield _join(joint, color, parts)


def _triangles(geometry: pin.GeometryObject) -> trimesh.Trimesh:
    shape = geometry.geometry
    kind = type(shape).__name__
    if kind == "Cylinder":
        return trimesh.creation.cylinder(radius=shape.radius, height=2 * shape.halfLength, sections=32)
    if kind == "Capsule":
        return trimesh.creation.capsule(radius=shape.radius, height=2 * shape.halfLength)
    if kind == "Sphere":
        return trimesh.creation.icosphere(subdivisions=2, radius=shape.radius)
    if kind == "Box":
        return trimesh.creation.box(extents=2 * np.asarray(shape.halfSide))
    faces = np.array([[t[0], t[1], t[2]] for t in map(shape.tri_indices, range(shape.num_tris))])
    if np.prod(geometry.meshScale) < 0.0:  # A mirrored mesh is inside out.
        faces = faces[:, ::-1]
    return trimesh.Trimesh(np.asarray(shape.vertices()), faces, process=True)


def _shade(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """Return the mesh with one normal a vertex, vertices at sharp edges doubled."""
    return trimesh.graph.smooth_shade(mesh, angle=SMOOTH_ANGLE)


def _choose_color(description: RobotDescription, geometry: pin.GeometryObject) -> tuple[float, ...]:
    if description.color is not None:
        return (*description.color, 1.0)
    return tuple(geometry.meshColor)


def _is_double_sided(file: str) -> bool:
    """Whether a COLLADA file says that its triangles are seen from behind too: they need not go round the same way then."""
    return Path(file).suffix.lower() == ".dae" and b"<double_sided>1<" in Path(file).read_bytes()


def _add_back_sides(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    back = trimesh.Trimesh(mesh.vertices, mesh.faces[:, ::-1], vertex_normals=-mesh.vertex_normals, process=False)
    return trimesh.util.concatenate([mesh, back])


def _join(joint: int, color: tuple[float, ...], parts: list[trimesh.Trimesh]) -> LinkMesh:
    mesh = trimesh.util.concatenate(parts)
    return LinkMesh(
        joint=joint,
        color=(color[0], color[1], color[2], color[3]),
        vertices=np.asarray(mesh.vertices, np.float32),
        normals=np.asarray(mesh.vertex_normals, np.float32),
        faces=np.asarray(mesh.faces, np.uint32),
    )


def _write(file: Path, meshes: tuple[LinkMesh, ...]) -> None:
    """Write the cache whole or not at all; a folder that cannot be written to costs only time at the next start."""
    arrays: dict[str, np.ndarray] = {"count": np.array(len(meshes))}
    for i, mesh in enumerate(meshes):
        arrays |= {f"joint{i}": np.array(mesh.joint), f"color{i}": np.array(mesh.color), f"vertices{i}": mesh.vertices}
        arrays |= {f"normals{i}": mesh.normals, f"faces{i}": mesh.faces}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(part, allow_pickle=False, **arrays)
        Path(part.name).replace(file)
    except OSError:
        return


def _read(file: Path) -> tuple[LinkMesh, ...]:
    with np.load(file) as stored:
        return tuple(_read_one(stored, i) for i in range(int(stored["count"])))


def _read_one(stored: np.lib.npyio.NpzFile, i: int) -> LinkMesh:
    r, g, b, a = (float(channel) for channel in stored[f"color{i}"])
    return LinkMesh(
        joint=int(stored[f"joint{i}"]),
        color=(r, g, b, a),
        vertices=stored[f"vertices{i}"],
        normals=stored[f"normals{i}"],
        faces=stored[f"faces{i}"],
    )
