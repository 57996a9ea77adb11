"""``handhold robot new``: from a URDF of a package to a description that can be run, with what was guessed."""

import json
from pathlib import Path

import numpy as np
import pytest

from handhold.app.main import run
from handhold.robots.model import load_model
from handhold.robots.self_collision import measure_clearance

SHIPPED = "example-robot-data:example-robot-data/robots"
LEVEL = 0.02  # [rad]


@pytest.mark.parametrize(
    ("urdf", "joints", "walks"),
    [("human_description/robots/human.urdf", 36, True), ("romeo_description/urdf/romeo_small.urdf", 31, True)],
)
def test_a_humanoid_that_is_not_shipped_becomes_a_description(tmp_path, capfd, urdf, joints, walks) -> None:
    file = tmp_path / "one.toml"
    assert run(["robot", "new", f"{SHIPPED}/{urdf}", "--output", str(file), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["file"] == str(file)
    assert told["seconds"] > 0.0
    assert told["warnings"]
    model = load_model(str(file))
    assert model.n == joints
    assert (model.description.walking is not None) is walks
    poses = model.effector_poses(model.q_nominal)
    assert np.abs(poses[:2, :2, 2]).max() < LEVEL
    least = measure_clearance(model, model.q_nominal)
    assert least is not None
    assert "#" in file.read_text()
    assert run(["robot", "check", str(file), "--json"]) == 0


def test_a_description_is_not_written_over_another(tmp_path, capfd) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("precious")
    assert run(["robot", "new", f"{SHIPPED}/human_description/robots/human.urdf", "--output", str(file)]) != 0
    assert "--overwrite" in capfd.readouterr().err
    assert file.read_text() == "precious"


@pytest.mark.parametrize(
    ("urdf", "words"),
    [
        ("nowhere.urdf", "there is no file nowhere.urdf"),
        ("no-such-package:a.urdf", "is not installed"),
        (f"{SHIPPED}/anymal_b_simple_description/robots/anymal.urdf", "four legs"),
    ],
)
def test_what_makes_no_humanoid_is_refused_in_one_line(tmp_path, capfd, urdf, words) -> None:
    assert run(["robot", "new", urdf, "--output", str(tmp_path / "one.toml")]) != 0
    told = capfd.readouterr().err.strip()
    assert words in told
    assert "\n" not in told
    assert list(tmp_path.iterdir()) == []


def test_the_robots_are_listed_with_the_descriptions_at_hand(tmp_path, capfd, monkeypatch) -> None:
    (tmp_path / "notes.toml").write_text("title = 'no robot'")
    monkeypatch.chdir(tmp_path)
    assert run(["robot", "list", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)
    assert [row["robot"] for row in listed] == ["anymal", "dual-panda", "g1", "h1", "icub", "talos"]


def test_a_urdf_beside_the_description_is_named_by_its_path(tmp_path) -> None:
    from handhold.robots.proposal.errors import NotProposed
    from handhold.robots.proposal.location import name_urdf

    (tmp_path / "robot").mkdir()
    urdf = tmp_path / "robot" / "a.urdf"
    urdf.write_text("<robot/>")
    assert name_urdf(str(urdf), None, tmp_path)[0].path == "robot/a.urdf"
    assert name_urdf(str(urdf), None, Path("/"))[1] == Path("/")
    source, folder = name_urdf(str(urdf), None, tmp_path / "elsewhere")
    assert (source.path, folder) == ("a.urdf", urdf.parent)
    with pytest.raises(NotProposed, match="beside or above"):
        name_urdf(str(urdf), tmp_path / "elsewhere", tmp_path)
