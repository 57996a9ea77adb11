"""Draws what an operator sees, and reads back how much of the interface is there and how well its texts are read."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from handhold.app.lab.benches.text_contrast import measure_contrast
from handhold.app.lab.benches.view_pictures import PIXELS, Picture
from handhold.render.composition.numbered_scene import (
    OF_THE_WORLD,
    InterfaceElement,
    NumberedScene,
    number_interface,
    read_numbers,
)
from handhold.render.gl.eye import Eye
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import PLAIN_FORMAT, Target
from handhold.render.meshes import LinkMesh
from handhold.render.scene import Anchor, Label, Scene

BEHIND_WORLD = 0.05
"""Ratio of its pixels from which on an element that the world comes before is hidden [-]: edges fall on either side."""
SHOWN = 0.2
"""Ratio of its pixels that an element must show [-]: a plate is seen beside what lies on it."""
MIN_PIXELS = 4
"""An element that has fewer pixels in a picture is looked for in another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """Visibility of an element in a picture.

    Attributes:
        element: Its name, for people.
        alone: Pixels that it has alone before nothing.
        shown: Ratio of them that show it.
        behind_world: Ratio of them that the world occludes.
    """

    element: str
    alone: int
    shown: float
    behind_world: float

    @property
    def hidden(self) -> bool:
        """Whether it is hidden where it would be."""
        return self.behind_world > BEHIND_WORLD or self.shown < SHOWN

    @property
    def in_view(self) -> bool:
        """Whether the picture reaches to where it is."""
        return self.alone >= MIN_PIXELS


class Studio:
    """Draws pictures in the current context, and reads them back."""

    def __init__(self, robot: str, meshes: tuple[LinkMesh, ...]) -> None:
        """Upload the meshes of the robot.

        Raises:
            RenderError: OpenGL refuses something.
        """
        self._renderer = Renderer({robot: meshes})
        self._plain_renderer = Renderer({robot: meshes}, plain=True)
        self._target = Target(PIXELS, PIXELS)
        self._plain_target = Target(PIXELS, PIXELS, color_format=PLAIN_FORMAT)
        self._alone: dict[bytes, np.ndarray] = {}

    def evaluate(self, picture: Picture) -> tuple[list[Visibility], dict[str, float]]:
        """Return how much of each element is seen, and by its name the contrast of each text that is."""
        numbered = number_interface(picture.scene)
        names = name_elements(numbered)
        numbers = self._read_numbers(numbered.scene, picture.eye)
        visibilities = [self._measure(numbered, number, name, numbers, picture.eye) for number, name in names.items()]
        return visibilities, self._measure_contrasts(numbered, names, numbers, picture)

    def _measure(self, numbered: NumberedScene, number: int, name: str, numbers: np.ndarray, eye: Eye) -> Visibility:
        there = numbers.ravel()[self._find_alone(numbered, number, eye)]
        count = max(len(there), 1)
        return Visibility(
            element=name,
            alone=len(there),
            shown=float((there == number).sum()) / count,
            behind_world=float((there == OF_THE_WORLD).sum()) / count,
        )

    def _find_alone(self, numbered: NumberedScene, number: int, eye: Eye) -> np.ndarray:
        """Return the pixels that an element has before nothing, drawn where it was not yet drawn alike."""
        known = _digest(numbered.elements[number], numbered.scene, eye)
        if known not in self._alone:
            self._alone[known] = np.flatnonzero(self._read_numbers(numbered.isolate(number), eye) == number)
        return self._alone[known]

    def _measure_contrasts(
        self, numbered: NumberedScene, names: dict[int, str], numbers: np.ndarray, picture: Picture
    ) -> dict[str, float]:
        self._renderer.load(replace(picture.scene, labels=()))
        self._renderer.draw(self._target, picture.eye)
        behind = self._target.read_pixels()[..., :3]
        contrasts = {}
        for number, element in numbered.elements.items():
            pixels = behind[numbers == number]
            if isinstance(element[0], Label) and len(pixels) >= MIN_PIXELS:
                contrasts[names[number]] = measure_contrast(element[0], pixels)
        return contrasts

    def _read_numbers(self, scene: Scene, eye: Eye) -> np.ndarray:
        self._plain_renderer.load(scene)
        self._plain_renderer.draw(self._plain_target, eye)
        return read_numbers(self._plain_target.read_pixels())

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        for part in (self._renderer, self._plain_renderer, self._target, self._plain_target):
            part.close()


def _digest(element: tuple[InterfaceElement, ...], scene: Scene, eye: Eye) -> bytes:
    """Hash all that decides where an element alone is drawn: what moves with the operator is alike in every world."""
    room, ahead = scene.transform_room_to_world, scene.transform_ahead_to_room
    anchors = {anchor for one in element for anchor in (one.anchor, getattr(one, "starts_at", None))}
    placed = (room if Anchor.WORLD in anchors else None, ahead if Anchor.AHEAD in anchors else None)
    return hashlib.blake2b(pickle.dumps((element, placed, eye))).digest()


def name_elements(numbered: NumberedScene) -> dict[int, str]:
    """Return names of the elements for people by their numbers; of those of one name the later ones are counted."""
    counts: Counter[str] = Counter()
    names = {}
    for number, element in numbered.elements.items():
        name = _describe(element[0])
        counts[name] += 1
        names[number] = name if counts[name] == 1 else f"{name} {counts[name]}"
    return names


def _describe(element: InterfaceElement) -> str:
    """Return a text's first line, of others what they are and what they move with."""
    if isinstance(element, Label):
        return f"'{element.text.splitlines()[0]}'" if element.text else "''"
    return f"{type(element).__name__.lower()} ({element.anchor.value})"
