"""The window on the desktop that shows what the left eye sees, on a real runtime and a real X server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from monado import Session, open_monado

from handhold.render.openxr.mirror import fit

pytestmark = pytest.mark.alone

RED = [1.0, 0.0, 0.0, 1.0]
BLUE = [0.0, 0.0, 1.0, 1.0]


@pytest.fixture
def session(runtime_json: Path, tmp_path: Path, x_display: str) -> Iterator[Session]:
    with open_monado(runtime_json, tmp_path, "glx", script="frames_worker.py", DISPLAY=x_display) as opened:
        boxes = [{"position": [2.0, 0.0, 1.6], "size": 0.4, "color": RED}]
        boxes.append({"position": [1.0, 0.3, 0.0], "size": 0.2, "color": BLUE, "anchor": "HEAD"})
        opened.worker.ask("show", boxes=boxes)
        opened.worker.ask("open_mirror")
        opened.worker.ask("frames", number=20)
        yield opened


def read_mirror(session: Session) -> np.ndarray:
    answer = session.worker.ask("read_mirror")
    width, height = answer["size"]
    return np.frombuffer(base64.b64decode(answer["image"]), np.uint8).reshape(height, width, 4)


def find(image: np.ndarray, channel: int) -> tuple[float, float]:
    """Return the middle of what is of one colour, right and down, as shares of the window."""
    rgb = image[..., :3].astype(int)
    others = np.delete(rgb, channel, axis=-1).max(axis=-1)
    rows, columns = np.nonzero(rgb[..., channel] > 2 * others + 60)
    assert len(rows)
    return float(columns.mean() / image.shape[1]), float(rows.mean() / image.shape[0])


def test_the_window_shows_the_left_eye_and_what_is_fixed_to_the_head(session: Session) -> None:
    image = read_mirror(session)
    right, down = find(image, 0)
    assert 0.5 < right < 0.55  # what is straight ahead of the head is to the right of the left eye's axis
    assert abs(down - 0.5) < 0.02
    assert find(image, 2)[0] < 0.4


def test_a_window_that_is_resized_shows_the_whole_picture(session: Session) -> None:
    session.worker.ask("resize_mirror", width=600, height=200)
    session.worker.ask("frames", number=20)
    image = read_mirror(session)
    assert image.shape[:2] == (200, 600)
    assert not image[:, :100, :3].any(), "an eye's picture is not that wide"
    assert 0.5 < find(image, 0)[0] < 0.55


def test_the_window_shows_fewer_pictures_than_the_headset(session: Session) -> None:
    before: dict[str, Any] = session.worker.ask("read_mirror")
    measured = session.worker.ask("rate", seconds=1.0)
    shown = session.worker.ask("read_mirror")["shown"] - before["shown"]
    assert 0 < shown <= 31 * measured["seconds"]
    assert shown < measured["frames"]


def test_frames_go_on_when_the_window_is_closed(session: Session) -> None:
    assert session.worker.ask("close_mirror") == {"open": False}
    before = session.worker.ask("count")["drawn"]
    assert session.worker.ask("frames", number=20)["drawn"] == before + 20
    assert session.worker.finish() == 0


def test_a_picture_keeps_its_shape_in_any_window() -> None:
    assert fit(1.5, 300, 300) == (0, 50, 300, 200)
    assert fit(0.5, 300, 300) == (75, 0, 150, 300)
    assert fit(1.0, 10, 10) == (0, 0, 10, 10)
