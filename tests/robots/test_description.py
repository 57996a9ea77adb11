"""Robot descriptions: one TOML file adds a robot, and every mistake in one is named with its mend."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from handhold.robots.description import load_description
from handhold.robots.errors import DescriptionError, FrameNotFound, RobotError
from handhold.robots.model import load_model

URDF = """<robot name="hopper">
  <link name="trunk"><inertial><mass value="10"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="revolute"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="5"/></joint>
  <link name="leg"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="knee" type="revolute"><parent link="leg"/><child link="foot"/><origin xyz="0 0 -0.5"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="2" effort="80" velocity="5"/></joint>
  <link name="foot"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""
HAND = """
[[effectors]]
name = "hand"
frame = "leg"
contact = "point"
max_normal_force = 50.0
hand = "left"
"""

GRIPPER = """
[[grippers]]
hand = "hand"
frame = "leg"
joint = "drive"
open = 0.0
closed = 1.0
effort = 40.0

[[grippers.fingers]]
links = ["leg"]
travel = [0.0, 0.04, 0.0]

"""

DESCRIPTION = """
name = "hopper"
title = "A hopper"
license = "Apache-2.0"

[urdf]
path = "hopper.urdf"

[[effectors]]
name = "foot"
frame = "foot"
offset.translation = [0.0, 0.0, -0.1]
contact = "plane"
half_lengths = [0.1, 0.05]
max_normal_force = 500.0
standing = true

[posture]
knee = 0.0
"""


def write(folder: Path, description: str = DESCRIPTION, urdf: str = URDF) -> str:
    (folder / "hopper.urdf").write_text(urdf, encoding="utf-8")
    file = folder / "hopper.toml"
    file.write_text(description, encoding="utf-8")
    return str(file)


def test_a_robot_is_added_by_one_file(tmp_path: Path) -> None:
    model = load_model(write(tmp_path))
    assert model.joint_names == ("hip", "knee")
    assert model.mass == pytest.approx(13.0)
    # The sole hangs 0.6 m below the trunk and stands on the ground.
    assert model.q_nominal[2] == pytest.approx(0.6)


