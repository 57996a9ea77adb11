"""Nodes of the page in the browser that show a scene's elements; only what has changed is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import viser

from handhold.render.browser.shapes import add_solids, take_apart, to_bytes
from handhold.render.elements.drawing import dash_lines
from handhold.render.scene import Lines, Solids

MIN_CHANGE = 2e-3
"""What has changed less is not sent [m]: two pixels of a page that shows four metres."""

Handle = viser.SceneNodeHandle


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """What a node is to show, how it is made and, where that is cheaper, how it is moved or its image changed."""

    geometry: np.ndarray
    colors: np.ndarray
    add: Callable[[str], Handle]
    move: Callable[[Handle], None] | None = None
    change: Callable[[Handle], None] | None = None
    version: int = 0


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


class Nodes:
    """The nodes of some elements, on all pages or on one."""

    def __init__(self, api: viser.SceneApi) -> None:
        """Show nothing yet."""
        self._api = api
        self._shown: dict[str, _Shown] = {}

    def show(self, pieces: list[tuple[str, Prepared]]) -> None:
        """Show pieces, each with the name of its kind, in place of the last ones."""
        prepared_by_name = _name(pieces)
        for name in self._shown.keys() - prepared_by_name.keys():
            self._shown.pop(name).handle.remove()
        for name, prepared in prepared_by_name.items():
            self._update(name, prepared)

    def _update(self, name: str, prepared: Prepared) -> None:
        shown = self._shown.get(name)
        if shown is not None and _is_placed(shown, prepared) and shown.version == prepared.version:
            return
        handle = None if shown is None else _alter(shown, prepared)
        self._shown[name] = _Shown(handle or prepared.add(name), prepared.geometry, prepared.colors, prepared.version)

    def prepare_solids(self, solids: Solids) -> Prepared:
        """Return how shapes are shown."""

        def add(name: str) -> Handle:
            return add_solids(self._api, name, solids.shape, solids.transforms, solids.colors)

        def move(handle: Handle) -> None:
            assert isinstance(handle, viser.BatchedMeshHandle)
            handle.batched_wxyzs, handle.batched_positions, handle.batched_scales = take_apart(solids.transforms)

        return Prepared(solids.transforms, solids.colors, add, move)

    def prepare_lines(self, lines: Lines) -> Prepared:
        """Return how lines are shown."""

        def add(name: str) -> Handle:
            whole = dash_lines(lines) if lines.dash else lines
            colors = np.repeat(to_bytes(whole.colors)[:, None], 2, axis=1)
            return self._api.add_line_segments(name, whole.ends, colors, thickness=lines.width, thickness_units="world")

        return Prepared(lines.ends, lines.colors, add)


def _name(pieces: list[tuple[str, Prepared]]) -> dict[str, Prepared]:
    """Give every piece a name of its own: its kind's and its number among them."""
    counts: Counter[str] = Counter()
    named = {}
    for kind, piece in pieces:
        named[f"{kind}/{counts[kind]}"] = piece
        counts[kind] += 1
    return named


def _alter(shown: _Shown, prepared: Prepared) -> Handle | None:
    """Alter the node there is, and return it; None where it has to be made anew."""
    if prepared.change is not None and _is_placed(shown, prepared):
        prepared.change(shown.handle)
        return shown.handle
    if prepared.move is not None and _is_alike(shown, prepared):
        prepared.move(shown.handle)
        return shown.handle
    return None


def _is_placed(shown: _Shown, prepared: Prepared) -> bool:
    return _is_alike(shown, prepared) and bool(np.abs(shown.geometry - prepared.geometry).max(initial=0.0) < MIN_CHANGE)


def _is_alike(shown: _Shown, prepared: Prepared) -> bool:
    return shown.geometry.shape == prepared.geometry.shape and np.array_equal(shown.colors, prepared.colors)
