"""The world's solids on each page: what is between a page's camera and the robot can be seen through."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import viser

from handhold.render.browser.camera import SHORT
from handhold.render.browser.shapes import add_solids, to_bytes
from handhold.render.browser.solid_grid import list_grid_lines
from handhold.render.obstacles import Obstacles
from handhold.render.scene import Solids

TRANSLUCENT_OPACITY = 0.2
"""Opacity of a solid that hides the robot."""
MIN_HIDDEN = 2
"""So many of the robot's joints must be hidden; one alone would flicker."""


@dataclass(slots=True)
class _Page:
    opacities: np.ndarray
    nodes: list[viser.SceneNodeHandle] = field(default_factory=list)


class WorldNodes:
    """The nodes of fixed solids, a set for each page: cameras differ."""

    def __init__(self, server: viser.ViserServer, obstacles: Obstacles, solids: tuple[Solids, ...]) -> None:
        """Show nothing yet.

        Args:
            server: Where the page comes from.
            obstacles: The world's solids as what hides the robot.
            solids: The same as shapes, one of each solid in the same order.
        """
        self._server = server
        self._solids = solids
        self._obstacles = obstacles
        self._pages: dict[int, _Page] = {}
        self._points: np.ndarray | None = None
        # A page is sent what there is as it comes, on another thread than the one that shows.
        self._lock = threading.Lock()
        server.on_client_connect(lambda _client: self._update())

    def show(self, points: np.ndarray | None) -> None:
        """Show the solids to every page; ``points`` of the robot in world, shape ``(k, 3)``, shall be seen."""
        self._points = points
        self._update()

    def _update(self) -> None:
        with self._lock:
            clients = self._server.get_clients() if self._solids else {}
            for gone in self._pages.keys() - clients.keys():
                del self._pages[gone]
            for number, client in clients.items():
                opacities = self._find_opacities(client, self._points)
                page = self._pages.get(number)
                if page is None or not np.array_equal(page.opacities, opacities):
                    self._pages[number] = self._send(client, page, opacities)

    def _find_opacities(self, client: viser.ClientHandle, points: np.ndarray | None) -> np.ndarray:
        reported = client.camera.update_timestamp > 0.0
        eye = np.array(client.camera.position if reported else self._server.initial_camera.position, dtype=float)
        if points is None:
            return np.ones(len(self._solids), np.float32)
        hidden = self._obstacles.find_between(eye[None], points, SHORT)[0].sum(axis=0)
        return np.where(hidden >= MIN_HIDDEN, TRANSLUCENT_OPACITY, 1.0).astype(np.float32)

    def _send(self, client: viser.ClientHandle, page: _Page | None, opacities: np.ndarray) -> _Page:
        """Send what can be seen through and what cannot as nodes of their own: only the former is blended."""
        if page is None:
            page = _Page(opacities)
        for node in page.nodes:
            node.remove()
        pairs = [(solids, (solids.shape, float(own))) for solids, own in zip(self._solids, opacities, strict=True)]
        page.nodes = []
        for shape, opacity in sorted({kind for _, kind in pairs}, key=str):
            chosen = [solids for solids, kind in pairs if kind == (shape, opacity)]
            transforms = np.concatenate([one.transforms for one in chosen])
            colors = np.concatenate([one.colors for one in chosen])
            name = f"/world/{shape.value}/{round(100 * opacity)}"
            page.nodes.append(add_solids(client.scene, name, shape, transforms, colors, opacity=opacity))
        page.nodes += self._add_grid(client, opacities)
        page.opacities = opacities
        return page

    def _add_grid(self, client: viser.ClientHandle, opacities: np.ndarray) -> list[viser.SceneNodeHandle]:
        """Send the lines on what is solid: on what is seen through they would hide the robot."""
        solid = [one for one, own in zip(self._solids, opacities, strict=True) if own >= 1.0]
        grids = [lines for one in solid if (lines := list_grid_lines(one)) is not None]
        if not grids:
            return []
        ends = np.concatenate([lines.ends for lines in grids])
        colors = np.repeat(to_bytes(np.concatenate([lines.colors for lines in grids]))[:, None], 2, axis=1)
        return [client.scene.add_line_segments("/world/grid", ends, colors, thickness=grids[0].width, thickness_units="world")]
