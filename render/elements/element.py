"""Pieces of a scene, and how they are put together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from handhold.render.scene import Fill, Ground, Inset, Label, Lines, Picture, RobotInstance, Scene, Solids

Element = RobotInstance | Solids | Lines | Fill | Label | Picture | Ground
"""One piece of a scene."""


def gather(elements: Iterable[Element], inset: Inset | None = None) -> Scene:
    """Make a scene of pieces, which stay the objects they are: one that was in the last scene is not uploaded again."""
    pieces: dict[type[Element], list[Any]] = {
        kind: [] for kind in (RobotInstance, Solids, Lines, Fill, Label, Picture, Ground)
    }
    for element in elements:
        pieces[type(element)].append(element)
    return Scene(
        robots=tuple(sorted(pieces[RobotInstance], key=lambda instance: -instance.opacity)),
        solids=tuple(pieces[Solids]),
        lines=tuple(pieces[Lines]),
        fills=tuple(pieces[Fill]),
        labels=tuple(pieces[Label]),
        pictures=tuple(pieces[Picture]),
        inset=inset,
        ground=next(iter(pieces[Ground]), None),
    )
