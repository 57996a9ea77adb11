"""The gallery of what the operator sees."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from handhold.app.gallery.exhibits import EXHIBITS
from handhold.app.gallery.hang import HEIGHT, WIDTH, hang_gallery
from handhold.app.gallery.postures import reach
from handhold.app.main import run
from handhold.robots.model import load_model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gallery.md"
LARGEST_PICTURE = 200_000
"""What a page of pictures can afford for each [bytes]."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return hang_gallery(tmp_path_factory.mktemp("gallery"), (), lambda _line: None)


def test_every_picture_is_drawn_small_and_shows_something(files: list[Path]) -> None:
    assert [file.stem for file in files] == [exhibit.name for exhibit in EXHIBITS]
    for file in files:
        assert file.stat().st_size < LARGEST_PICTURE, file
        pixels = np.asarray(Image.open(file).convert("RGB")).astype(int)
        assert pixels.shape == (HEIGHT, WIDTH, 3)
        away_from_the_sky = np.abs(pixels - pixels[0, WIDTH // 2]).max(axis=2) > 20
        assert away_from_the_sky.mean() > 0.02, file


def test_no_two_pictures_are_alike(files: list[Path]) -> None:
    assert len({file.read_bytes() for file in files}) == len(files)


def test_the_page_shows_every_picture_there_is() -> None:
    shown = re.findall(r"\(gallery/([\w-]+)\.png\)", PAGE.read_text())
    assert shown == [exhibit.name for exhibit in EXHIBITS]
    for name in shown:
        assert (PAGE.parent / "gallery" / f"{name}.png").is_file()


def test_an_unknown_picture_is_told_with_those_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gallery", str(tmp_path), "--only", "moon"]) == 2
    message = capsys.readouterr().err
    assert "moon" in message
    assert "first-person" in message


def test_one_picture_can_be_drawn_alone(tmp_path: Path) -> None:
    assert run(["gallery", str(tmp_path), "--only", "stopped"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["stopped.png"]


def test_a_hand_is_put_where_it_is_wanted() -> None:
    model = load_model("talos")
    wanted = np.array([0.45, 0.3, 1.1])
    q = reach(model, model.q_nominal, "left", wanted, "arm_left")
    hand = model.effector_of_hand("left")
    assert hand is not None
    assert model.effector_poses(q)[hand, :3, 3] == pytest.approx(wanted, abs=0.01)  # 1 cm: nobody sees less
