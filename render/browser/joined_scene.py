"""A scene of few elements, for whoever pays for each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from handhold.render.scene import Fill, Lines, Scene, Solids

PieceT = TypeVar("PieceT")


def join_elements(scene: Scene) -> Scene:
    """Return a scene that looks the same, in which those of one kind that can be drawn together are one."""
    return replace(
        scene,
        solids=_merge(scene.solids, lambda s: (s.shape, s.anchor, s.in_front, s.grid), _join_solids),
        lines=_merge(scene.lines, lambda s: (s.width, s.anchor, s.in_front, s.starts_at, s.dash), _join_lines),
        fills=_merge(scene.fills, lambda s: (s.anchor, s.in_front), _join_fills),
    )


def _merge(
    pieces: Sequence[PieceT], key: Callable[[PieceT], Hashable], join: Callable[[list[PieceT]], PieceT]
) -> tuple[PieceT, ...]:
    groups: dict[Hashable, list[PieceT]] = {}
    for piece in pieces:
        groups.setdefault(key(piece), []).append(piece)
    return tuple(group[0] if len(group) == 1 else join(group) for group in groups.values())


def _join_solids(group: list[Solids]) -> Solids:
    return Solids(
        shape=group[0].shape,
        transforms=np.concatenate([piece.transforms for piece in group]),
        colors=np.concatenate([piece.colors for piece in group]),
        anchor=group[0].anchor,
        in_front=group[0].in_front,
        grid=group[0].grid,
    )


def _join_lines(group: list[Lines]) -> Lines:
    return Lines(
        ends=np.concatenate([piece.ends for piece in group]),
        colors=np.concatenate([piece.colors for piece in group]),
        width=group[0].width,
        anchor=group[0].anchor,
        in_front=group[0].in_front,
        starts_at=group[0].starts_at,
        dash=group[0].dash,
    )


def _join_fills(group: list[Fill]) -> Fill:
    return Fill(
        triangles=np.concatenate([piece.triangles for piece in group]),
        colors=np.concatenate([piece.colors for piece in group]),
        anchor=group[0].anchor,
        in_front=group[0].in_front,
        middles=np.concatenate([piece.find_middles() for piece in group]),
    )
