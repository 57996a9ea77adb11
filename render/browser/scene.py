"""A scene's shapes, lines, areas, texts and points in the browser; only what has changed is sent."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import viser

from handhold.render.browser.front import FrontNodes
from handhold.render.browser.joined_scene import join_elements
from handhold.render.browser.labels import LabelNodes, turn_image
from handhold.render.browser.nodes import Handle, Nodes, Prepared
from handhold.render.browser.shapes import mix_with_white
from handhold.render.browser.solid_grid import list_grid_lines
from handhold.render.palette import encode_srgb
from handhold.render.scene import Anchor, Cloud, Fill, Ground, Label, Lines, Picture, Scene, Solids

STRONG_EVERY = 4.0
"""Every which of the ground's lines is a strong one, as in the headset."""

FADED = 22.0
"""Distance from the camera at which nothing is left of the ground [m], as in the headset."""

PieceT = TypeVar("PieceT", Solids, Lines, Fill, Label, Picture)
ShownT = TypeVar("ShownT", Solids, Lines)


class SceneNodes:
    """The nodes of everything in a scene but robots; elements that move with head or hands are left out."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._api = server.scene
        self._labels = LabelNodes(server)
        self._nodes = Nodes(server.scene)
        self._front = FrontNodes(server)
        self._cloud: int | None = None
        self._ground: Ground | None = None

    def show(self, scene: Scene) -> None:
        """Show a scene in place of the last one."""
        self._show_ground(scene.ground)
        scene = join_elements(scene)  # every node costs messages
        nodes, fills = self._nodes, _in_world(scene.fills)
        solids, solids_in_front = _part(_in_world(scene.solids))
        lines, lines_in_front = _part(_in_world(scene.lines))
        grids = [grid for one in solids if (grid := list_grid_lines(one)) is not None]
        nodes.show(
            [
                *((f"/solids/{one.shape.value}", nodes.prepare_solids(one)) for one in solids),
                *(("/grids", nodes.prepare_lines(grid)) for grid in grids),
                *((f"/lines/{round(1e4 * one.width)}", nodes.prepare_lines(one)) for one in lines),
                *(("/areas", self._prepare_area(*area)) for fill in fills for area in _split(fill)),
                *(("/pictures", self._prepare_picture(picture)) for picture in _in_world(scene.pictures)),
            ]
        )
        self._front.show(solids_in_front, lines_in_front)
        self._labels.show(_in_world(scene.labels))
        self._show_cloud(scene.cloud)

    def _prepare_area(self, triangles: np.ndarray, color: np.ndarray) -> Prepared:
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

        return Prepared(triangles, color[None], add)

    def _prepare_picture(self, picture: Picture) -> Prepared:
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

        return Prepared(picture.transform, np.zeros(0), add, change=change, version=picture.version)

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


def _in_world(elements: tuple[PieceT, ...]) -> list[PieceT]:
    return [element for element in elements if element.anchor is Anchor.WORLD]


def _part(pieces: list[ShownT]) -> tuple[list[ShownT], list[ShownT]]:
    """Return what the world may hide, and what stands in front of it."""
    return [one for one in pieces if not one.in_front], [one for one in pieces if one.in_front]


def _split(fill: Fill) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the triangles of each colour: on the page a mesh has one."""
    colors, which = np.unique(fill.colors, axis=0, return_inverse=True)
    return [(fill.triangles[which.ravel() == number], color) for number, color in enumerate(colors)]
