"""What of a scene is fixed to the head, which the headset's runtime places by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from handhold.render.scene import Anchor, Fill, Label, Lines, Picture, Scene, Solids

Element = TypeVar("Element", Solids, Lines, Fill, Label, Picture)


def split_scene(scene: Scene) -> tuple[Scene, Scene]:
    """Split a scene into what is around the operator and what is fixed to the head.

    Args:
        scene: All that is to be seen.

    Returns:
        The surroundings, and a scene without a background of what has ``Anchor.HEAD``.
    """
    around = replace(
        scene,
        solids=_select(scene.solids, False),
        lines=_select(scene.lines, False),
        fills=_select(scene.fills, False),
        labels=_select(scene.labels, False),
        pictures=_select(scene.pictures, False),
    )
    at_head = Scene(
        solids=_select(scene.solids, True),
        lines=_select(scene.lines, True),
        fills=_select(scene.fills, True),
        labels=_select(scene.labels, True),
        pictures=_select(scene.pictures, True),
        background=np.zeros(4, dtype=np.float32),
    )
    return around, at_head


def is_empty(scene: Scene) -> bool:
    """Return whether nothing stands in a scene."""
    return not (scene.robots or scene.solids or scene.lines or scene.fills or scene.labels or scene.pictures or scene.cloud)


def describe_looks(scene: Scene) -> tuple[object, ...]:
    """Return what two scenes without robots and clouds have in common only where they look the same."""
    return (
        *((solids.shape, _spell(solids.transforms, solids.colors)) for solids in scene.solids),
        *((line.width, _spell(line.ends, line.colors)) for line in scene.lines),
        *(_spell(fill.triangles, fill.colors) for fill in scene.fills),
        *(
            (label.text, label.height, _spell(label.position, label.color, label.background, label.rotation))
            for label in scene.labels
        ),
        *((picture.version, _spell(picture.transform)) for picture in scene.pictures),
    )


def _spell(*arrays: np.ndarray | None) -> bytes:
    return b"".join(array.tobytes() for array in arrays if array is not None)


def _select(elements: Iterable[Element], at_head: bool) -> tuple[Element, ...]:
    return tuple(element for element in elements if (element.anchor is Anchor.HEAD) == at_head)
