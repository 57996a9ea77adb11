"""A scene over the real room: nothing stands for what is there, and texts must be readable before anything.

A display that blends shows the room where the picture's alpha is below 1. One that adds light shows it everywhere: a dark
plate is hardly there and black is nothing, so that what is dark has to become light to be seen at all.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from handhold.devices.display import Display
from handhold.render.palette import WHITE, to_linear
from handhold.render.scene import Label, RobotInstance, Scene

CLEAR = np.zeros(4, dtype=np.float32)
"""Background of a picture that is blended over the real room, or added to it."""
CLEAR.setflags(write=False)

MIN_LIGHT = 0.18
"""Luminance below which a colour is hardly seen when it is added to a lit room."""

ROBOT_LIGHT = to_linear(WHITE, 0.25)
"""Laid over robots, whose black arms would not be there."""

KEPT = 512
"""Elements kept with their lightened selves: most are in the next frame again, and are then not uploaded again."""

_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def is_see_through(display: Display, *, passthrough: bool) -> bool:
    """Return whether the operator sees the real room: by the display, or as he has chosen."""
    return display is Display.ADDITIVE or (display is Display.BLENDING and passthrough)


def show_over_room(scene: Scene, display: Display) -> Scene:
    """Return a scene as it is drawn over the real room.

    Args:
        scene: The scene, without what stands for the room (``Stage.without_surroundings``).
        display: What it is shown on.
    """
    scene = replace(scene, background=CLEAR, see_through=True)
    if display is not Display.ADDITIVE:
        return scene
    return replace(
        scene,
        robots=tuple(_lighten_robot(instance) for instance in scene.robots),
        solids=tuple(_lighten(solids) for solids in scene.solids),
        lines=tuple(_lighten(lines) for lines in scene.lines),
        fills=tuple(_lighten(fill) for fill in scene.fills),
        labels=tuple(_lighten_label(label) for label in scene.labels),
    )


@lru_cache(maxsize=KEPT)
def _lighten(element: Any) -> Any:
    """Return solids, lines or a fill whose dark colours are grey enough to be seen."""
    colors = _raise_light(element.colors)
    return element if colors is element.colors else replace(element, colors=colors)


def _raise_light(colors: np.ndarray) -> np.ndarray:
    dark = colors[:, :3] @ _LUMINANCE < MIN_LIGHT
    if not dark.any():
        return colors
    light = colors.copy()
    lacking = MIN_LIGHT - colors[dark, :3] @ _LUMINANCE
    light[dark, :3] = np.clip(colors[dark, :3] + lacking[:, None], 0.0, 1.0)
    return light


@lru_cache(maxsize=KEPT)
def _lighten_robot(instance: RobotInstance) -> RobotInstance:
    """Return a robot with some white laid over it: over what has no colour of its own all of it, over others their share."""
    tints = instance.tints.copy()
    tints[tints[:, 3] < ROBOT_LIGHT[3]] = ROBOT_LIGHT
    return replace(instance, tints=tints)


@lru_cache(maxsize=KEPT)
def _lighten_label(label: Label) -> Label:
    """Return a text that is light on a plate of nothing; one that is dark on a light plate takes the plate's colour."""
    dark = label.color[:3] @ _LUMINANCE < MIN_LIGHT
    color = np.append(label.background[:3], 1.0).astype(np.float32) if dark and label.background[3] > 0.0 else label.color
    color = _raise_light(color[None])[0]
    return replace(label, color=color, background=_darken_plate(label.background))


def _darken_plate(plate: np.ndarray) -> np.ndarray:
    """Return a plate that adds nothing and covers what is drawn behind it."""
    return np.array([0.0, 0.0, 0.0, plate[3]], dtype=np.float32)
