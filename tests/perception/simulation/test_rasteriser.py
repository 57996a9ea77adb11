"""Depth images of triangles."""

import numpy as np
import pytest

from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.simulation.rasteriser import NEAR, NOTHING, Rasteriser
from handhold.perception.simulation.triangles import make_box, make_capsule, make_cylinder

PINHOLE = Intrinsics(width=212, height=120, fx=106.0, fy=105.0, cx=105.3, cy=60.2)
EDGE = 1e-3  # of a unit ray by which a pixel at the border of two faces may be on either [-]


def rays():
    u, v = np.meshgrid(np.arange(PINHOLE.width), np.arange(PINHOLE.height))
    return np.stack([(u - PINHOLE.cx) / PINHOLE.fx, (v - PINHOLE.cy) / PINHOLE.fy, np.ones(u.shape)], axis=2)


def cast(corners):
    """Return the inverse depth along each ray by intersecting every triangle, and how near the ray passes to an edge."""
    directions = rays().reshape(-1, 3)
    nearest = np.zeros(len(directions))
    doubt = np.full(len(directions), np.inf)
    for a, b, c in corners:
        normal = np.cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            w = directions @ normal / (a @ normal)
            points = directions / w[:, None]
        # at the poles of a capsule some triangles have no area
        if np.linalg.norm(normal) < 1e-12:
            continue
        inside = np.full(len(directions), np.inf)
        for start, end in ((a, b), (b, c), (c, a)):
            edge = np.cross(normal, end - start)
            inside = np.minimum(inside, (points - start) @ (edge / np.linalg.norm(edge)))
        hit = (w > 0.0) & (w < 1.0 / NEAR) & (inside >= 0.0)
        nearest = np.where(hit, np.maximum(nearest, w), nearest)
        doubt = np.fmin(doubt, np.abs(inside) * np.abs(w))
    return nearest.reshape(PINHOLE.height, PINHOLE.width), doubt.reshape(PINHOLE.height, PINHOLE.width)


@pytest.mark.parametrize("shape", [make_box((0.3, 0.4, 0.2)), make_cylinder(0.3, 0.5), make_capsule(0.2, 0.3)])
@pytest.mark.parametrize("seed", range(3))
def test_pixels_see_what_rays_hit(shape, seed):
    random = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(random.normal(size=(3, 3)))
    corners = shape.corners @ rotation.T + [random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2), random.uniform(0.4, 2.0)]
    rasteriser = Rasteriser(PINHOLE)
    rasteriser.draw(corners, shape.faces)
    expected, doubt = cast(corners)
    sure = doubt > EDGE
    assert sure.mean() > 0.8
    assert np.allclose(rasteriser.inverse_depth[sure], expected[sure], atol=1e-4)
    assert np.array_equal(rasteriser.faces == NOTHING, rasteriser.inverse_depth == 0.0)


def test_a_face_is_told_from_its_neighbours():
    box = make_box((0.5, 0.5, 0.5))
    rasteriser = Rasteriser(PINHOLE)
    rasteriser.draw(box.corners + np.array([0.0, 0.0, 1.5]), box.faces)
    assert rasteriser.faces[60, 105] == 4
    assert rasteriser.inverse_depth[60, 105] == pytest.approx(1.0)


def test_what_is_drawn_later_hides_only_what_is_behind_it():
    box = make_box((0.1, 0.1, 0.1))
    rasteriser = Rasteriser(PINHOLE)
    rasteriser.draw(box.corners + np.array([0.0, 0.0, 1.0]), np.full(12, 7))
    rasteriser.draw(box.corners + np.array([0.0, 0.0, 2.0]), np.full(12, 8))
    assert rasteriser.faces[60, 105] == 7
    rasteriser.clear()
    assert (rasteriser.faces == NOTHING).all()


def test_a_wide_floor_reaches_behind_the_camera():
    floor = make_box((10.0, 0.1, 10.0))
    rasteriser = Rasteriser(PINHOLE)
    rasteriser.draw(floor.corners + np.array([0.0, 1.1, 0.0]), floor.faces)
    y = rays()[:, :, 1]
    below = y > 0.12
    assert np.allclose(rasteriser.inverse_depth[below], y[below], atol=1e-5)
