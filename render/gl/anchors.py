"""How shaders know what an element moves with, and which layer it is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from handhold.render.scene import Anchor, Fill, Inset, Label, Layer, Lines, Picture, Solids, find_layer

ANCHOR_NUMBERS = {Anchor.WORLD: 0, Anchor.HEAD: 1, Anchor.LEFT_HAND: 2, Anchor.RIGHT_HAND: 3, Anchor.AHEAD: 4}
"""Index into ``world_from_anchor`` in ``eye.glsl``: the lower three bits."""

LAYER_NUMBERS = {Layer.WORLD: 0, Layer.INTERFACE: 1, Layer.HEAD: 2}
"""The bits above them."""

ANCHOR_MASK = 7

_NUMBERS = {
    (anchor, in_front): number + (ANCHOR_MASK + 1) * LAYER_NUMBERS[find_layer(anchor, in_front=in_front)]
    for anchor, number in ANCHOR_NUMBERS.items()
    for in_front in (False, True)
}

ElementT = TypeVar("ElementT", Lines, Fill)


def number_layer_and_anchor(element: Solids | Lines | Fill | Label | Picture | Inset) -> int:
    """Return layer and anchor of an element as shaders read them."""
    return _NUMBERS[element.anchor, element.in_front]


def split_layers(elements: Sequence[ElementT]) -> tuple[int, Sequence[ElementT]]:
    """Return how many elements the world has (``scene.find_layer``), and all of them in an order that has those first."""
    world = Anchor.WORLD
    front = [element for element in elements if element.in_front or element.anchor is not world]
    if not front:
        return len(elements), elements
    behind = [element for element in elements if not element.in_front and element.anchor is world]
    return len(behind), behind + front
