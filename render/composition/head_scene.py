"""What of a scene is fixed to the head, which the headset's runtime places by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from handhold.devices.amend import amend
from handhold.render.scene import Anchor, Scene

NO_BACKGROUND = np.zeros(4, dtype=np.float32)


def split_scene(scene: Scene) -> tuple[Scene, Scene]:
    """Split a scene into what is around the operator and what is fixed to the head.

    Args:
        scene: All that is to be seen.

    Returns:
        The surroundings, and a scene without a background of what has ``Anchor.HEAD``.
    """
    parts = [_part(part) for part in list_parts(scene)]
    solids, lines, fills, labels, pictures = (around for around, _ in parts)
    around = amend(scene, solids=solids, lines=lines, fills=fills, labels=labels, pictures=pictures)
    solids, lines, fills, labels, pictures = (at_head for _, at_head in parts)
    at_head = Scene(solids=solids, lines=lines, fills=fills, labels=labels, pictures=pictures, background=NO_BACKGROUND)
    return around, at_head


def list_parts(scene: Scene) -> tuple[tuple[Any, ...], ...]:
    """Return the elements of a scene that have anchors; what is the same of two scenes, the same objects, looks the same."""
    return scene.solids, scene.lines, scene.fills, scene.labels, scene.pictures


def is_empty(scene: Scene) -> bool:
    """Return whether nothing stands in a scene."""
    return not (scene.robots or scene.solids or scene.lines or scene.fills or scene.labels or scene.pictures or scene.cloud)


def describe_appearance(scene: Scene) -> tuple[object, ...]:
    """Return what two scenes without robots and clouds have in common only where they look the same."""
    return (
        *((solids.shape, _spell(solids.transforms, solids.colors)) for solids in scene.solids),
        *((line.width, line.dash, _spell(line.ends, line.colors)) for line in scene.lines),
        *(_spell(fill.triangles, fill.colors) for fill in scene.fills),
        *(
            (label.text, label.height, _spell(label.position, label.color, label.background, label.rotation))
            for label in scene.labels
        ),
        *((picture.version, _spell(picture.transform)) for picture in scene.pictures),
    )


def _spell(*arrays: np.ndarray | None) -> bytes:
    return b"".join(array.tobytes() for array in arrays if array is not None)


def _part(elements: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the elements that are not fixed to the head, and those that are."""
    head = Anchor.HEAD
    at_head = [element for element in elements if element.anchor is head]
    if not at_head:
        return elements, ()
    return tuple([element for element in elements if element.anchor is not head]), tuple(at_head)
