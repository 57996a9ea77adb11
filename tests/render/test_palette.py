"""One meaning a colour, and texts that are read before anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.app.lab.gallery.parts import Postures, make_modes, make_region, make_wheel
from handhold.app.lab.gallery.screenshots import SCREENSHOTS
from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.render import palette
from handhold.render.composition.compose import compose
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState, find_items
from handhold.render.interface.wheel import Page
from handhold.render.palette import BLACK, MIN_CONTRAST, WHITE, choose_ink, measure_contrast, to_linear
from handhold.render.scene import Label, Scene
from handhold.render.streams import Streams
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

REPOSITORY = Path(__file__).resolve().parents[2]
OKABE_AND_ITO = {
    (0, 0, 0),
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
}
ON_THE_FIELD = 0.02
"""How far a text may stand before the field of the wheel that it is on [m]."""


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


def test_no_two_meanings_share_a_colour_and_all_are_told_apart_by_everybody() -> None:
    colors = list(palette.MEANINGS.values())
    assert len(set(colors)) == len(colors)
    assert set(colors) - {palette.HELD} == OKABE_AND_ITO
    named = {name: value for name, value in vars(palette).items() if isinstance(value, tuple) and name.isupper()}
    inks = {"BLACK", "WHITE", "PLATE", "UNAVAILABLE", "MARGINS"}
    assert {name for name, value in named.items() if value not in colors} == inks - {"BLACK"}


def test_margins_are_a_scale_of_one_hue_that_nothing_else_is_drawn_in() -> None:
    colors = [color for _, color in palette.MARGINS]
    assert colors[0] == palette.BALANCE
    assert not {*colors[1:]} & {*palette.MEANINGS.values()}
    shares = np.array([np.array(color) / max(color) for color in colors])
    assert np.ptp(shares, axis=0).max() < 0.01
    lightness = [float(to_linear(color)[:3].sum()) for color in colors]
    assert all(darker < 0.7 * lighter for lighter, darker in pairwise(lightness))


def test_elements_take_their_colours_by_meaning_only() -> None:
    for file in (REPOSITORY / "render" / "elements").glob("*.py"):
        assert not re.findall(r"to_linear\(\(", file.read_text()), file


def test_the_documentation_has_every_meaning() -> None:
    page = (REPOSITORY / "docs" / "interface.md").read_text()
    for name, color in palette.MEANINGS.items():
        assert f"| {name} | `{palette.to_hex(color)}` |" in page


def test_black_on_white_and_grey_on_grey_have_the_contrast_that_wcag_tells() -> None:
    black, white = to_linear(BLACK), to_linear(WHITE)
    assert measure_contrast(black, white) == pytest.approx(21.0)
    assert measure_contrast(white, black) == pytest.approx(21.0)
    assert measure_contrast(to_linear((118, 118, 118)), white) == pytest.approx(4.54, abs=0.01)
    assert measure_contrast(white, to_linear(BLACK, 0.5)) == pytest.approx(1.05 / 0.55)


@given(st.tuples(*[st.integers(0, 255)] * 3), st.floats(0.0, 1.0))
def test_of_black_and_white_the_ink_that_is_read_better_is_chosen(color: palette.Color, alpha: float) -> None:
    plate = to_linear(color, alpha)
    best = max(measure_contrast(to_linear(ink), plate) for ink in (BLACK, WHITE))
    assert measure_contrast(choose_ink(plate), plate) == best


def show_everything(model: RobotModel) -> Iterator[tuple[ViewState, Scene]]:
    """Yield scenes with all that is ever written: the gallery's, every margin, and every field of the wheel pointed at."""
    stage = Stage(model, load_world("flat"))
    postures = Postures(model)
    for screenshot in SCREENSHOTS:
        shot = screenshot.make(postures)
        yield shot.view, compose(shot.snapshot, shot.view, shot.streams, stage)
    for margin in (0.1, 0.07, 0.05, 0.03, 0.01, -0.01):
        view = ViewState(settings=Settings())
        yield view, compose(make_snapshot(model, region=make_region(margin)), view, Streams(), stage)
    snapshot = make_snapshot(model, modes=make_modes())
    for page in Page:
        count = len(find_items(ViewState(wheel=make_wheel(page, 0)), snapshot))
        for pointed in range(count):
            view = ViewState(wheel=make_wheel(page, pointed), note="a hand is loaded")
            yield view, compose(snapshot, view, Streams(), stage)


def test_every_text_stands_out_from_its_plate_whatever_is_behind(model: RobotModel) -> None:
    measured: dict[tuple[str, bytes], float] = {}
    for view, scene in show_everything(model):
        for label in scene.labels:
            plate = label.background if label.background[3] else find_field(scene, view, label)
            measured[label.text, plate.tobytes()] = measure_contrast(label.color, plate)
    assert len(measured) > 100
    assert min(measured.values()) >= MIN_CONTRAST, min(measured, key=lambda pair: measured[pair])


def find_field(scene: Scene, view: ViewState, label: Label) -> np.ndarray:
    """Return the colour of the wheel's field that a text without a plate stands on."""
    assert view.wheel is not None, f"'{label.text}' has no plate"
    to_wheel = np.linalg.inv(view.transform_room_to_world @ view.wheel.pose)
    x, y, above = to_wheel[:3, :3] @ label.position + to_wheel[:3, 3]
    assert 0.0 < above < ON_THE_FIELD
    on = []
    for fill in scene.fills:
        corners = fill.triangles @ to_wheel[:3, :3].T + to_wheel[:3, 3]
        flat = np.abs(corners[:, :, 2]).max(axis=1) < 1e-3
        on += [color for corner, color in zip(corners[flat], fill.colors[flat], strict=True) if contains(corner, x, y)]
    assert on, label.text
    return np.asarray(on[-1])


def contains(corners: np.ndarray, x: float, y: float) -> bool:
    sides = [
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in pairwise([*corners[:, :2].tolist(), corners[0, :2].tolist()])
    ]
    return min(sides) >= 0.0 or max(sides) <= 0.0
