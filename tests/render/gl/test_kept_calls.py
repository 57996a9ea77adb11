"""A renderer that keeps the calls of the last picture draws the next one as a new renderer does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from easel import Easel, rgba
from reference_scenes import PIXELS, make_everything, make_reference_eye, make_renderer

from handhold.render.gl.eye import Eye
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.scene import Ground, Scene

EVERYTHING = make_everything()
GROUND = Ground(height=0.0, cell=0.5, color=rgba(0.1, 0.1, 0.1, 1.0), line_color=rgba(0.5, 0.5, 0.5, 1.0))
HIDDEN = np.array([[[-0.5, -0.5], [0.0, -0.5], [-0.5, 0.0]]])


def change_cloud(scene: Scene, **changes: object) -> Scene:
    assert scene.cloud is not None
    return replace(scene, cloud=replace(scene.cloud, **changes))


def drop_first(scene: Scene, kind: str) -> Scene:
    return replace(scene, **{kind: getattr(scene, kind)[1:]})


CHANGED = {
    **{
        f"without one of its {kind}": drop_first(EVERYTHING, kind) for kind in ("robots", "solids", "lines", "fills", "labels")
    },
    "a picture of another shape": replace(
        EVERYTHING,
        pictures=tuple(replace(p, image=p.image[::2], version=p.version + 1) for p in EVERYTHING.pictures),
    ),
    "no picture": replace(EVERYTHING, pictures=()),
    "no cloud": replace(EVERYTHING, cloud=None),
    "larger points": change_cloud(EVERYTHING, size=0.05),
    "ground": replace(EVERYTHING, ground=GROUND),
    "vignette": replace(EVERYTHING, vignette=0.8),
    "background": replace(EVERYTHING, background=rgba(0.2, 0.4, 0.1, 1.0)),
    "nothing": Scene(),
}

EYES = {
    "hidden area": replace(make_reference_eye(), hidden=HIDDEN),
    "a smaller picture": replace(make_reference_eye(), width=PIXELS // 2, height=PIXELS // 2),
    "no hand": replace(make_reference_eye(), left_hand=None),
}


@pytest.fixture(scope="module")
def kept(easel: Easel) -> Iterator[Renderer]:
    renderer = make_renderer()
    yield renderer
    renderer.close()


def paint(renderer: Renderer, target: Target, scene: Scene, eye: Eye) -> np.ndarray:
    renderer.load(scene)
    renderer.draw(target, eye)
    return target.read_pixels()


def paint_anew(scene: Scene, eye: Eye) -> np.ndarray:
    renderer, target = make_renderer(), Target(PIXELS, PIXELS)
    picture = paint(renderer, target, scene, eye)
    renderer.close()
    target.close()
    return picture


@pytest.mark.parametrize("name", CHANGED)
def test_a_scene_that_differs_is_drawn_as_it_is(kept: Renderer, name: str) -> None:
    eye, target = make_reference_eye(), Target(PIXELS, PIXELS)
    before = paint(kept, target, EVERYTHING, eye)
    changed = paint(kept, target, CHANGED[name], eye)
    assert (changed != before).any()
    np.testing.assert_array_equal(changed, paint_anew(CHANGED[name], eye))
    np.testing.assert_array_equal(paint(kept, target, EVERYTHING, eye), before)
    target.close()


@pytest.mark.parametrize("name", EYES)
def test_an_eye_that_differs_sees_what_it_should(kept: Renderer, name: str) -> None:
    target = Target(PIXELS, PIXELS)
    before = paint(kept, target, EVERYTHING, make_reference_eye())
    area = np.s_[PIXELS - EYES[name].height :, : EYES[name].width]
    changed = paint(kept, target, EVERYTHING, EYES[name])[area]
    assert (changed != before[area]).any()
    np.testing.assert_array_equal(changed, paint_anew(EVERYTHING, EYES[name])[area])
    target.close()
