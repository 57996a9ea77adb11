"""Pictures of every element, against references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from easel import Easel
from PIL import Image
from reference_scenes import FOLDER, PIXELS, SCENES, compare, draw, make_renderer

from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target

MEAN_DIFFERENCE = 0.5
"""How much pictures may differ from their references on average [of 255]."""
SHARE_OF_PIXELS = 0.003
"""How many pixels may differ clearly [-]: other versions of the driver cut outlines into pixels in other ways."""


@pytest.fixture(scope="module")
def painting(easel: Easel) -> Iterator[tuple[Renderer, Target]]:
    """A renderer that knows the robot, in the context of the easel."""
    renderer, target = make_renderer(), Target(PIXELS, PIXELS)
    yield renderer, target
    renderer.close()
    target.close()


def read(name: str) -> np.ndarray:
    return np.asarray(Image.open(FOLDER / f"{name}.png").convert("RGB"))


def is_alike(picture: np.ndarray, reference: np.ndarray) -> bool:
    mean, share = compare(picture, reference)
    return mean <= MEAN_DIFFERENCE and share <= SHARE_OF_PIXELS


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_looks_like_its_reference(painting: tuple[Renderer, Target], name: str) -> None:
    mean, share = compare(draw(*painting, SCENES[name]()), read(name))
    assert mean <= MEAN_DIFFERENCE
    assert share <= SHARE_OF_PIXELS


@pytest.mark.parametrize("name", [name for name in SCENES if name != "everything"])
def test_an_element_that_is_missing_is_noticed(painting: tuple[Renderer, Target], name: str) -> None:
    scene, reference = SCENES[name](), read(name)
    for kind in ("robots", "solids", "lines", "fills", "labels", "pictures"):
        elements = getattr(scene, kind)
        for number in range(len(elements)):
            without = replace(scene, **{kind: elements[:number] + elements[number + 1 :]})
            assert not is_alike(draw(*painting, without), reference), (kind, number)
    if scene.cloud is not None:
        assert not is_alike(draw(*painting, replace(scene, cloud=None)), reference)


def test_references_are_small(painting: tuple[Renderer, Target]) -> None:
    assert [file.name for file in FOLDER.iterdir() if file.stat().st_size > 30_000] == []
    assert {file.stem for file in FOLDER.iterdir()} == set(SCENES)
