"""The gallery of what the operator sees: what is kept in docs/ is what is drawn, and nothing of it can go missing."""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from picture_difference import measure_difference
from PIL import Image
from scipy.ndimage import shift

from handhold.app.lab.gallery.drawing import HEIGHT, WIDTH, Studio
from handhold.app.lab.gallery.page import write_page
from handhold.app.lab.gallery.postures import reach
from handhold.app.lab.gallery.screenshots import SCREENSHOTS
from handhold.app.main import run
from handhold.render.composition import compose
from handhold.render.gl.egl import EglContext
from handhold.render.scene import RobotInstance
from handhold.robots.model import load_model

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, GALLERY = DOCS / "gallery.md", DOCS / "gallery"
MAX_PICTURE_SIZE = 300_000
"""What a page of pictures can afford for each [bytes]."""
MAX_GALLERY_SIZE = 3_000_000
"""And for all of them [bytes]."""
ALIKE = 5e-4
"""Share of pixels of a picture that may differ clearly from its reference [-]: 300. Drivers cut the edges of texts and meshes
into pixels in other ways (a tenth of a pixel to the side stays below it); a text of six letters has 1000 pixels and more."""
WIDE_MARGIN = 5.0
"""How many times more of them must differ where an element is missing [-]."""
NAMES = [screenshot.name for screenshot in SCREENSHOTS]

SHOWN_IN = {
    "draw_ages": "old",
    "draw_approach": "approach",
    "draw_balance_disc": "disc",
    "draw_candidates": "candidates",
    "draw_centres_of_mass": "region-small",
    "draw_preview_region": "brace-region",
    "draw_footsteps": "footsteps",
    "draw_forces": "forces",
    "draw_ghost": "robot",
    "draw_inset": "inset",
    "draw_hand_model": "hands",
    "draw_hand_words": "hands",
    "draw_lags": "person",
    "draw_person": "person",
    "draw_picture": "cloud",
    "draw_preview": "infeasible",
    "draw_region": "region",
    "draw_robot": "robot",
    "draw_stop": "stopped",
    "draw_strip": "loads",
    "draw_support": "support",
    "draw_target": "first-person",
    "draw_tether": "whole",
    "draw_warnings": "stopped",
    "draw_wheel": "settings",
    "draw_wrist_region": "hands",
    "_draw_old_robot": "old",
    "_make_cloud": "cloud",
}
"""A picture that shows it, of every element that is composed."""


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    """Draws on the processor, as the references are drawn."""
    os.environ["LIBGL_ALWAYS_SOFTWARE"], os.environ["GALLIUM_DRIVER"] = "1", "llvmpipe"
    context = EglContext()
    yield Studio(load_model("talos"))
    context.close()


@pytest.fixture(scope="module")
def take(studio: Studio) -> Callable[[str], np.ndarray]:
    exhibits = {screenshot.name: screenshot for screenshot in SCREENSHOTS}
    return lambda name: studio.take(exhibits[name])


def read(file: Path) -> np.ndarray:
    return np.asarray(Image.open(file).convert("RGB"))


def leave_out(element: Callable[..., Any]) -> Callable[..., Any]:
    """Return what draws nothing in the place of an element: a robot that is drawn otherwise is not visible."""

    def draw_nothing(*arguments: Any, **choices: Any) -> Any:
        drawn = element(*arguments, **choices)
        if isinstance(drawn, RobotInstance):
            return replace(drawn, visible=np.zeros_like(drawn.visible))
        return () if isinstance(drawn, tuple) else None

    return draw_nothing


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_looks_as_it_is_kept(take: Callable[[str], np.ndarray], name: str) -> None:
    difference = measure_difference(take(name), read(GALLERY / f"{name}.png"))
    assert difference <= ALIKE, "look at it anew: ./handhold gallery docs/gallery"


@pytest.mark.parametrize(("element", "name"), SHOWN_IN.items())
def test_an_element_that_is_missing_is_noticed(
    take: Callable[[str], np.ndarray], monkeypatch: pytest.MonkeyPatch, element: str, name: str
) -> None:
    monkeypatch.setattr(compose, element, leave_out(getattr(compose, element)))
    assert measure_difference(take(name), read(GALLERY / f"{name}.png")) > WIDE_MARGIN * ALIKE


