"""A scene in which the colour of every element of the interface is its number, for one who reads the picture back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from handhold.render.elements.element import gather
from handhold.render.scene import Fill, Label, Layer, Lines, Picture, RobotInstance, Scene, Solids, find_layer

InterfaceElement = Solids | Lines | Fill | Label | Picture
OF_THE_WORLD = 0
"""Number of all that is no interface, and of the background."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class NumberedScene:
    """A scene to be drawn plainly (``Renderer(plain=True)``), and what its numbers stand for.

    Attributes:
        scene: The scene, with numbers for colours.
        elements: The elements of the interface by their numbers, as they were. The solids at a hand are one element, as its
            lines are: a controller's knob may stand before its handle.
        painted: The same as they are in the scene.
    """

    scene: Scene
    elements: Mapping[int, tuple[InterfaceElement, ...]]
    painted: Mapping[int, tuple[InterfaceElement, ...]]

    def isolate(self, number: int) -> Scene:
        """Return a scene of one element before nothing."""
        return _in_room_of(self.scene, gather(self.painted[number]))


def number_interface(scene: Scene) -> NumberedScene:
    """Give every element of the interface a number for a colour.

    Interface is what the operator reads and works by and what therefore has a layer before the world (``scene.Layer``): texts
    and their plates, the wheel, pictures, what is worn at the hands or fixed to the head. Robots, ghosts, solids, regions,
    forces and steps are of the world: one of them may stand before the other, as things do.

    Args:
        scene: What is to be seen.
    """
    pieces: tuple[InterfaceElement, ...] = (*scene.solids, *scene.lines, *scene.fills, *scene.labels, *scene.pictures)
    groups: dict[Hashable, list[InterfaceElement]] = {}
    for piece in pieces:
        if not _is_in_world(piece):
            key = (type(piece), piece.anchor) if isinstance(piece, Solids | Lines) else piece
            groups.setdefault(key, []).append(piece)
    elements = {number: tuple(group) for number, group in enumerate(groups.values(), OF_THE_WORLD + 1)}
    painted = {number: tuple(_paint(e, _encode(number)) for e in group) for number, group in elements.items()}
    world = [_paint(piece, _encode(OF_THE_WORLD)) for piece in pieces if _is_in_world(piece)]
    numbered = replace(
        _in_room_of(scene, gather((*map(_blacken, scene.robots), *world, *chain.from_iterable(painted.values())))),
        cloud=None if scene.cloud is None else replace(scene.cloud, colors=np.zeros_like(scene.cloud.colors)),
    )
    return NumberedScene(scene=numbered, elements=elements, painted=painted)


def _is_in_world(piece: InterfaceElement) -> bool:
    return find_layer(piece.anchor, in_front=piece.in_front) is Layer.WORLD


def read_numbers(pixels: np.ndarray) -> np.ndarray:
    """Return the numbers in a picture that was drawn plainly, shape ``(height, width)``, of its bytes."""
    return pixels[..., 0].astype(np.intp) + 256 * pixels[..., 1].astype(np.intp)


def _paint(element: InterfaceElement, color: np.ndarray) -> InterfaceElement:
    if isinstance(element, Label):
        plate = color if element.background[3] else element.background
        return replace(element, color=color, background=plate)
    if isinstance(element, Picture):
        pixel = np.rint(255.0 * color[:3]).astype(np.uint8)
        return replace(element, image=pixel[None, None])
    return replace(element, colors=np.repeat(color[None], len(element.colors), axis=0))


def _blacken(instance: RobotInstance) -> RobotInstance:
    return replace(instance, tints=np.repeat(_encode(OF_THE_WORLD)[None], len(instance.tints), axis=0))


def _in_room_of(scene: Scene, other: Scene) -> Scene:
    """Return another scene in the room of a scene, before nothing."""
    return replace(
        other,
        background=_encode(OF_THE_WORLD),
        transform_room_to_world=scene.transform_room_to_world,
        transform_ahead_to_room=scene.transform_ahead_to_room,
        vignette=0.0,
    )


def _encode(number: int) -> np.ndarray:
    return np.array([number % 256 / 255.0, number // 256 / 255.0, 0.0, 1.0], dtype=np.float32)
