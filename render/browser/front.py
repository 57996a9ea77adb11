"""What the robot must not hide, on each page: the same as seen from its camera, but nearer to that.

The page hides what is behind something else whatever it is. Scaled about the eye a thing looks as it does in its place:

.. math:: p' = e + s (p - e)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import viser

from handhold.render.browser.nodes import Nodes
from handhold.render.scene import Lines, Solids

NEARER = 0.75
"""Part of the distance to the eye at which these things stand [-]: seen from 3 m, before an arm that is held forward."""


class FrontNodes:
    """The nodes of shapes and lines that nothing hides, a set for each page: cameras differ."""

    def __init__(self, server: viser.ViserServer) -> None:
        """Show nothing yet."""
        self._server = server
        self._pages: dict[int, Nodes] = {}

    def show(self, solids: list[Solids], lines: list[Lines]) -> None:
        """Show these in place of the last ones."""
        clients = self._server.get_clients()
        for gone in self._pages.keys() - clients.keys():
            del self._pages[gone]
        for number, client in clients.items():
            if number not in self._pages:
                if not solids and not lines:
                    continue
                self._pages[number] = Nodes(client.scene)
            nodes, eye = self._pages[number], self._find_eye(client)
            nodes.show(
                [
                    *((f"/front/{one.shape.value}", nodes.prepare_solids(_shift_solids(one, eye))) for one in solids),
                    *((f"/front/{_tell(one)}", nodes.prepare_lines(_shift_lines(one, eye))) for one in lines),
                ]
            )

    def _find_eye(self, client: viser.ClientHandle) -> np.ndarray:
        # A page that has just been opened has not reported its camera yet.
        camera = client.camera if client.camera.update_timestamp > 0.0 else self._server.initial_camera
        return np.array(camera.position, dtype=float)


def _tell(lines: Lines) -> str:
    return f"lines/{round(1e4 * lines.width)}/{round(1e4 * lines.dash)}"


def _shift_solids(solids: Solids, eye: np.ndarray) -> Solids:
    return replace(solids, transforms=scale_about(eye) @ solids.transforms)


def _shift_lines(lines: Lines, eye: np.ndarray) -> Lines:
    ends = eye + NEARER * (lines.ends - eye)
    return replace(lines, ends=ends, width=NEARER * lines.width, dash=NEARER * lines.dash)


def scale_about(eye: np.ndarray) -> np.ndarray:
    """Return what brings things nearer to an eye at a place in world, shape ``(3,)``, as a transform, shape ``(4, 4)``."""
    transform = np.diag([NEARER, NEARER, NEARER, 1.0])
    transform[:3, 3] = (1.0 - NEARER) * eye
    return transform
