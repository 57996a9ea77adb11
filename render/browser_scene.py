"""A scene's shapes, lines, areas, texts and points in the browser; only what has changed is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pinocchio as pin
import trimesh
import viser

from handhold.render.browser_labels import LabelNodes, turn_image
from handhold.render.palette import encode_srgb
from handhold.render.scene import Anchor, Cloud, Fill, Label, Lines, Picture, Scene, Shape, Solids

LEAST_CHANGE = 2e-3
"""What has changed less is not sent [m]: two pixels of a page that shows four metres."""

Handle = viser.SceneNodeHandle
PieceT = TypeVar("PieceT", Solids, Lines, Fill, Label, Picture)


@dataclass(frozen=True, eq=False, slots=True)
class _Shown:
    """What a node shows.

    Attributes:
        handle: The node.
        geometry: What places it, to compare with.
        colors: Its colours, likewise.
        version: Of its image.
    """

    handle: Handle
    geometry: np.ndarray
    colors: np.ndarray
    version: int = 0


class SceneNodes:
    """The nodes of everything in a scene but robots; elements that move with head or hands are left out."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._api = server.scene
        self._labels = LabelNodes(server)
        self._shown: dict[str, _Shown] = {}
        self._cloud: int | None = None

    def show(self, scene: Scene) -> None:
        """Show a scene in place of the last one."""
        pieces = [
            *((f"/solids/{solids.shape.value}", self._prepare_solids(solids)) for solids in _in_world(scene.solids)),
            *((f"/lines/{round(1e4 * lines.width)}", self._prepare_lines(lines)) for lines in _in_world(scene.lines)),
            *(("/areas", self._prepare_area(*area)) for fill in _in_world(scene.fills) for area in _split(fill)),
            *(("/pictures", self._prepare_picture(picture)) for picture in _in_world(scene.pictures)),
        ]
        wanted = _name(pieces)
        for name in self._shown.keys() - wanted.keys():
            self._shown.pop(name).handle.remove()
        for name, prepared in wanted.items():
            self._update(name, prepared)
        self._labels.show(_in_world(scene.labels))
        self._show_cloud(scene.cloud)

    def _update(self, name: str, prepared: _Prepared) -> None:
        shown = self._shown.get(name)
        if shown is not None and _is_placed(shown, prepared) and shown.version == prepared.version:
            return
        handle = None if shown is None else _alter(shown, prepared)
        self._shown[name] = _Shown(handle or prepared.add(name), prepared.geometry, prepared.colors, prepared.version)

    def _prepare_solids(self, solids: Solids) -> _Prepared:
        def add(name: str) -> Handle:
            vertices, faces = _SHAPES[solids.shape]
            wxyzs, positions, scales = _take_apart(solids.transforms)
            return self._api.add_batched_meshes_simple(
                name,
                vertices,
                faces,
                wxyzs,
                positions,
                batched_scales=scales,
                batched_colors=_to_bytes(solids.colors),
                lod="off",
                cast_shadow=False,
                receive_shadow=False,
            )

        def move(handle: Handle) -> None:
            assert isinstance(handle, viser.BatchedMeshHandle)
            handle.batched_wxyzs, handle.batched_positions, handle.batched_scales = _take_apart(solids.transforms)

        return _Prepared(solids.transforms, solids.colors, add, move)

    def _prepare_lines(self, lines: Lines) -> _Prepared:
        def add(name: str) -> Handle:
            colors = np.repeat(_to_bytes(lines.colors)[:, None], 2, axis=1)
            return self._api.add_line_segments(name, lines.ends, colors, thickness=lines.width, thickness_units="world")

        return _Prepared(lines.ends, lines.colors, add)

    def _prepare_area(self, triangles: np.ndarray, color: np.ndarray) -> _Prepared:
        def add(name: str) -> Handle:
            red, green, blue = encode_srgb(color[:3])
            return self._api.add_mesh_simple(
                name,
                triangles.reshape(-1, 3),
                np.arange(3 * len(triangles)).reshape(-1, 3),
                color=(red, green, blue),
                opacity=float(color[3]),
                side="double",
                cast_shadow=False,
            )

        return _Prepared(triangles, color[None], add)

    def _prepare_picture(self, picture: Picture) -> _Prepared:
        sizes = np.linalg.norm(picture.transform[:3, :3], axis=0)
        width, height = sizes[:2].tolist()

        def add(name: str) -> Handle:
            return self._api.add_image(
                name,
                picture.image,
                render_width=width,
                render_height=height,
                wxyz=turn_image(picture.transform[:3, :3] / sizes),
                position=picture.transform[:3, 3],
                cast_shadow=False,
                receive_shadow=False,
            )

        def change(handle: Handle) -> None:
            assert isinstance(handle, viser.ImageHandle)
            handle.image = picture.image

        return _Prepared(picture.transform, np.zeros(0), add, change=change, version=picture.version)

    def _show_cloud(self, cloud: Cloud | None) -> None:
        version = None if cloud is None else cloud.version
        if version == self._cloud:
            return
        self._cloud = version
        points = np.zeros((0, 3)) if cloud is None else cloud.positions
        colors = np.zeros((0, 3), np.uint8) if cloud is None else cloud.colors
        size = 0.01 if cloud is None else cloud.size
        self._api.add_point_cloud("/cloud", points, colors, point_size=size, precision="float32")


@dataclass(frozen=True, eq=False, slots=True)
class _Prepared:
    """What a node is to show, how it is made and, where that is cheaper, how it is moved or its image changed."""

    geometry: np.ndarray
    colors: np.ndarray
    add: Callable[[str], Handle]
    move: Callable[[Handle], None] | None = None
    change: Callable[[Handle], None] | None = None
    version: int = 0


def _name(pieces: list[tuple[str, _Prepared]]) -> dict[str, _Prepared]:
    """Give every piece a name of its own: its kind's and its number among them."""
    counts: Counter[str] = Counter()
    named = {}
    for kind, piece in pieces:
        named[f"{kind}/{counts[kind]}"] = piece
        counts[kind] += 1
    return named


def _alter(shown: _Shown, prepared: _Prepared) -> Handle | None:
    """Alter the node there is, and return it; None where it has to be made anew."""
    if prepared.change is not None and _is_placed(shown, prepared):
        prepared.change(shown.handle)
        return shown.handle
    if prepared.move is not None and _is_alike(shown, prepared):
        prepared.move(shown.handle)
        return shown.handle
    return None


def _is_placed(shown: _Shown, prepared: _Prepared) -> bool:
    return _is_alike(shown, prepared) and bool(np.abs(shown.geometry - prepared.geometry).max(initial=0.0) < LEAST_CHANGE)


def _is_alike(shown: _Shown, prepared: _Prepared) -> bool:
    return shown.geometry.shape == prepared.geometry.shape and np.array_equal(shown.colors, prepared.colors)


def _to_bytes(colors: np.ndarray) -> np.ndarray:
    """Return colours, mixed with white by their alpha, as the page takes those of many things at once: in linear light."""
    mixed = colors[:, :3] * colors[:, 3:] + (1.0 - colors[:, 3:])
    return np.clip(np.rint(255.0 * mixed), 0, 255).astype(np.uint8)


def _in_world(elements: tuple[PieceT, ...]) -> list[PieceT]:
    return [element for element in elements if element.anchor is Anchor.WORLD]


def _split(fill: Fill) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the triangles of each colour: on the page a mesh has one."""
    colors, which = np.unique(fill.colors, axis=0, return_inverse=True)
    return [(fill.triangles[which.ravel() == number], color) for number, color in enumerate(colors)]


def _take_apart(transforms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
