import json
import subprocess
import sys
from pathlib import Path

import pytest

from handhold.robots.description import known_robots, load_description

ANSWER_TIMEOUT = 600.0  # [s]: only what hangs takes so long
HANDHOLD = Path(sys.executable).parent / "handhold"


def handhold(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([HANDHOLD, *words], capture_output=True, text=True, timeout=ANSWER_TIMEOUT, check=False)


def assert_one_clear_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode not in (0, 1)
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def talos(tmp_path: Path) -> Path:
    """A copy of the shipped description of Talos, to be spoilt."""
    file = tmp_path / "mine.toml"
    file.write_text(Path(load_description("talos").source).read_text())
    return file


@pytest.mark.parametrize("robot", known_robots())
def test_shipped_robots_pass_the_check(robot: str) -> None:
    done = handhold("robot", "check", robot, "--json")
    assert done.returncode == 0
    summary = json.loads(done.stdout)
    assert summary["name"] == robot
    assert len(summary["effectors"]) >= 3
    assert summary["errors"] == []
    assert all(figure["holds"] for figure in summary["figures"])


def test_a_check_tells_people_what_to_look_at_and_draws_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "anymal.png"
    done = handhold("robot", "check", "anymal", "--picture", str(picture))
    assert done.returncode == 0
    assert "no camera" in done.stdout
    assert "can be used" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_unknown_robot_is_told_in_one_line_with_the_known_ones() -> None:
    assert_one_clear_line(handhold("robot", "check", "nobody"), "nobody", "talos", "g1")


def test_a_file_that_is_not_there_is_told_in_one_line() -> None:
    assert_one_clear_line(handhold("robot", "check", "nowhere/robot.toml"), "nowhere/robot.toml")


def test_a_wrong_key_is_told_in_one_line_with_file_and_key(talos: Path) -> None:
    talos.write_text(talos.read_text().replace("\n[[effectors]]", "\n[[effectors]]\nfrictoin = 0.5", 1))
    assert_one_clear_line(handhold("robot", "check", str(talos)), str(talos), "frictoin", "friction")


def test_toml_that_is_none_is_told_in_one_line(talos: Path) -> None:
    talos.write_text("name = = 3")
    assert_one_clear_line(handhold("robot", "check", str(talos)), str(talos), "not valid TOML")


def test_a_frame_the_urdf_does_not_have_is_told_in_one_line_with_near_names(talos: Path) -> None:
    talos.write_text(talos.read_text().replace('"left_sole_link"', '"left_soul_link"'))
    assert_one_clear_line(handhold("robot", "check", str(talos)), "left_soul_link", "left_sole_link")


def test_debug_shows_the_traceback() -> None:
    done = handhold("robot", "check", "nobody", "--debug")
    assert done.returncode != 0
    assert "Traceback" in done.stderr


@pytest.mark.parametrize("words", [["nonsense"], ["robot", "nonsense"], ["doctor", "--nonsense"], ["robot", "check"]])
def test_wrong_usage_is_told_without_a_traceback(words: list[str]) -> None:
    done = handhold(*words)
    assert done.returncode == 2
    assert "Usage" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["far-reach", "--imperfect", "1"], "take one of 0, 2, 3"),
        (["retrievals", "--ablation", "--imperfect", "2"], "leave --imperfect"),
        (["retrievals", "--impulses", "--payload", "5"], "leave --imperfect, --payload, --sensors and --body out"),
    ],
)
def test_imperfections_that_there_are_not_are_told_in_one_line(words: list[str], told: str) -> None:
    assert_one_clear_line(handhold("scenario", *words), told)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(option: str) -> None:
    from handhold.app.main import COMMANDS

    shown = handhold(option)
    assert shown.returncode == 0
    for command in COMMANDS:
        assert command.name in shown.stdout
        assert handhold(command.name, option).returncode == 0


def test_the_doctor_answers_with_one_object() -> None:
    done = handhold("doctor", "--json", "--port", "0")
    report = json.loads(done.stdout)
    assert report["usable"] is (done.returncode == 0)
    for finding in report["findings"]:
        assert finding["state"] in ("ok", "optional", "missing")
        assert finding["state"] != "missing" or finding["mend"]
