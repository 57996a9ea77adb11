"""The person whom the robot follows, and what the robot lacks."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from snapshots import make_snapshot, move_joints, with_report

from handhold.app.lab.gallery.parts import make_person
from handhold.render import palette
from handhold.render.browser.panel import describe_status
from handhold.render.composition.compose import compose_world
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.elements.person import FAINT, describe_lags, say_distance
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Lines, Scene, Shape, Solids
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import PersonReport
from handhold.robots.model import RobotModel

SINGLE = 1e-5
"""Scenes are in single precision [m]."""
BEYOND = (0.1, 0.02, 0.06)


@pytest.fixture(scope="module")
def person(model: RobotModel) -> PersonReport:
    return make_person(model, model.q_nominal, BEYOND)


def look(stage: Stage, person: PersonReport | None, view: Viewpoint = Viewpoint.THIRD_PERSON) -> Scene:
    return compose_world(make_snapshot(stage.model, person=person), Settings(view=view), stage)


def in_front(scene: Scene, color: palette.Color) -> tuple[list[Lines], list[Solids]]:
    """Return lines and shapes of a colour in world that the robot does not hide."""

    def is_meant(piece: Lines | Solids) -> bool:
        same = np.abs(piece.colors[:, :3] - to_linear(color)[:3]).max() < SINGLE
        return bool(same) and piece.in_front and piece.anchor is Anchor.WORLD

    return [lines for lines in scene.lines if is_meant(lines)], [solids for solids in scene.solids if is_meant(solids)]


def test_the_skeleton_is_drawn_before_the_robot_in_the_colour_of_what_is_commanded(stage: Stage, person: PersonReport) -> None:
    (bones,), (joints,) = in_front(look(stage, person), palette.ENGAGED)
    assert bones.ends == pytest.approx(person.points[person.bones], abs=SINGLE)
    assert joints.shape is Shape.SPHERE
    assert joints.transforms[:, :3, 3] == pytest.approx(person.points, abs=SINGLE)
    assert (bones.colors[:, 3] == 1.0).all()


def test_without_a_person_nothing_of_it_is_drawn(stage: Stage) -> None:
    scene = look(stage, None)
    for color in (palette.ENGAGED, palette.ALARM):
        assert in_front(scene, color) == ([], [])


def test_a_person_to_whom_the_robot_is_on_its_way_is_fainter(stage: Stage, person: PersonReport) -> None:
    (bones,), (joints,) = in_front(look(stage, replace(person, following=False)), palette.ENGAGED)
    assert bones.colors[:, 3] == pytest.approx(FAINT)
    assert joints.colors[:, 3] == pytest.approx(FAINT)


def test_through_the_robots_eyes_only_the_arms_are_seen(stage: Stage, person: PersonReport) -> None:
    (bones,), (joints,) = in_front(look(stage, person, Viewpoint.FIRST_PERSON), palette.ENGAGED)
    assert joints.transforms[:, :3, 3] == pytest.approx(person.points[4:], abs=SINGLE)
    assert bones.ends[:, 0] == pytest.approx(person.points[[4, 5, 6, 8, 9, 10]], abs=SINGLE)


def test_a_hand_that_lags_has_a_line_to_the_persons_with_the_reason(
    stage: Stage, model: RobotModel, person: PersonReport
) -> None:
    scene = look(stage, person)
    (line,), shapes = in_front(scene, palette.ALARM)
    hand = model.effector_poses(model.q_nominal)[model.effector_of_hand("left") or 0, :3, 3]
    assert shapes == []
    assert line.ends[0] == pytest.approx(np.stack([hand, person.points[7]]), abs=SINGLE)
    assert line.ends[0, 1] - line.ends[0, 0] == pytest.approx(BEYOND, abs=SINGLE)
    assert line.dash > 0.0  # not told by its colour alone
    (label,) = (label for label in scene.labels if label.anchor is Anchor.WORLD and "left elbow torque" in label.text)
    assert label.text == "10 cm\nleft elbow torque"
    assert np.linalg.norm(label.position - person.points[7]) < 0.2  # beside it [m]


def test_what_lags_is_told_on_the_strip_and_in_the_pages_panel(stage: Stage, model: RobotModel, person: PersonReport) -> None:
    (strip,) = (label for label in look(stage, person).labels if label.anchor is Anchor.AHEAD)
    assert "left hand 10 cm behind yours\n(left elbow torque)" in strip.text
    snapshot = make_snapshot(model, person=person)
    assert "left hand stays 10 cm behind yours (left elbow torque)" in describe_status(snapshot, model)
    assert "behind yours" not in describe_status(make_snapshot(model), model)


def test_a_lag_that_nothing_known_causes_is_told_alone(model: RobotModel, person: PersonReport) -> None:
    lag = replace(person.lags[0], limits=())
    snapshot = make_snapshot(model, person=replace(person, lags=(lag,)))
    assert describe_lags(snapshot, model) == ["left hand stays 10 cm behind yours"]


@pytest.mark.parametrize(
    ("distance", "words"),
    [(0.04, "5 cm"), (0.001, "5 cm"), (0.08, "10 cm"), (0.12, "10 cm"), (0.13, "15 cm"), (np.nan, "far")],
)
def test_distances_are_told_in_steps_of_five_centimetres(distance: float, words: str) -> None:
    assert say_distance(distance) == words


def test_the_operators_hands_are_not_asked_for_while_a_person_is_followed(stage: Stage, person: PersonReport) -> None:
    def count_tethers(scene: Scene) -> int:
        return sum(lines.starts_at is Anchor.WORLD for lines in scene.lines)

    assert count_tethers(look(stage, None)) == 2
    assert count_tethers(look(stage, person)) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"points": np.full((12, 3), np.nan)},
        {"points": np.zeros((0, 3)), "bones": np.zeros((0, 2), dtype=int)},
        {"points": np.zeros((12, 2))},
        {"bones": np.array([[0, 12]])},
        {"bones": np.array([[-1, 2]])},
    ],
)
def test_a_person_that_cannot_be_drawn_is_left_out(stage: Stage, person: PersonReport, changes: dict[str, Any]) -> None:
    scene = look(stage, replace(person, **changes))
    for color in (palette.ENGAGED, palette.ALARM):
        assert in_front(scene, color) == ([], [])


def test_a_lag_of_a_hand_that_there_is_not_is_left_out(stage: Stage, person: PersonReport) -> None:
    (lag,) = person.lags
    for broken in (replace(lag, effector=9), replace(lag, point=12), replace(lag, point=-1)):
        assert in_front(look(stage, replace(person, lags=(broken,))), palette.ALARM) == ([], [])


def test_a_person_who_does_not_move_stays_the_same_objects_whatever_the_robot_lacks(
    stage: Stage, model: RobotModel, person: PersonReport
) -> None:
    memory = ElementMemory()

    def draw(snapshot: Snapshot) -> Scene:
        # each comes with arrays of its own, as from the link
        return compose_world(copy.deepcopy(snapshot), Settings(), stage, memory=memory)

    before = make_snapshot(model, person=person)
    lag = replace(person.lags[0], distance=0.17)
    moved = replace(
        with_report(before, person=replace(person, lags=(lag,))), q=move_joints(model, before.q, {"arm_left_4_joint": -0.2})
    )
    first, again, other, nobody = (draw(each) for each in (before, before, moved, with_report(before, person=None)))
    skeletons = [in_front(scene, palette.ENGAGED) for scene in (first, again, other)]
    for lines, solids in skeletons[1:]:
        assert lines[0] is skeletons[0][0][0]
        assert solids[0] is skeletons[0][1][0]
    lines = [in_front(scene, palette.ALARM)[0][0] for scene in (first, again, other)]
    assert lines[1] is lines[0]
    assert lines[2] is not lines[0]
    assert in_front(nobody, palette.ENGAGED) == ([], [])
