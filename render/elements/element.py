"""Pieces of a scene, and how they are put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import numpy as np

from handhold.render.scene import Fill, Label, Lines, Picture, RobotLook, Scene, Solids

Element = RobotLook | Solids | Lines | Fill | Label | Picture
"""One piece of a scene."""

PieceT = TypeVar("PieceT")


def gather(elements: Iterable[Element]) -> Scene:
    """Make a scene of pieces: those of one kind that can be drawn together become one."""
    pieces: dict[type[Element], list[Any]] = {kind: [] for kind in (RobotLook, Solids, Lines, Fill, Label, Picture)}
    for element in elements:
        pieces[type(element)].append(element)
    return Scene(
        robots=tuple(sorted(pieces[RobotLook], key=lambda look: -look.opacity)),
        solids=_merge(pieces[Solids], lambda s: (s.shape, s.anchor), _join_solids),
        lines=_merge(pieces[Lines], lambda s: (s.width, s.anchor), _join_lines),
        fills=_merge(pieces[Fill], lambda s: s.anchor, _join_fills),
        labels=tuple(pieces[Label]),
        pictures=tuple(pieces[Picture]),
    )


def _merge(
    pieces: list[PieceT], key: Callable[[PieceT], Hashable], join: Callable[[list[PieceT]], PieceT]
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
    )


def _join_lines(group: list[Lines]) -> Lines:
    return Lines(
        ends=np.concatenate([piece.ends for piece in group]),
        colors=np.concatenate([piece.colors for piece in group]),
        width=group[0].width,
        anchor=group[0].anchor,
    )


def _join_fills(group: list[Fill]) -> Fill:
    return Fill(
        triangles=np.concatenate([piece.triangles for piece in group]),
        colors=np.concatenate([piece.colors for piece in group]),
        anchor=group[0].anchor,
        middles=np.concatenate([piece.find_middles() for piece in group]),
    )
