"""Simplified robots are whole: they cover what the exact one covers, its perforated sheets included."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from easel import BLACK, Easel, rgba
from reference_scenes import load_talos, make_robot

from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.look_at import look_at
from handhold.render.meshes import COARSE_TOLERANCE, PAGE_TOLERANCE, load_link_meshes
from handhold.render.scene import RobotInstance, Scene

PIXELS = 400
COVERED = 0.99
"""Part of the exact robot's pixels that the simplified one covers at least [-]."""
FIELD_OF_VIEW = FieldOfView(left=-0.4, right=0.4, up=0.4, down=-0.4)
STANDPOINTS = {"front": (2.4, 0.0, 1.0), "back": (-2.4, 0.0, 1.0), "side": (0.0, 2.4, 1.0), "above": (-1.6, -1.0, 2.4)}


@pytest.fixture(scope="module", params=[PAGE_TOLERANCE, COARSE_TOLERANCE], ids=["page", "coarse"])
def renderers(request: pytest.FixtureRequest, easel: Easel) -> Iterator[tuple[Renderer, Renderer]]:
    """The exact robot, and a simplified one; triangles seen from behind are left out, so that one sees through any hole."""
    easel.take_context()
    robots = [load_link_meshes(load_talos(), tolerance=tolerance) for tolerance in (0.0, request.param)]
    exact, simple = (Renderer({"talos": meshes}, one_sided=True) for meshes in robots)
    yield exact, simple
    exact.close()
    simple.close()


@pytest.mark.parametrize("links", ["all", "torso_2_joint"])
@pytest.mark.parametrize("standpoint", STANDPOINTS)
def test_a_simplified_robot_covers_what_the_exact_one_does(
    renderers: tuple[Renderer, Renderer], standpoint: str, links: str
) -> None:
    look = make_robot(1.0, rgba(1, 1, 1, 1))
    if links != "all":
        look.visible[:] = np.arange(len(look.visible)) == load_talos().pinocchio.getJointId(links)
    exact, simple = (find_covered(renderer, look, STANDPOINTS[standpoint]) for renderer in renderers)
    assert (exact & simple).sum() >= COVERED * exact.sum()


def find_covered(renderer: Renderer, look: RobotInstance, at: tuple[float, float, float]) -> np.ndarray:
    """Return which pixels show something of a robot."""
    target = Target(PIXELS, PIXELS, samples=1)
    renderer.load(Scene(robots=(look,), background=BLACK))
    view = look_at(np.array(at), np.array([0.0, 0.0, 1.0]))
    renderer.draw(target, Eye(view=view, field_of_view=FIELD_OF_VIEW, width=PIXELS, height=PIXELS))
    covered = target.read_pixels()[..., :3].any(axis=-1)
    target.close()
    return np.asarray(covered)
