"""Texts: their letters, plates and turning to the reader."""

from __future__ import annotations

import numpy as np
import pytest
from easel import FOCAL, SIZE, Easel, differs, find_middle, make_eye, rgba, to_linear, to_srgb

from handhold.render.gl.atlas import make_atlas
from handhold.render.gl.labels import MARGINS, lay_out
from handhold.render.look_at import look_at
from handhold.render.scene import Label

ONE_STEP = 1
"""Rounding of a colour to 8 bits [-]."""
TWO_PIXELS = 2
"""Rounding of both edges of a plate to pixels [pixels]."""
READABLE = 0.7
"""How alike a letter is to itself drawn elsewhere by PIL, as a correlation [-]; other letters stay below 0.6."""
TOWARDS = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Axes of a label that is read along x."""
AT = np.array([1.0, 0.0, 0.0])
CLEAR = rgba(0, 0, 0, 0)
RED = rgba(1, 0, 0, 1)


def make_label(text: str, height: float = 0.1, background: np.ndarray = RED, **others: np.ndarray) -> Label:
    return Label(text=text, position=AT, height=height, color=rgba(1, 1, 1, 1), background=background, **others)


def measure(picture: np.ndarray) -> tuple[int, int]:
    """Return width and height of all that is seen."""
    rows, columns = np.nonzero(differs(picture, np.zeros(3), by=100))
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def test_a_plate_is_a_line_high_for_every_line_and_as_wide_as_the_longest(easel: Easel) -> None:
    for text, lines in (("margin", 1), ("margin\n42 mm", 2)):
        width, height = measure(easel.draw_on_black(labels=(make_label(text),)))
        left, bottom, right, top = lay_out(text, make_atlas())[0, :4]
        assert height == pytest.approx((lines + 2 * MARGINS[1]) * 0.1 * FOCAL, abs=TWO_PIXELS)
        assert height == pytest.approx((top - bottom) * 0.1 * FOCAL, abs=TWO_PIXELS)
        assert width == pytest.approx((right - left) * 0.1 * FOCAL, abs=TWO_PIXELS)


def test_letters_have_the_label_s_color_on_the_plate_s(easel: Easel) -> None:
    picture = easel.draw_on_black(labels=(make_label("I", height=0.6, background=rgba(0.1, 0.2, 0.0, 1)),)).astype(int)
    assert picture[SIZE // 2, SIZE // 2, :3].tolist() == [255, 255, 255]
    assert picture[SIZE // 2, SIZE // 2 + 30, :3] == pytest.approx(to_srgb(np.array([0.1, 0.2, 0.0])), abs=ONE_STEP)


def test_without_a_background_there_is_no_plate(easel: Easel) -> None:
    picture = easel.draw_on_black(labels=(make_label("I I", height=0.5, background=CLEAR),))
    assert picture[SIZE // 2, SIZE // 2, :3].tolist() == [0, 0, 0]
    assert differs(picture, np.zeros(3)).any()


@pytest.mark.parametrize("eye", [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.3, -0.3, 0.3), (0.9, 0.0, 0.99)])
def test_a_label_turns_to_the_head_upright(easel: Easel, eye: tuple[float, float, float]) -> None:
    position = np.array(eye)
    size = measure(easel.draw_on_black(make_eye(look_at(position, AT)), labels=(make_label("hands"),)))
    expected = np.array(measure(easel.draw_on_black(labels=(make_label("hands"),)))) / np.linalg.norm(AT - position)
    assert size == pytest.approx(expected, abs=TWO_PIXELS)


def test_a_label_with_axes_of_its_own_stays(easel: Easel) -> None:
    fixed, turning = (
        measure(easel.draw_on_black(make_eye(look_at(np.array([0.2, 0.6, 0.0]), AT)), labels=(label,)))
        for label in (make_label("hands", rotation=TOWARDS), make_label("hands"))
    )
    assert fixed[0] == pytest.approx(turning[0] * 0.8, abs=2 * TWO_PIXELS)  # seen by an angle with a cosine of 0.8


def test_a_label_with_axes_of_its_own_reads_like_one_that_turns(easel: Easel) -> None:
    pictures = [easel.draw_on_black(labels=(make_label("hands", **own),)) for own in ({}, {"rotation": TOWARDS})]
    assert np.abs(pictures[0].astype(int) - pictures[1]).max() <= 2 * ONE_STEP


def test_letters_look_like_those_of_the_font(easel: Easel) -> None:
    letters = "ARK7e"
    seen = {letter: _draw_letter(easel, letter) for letter in letters}
    drawn = {letter: _draw_by_pil(letter) for letter in letters}
    for letter in letters:
        likeness = {other: np.corrcoef(seen[letter].ravel(), drawn[other].ravel())[0, 1] for other in letters}
        assert max(likeness, key=likeness.__getitem__) == letter
        assert likeness[letter] > READABLE


def _draw_letter(easel: Easel, letter: str) -> np.ndarray:
    picture = easel.draw_on_black(labels=(make_label(letter, height=0.8, background=CLEAR),))
    return _fit(picture[..., 0])


def _draw_by_pil(letter: str) -> np.ndarray:
    from pathlib import Path

    import matplotlib as mpl
    from PIL import Image, ImageDraw, ImageFont

    from handhold.render.gl.atlas import FONT_FILE

    font = ImageFont.truetype(str(Path(mpl.get_data_path()) / FONT_FILE), 100)
    image = Image.new("L", (200, 200))
    ImageDraw.Draw(image).text((40, 40), letter, fill=255, font=font)
    return _fit(np.asarray(image))


def _fit(picture: np.ndarray) -> np.ndarray:
    """Return what is drawn, stretched to a square."""
    from PIL import Image

    rows, columns = np.nonzero(picture > 128)
    cut = picture[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return np.asarray(Image.fromarray(cut).resize((40, 40))).astype(float)


def test_a_character_without_a_letter_is_a_question_mark(easel: Easel) -> None:
    assert (easel.draw_on_black(labels=(make_label("\u4e00"),)) == easel.draw_on_black(labels=(make_label("?"),))).all()


def test_a_text_is_written_from_left_to_right_around_its_middle(easel: Easel) -> None:
    picture = easel.draw_on_black(labels=(make_label("MMM...", background=CLEAR),))
    assert find_middle(picture, np.zeros(3))[0] < SIZE / 2
    plate = easel.draw_on_black(labels=(make_label("MMM..."),))
    assert find_middle(plate, np.zeros(3)) == pytest.approx((SIZE / 2, SIZE / 2), abs=1.0)  # cut into pixels


def test_small_letters_keep_their_strokes(easel: Easel) -> None:
    large, small = (
        easel.draw_on_black(labels=(make_label("squeeze to move", height, CLEAR),))[..., 0] for height in (0.1, 0.05)
    )
    light = [to_linear(picture).sum() for picture in (large, small)]
    assert light[1] == pytest.approx(light[0] / 4, rel=0.1)  # strokes of one pixel and less, cut into pixels


def test_plates_hide_one_another_by_their_distance(easel: Easel) -> None:
    near = Label(text="near", position=AT, height=0.2, color=RED, background=rgba(0, 0, 1, 1))
    far = Label(text="far away", position=2 * AT, height=0.2, color=RED, background=rgba(0, 1, 0, 1))
    for labels in ((near, far), (far, near)):
        picture = easel.draw_on_black(labels=labels)
        assert picture[SIZE // 2 - 15, SIZE // 2, :3].tolist() == [0, 0, 255]


def test_an_empty_text_is_an_empty_plate_and_long_ones_fit(easel: Easel) -> None:
    assert differs(easel.draw_on_black(labels=(make_label(""),)), np.zeros(3)).any()
    many = tuple(make_label("word " * 50, 0.002) for _ in range(20))
    assert differs(easel.draw_on_black(labels=many), np.zeros(3)).any()
