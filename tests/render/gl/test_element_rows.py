"""Scenes one after another: what has not changed is not uploaded again, and every picture is that of its own scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from easel import BLACK, Easel, make_look, make_pose, rgba

from handhold.render.gl.element_rows import ElementRows
from handhold.render.scene import Fill, Label, Lines, RobotInstance, Scene, Shape, Solids

SCENES = 25


class Written:
    """Elements of one number each, and which of them were written."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.rows = ElementRows[np.ndarray](1, self.write, capacity=2)

    def write(self, rows: np.ndarray, element: np.ndarray, number: int) -> None:
        rows[:, 0] = element
        self.numbers.append(number)

    def load(self, *elements: np.ndarray) -> list[int]:
        self.numbers.clear()
        self.rows.load(elements, [len(element) for element in elements])
        return list(self.numbers)


def test_only_what_is_new_or_has_moved_is_written(easel: Easel) -> None:
    easel.take_context()
    written = Written()
    a, b, c = np.ones(1), np.ones(2), np.ones(3)
    assert written.load(a, b, c) == [0, 1, 2]
    assert written.load(a, b, c) == []
    assert written.load(a, np.ones(2), c) == [1], "one that takes as many rows moves nothing"
    assert written.load(a, c) == [1]
    assert written.load() == []
    assert written.load(a) == [0], "what was away is written anew"
    assert written.rows.count == 1
    written.rows.close()


def test_the_pictures_of_scenes_do_not_depend_on_what_was_drawn_before(easel: Easel) -> None:
    easel.take_context()
    rng = np.random.default_rng(0)
    pool = [_make_element(rng) for _ in range(24)]
    for _ in range(SCENES):
        pool[rng.integers(len(pool))] = _make_element(rng)
        scene = _gather([pool[i] for i in rng.permutation(len(pool))[: rng.integers(1, 16)]])
        picture = easel.draw(scene)
        easel.draw(Scene())  # after nothing, all of it is written anew
        np.testing.assert_array_equal(picture, easel.draw(scene))


def _gather(elements: list[object]) -> Scene:
    def choose(kind: type) -> tuple[object, ...]:
        return tuple(element for element in elements if isinstance(element, kind))

    pieces = {"robots": RobotInstance, "solids": Solids, "lines": Lines, "fills": Fill, "labels": Label}
    return replace(Scene(background=BLACK), **{name: choose(kind) for name, kind in pieces.items()})  # type: ignore[arg-type]


def _make_element(rng: np.random.Generator) -> object:
    count = int(rng.integers(1, 4))
    colors = rng.uniform(0.2, 1.0, (count, 4)).astype(np.float32)
    colors[rng.random(count) < 0.5, 3] = 1.0
    at = rng.uniform((1.5, -0.5, -0.5), (3.0, 0.5, 0.5), (count, 3)).astype(np.float32)
    kind = rng.integers(5)
    if kind == 0:
        opacity = 1.0 if rng.random() < 0.5 else 0.4
        return make_look("plates", opacity, x=float(at[0, 0]), visible=rng.random(2) < 0.7)
    if kind == 1:
        transforms = np.stack([make_pose(*position, 0.2) for position in at])
        return Solids(shape=list(Shape)[rng.integers(4)], transforms=transforms, colors=colors)
    if kind == 2:
        return Lines(ends=np.stack([at, at + 0.2], axis=1), colors=colors, width=0.02)
    if kind == 3:
        corners = np.array([(0.0, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)], dtype=np.float32)
        return Fill(triangles=at[:, None] + corners, colors=colors)
    return Label(text="abc"[:count], position=at[0], height=0.1, color=colors[0], background=rgba(0, 0, 0.5, count % 2))
