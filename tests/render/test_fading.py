"""Solids in the operator's way are seen through, smoothly and without flicker."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.render.composition.fading import (
    CHECK_PERIOD,
    FADE_TIME,
    MIN_OPACITY,
    STAYS,
    Fading,
    begin_fading,
    fade_solids,
    step_fading,
)
from handhold.render.elements.surroundings import draw_solids
from handhold.render.obstacles import Obstacles
from handhold.robots.worlds import Solid, World

WALL = Solid(name="wall", size=(0.1, 1.0, 1.0), position=(1.0, 0.0, 0.0))
FLOOR = Solid(name="slab", size=(4.0, 4.0, 0.1), position=(0.0, 0.0, -1.0))
WORLD = World(title="", source="", solids=(WALL, FLOOR))
OBSTACLES, SOLIDS = Obstacles(WORLD.solids), draw_solids(WORLD)
BEFORE, BESIDE = np.zeros(3), np.array([0.0, 3.0, 0.0])
ROBOT = np.array([(2.0, 0.0, 0.0)])
FRAME = 1.0 / 90.0


def watch(fading: Fading, eye: np.ndarray, seconds: float, start: float) -> list[Fading]:
    frames = []
    for number in range(round(seconds / FRAME)):
        fading = step_fading(fading, OBSTACLES, eye, ROBOT, start + number * FRAME)
        frames.append(fading)
    return frames


def read_opacity(fading: Fading) -> float:
    element = fade_solids(fading, SOLIDS).get(SOLIDS[0][0], SOLIDS[0][0])
    return float(element.colors[0, 3])  # type: ignore[union-attr]


def test_a_solid_before_the_robot_fades_to_a_fifth_and_comes_back_smoothly() -> None:
    clear = watch(begin_fading(2), BESIDE, 1.0, 0.0)
    assert [read_opacity(frame) for frame in clear] == [1.0] * len(clear)
    fades = watch(clear[-1], BEFORE, 1.0, 1.0)
    comes_back = watch(fades[-1], BESIDE, STAYS + 1.0, 2.0)
    opacities = [read_opacity(frame) for frame in (*fades, *comes_back)]
    assert min(opacities) == pytest.approx(MIN_OPACITY)
    assert opacities[-1] == 1.0
    assert np.abs(np.diff(opacities)).max() <= 1.0 / 8.0
    faded_after = (CHECK_PERIOD + FADE_TIME) / FRAME + 1
    assert opacities.index(min(opacities)) <= faded_after
    # the other solid is in nobody's way
    assert all(frame.fractions[1] == 0.0 for frame in (*fades, *comes_back))


def test_what_is_in_the_way_of_the_first_picture_is_never_seen_solid() -> None:
    assert read_opacity(watch(begin_fading(2), BEFORE, FRAME, 0.0)[0]) == pytest.approx(MIN_OPACITY)


def test_at_an_edge_a_head_that_sways_makes_nothing_flicker() -> None:
    fading = watch(begin_fading(2), BEFORE, 1.0, 0.0)[-1]
    seen = []
    for number in range(300):
        # the line of sight passes the wall's edge at y = 1.0 from the eye
        eye = np.array([0.0, 1.0 + 0.05 * np.sin(3.0 * number * FRAME * 2.0 * np.pi), 0.0])
        fading = step_fading(fading, OBSTACLES, eye, ROBOT, 1.0 + number * FRAME)
        seen.append(read_opacity(fading))
    assert max(seen) == pytest.approx(MIN_OPACITY)


def test_a_solid_of_the_same_opacity_is_the_same_object() -> None:
    frames = watch(begin_fading(2), BEFORE, 0.5, 0.0)
    elements = {id(fade_solids(frame, SOLIDS)[SOLIDS[0][0]]) for frame in frames}
    assert len(elements) == 1
    assert fade_solids(begin_fading(2), SOLIDS) == {}
