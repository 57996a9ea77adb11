"""A humanoid of an MJCF: proposed, checked, and refused in words where it cannot be."""

import numpy as np
import pytest
from biped import write_biped

from handhold.app.lab.authoring.robot_check import check_robot
from handhold.app.lab.authoring.robot_picture import NotDrawn, check_picture_file
from handhold.app.lab.authoring.robot_proposal import NotWritten, write_proposal
from handhold.robots.errors import DescriptionError, RobotError
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world


def save(folder, name="biped.xml", **masses):
    file = folder / name
    file.write_text(write_biped(**masses), encoding="utf-8")
    return file


@pytest.fixture
def described(tmp_path):
    return write_proposal(str(save(tmp_path)), tmp_path / "biped.toml").file


def test_what_is_proposed_of_an_mjcf_can_be_checked(described):
    assert check_robot(str(described)).exit_code == 0


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_its_root_joint_may_have_any_name(described, engine):
    model = load_model(str(described))
    body = make_robot(engine, model, load_world("flat"))
    try:
        np.testing.assert_allclose(body.reset(model.q_nominal).q, model.q_nominal, atol=1e-6)
    finally:
        body.close()


def test_it_is_told_by_its_root_element(tmp_path):
    assert write_proposal(str(save(tmp_path, "biped.mjcf")), tmp_path / "biped.toml").file.is_file()


@pytest.mark.parametrize(("leg", "arm"), [(4.5, 3.5), (1.5, 3.5)])
def test_legs_are_legs_whatever_the_arms_weigh(tmp_path, leg, arm):
    written = write_proposal(str(save(tmp_path, leg=leg, arm=arm)), tmp_path / "biped.toml")
    model = load_model(str(written.file))
    feet = [effector for effector in model.effectors if effector.standing]
    assert [effector.frame for effector in feet] == ["left_foot_link", "right_foot_link"]


@pytest.mark.parametrize("output", ["biped.xml", "plain", "folder.toml"])
def test_nothing_but_a_description_is_written_over(tmp_path, output):
    file = save(tmp_path)
    (tmp_path / "folder.toml").mkdir()
    before = file.read_bytes()
    with pytest.raises(NotWritten, match="--output"):
        write_proposal(str(file), tmp_path / output, overwrite=True)
    assert file.read_bytes() == before
    assert sorted(child.name for child in tmp_path.iterdir()) == ["biped.xml", "folder.toml"]


def test_a_refused_file_leaves_no_folder_behind(tmp_path):
    with pytest.raises(RobotError, match="nothere"):
        write_proposal("example-robot-data:example-robot-data/nothere.urdf", tmp_path / "new" / "deep" / "bad.toml")
    assert not (tmp_path / "new").exists()


def test_a_joint_whose_limits_are_swapped_is_named(tmp_path):
    file = tmp_path / "biped.xml"
    file.write_text(
        write_biped().replace('name="left_knee" axis="0 1 0" range="0 2.3"', 'name="left_knee" axis="0 1 0" range="2.3 0"')
    )
    with pytest.raises(DescriptionError, match="left_knee"):
        write_proposal(str(file), tmp_path / "biped.toml")


@pytest.mark.parametrize("name", ["robot.foo", "folder.png"])
def test_a_picture_has_a_name_that_can_be_written(tmp_path, name):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(NotDrawn, match=r"\.png"):
        check_picture_file(tmp_path / name)
