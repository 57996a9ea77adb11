"""Stereo frames of a headset, drawn again and again by eyes and hands that move."""

from __future__ import annotations

import numpy as np

from handhold.render.composition.head_scene import describe_appearance, list_parts, split_scene
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.look_at import look_at
from handhold.render.scene import Scene

PIXELS = 16
EYES_APART = 0.063
FIELD_OF_VIEW = FieldOfView(left=-1.2, right=1.0, up=1.1, down=-1.1)
HEAD_EYE = Eye(view=np.eye(4), field_of_view=FIELD_OF_VIEW, width=PIXELS, height=PIXELS, head=np.eye(4))


class StereoFrames:
    """Both eyes' pictures and the one that is fixed to the head, drawn again and again by moving eyes and hands."""

    def __init__(self, renderer: Renderer, head_renderer: Renderer) -> None:
        """Make the pictures."""
        self._renderer, self._head_renderer = renderer, head_renderer
        self._targets = (Target(PIXELS, PIXELS), Target(PIXELS, PIXELS))
        self._head_target = Target(PIXELS, PIXELS)
        self._head_parts: tuple[tuple[object, ...], ...] = ()
        self._head_looks: tuple[object, ...] = ()
        self._head_changed = False

    def load(self, scene: Scene) -> None:
        """Upload a scene, what is fixed to the head only where it has changed (as ``Headset`` and ``HeadPicture`` do)."""
        around, at_head = split_scene(scene)
        self._renderer.load(around)
        parts, self._head_changed = list_parts(at_head), False
        if parts == self._head_parts:
            return
        self._head_parts = parts
        looks = describe_appearance(at_head)
        self._head_changed = looks != self._head_looks
        if self._head_changed:
            self._head_looks = looks
            self._head_renderer.load(at_head)

    def draw(self, eyes: tuple[Eye, Eye]) -> None:
        """Submit both eyes."""
        if self._head_changed:
            self._head_renderer.draw(self._head_target, HEAD_EYE)
        for target, eye in zip(self._targets, eyes, strict=True):
            self._renderer.draw(target, eye)

    def close(self) -> None:
        """Free what OpenGL holds for them."""
        for target in (*self._targets, self._head_target):
            target.close()


def make_eyes(number: int) -> tuple[Eye, Eye]:
    """Return both eyes of a frame: an operator two metres in front of the robot who looks about."""
    head = look_at(np.array([2.0, 0.3 * np.sin(0.05 * number), 1.6]), np.array([0.0, 0.0, 1.0]))
    hand = head.copy()
    hand[2, 3] -= 0.4
    eyes = []
    for side in (0.5, -0.5):
        view = head.copy()
        view[:3, 3] += side * EYES_APART * head[:3, 1]
        eyes.append(
            Eye(
                view=view,
                field_of_view=FIELD_OF_VIEW,
                width=PIXELS,
                height=PIXELS,
                head=head,
                left_hand=hand,
                right_hand=hand,
            )
        )
    return eyes[0], eyes[1]