def test_the_example_in_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots" / "README.md").read_text(encoding="utf-8")
    description = load_description(write(tmp_path, page.split("```toml")[1].split("```")[0]))
    assert [effector.name for effector in description.effectors] == ["left_foot", "left_hand"]


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (("half_lengths =", "half_lenghts ="), "effectors.0.half_lenghts", "did you mean 'half_lengths'"),
        (('title = "A hopper"', 'titel = "A hopper"'), "titel", "did you mean 'title'"),
        (("[posture]", "[batteries]\nfirst = 1\n[posture]"), "batteries", "the keys here are: name, title"),
        (('path = "hopper.urdf"', ""), "urdf.path", "missing"),
        (('license = "Apache-2.0"', ""), "license", "missing"),
        (("max_normal_force = 500.0", 'max_normal_force = "much"'), "effectors.0.max_normal_force", "number"),
        (("max_normal_force = 500.0", "max_normal_force = -1.0"), "effectors.0.max_normal_force", "greater than 0"),
        (('contact = "plane"', 'contact = "edge"'), "effectors.0.contact", "'plane', 'point' or 'fixed'"),
        (('contact = "plane"', 'contact = "point"'), "effectors.0", "half_lengths"),
        (("[0.1, 0.05]", "[0.1]"), "effectors.0.half_lengths.1", "missing"),
        (("standing = true", 'standing = true\nhand = "left"'), "effectors.0", "leave out hand, or standing"),
        (("standing = true", "standing = true\ncompliant = true"), "effectors.0", "people lead hands"),
        (("knee = 0.0", "knee = nan"), "posture.knee", "finite"),
        (("knee = 0.0", "[scales]\ntorque = 1.5"), "scales.torque", "less than or equal to 1"),
        (("knee = 0.0", "kneee = 0.0"), "posture.kneee", "did you mean one of: knee"),
        (("knee = 0.0", "knee = -0.3"), "posture.knee", "choose between 0.000 and 2.000"),
        (("knee = 0.0", "[locked_joints]\nhipp = 0.0"), "locked_joints.hipp", "did you mean one of: hip"),
        (("knee = 0.0", "[torque_limits]\nankle = 1.0"), "torque_limits.ankle", "did you mean one of"),
        (("knee = 0.0", "[velocity_limits]\nankle = 1.0"), "velocity_limits.ankle", "did you mean one of"),
        (("hopper.urdf", "jumper.urdf"), "urdf.path", "there is no file"),
        (('"hopper.urdf"', '"/etc/hostname"'), "urdf.path", "leaves the folder of hopper.toml; give a path beside or below"),
        (('"hopper.urdf"', '"../hopper.urdf"'), "urdf.path", "leaves the folder of hopper.toml"),
        (('"hopper.urdf"', '"linked/hostname"'), "urdf.path", "leaves the folder of hopper.toml"),
        (('"hopper.urdf"', '"linked"'), "urdf.path", "leaves the folder of hopper.toml"),
        (('"hopper.urdf"', '"."'), "urdf.path", "Is a directory; give the path"),
        (('"hopper.urdf"', '"../a.urdf"\npackage = "example-robot-data"'), "urdf.path", "leaves the files of example"),
        (("knee = 0.0", "knee = 1e308"), "posture.knee", "1e+308 is larger than anything here can be"),
        (("knee = 0.0", f"knee = {'9' * 400}"), "posture.knee", "the number is larger than anything here can be"),
        (("knee = 0.0", "[walking]\nsingle_support = 1e308"), "walking.single_support", "1e+308 is larger"),
        (("knee = 0.0", "[walking]\nsingle_support = 1e5"), "walking.single_support", "less than or equal to 10"),
        (("knee = 0.0", "[torque_limits]\nknee = 1e-300"), "torque_limits.knee", "must be 1e-06 or more"),
        (('"A hopper"', f'"{"a" * 2000}"'), "title", "a text of 2000 characters is too long"),
        (('"A hopper"', '"A\\u0000"'), "title", "a control character"),
        (('name = "hopper"', 'name = "../hopper"'), "name", "match pattern"),
        (("[posture]", f"{HAND}{GRIPPER.replace('40.0', '0.0')}[posture]"), "grippers.0.effort", "greater than 0"),
        (
            ('path = "hopper.urdf"', 'path = "a.urdf"\npackage = "no-such-robots"'),
            "urdf.package",
            "pip install --no-deps no-such-robots",
        ),
    ],
)
def test_a_mistake_names_the_file_the_key_and_the_mend(tmp_path: Path, change: tuple[str, str], key: str, words: str) -> None:
    file = write(tmp_path, DESCRIPTION.replace(*change))
    (tmp_path / "linked").symlink_to("/etc")
    with pytest.raises(DescriptionError) as caught:
        load_model(file)
    assert caught.value.source == file
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{file}: {key}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        (GRIPPER, "a gripper is at 'hand': take one of the hands (there are none)"),
        (HAND + GRIPPER + GRIPPER, "a hand has one gripper, not several"),
    ],
)
def test_grippers_are_at_hands_and_one_at_each(tmp_path: Path, tables: str, words: str) -> None:
    file = write(tmp_path, DESCRIPTION.replace("[posture]", f"{tables}[posture]"))
    with pytest.raises(DescriptionError, match=re.escape(words)):
        load_model(file)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (('frame = "foot"', 'frame = "foott"'), "effectors.0.frame"),
        (("[posture]", '[[cameras]]\nname = "head"\nframe = "foott"\n[posture]'), "cameras.0.frame"),
        (('name = "hopper"', 'name = "hopper"\ntrunk = ["foott"]'), "trunk"),
        (("[posture]", f"{HAND}{GRIPPER.replace('leg', 'foott')}[posture]"), "grippers.0"),
    ],
)
def test_a_frame_that_is_missing_names_the_key_and_near_frames(tmp_path: Path, change: tuple[str, str], key: str) -> None:
    file = write(tmp_path, DESCRIPTION.replace(*change, 1))
    with pytest.raises(FrameNotFound) as caught:
        load_model(file)
    assert str(caught.value).startswith(f"{file}: {key}: no frame 'foott'")
    assert "foot" in caught.value.known


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (('effort="80"', 'effort="0"'), "torque_limits.knee", "give one here"),
        (
            ('velocity="5"/></joint>\n  <link name="leg">', 'velocity="0"/></joint>\n  <link name="leg">'),
            "velocity_limits.hip",
            "give one",
        ),
        (('name="knee" type="revolute"', 'name="knee" type="continuous"'), "locked_joints.knee", "lock it here"),
        (("<robot", "<robbot"), "urdf.path", "cannot read"),
        (('mass value="10"', 'mass value="ten"'), "urdf.path", "mass [ten] is not a float"),
        (('mass value="10"', 'mass value="-10"'), "urdf.path", "is none (-10 kg)"),
        (('mass value="10"', 'mass value="1e308"'), "urdf.path", "is none (1e+308 kg)"),
        (("0 0 -0.5", "0 0 -1e308"), "urdf.path", "further than 1000 m"),
        (('parent link="leg"', 'parent link="lag"'), "urdf.path", "parent link [lag] of joint [knee] not found"),
    ],
)
def test_a_urdf_that_cannot_be_used_names_the_key_that_mends_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], change: tuple[str, str], key: str, words: str
) -> None:
    file = write(tmp_path, urdf=URDF.replace(*change))
    with pytest.raises(DescriptionError) as caught:
        load_model(file)
    assert capfd.readouterr().err == ""
    assert caught.value.key == key
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_effectors_of_one_name_or_one_hand_are_refused(tmp_path: Path) -> None:
    effector = DESCRIPTION[DESCRIPTION.index("[[effectors]]") : DESCRIPTION.index("[posture]")]
    with pytest.raises(DescriptionError, match="different names"):
        load_description(write(tmp_path, DESCRIPTION + effector))
    with_hand = effector.replace("standing = true", 'hand = "left"')
    two = with_hand + with_hand.replace('name = "foot"', 'name = "other"')
    with pytest.raises(DescriptionError, match="moves one effector"):
        load_description(write(tmp_path, DESCRIPTION.replace(effector, two)))


