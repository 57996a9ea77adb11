"""What the page's own interface is told of the robot, and where its camera stands."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from snapshots import make_snapshot, with_report

import handhold.retarget
from handhold.render.browser.camera import CLEARANCE, SHORT, choose_views
from handhold.render.browser.interface import PAGE_WORDS, Walk, describe, say_on_page
from handhold.render.elements.stage import Stage
from handhold.retarget.mode_report import HandReport, Support
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import known_worlds, load_world

SEEN = 0.9
"""Least share of the robot's joints that the first view sees past all solids: feet may stand behind a low step."""


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.mark.parametrize("world", known_worlds())
def test_the_first_view_stands_behind_the_robot_where_nothing_hides_it(model: RobotModel, world: str) -> None:
    stage = Stage(model, load_world(world))
    view = choose_views(stage)["behind"]
    assert view.position[0] < 0.0
    along = view.target - view.position
    assert np.cross(along, (0.0, 0.0, 1.0))[1] < 0.0  # the picture's right is the robot's right
    joints = stage.compute_joints(model.q_nominal)[1:, :3, 3].astype(float)
    hidden = stage.obstacles.find_between(view.position[None], joints, SHORT)[0].any(axis=1)
    assert 1.0 - hidden.mean() >= SEEN
    assert stage.obstacles.measure_clearance(view.position[None])[0] >= CLEARANCE


def find_words(package: Path) -> list[str]:
    """Return all that the code of a package says, without its docstrings."""
    trees = [ast.parse(file.read_text()) for file in package.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    constants = [node for node in nodes if isinstance(node, ast.Constant) and node not in docstrings]
    return [node.value for node in constants if isinstance(node.value, str)]


def test_a_page_that_drives_is_never_told_that_nobody_is_there(model: RobotModel) -> None:
    messages = ("nobody is there: put the headset on, or open the page", "stopped: click both sticks", "the left hand slips")
    told = describe(make_snapshot(model, messages=messages), walked=0.0, drives=True)
    assert told["messages"] == ["the page that drives does not answer in time: the robot holds", "the left hand slips"]
    assert "nobody" not in json.dumps(told)


def test_a_page_beside_a_headset_says_what_the_host_says(model: RobotModel) -> None:
    messages = ("nobody is there: put the headset on, or open the page", "stopped: click both sticks")
    told = describe(make_snapshot(model, messages=messages), walked=0.0, drives=False)
    assert told["messages"] == list(messages[:1])
    assert say_on_page("let go, then squeeze again", drives=False) == "let go, then squeeze again"


def test_nothing_that_the_host_says_is_of_a_headset_or_a_squeeze_on_a_page_that_drives() -> None:
    words = find_words(Path(handhold.retarget.__file__).parent)
    assert all(any(said in one for one in words) for said in PAGE_WORDS), "the host says it no more"
    advice = [one for one in words if "headset on" in one or "squeeze again" in one or "of the squeeze" in one]
    assert advice
    for one in advice:
        assert not {"headset", "squeeze"} & set(say_on_page(one, drives=True).split()), one
    assert say_on_page("left hand not seen: bring it into view", drives=True) == "left hand not seen: bring it into view"


def test_the_card_of_a_hand_that_bears_has_its_gauges(model: RobotModel) -> None:
    support = Support(normal_force=190.0, desired_force=74.0, max_force=200.0, friction_ratio=0.685, margin_gain=0.013)
    snapshot = make_snapshot(model)
    hands = describe(with_report(snapshot, left=HandReport(support=support)), walked=0.0, drives=True)["hands"]
    assert hands["right"]["support"] is None
    assert hands["left"]["support"] == {
        "gain": "+1.3 cm margin",
        "gauges": [
            {"words": "push 190 of 200 N", "filled": 95, "near": True},
            {"words": "friction 68 %", "filled": 68, "near": False},
        ],
    }
    too_light = describe(
        with_report(snapshot, left=HandReport(support=replace(support, friction_ratio=np.nan))), 0.0, drives=True
    )
    assert [one["words"] for one in too_light["hands"]["left"]["support"]["gauges"]] == ["push 190 of 200 N"]


def test_a_walk_is_measured_from_where_it_began_whichever_way_it_goes() -> None:
    walk = Walk()
    assert walk.measure(np.array([0.06, 0.0]), walks=False) == 0.0
    assert walk.measure(np.array([0.06, 0.0]), walks=True) == 0.0
    # past where the robot was first seen, to the other side of it
    assert walk.measure(np.array([-0.05, 0.0]), walks=True) == pytest.approx(0.1)
    assert walk.measure(np.array([np.nan, 0.0]), walks=True) == 0.0
    assert walk.measure(np.array([-0.05, 0.0]), walks=False) == 0.0
    assert walk.measure(np.array([-0.05, 0.14]), walks=True) == pytest.approx(0.1)
