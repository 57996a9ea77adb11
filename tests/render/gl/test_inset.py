"""A picture of the world from elsewhere within the picture: drawn when its version changes, and not in itself."""

from __future__ import annotations

import numpy as np
from easel import SIZE, Easel, make_eye, make_pose, make_solid, rgba

from handhold.render.look_at import look_at
from handhold.render.scene import Anchor, Inset, Scene, Shape, Solids

RED, GREEN, BLUE = rgba(1, 0, 0, 1), rgba(0, 1, 0, 1), rgba(0, 0, 1, 1)
BEHIND = make_pose(-2.0, 0.3, 0.0, 0.6)
ROOM = make_pose(0.2, 0.1, 0.0)


def make_inset(version: int) -> Inset:
    """Return a screen 1 m ahead of what looks at what is behind the eye, from its left."""
    transform = np.eye(4, dtype=np.float32)
    transform[:3, :3] = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) * (0.8, 0.6, 1.0)
    transform[:3, 3] = (1.0, 0.0, 0.0)
    eye = look_at(np.array([-2.0, 2.0, 0.0]), BEHIND[:3, 3] + (0.0, 0.0, -0.3))
    return Inset(eye=eye, tangent=0.6, version=version, transform=transform, anchor=Anchor.AHEAD)


def look(easel: Easel, color: np.ndarray, inset: Inset | None, *others: Solids) -> np.ndarray:
    """Return the colours above and below the middle of the screen."""
    solids = (make_solid(Shape.BOX, BEHIND, color), *others)
    scene = Scene(background=BLUE, solids=solids, inset=inset, transform_room_to_world=ROOM)
    picture = easel.draw(scene, make_eye())
    return picture[[SIZE // 2 - 22, SIZE // 2 + 40], SIZE // 2, :3].argmax(axis=1)


def test_it_shows_the_world_from_elsewhere_upright_and_anew_with_its_version_only(easel: Easel) -> None:
    assert look(easel, RED, None).tolist() == [2, 2]
    # what it looks a little below is in its upper half
    assert look(easel, RED, make_inset(1)).tolist() == [0, 2]
    assert look(easel, GREEN, make_inset(1)).tolist() == [0, 2]
    assert look(easel, GREEN, make_inset(2)).tolist() == [1, 2]
    assert look(easel, GREEN, None).tolist() == [2, 2]
    assert look(easel, RED, make_inset(2)).tolist() == [0, 2]  # shown again, it is not what it was


def test_the_world_hides_nothing_of_it(easel: Easel) -> None:
    wall = make_solid(Shape.BOX, make_pose(0.6, 0.0, 0.0, 0.2), GREEN)
    assert look(easel, RED, make_inset(7), wall).tolist() == [0, 2]