POINT = '[[touch_points]]\nname = "{name}"\nframe = "{frame}"\n'


def test_touch_points_are_named_apart_and_each_by_a_joint_of_its_own(tmp_path: Path) -> None:
    described = load_description(write(tmp_path, DESCRIPTION))
    foot = described.effectors[0]
    with pytest.raises(DescriptionError, match="touch_points need different names"):
        load_description(write(tmp_path, DESCRIPTION + POINT.format(name=foot.name, frame=foot.frame)))
    with pytest.raises(DescriptionError, match=r"foot and shin are both carried by knee; keep one of them"):
        load_model(write(tmp_path, DESCRIPTION + POINT.format(name="shin", frame=foot.frame)))
    with pytest.raises(FrameNotFound, match=r"touch_points.0.frame"):
        load_model(write(tmp_path, DESCRIPTION + POINT.format(name="chest", frame="nowhere")))


def test_margins_that_leave_nothing_of_a_sole_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"margins of 0.05 m leave nothing of the sole of foot; keep them below"):
        load_description(write(tmp_path, DESCRIPTION + "[margins]\nreference = 0.05\n"))


def test_two_effectors_on_one_joint_are_refused(tmp_path: Path) -> None:
    effector = DESCRIPTION[DESCRIPTION.index("[[effectors]]") : DESCRIPTION.index("[posture]")]
    with pytest.raises(DescriptionError, match="foot and heel are both carried by knee; keep one of them"):
        load_model(write(tmp_path, DESCRIPTION.replace(effector, effector + effector.replace('"foot"', '"heel"', 1))))


def test_an_unknown_robot_names_those_there_are() -> None:
    with pytest.raises(DescriptionError, match=r"anymal, dual-panda, g1, h1, icub, talos.*\.toml"):
        load_description("robbie")


def test_a_missing_file_and_a_broken_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="No such file"):
        load_description(str(tmp_path / "none.toml"))
    with pytest.raises(DescriptionError, match=r"not valid TOML.*line 1"):
        load_description(write(tmp_path, "name = hopper\n"))


def test_a_mesh_that_is_missing_is_named(tmp_path: Path) -> None:
    mesh = '<collision><geometry><mesh filename="package://hopper/none.stl"/></geometry></collision>'
    model = load_model(write(tmp_path, urdf=URDF.replace('<link name="foot">', f'<link name="foot">{mesh}')))
    with pytest.raises(DescriptionError, match=r"urdf.package_root: .*none\.stl could not be found"):
        _ = model.collisions


def test_a_file_that_is_too_much_for_a_description_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "hopper.toml"
    for content, words in (
        ("a = " + "[" * 5000 + "]" * 5000, "nested more than"),
        ("a = " + "[" * 20 + "]" * 20, "nested more than"),
        (".".join("a" * 100_000) + " = 1", "a key of more than"),
        ("a = " + "9" * 5000, "thousands of digits"),
        ("# " + "a" * 400_000, "larger than"),
    ):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(DescriptionError, match=words):
            load_description(str(file))
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(DescriptionError, match="not a regular file"):
        load_description(str(file))


def test_all_these_are_errors_of_one_family() -> None:
    assert issubclass(DescriptionError, RobotError)
    assert issubclass(FrameNotFound, RobotError)
