"""A scene's shapes, lines, areas, texts and points in the browser; only what has changed is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import viser

from handhold.render.browser.joined_scene import join_elements
from handhold.render.browser.labels import LabelNodes, turn_image
from handhold.render.browser.shapes import add_solids, mix_with_white, take_apart, to_bytes
from handhold.render.browser.solid_grid import list_grid_lines
from handhold.render.elements.drawing import dash_lines
from handhold.render.palette import encode_srgb
from handhold.render.scene import Anchor, Cloud, Fill, Ground, Label, Lines, Picture, Scene, Solids

MIN_CHANGE = 2e-3
"""What has changed less is not sent [m]: two pixels of a page that shows four metres."""

STRONG_EVERY = 4.0
"""Every which of the ground's lines is a strong one, as in the headset."""

FADED = 22.0
"""Distance from the camera at which nothing is left of the ground [m], as in the headset."""

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
        self._ground: Ground | None = None

    def show(self, scene: Scene) -> None:
        """Show a scene in place of the last one."""
        self._show_ground(scene.ground)
        scene = join_elements(scene)  # every node costs messages
        grids = [lines for solids in _in_world(scene.solids) if (lines := list_grid_lines(solids)) is not None]
        pieces = [
            *((f"/solids/{solids.shape.value}", self._prepare_solids(solids)) for solids in _in_world(scene.solids)),
            *(("/grids", self._prepare_lines(lines)) for lines in grids),
            *((f"/lines/{round(1e4 * lines.width)}", self._prepare_lines(lines)) for lines in _in_world(scene.lines)),
            *(("/areas", self._prepare_area(*area)) for fill in _in_world(scene.fills) for area in _split(fill)),
            *(("/pictures", self._prepare_picture(picture)) for picture in _in_world(scene.pictures)),
        ]
        prepared_by_name = _name(pieces)
        for name in self._shown.keys() - prepared_by_name.keys():
            self._shown.pop(name).handle.remove()
        for name, prepared in prepared_by_name.items():
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
            return add_solids(self._api, name, solids.shape, solids.transforms, solids.colors)

        def move(handle: Handle) -> None:
            assert isinstance(handle, viser.BatchedMeshHandle)
            handle.batched_wxyzs, handle.batched_positions, handle.batched_scales = take_apart(solids.transforms)

        return _Prepared(solids.transforms, solids.colors, add, move)

    def _prepare_lines(self, lines: Lines) -> _Prepared:
        def add(name: str) -> Handle:
            whole = dash_lines(lines) if lines.dash else lines
            colors = np.repeat(to_bytes(whole.colors)[:, None], 2, axis=1)
            return self._api.add_line_segments(name, whole.ends, colors, thickness=lines.width, thickness_units="world")

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

    def _show_ground(self, ground: Ground | None) -> None:
        """Show the ground: the page's own grid goes on for ever."""
        if ground is self._ground:
            return
        self._ground = ground
        if ground is None:
            self._api.remove_by_name("/ground")
            return
        strong = encode_srgb(mix_with_white(ground.line_color[None], 0.5)[0])
        faint = encode_srgb(mix_with_white(ground.line_color[None], 0.25)[0])
        self._api.add_grid(
            "/ground",
            position=(0.0, 0.0, ground.height),
            cell_size=ground.cell,
            section_size=STRONG_EVERY * ground.cell,
            cell_color=faint,
            section_color=strong,
            cell_thickness=0.8,
            section_thickness=1.2,
            infinite_grid=True,
            fade_distance=FADED,
        )

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
    return _is_alike(shown, prepared) and bool(np.abs(shown.geometry - prepared.geometry).max(initial=0.0) < MIN_CHANGE)


def _is_alike(shown: _Shown, prepared: _Prepared) -> bool:
    return shown.geometry.shape == prepared.geometry.shape and np.array_equal(shown.colors, prepared.colors)


def _in_world(elements: tuple[PieceT, ...]) -> list[PieceT]:
    return [element for element in elements if element.anchor is Anchor.WORLD]


def _split(fill: Fill) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the triangles of each colour: on the page a mesh has one."""
    colors, which = np.unique(fill.colors, axis=0, return_inverse=True)
    return [(fill.triangles[which.ravel() == number], color) for number, color in enumerate(colors)]
