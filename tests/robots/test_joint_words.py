"""What people call a robot's joints and limits: words of the body, for every robot without any work."""

from __future__ import annotations

import pytest

from handhold.robots.description import load_description
from handhold.robots.errors import DescriptionError
from handhold.robots.limit_words import describe_limit, spell_limit
from handhold.robots.model import RobotModel, load_model

SIDES = ("left", "right")
BODY = {"waist", *(f"{side} {part}" for side in SIDES for part in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist"))}
FOUR_LEGS = {f"{side} {end} {part}" for side in SIDES for end in ("front", "hind") for part in ("hip", "knee")}


@pytest.mark.parametrize(
    ("robot", "words"),
    [("talos", BODY | {"neck"}), ("g1", BODY), ("icub", BODY), ("anymal", FOUR_LEGS | {"shoulder", "elbow", "wrist"})],
)
def test_every_robot_has_words_for_all_its_joints_without_a_line_in_its_file(robot: str, words: set[str]) -> None:
    assert not load_description(robot).joint_words
    model = load_model(robot)
    assert len(model.joint_words) == model.n
    assert set(model.joint_words) == words
    for name, said in zip(model.joint_names, model.joint_words, strict=True):
        for side in SIDES:
            assert (side in name) <= (side in said), name


def test_a_joint_that_its_name_tells_nothing_of_is_called_by_its_place_in_the_limb() -> None:
    model = load_model("talos")
    words = dict(zip(model.joint_names, model.joint_words, strict=True))
    leg = [words[f"leg_right_{number}_joint"] for number in range(1, 7)]
    assert leg == ["right hip"] * 3 + ["right knee"] + ["right ankle"] * 2
    arm = [words[f"arm_left_{number}_joint"] for number in range(1, 8)]
    assert arm == ["left shoulder"] * 3 + ["left elbow"] + ["left wrist"] * 3


def test_a_description_may_say_it_otherwise_of_joints_that_there_are() -> None:
    described = load_description("talos")
    changed = RobotModel(described.model_copy(update={"joint_words": {"torso_2_joint": "lower back"}}))
    assert changed.joint_words[changed.joint_names.index("torso_2_joint")] == "lower back"
    assert changed.joint_words[changed.joint_names.index("torso_1_joint")] == "waist"
    with pytest.raises(DescriptionError, match="joint_words"):
        RobotModel(described.model_copy(update={"joint_words": {"torso_3_joint": "chest"}}))


@pytest.mark.parametrize(
    ("name", "spelt", "told"),
    [
        ("torso_1_joint motion", "waist motion", "waist at its limit"),
        ("arm_left_4_joint torque", "left elbow torque", "left elbow at its torque limit"),
        ("left_hand friction", "left hand friction", "left hand at its friction limit"),
        ("left_hand normal force", "left hand normal force", "left hand at its normal force limit"),
        ("right_foot over the ground", "right foot over the ground", "right foot as low as it may be"),
        ("left_arm near left_leg", "left arm near left leg", "left arm as near left leg as it may be"),
        ("balance", "balance", "balance at its limit"),
    ],
)
def test_limits_are_told_in_the_same_words(name: str, spelt: str, told: str) -> None:
    model = load_model("talos")
    assert spell_limit(model, name) == spelt
    assert describe_limit(model, name) == told
