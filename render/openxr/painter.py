"""What draws scenes for the headset and its mirror."""

from __future__ import annotations

from typing import Protocol

from handhold.render.gl.eye import Eye
from handhold.render.gl.target import Target
from handhold.render.scene import Scene


class Painter(Protocol):
    """Draws scenes (``gl.renderer.Renderer`` does)."""

    def load(self, scene: Scene) -> None:
        """Upload a scene."""
        ...

    def draw(self, target: Target, eye: Eye) -> None:
        """Draw the scene loaded last."""
        ...
