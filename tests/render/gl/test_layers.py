"""What hides what: the operator's interface is before the world, wherever both are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from easel import SIZE, Easel, make_pose, make_solid, rgba

from handhold.render.elements.drawing import make_area, make_outline
from handhold.render.elements.element import Element
from handhold.render.gl.eye import FAR, NEAR
from handhold.render.scene import Label, Lines, Picture, Scene, Shape

DEPTH = 2e-3
"""How exactly a distance is found again from the depth [m]."""
PULL_OF_PLATE = 0.003
"""How much nearer than its label a plate is drawn [-] (``label.vert``)."""
RED, GREEN, BLUE = rgba(1, 0, 0, 1), rgba(0, 1, 0, 1), rgba(0, 0, 1, 1)
WALL = make_solid(Shape.BOX, make_pose(1.0, 0.0, 0.0, 0.5), GREEN)
CLEAR_WALL = replace(WALL, colors=rgba(0, 1, 0, 0.5)[None])
KINDS = ("solids", "lines", "fills", "labels", "pictures")


def make_interface(kind: str, distance: float, color: np.ndarray) -> Element:
    """Return an element of the operator's interface before the eye, at a distance [m]."""
    pose = make_pose(distance, 0.0, 0.0)
    corners = np.array([(distance, y, z) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))], np.float32)
    if kind == "solids":
        return replace(make_solid(Shape.BOX, make_pose(distance, 0.0, 0.0, 0.2), color), in_front=True)
    if kind == "lines":
        return make_outline(corners, 2.5, color, in_front=True)
    if kind == "fills":
        return make_area(corners, color, in_front=True)
    if kind == "labels":
        return Label(text=" ", position=pose[:3, 3], height=1.0, color=color, background=color)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    image = np.tile((255 * color[:3]).astype(np.uint8), (2, 2, 1))
    return Picture(image=image, version=int(color @ (1, 2, 4, 0)), transform=pose)


def look(easel: Easel, kind: str, *elements: Element, wall: Element = WALL) -> np.ndarray:
    """Return the colour in the middle of a picture of a wall with elements of a kind."""
    solids = (wall, *elements) if kind == "solids" else (wall,)
    others = {} if kind == "solids" else {kind: elements}
    picture: np.ndarray = easel.draw(Scene(background=rgba(0, 0, 0, 1), solids=solids, **others))
    return picture[SIZE // 2, SIZE // 2, :3].astype(int)


@pytest.mark.parametrize("kind", KINDS)
def test_the_world_never_hides_the_interface(easel: Easel, kind: str) -> None:
    red, green, _ = look(easel, kind, make_interface(kind, 2.0, RED))
    assert red > 2 * green


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_world_shines_through_the_interface(easel: Easel, kind: str) -> None:
    red, green, _ = look(easel, kind, make_interface(kind, 2.0, RED), wall=CLEAR_WALL)
    assert red > 2 * green


@pytest.mark.parametrize("kind", KINDS)
def test_within_the_interface_what_is_nearer_hides_what_is_farther(easel: Easel, kind: str) -> None:
    near, far = make_interface(kind, 1.5, BLUE), make_interface(kind, 2.0, RED)
    for order in ((near, far), (far, near)):
        red, _, blue = look(easel, kind, *order)
        assert blue > 2 * red


@pytest.mark.parametrize(("distance", "seen"), [(2.0, BLUE), (1.499, RED)])
def test_a_line_is_seen_on_its_plate_and_not_through_a_nearer_one(easel: Easel, distance: float, seen: np.ndarray) -> None:
    ends = np.array([[(distance, -1.0, 0.0), (distance, 1.0, 0.0)]], np.float32)
    line, plate = Lines(ends=ends, colors=RED[None], width=0.1, in_front=True), make_interface("fills", 1.5, BLUE)
    picture = easel.draw(Scene(background=rgba(0, 0, 0, 1), lines=(line,), fills=(plate,)))
    assert picture[SIZE // 2, SIZE // 2, :3].argmax() == seen[:3].argmax()


def test_depth_tells_the_distance_of_the_interface_too(easel: Easel) -> None:
    look(easel, "labels", make_interface("labels", 2.0, RED))
    ndc = 2.0 * easel.target.read_depth()[SIZE // 2, SIZE // 2] - 1.0
    distance = 2.0 * FAR * NEAR / (FAR + NEAR - ndc * (FAR - NEAR))
    assert distance == pytest.approx(2.0 * (1.0 - PULL_OF_PLATE), abs=DEPTH)
