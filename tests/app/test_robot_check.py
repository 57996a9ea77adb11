"""What ``robot check`` finds in descriptions that can be loaded and are not right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.authoring.robot_check import SeveralFaults, check_robot
from handhold.app.lab.authoring.robot_findings import list_lacks, list_near_pairs
from handhold.app.lab.authoring.robot_picture import draw_robot
from handhold.app.lab.authoring.robot_posture import list_near_limits, list_posture_findings, measure_stretch
from handhold.app.lab.authoring.robot_report import summarize
from handhold.robots.description import SelfCollisions, load_description
from handhold.robots.model import RobotModel, load_model
from handhold.robots.self_collision import Clearance

HOPPER = Path(__file__).resolve().parents[1] / "robots" / "hopper.toml"


def write_hopper(folder: Path, *changes: tuple[str, str], urdf: tuple[str, str] = ("", "")) -> str:
    """Write the hopper, its sole level and not walking, with some of its text changed."""
    text = HOPPER.read_text()
    text = text[: text.index("[walking]")] + text[text.index("[posture]") :]
    for old, new in (("knee = 0.2", "knee = 0.6\nhip = -0.6"), *changes):
        assert old in text
        text = text.replace(old, new)
    (folder / "hopper.urdf").write_text(HOPPER.with_suffix(".urdf").read_text().replace(*urdf))
    file = folder / "hopper.toml"
    file.write_text(text)
    return str(file)


def change_talos(**changes: Any) -> RobotModel:
    """Return a Talos whose description has other values; tables are merged."""
    description = load_description("talos")
    merged = {key: getattr(description, key) | value if isinstance(value, dict) else value for key, value in changes.items()}
    return RobotModel(description.model_copy(update=merged))


def tell(model: RobotModel) -> str:
    """Return all that is to be looked at in a description, a finding a line."""
    return "\n".join(finding.text for finding in (*list_lacks(model), *list_posture_findings(model)))


def test_all_names_that_the_urdf_does_not_have_are_told_at_once(tmp_path: Path) -> None:
    file = write_hopper(
        tmp_path, ('frame = "foot"', 'frame = "fout"'), ("knee = 0.6", "kneee = 0.6"), ('["trunk"]', '["trunck"]')
    )
    with pytest.raises(SeveralFaults) as told:
        check_robot(file)
    text = "\n".join(str(fault) for fault in told.value.faults)
    assert all(name in text for name in ("'fout'", "'trunck'", "posture.kneee"))


def test_what_cannot_be_loaded_and_that_nothing_stands_are_told_together(tmp_path: Path) -> None:
    mesh = ('<box size="0.2 0.2 0.3"/>', '<mesh filename="nowhere.stl"/>')
    check = check_robot(write_hopper(tmp_path, ("standing = true\n", ""), urdf=mesh))
    assert check.exit_code == 1
    assert check.figures == []
    assert any("nowhere.stl" in error for error in check.errors)
    assert any("stands on nothing" in error for error in check.errors)


def test_a_hopper_that_stands_reaches_and_holds_every_figure(tmp_path: Path) -> None:
    check = check_robot(write_hopper(tmp_path))
    assert check.errors == []
    figures = {figure["name"]: figure["value"] for figure in summarize(check)["figures"]}
    assert {"qp_failures", "contact_error", "cone_ratio", "joints_at_limits"} <= figures.keys()
    # Its hand is in the middle of its trunk.
    assert figures["left_hand_height"] == pytest.approx(find_standing_posture(check.model)[2], abs=0.02)
    assert "does not walk" in "\n".join(check.warnings)


def test_a_robot_that_falls_cannot_be_used(tmp_path: Path) -> None:
    # The shank is as long as the whole robot is high: it reaches under the ground and throws the robot up.
    check = check_robot(write_hopper(tmp_path, urdf=('length="0.4"', 'length="2.0"')))
    assert check.exit_code == 1
    assert any("falls" in error for error in check.errors)


def test_an_exemplary_robot_has_nothing_to_look_at() -> None:
    assert tell(load_model("talos")) == ""


def test_straight_knees_are_told_with_their_names() -> None:
    straight = {f"leg_{side}_{joint}_joint": 0.0 for side in ("left", "right") for joint in (3, 4, 5)}
    told = tell(change_talos(posture=straight))
    assert told.count("stretched") == 2
    assert "bend leg_left_4_joint" in told


def test_a_leg_is_stretched_as_far_as_its_knee_allows() -> None:
    assert measure_stretch(change_talos(posture={"leg_left_4_joint": 0.0}), 0)[0] == pytest.approx(1.0, abs=1e-3)
    assert measure_stretch(change_talos(posture={"leg_left_4_joint": 1.0}), 0)[0] == pytest.approx(np.cos(0.5), abs=0.02)


def test_soles_that_are_tilted_or_not_at_one_height_are_told() -> None:
    posture = load_description("talos").posture
    told = tell(change_talos(posture={"leg_left_4_joint": posture["leg_left_4_joint"] + 0.3}))
    assert "left_foot is tilted by 17.2 deg" in told
    assert "right_foot is tilted" not in told
    assert "mm above right_foot" in told


def test_legs_with_five_joints_fingers_that_move_and_an_unknown_licence_are_told() -> None:
    ankles = {f"leg_{side}_6_joint": 0.0 for side in ("left", "right")}
    posture = {name: value for name, value in load_description("talos").posture.items() if name not in ankles}
    description = load_description("talos").model_copy(
        update={"locked_joints": ankles, "posture": posture, "license": "NOASSERTION", "cameras": (), "walking": None}
    )
    told = tell(RobotModel(description))
    assert "left_foot, right_foot on legs of 5 joints" in told
    assert "gripper_left_joint, gripper_right_joint" in told
    for lack in ("licence is not known", "no camera", "it does not walk; that takes"):
        assert lack in told


def test_a_robot_that_could_walk_is_told_that_it_has_no_table() -> None:
    assert tell(change_talos(walking=None)) == "it does not walk; give it a [walking] table"


def test_a_robot_without_hands_is_told_that_it_cannot_reach() -> None:
    feet = tuple(effector for effector in load_description("talos").effectors if effector.is_foot)
    assert "no hand" in tell(change_talos(effectors=feet, grippers=(), self_collision=SelfCollisions()))


def test_joints_near_a_limit_come_with_the_nearest_first() -> None:
    model = load_model("talos")
    positions = 0.5 * (model.lower + model.upper)
    span = model.upper - model.lower
    positions[3], positions[5] = model.upper[3] - 0.01 * span[3], model.lower[5] + 0.001 * span[5]
    assert list_near_limits(model, positions[None], 0.02) == [model.joint_names[5], model.joint_names[3]]


def test_pairs_below_the_least_distance_are_errors_and_those_nearly_there_warnings() -> None:
    model = load_model("talos")
    least = model.description.self_collision.least_distance
    pairs = [Clearance(bodies=("arm", other), distance=least + more) for other, more in (("a", 0.0), ("b", 5e-3), ("c", 0.05))]
    assert [(f.error, f.text[:10]) for f in list_near_pairs(model, pairs)] == [(True, "arm near a"), (False, "arm near b")]


def test_a_picture_is_drawn_of_a_robot_with_few_shapes(tmp_path: Path) -> None:
    picture = tmp_path / "pictures" / "hopper.png"
    draw_robot(load_model(write_hopper(tmp_path, ("knee = 0.6", "knee = 0.0"))), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
