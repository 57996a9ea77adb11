"""Robots, ghosts and shapes."""

from __future__ import annotations

import numpy as np
import pytest
from easel import SIZE, Easel, differs, make_eye, make_look, make_pose, make_solid, rgba, to_srgb

from handhold.render.errors import RobotWithoutMeshes
from handhold.render.gl.eye import FieldOfView
from handhold.render.scene import Scene, Shape, Solids

AREA = 0.03
"""How much of its area a silhouette may miss [-]: outlines are cut into pixels, round shapes into facets."""
FAR_AWAY = FieldOfView(left=-0.05, right=0.05, up=0.05, down=-0.05)
MIDDLE = (SIZE // 2, SIZE // 2)
ONE_STEP = 1
"""Rounding of a colour to 8 bits [-]."""


def middle(picture: np.ndarray) -> np.ndarray:
    return picture[MIDDLE][:3].astype(int)


@pytest.mark.parametrize(
    ("shape", "share"), [(Shape.BOX, 1.0), (Shape.SPHERE, np.pi / 4), (Shape.CYLINDER, 1.0), (Shape.CONE, 0.5)]
)
def test_a_shape_fills_its_share_of_the_unit_square(easel: Easel, shape: Shape, share: float) -> None:
    solid = make_solid(shape, make_pose(20.0, 0.0, 0.0), rgba(1, 1, 1, 1))
    picture = easel.draw_on_black(make_eye(field_of_view=FAR_AWAY), solids=(solid,))
    seen = differs(picture, np.zeros(3), by=100).sum() / (SIZE * 0.5) ** 2
    assert seen == pytest.approx(share, rel=AREA + 2 * 0.5 / 20.0)  # the near side looks larger by half a size in 20


def test_a_cone_points_up(easel: Easel) -> None:
    picture = easel.draw_on_black(solids=(make_solid(Shape.CONE, make_pose(2.0, 0.0, 0.0), rgba(1, 1, 1, 1)),))
    widths = differs(picture, np.zeros(3)).sum(axis=1)
    assert widths[SIZE // 3] < widths[SIZE // 2] < widths[2 * SIZE // 3]


def test_instances_have_their_own_places_and_colors(easel: Easel) -> None:
    transforms = np.stack([make_pose(2.0, 0.4, 0.0, 0.3), make_pose(2.0, -0.4, 0.0, 0.3)])
    solids = Solids(shape=Shape.BOX, transforms=transforms, colors=np.stack([rgba(1, 0, 0, 1), rgba(0, 0, 1, 1)]))
    picture = easel.draw_on_black(solids=(solids,)).astype(int)
    left, right = picture[SIZE // 2, SIZE // 4], picture[SIZE // 2, 3 * SIZE // 4]
    assert left[0] > left[2] + 50
    assert right[2] > right[0] + 50


def test_light_comes_from_above(easel: Easel) -> None:
    picture = easel.draw_on_black(solids=(make_solid(Shape.SPHERE, make_pose(2.0, 0.0, 0.0), rgba(0.5, 0.5, 0.5, 1)),))
    column = picture[:, SIZE // 2, 0].astype(int)
    assert column[SIZE // 3] > column[SIZE // 2] > column[2 * SIZE // 3] > 0


def test_light_falls_alike_on_stretched_shapes(easel: Easel) -> None:
    flat = np.diag([0.01, 1.0, 1.0, 1.0]).astype(np.float32)
    flat[0, 3] = 1.5
    cube = make_pose(2.0, 0.0, 0.0)
    seen = [middle(easel.draw_on_black(solids=(make_solid(Shape.BOX, t, rgba(0.5, 0.5, 0.5, 1)),))) for t in (flat, cube)]
    assert np.abs(seen[0] - seen[1]).max() <= 3 * ONE_STEP  # the gloss differs by the angle to the eye


def test_a_solid_hides_what_is_behind_whatever_the_order(easel: Easel) -> None:
    near = make_solid(Shape.BOX, make_pose(2.0, 0.0, 0.0, 0.5), rgba(1, 0, 0, 1))
    far = make_solid(Shape.BOX, make_pose(4.0, 0.0, 0.0, 0.5), rgba(0, 1, 0, 1))
    for solids in ((near, far), (far, near)):
        red, green, _ = middle(easel.draw_on_black(solids=solids))
        assert red > 2 * green


def test_one_sees_through_a_clear_solid_and_not_behind_an_opaque_one(easel: Easel) -> None:
    clear = make_solid(Shape.BOX, make_pose(2.0, 0.0, 0.0, 0.5), rgba(1, 0, 0, 0.5))
    behind = make_solid(Shape.BOX, make_pose(4.0, 0.0, 0.0, 0.5), rgba(0, 1, 0, 1))
    red, green, _ = middle(easel.draw_on_black(solids=(clear, behind)))
    assert red > 60
    assert green > 60
    opaque = make_solid(Shape.BOX, make_pose(1.0, 0.0, 0.0, 0.3), rgba(0, 0, 1, 1))
    red, _, blue = middle(easel.draw_on_black(solids=(clear, opaque)))
    assert blue > 2 * red


def test_a_robot_is_where_its_joints_are(easel: Easel) -> None:
    near, far = (differs(easel.draw_on_black(robots=(make_look("plate", x=x),)), np.zeros(3)).sum() for x in (1.0, 2.0))
    assert near == pytest.approx((0.5 * SIZE) ** 2, rel=AREA)
    assert far == pytest.approx(near / 4, rel=AREA)


def test_a_joint_that_is_not_visible_is_not_drawn(easel: Easel) -> None:
    look = make_look("plate", x=1.0, visible=np.array([True, False]))
    assert not differs(easel.draw_on_black(robots=(look,)), np.zeros(3)).any()


def test_a_tint_is_laid_over_a_joint_by_its_share(easel: Easel) -> None:
    tints = np.zeros((2, 4), np.float32)
    plain = middle(easel.draw_on_black(robots=(make_look("plate", x=1.0),)))
    tints[1] = rgba(1, 0, 0, 0.5)
    half = middle(easel.draw_on_black(robots=(make_look("plate", x=1.0, tints=tints),)))
    tints[1, 3] = 1.0
    whole = middle(easel.draw_on_black(robots=(make_look("plate", x=1.0, tints=tints),)))
    assert half[0] == pytest.approx(plain[0], abs=ONE_STEP)
    assert whole[1] < half[1] < plain[1]


def test_of_a_ghost_only_the_nearest_face_is_blended(easel: Easel) -> None:
    one = easel.draw_on_black(robots=(make_look("plate", 0.4, x=1.0),))
    two = easel.draw_on_black(robots=(make_look("plates", 0.4, x=1.0),))
    inside = slice(SIZE // 3, 2 * SIZE // 3)
    assert np.abs(one[inside, inside].astype(int) - two[inside, inside]).max() <= ONE_STEP


def test_a_ghost_lets_what_is_behind_it_through_by_its_opacity(easel: Easel) -> None:
    white = Scene(background=rgba(1, 1, 1, 1))
    tints = np.tile(rgba(0, 0, 0, 1), (2, 1))
    ghost = make_look("plate", 0.4, x=1.0, tints=tints)
    picture = easel.draw(Scene(background=white.background, robots=(ghost,)))
    assert middle(picture) == pytest.approx(to_srgb(np.full(3, 0.6)), abs=ONE_STEP)


def test_a_ghost_where_the_robot_is_cannot_be_seen(easel: Easel) -> None:
    alone = easel.draw_on_black(robots=(make_look("plate", x=1.0),))
    tints = np.tile(rgba(0, 0, 1, 1), (2, 1))
    both = easel.draw_on_black(robots=(make_look("plate", x=1.0), make_look("plate", 0.5, x=1.0, tints=tints)))
    assert np.abs(alone.astype(int) - both).max() <= ONE_STEP


def test_solid_robots_come_first_whatever_their_order(easel: Easel) -> None:
    solid, ghost = make_look("plate", x=2.0), make_look("plate", 0.5, x=1.0)
    assert (easel.draw_on_black(robots=(solid, ghost)) == easel.draw_on_black(robots=(ghost, solid))).all()


def test_a_robot_without_meshes_is_named(easel: Easel) -> None:
    with pytest.raises(RobotWithoutMeshes, match=r"'nobody'.*plate, plates.*load them"):
        easel.renderer.load(Scene(robots=(make_look("nobody"),)))


def test_thousands_of_solids_fit(easel: Easel) -> None:
    grid = np.linspace(-0.9, 0.9, 40)
    places = np.stack([make_pose(2.0, y, z, 0.02) for z in grid for y in grid])
    solids = Solids(shape=Shape.BOX, transforms=places, colors=np.tile(rgba(1, 1, 1, 1), (len(places), 1)))
    seen = differs(easel.draw_on_black(solids=(solids,)), np.zeros(3))
    pixels = ((0.5 - grid / 2.0) * SIZE).astype(int)
    assert seen[np.ix_(pixels, pixels)].all()
