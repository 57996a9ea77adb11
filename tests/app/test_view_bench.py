"""Nothing hides the operator's interface: a part of ``bench view``, and that it notices what is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.benches.software_context import make_software_context
from handhold.app.lab.benches.text_contrast import compute_contrast, measure_contrast
from handhold.app.lab.benches.view import MEASURES, MUST_CONTRAST, evaluate_worlds, measure_headset
from handhold.app.lab.benches.view_pictures import PIXELS, WIDE, Picture
from handhold.app.lab.benches.view_studio import Studio, Visibility
from handhold.render.elements.drawing import make_area, write
from handhold.render.gl.eye import Eye
from handhold.render.scene import Fill, Label, Scene, Shape, Solids

WORLDS = ("wall", "table")
SQUARE = np.array([(2.0, y, z) for y, z in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))])
RED = np.array([1.0, 0.0, 0.0, 1.0], dtype=np.float32)


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    context = make_software_context()
    studio = Studio("none", ())
    yield studio
    studio.close()
    context.close()


def look(studio: Studio, **elements: object) -> list[Visibility]:
    eye = Eye(view=np.eye(4), field_of_view=WIDE, width=PIXELS, height=PIXELS, head=np.eye(4))
    return studio.evaluate(Picture(situation="", gaze=0.0, scene=Scene(**elements), eye=eye))[0]  # type: ignore[arg-type]


def test_everything_of_the_interface_is_seen_in_the_wall_and_at_the_table() -> None:
    figures, more = evaluate_worlds(WORLDS)
    values = {figure.name: figure.value for figure in figures}
    assert more["hidden"] == []
    assert values["hidden_elements"] == 0
    assert values["elements"] > 300
    assert values["text_contrast"] >= MUST_CONTRAST
    assert measure_headset in MEASURES


def test_what_the_world_comes_before_is_hidden(studio: Studio) -> None:
    plate = make_area(SQUARE, RED, in_front=True)
    wall = Solids(shape=Shape.BOX, transforms=np.eye(4, dtype=np.float32)[None], colors=RED[None])
    wall.transforms[0, :3, 3] = (1.2, 0.5, 0.0)
    assert [sight.hidden for sight in look(studio, fills=(plate,), solids=(wall,))] == [False]
    # the same plate, were the wall drawn in the interface's layer
    covered, cover = look(studio, fills=(plate,), solids=(replace(wall, in_front=True),))[::-1]
    assert 0.2 < covered.shown < 0.9
    assert cover.shown == 1.0


def test_what_lies_on_an_element_may_cover_most_of_it_but_not_all(studio: Studio) -> None:
    below: Fill = make_area(SQUARE, RED, in_front=True)
    for part, hidden in ((0.8, False), (0.98, True)):
        above = make_area(SQUARE * (0.999, part, part), RED, in_front=True, middle=below.find_middles()[0])
        visibilities = look(studio, fills=(below, above))
        assert [sight.hidden for sight in visibilities] == [hidden, False]


def test_what_is_out_of_view_is_noticed(studio: Studio) -> None:
    ahead, behind = (write("words", (x, 0.0, 0.0), height=0.2) for x in (2.0, -2.0))
    assert [sight.in_view for sight in look(studio, labels=(ahead, behind))] == [True, False]


def test_contrast_is_that_of_the_worst_pixel_behind_a_plate() -> None:
    white = np.ones(4, dtype=np.float32)
    black_plate = np.array([0.0, 0.0, 0.0, 0.5], dtype=np.float32)
    label = Label(text="words", position=np.zeros(3), height=0.1, color=white, background=black_plate)
    on_black, on_white = np.zeros((1, 3), np.uint8), np.full((1, 3), 255, np.uint8)
    assert measure_contrast(label, on_black) == pytest.approx(21.0)
    assert measure_contrast(label, on_white) == pytest.approx(1.05 / 0.55)
    assert measure_contrast(label, np.vstack([on_black, on_white])) == pytest.approx(1.05 / 0.55)
    assert compute_contrast(0.0, 1.0) == compute_contrast(1.0, 0.0) == pytest.approx(21.0)
