"""The brace from its side: when it is shown, and from where it is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from snapshots import make_snapshot, with_report

from handhold.render.composition.compose import compose_world
from handhold.render.elements.inset import RATE, TANGENT
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.scene import Anchor, Inset
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import Approach, ContactState, HandReport
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

AHEAD_OF_IT, TO_ITS_RIGHT, TABLE = (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
"""Outward normals of a wall in front of the robot, one at its right side, and a table."""


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def stage(model: RobotModel) -> Stage:
    return Stage(model, load_world("wall"))


def come_near(model: RobotModel, hand: str, normal: tuple[float, float, float], place: tuple[float, float, float]) -> Snapshot:
    pose = np.eye(4)
    pose[:3, 2] = normal
    pose[:3, 3] = place
    approach = Approach(
        pose=pose,
        half_lengths=(0.05, 0.05),
        is_round=True,
        distance=0.1,
        axis=-pose[:3, 2],
        tilt=0.0,
        max_tilt=0.7,
        obstacle="",
    )
    status = HandStatus(engaged=True, waiting="", target=pose, effector=f"{hand}_hand")
    return with_report(make_snapshot(model, **{hand: status}), **{hand: HandReport(approach=approach)})


def show(snapshot: Snapshot, stage: Stage, view: Viewpoint = Viewpoint.THIRD_PERSON) -> Inset | None:
    return compose_world(snapshot, Settings(view=view), stage).inset


def test_it_is_shown_in_the_third_person_while_a_hand_comes_near_or_bears(model: RobotModel, stage: Stage) -> None:
    near = come_near(model, "left", AHEAD_OF_IT, (0.65, 0.3, 1.1))
    assert show(near, stage) is not None
    assert show(make_snapshot(model), stage) is None
    for view in (Viewpoint.SHOULDER, Viewpoint.FIRST_PERSON):
        assert show(near, stage, view) is None
    for contact in ContactState:
        shown = contact not in (ContactState.FREE, ContactState.APPROACHING)
        held = HandStatus(engaged=False, waiting="", target=np.eye(4), effector="left_hand", contact=contact)
        assert (show(make_snapshot(model, left=held), stage) is not None) == shown, contact


@pytest.mark.parametrize(
    ("hand", "normal", "place"),
    [
        ("left", AHEAD_OF_IT, (0.65, 0.3, 1.1)),
        ("right", AHEAD_OF_IT, (0.65, -0.3, 1.1)),
        ("right", TO_ITS_RIGHT, (-0.1, -0.7, 1.1)),
        ("left", TABLE, (0.4, 0.3, 0.8)),
    ],
)
def test_it_looks_along_the_surface_at_hand_and_chest_from_where_nothing_hides_them(
    model: RobotModel, stage: Stage, hand: str, normal: tuple[float, float, float], place: tuple[float, float, float]
) -> None:
    snapshot = come_near(model, hand, normal, place)
    inset = show(snapshot, stage)
    assert inset is not None
    assert inset.anchor is Anchor.AHEAD
    assert abs(inset.eye[:3, 0] @ normal) < 0.35  # 20 deg of the surface: the gap is seen
    for point in (np.array(place), snapshot.q[:3] + np.array([0.0, 0.0, 0.25])):
        forward, left, up = inset.eye[:3, :3].T @ (point - inset.eye[:3, 3])
        assert np.hypot(left, up) < TANGENT * forward
    assert not stage.obstacles.find_between(inset.eye[None, :3, 3], np.array([place]), 0.1).any()


def test_at_a_wall_in_front_each_hand_is_seen_from_its_own_side(model: RobotModel) -> None:
    free = Stage(model, load_world("flat"))
    for hand, side in (("left", 1.0), ("right", -1.0)):
        inset = show(come_near(model, hand, AHEAD_OF_IT, (0.65, 0.3 * side, 1.1)), free)
        assert inset is not None
        assert side * inset.eye[1, 3] > 1.0


def test_it_is_drawn_anew_at_a_rate_of_its_own(model: RobotModel, stage: Stage) -> None:
    near = come_near(model, "left", AHEAD_OF_IT, (0.65, 0.3, 1.1))
    insets = [show(replace(near, time=k / 90.0), stage) for k in range(90)]
    versions = [inset.version for inset in insets if inset is not None]
    assert len(versions) == 90
    assert len(set(versions)) == round(RATE)