@pytest.mark.parametrize(
    ("module", "function", "name"),
    [
        ("handhold.render.elements.robots", "tint_loads", "loads"),
        ("handhold.render.composition.compose", "_make_old", "old"),
    ],
)
def test_a_look_that_is_missing_is_noticed(
    take: Callable[[str], np.ndarray], monkeypatch: pytest.MonkeyPatch, module: str, function: str, name: str
) -> None:
    plain = {
        "tint_loads": lambda _snapshot, stage: np.zeros((len(stage.visible), 4), dtype=np.float32),
        "_make_old": lambda look: look,
    }
    monkeypatch.setattr(importlib.import_module(module), function, plain[function])
    assert measure_difference(take(name), read(GALLERY / f"{name}.png")) > WIDE_MARGIN * ALIKE


def test_every_element_that_is_composed_is_shown_in_some_picture() -> None:
    composed = {name for name, _ in inspect.getmembers(compose, inspect.isfunction) if name.startswith("draw_")}
    assert composed == {name for name in SHOWN_IN if name.startswith("draw_")}


@pytest.mark.parametrize("name", ["robot", "settings", "whole"])
def test_a_picture_that_is_drawn_a_little_otherwise_is_still_alike(name: str) -> None:
    kept = read(GALLERY / f"{name}.png")
    aside = shift(kept.astype(float), (0.1, 0.1, 0.0), order=1, mode="nearest")
    noise = np.random.default_rng(0).integers(-6, 7, kept.shape)
    assert measure_difference(np.clip(aside + noise, 0, 255).astype(np.uint8), kept) <= ALIKE


def test_every_picture_is_small_and_shows_something() -> None:
    files = sorted(GALLERY.iterdir())
    assert {file.name for file in files} == {f"{name}.png" for name in NAMES}
    assert sum(file.stat().st_size for file in files) < MAX_GALLERY_SIZE
    for file in files:
        assert file.stat().st_size < MAX_PICTURE_SIZE, file
        pixels = read(file).astype(int)
        assert pixels.shape == (HEIGHT, WIDTH, 3)
        away_from_the_sky = np.abs(pixels - pixels[0, WIDTH // 2]).max(axis=2) > 20
        assert away_from_the_sky.mean() > 0.02, file


def test_no_two_pictures_are_alike() -> None:
    pictures = [read(GALLERY / f"{name}.png") for name in NAMES]
    for number, picture in enumerate(pictures):
        assert all(measure_difference(picture, other) > WIDE_MARGIN * ALIKE for other in pictures[:number])


def test_the_page_is_the_one_that_the_command_writes(tmp_path: Path) -> None:
    assert write_page(tmp_path / "gallery").read_text() == PAGE.read_text()
    assert re.findall(r"\(gallery/([\w-]+)\.png\)", PAGE.read_text()) == NAMES


def test_an_unknown_picture_is_told_with_those_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gallery", str(tmp_path), "--only", "moon"]) == 2
    message = capsys.readouterr().err
    assert "moon" in message
    assert "first-person" in message


def test_one_picture_can_be_drawn_alone(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    assert run(["gallery", str(folder), "--only", "stopped"]) == 0
    assert [file.name for file in folder.iterdir()] == ["stopped.png"]
    assert list(tmp_path.iterdir()) == [folder]


def test_one_command_draws_pictures_and_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handhold.app.lab.gallery.drawing.SCREENSHOTS", SCREENSHOTS[:1])
    assert run(["gallery", str(tmp_path / "pictures")]) == 0
    assert [file.name for file in (tmp_path / "pictures").iterdir()] == [f"{NAMES[0]}.png"]
    assert f"(pictures/{NAMES[0]}.png)" in (tmp_path / "pictures.md").read_text()


def test_a_hand_is_put_where_it_is_wanted() -> None:
    model = load_model("talos")
    wanted = np.array([0.45, 0.3, 1.1])
    q = reach(model, model.q_nominal, "left", wanted, "arm_left")
    hand = model.effector_of_hand("left")
    assert hand is not None
    assert model.effector_poses(q)[hand, :3, 3] == pytest.approx(wanted, abs=0.01)  # 1 cm: nobody sees less
