"""The screen that is fixed to the head: texts and pictures that the runtime itself keeps in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from handhold.devices.openxr.session import OpenXrSession
from handhold.render.composition.head_scene import describe_appearance, is_empty, list_parts, split_scene
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.openxr.layers import make_head_layer
from handhold.render.openxr.painter import Painter
from handhold.render.openxr.pictures import Picture
from handhold.render.scene import Scene

FIELD_OF_VIEW = FieldOfView(left=-0.8, right=0.8, up=0.6, down=-0.6)
"""Edges of the screen: all that is composed for the head, and what most headsets show without turning the eyes to the rim."""

DISTANCE = 1.2
"""How far away the eyes see the screen [m]: near enough to read, far enough to look at for long."""


class HeadPicture:
    """What is fixed to the head, drawn only when it changes: it is the same wherever the head is."""

    def __init__(self, painter: Painter) -> None:
        """Take what draws it, with nothing on it."""
        self._painter = painter
        painter.load(split_scene(Scene())[1])
        self._picture: Picture | None = None
        self._session: OpenXrSession | None = None
        self._parts: tuple[tuple[object, ...], ...] = ()
        self._appearance: tuple[object, ...] = ()
        self._empty = True
        self._drawn = False

    def load(self, scene: Scene) -> None:
        """Upload what is fixed to the head."""
        parts = list_parts(scene)
        if parts == self._parts:
            return
        self._parts = parts
        appearance = describe_appearance(scene)
        if appearance == self._appearance:
            return
        self._appearance = appearance
        self._empty = is_empty(scene)
        self._drawn = False
        self._painter.load(scene)

    def draw(self, session: OpenXrSession, density: float) -> None:
        """Draw the screen where it has changed.

        Args:
            session: The session it is shown in.
            density: Pixels for each unit of the tangent, as the eyes have.

        Raises:
            RuntimeLost: The runtime is gone.
            RenderError: The runtime has nothing that can be drawn into.
        """
        if self._empty or (self._drawn and self._session is session):
            return
        picture = self._prepare(session, density)
        eye = Eye(
            view=np.eye(4), field_of_view=FIELD_OF_VIEW, width=picture.color.width, height=picture.color.height, head=np.eye(4)
        )
        with picture.lend() as target:
            self._painter.draw(target, eye)
        self._drawn = True

    def _prepare(self, session: OpenXrSession, density: float) -> Picture:
        width = round(density * (FIELD_OF_VIEW.right - FIELD_OF_VIEW.left))
        height = round(density * (FIELD_OF_VIEW.up - FIELD_OF_VIEW.down))
        picture = self._picture
        if picture is None or self._session is not session or (picture.color.width, picture.color.height) != (width, height):
            self.close()
            picture = self._picture = Picture(session, (width, height), depth=False)
            self._session = session
        return picture

    @property
    def layers(self) -> Sequence[Any]:
        """The layer of the screen, or none while nothing is on it."""
        if self._empty or self._picture is None or self._session is None:
            return ()
        return (make_head_layer(self._session, self._picture, FIELD_OF_VIEW, DISTANCE),)

    def close(self) -> None:
        """Give the textures back; what was on them is drawn again where it is wanted again."""
        if self._picture is not None:
            self._picture.close()
        self._picture = self._session = None
        self._drawn = False
