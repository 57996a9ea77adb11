"""``handhold motion``: from key postures to a motion that is checked and played, and every mistake is one line."""

import json
from pathlib import Path

import pytest

from handhold.app.main import run

KEYS = """
name = "nod"
title = "Nod"
robot = "talos"
[[keys]]
time = 0.0
bear = ["left_foot", "right_foot"]
[[keys]]
time = 1.0
joints = { head_1_joint = 0.3 }
[[keys]]
time = 2.0
"""


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    file = tmp_path / "nod.toml"
    file.write_text(KEYS)
    return file


def say(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(["motion", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_motion_is_made_checked_and_written(capsys, keys, tmp_path):
    output = tmp_path / "nod.npz"
    code, out, _ = say(capsys, "optimise", str(keys), "--output", str(output))
    assert code == 0
    assert "nod: PAL Talos can do it, 2.0 s" in out
    assert output.is_file()
    code, out, _ = say(capsys, "check", str(output), "--json")
    assert code == 0
    assert json.loads(out) == {"name": "nod", "robot": "talos", "duration_s": 2.0, "violations": []}


def test_a_shipped_motion_is_made_for_another_robot_by_its_name(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = say(capsys, "optimise", "stand-up", "--robot", "icub")
    assert code == 0
    assert "stand-up: IIT iCub can do it, 2.4 s" in out
    code, out, _ = say(capsys, "check", "stand-up-icub.npz", "--robot", "icub", "--json")
    assert code == 0
    assert json.loads(out)["violations"] == []


def test_a_motion_that_fails_its_check_is_told_and_not_written(capsys, keys, tmp_path):
    keys.write_text(KEYS.replace("time = 1.0", "time = 0.2"))
    output = tmp_path / "nod.npz"
    code, out, _ = say(capsys, "optimise", str(keys), "--output", str(output))
    assert code == 1
    assert "nod at 0.10 s: head_1_joint moves at" in out
    assert not output.exists()


def test_mistakes_are_one_line_with_the_mend(capsys, keys, tmp_path):
    for words, told in (
        (("check", "fly"), "no such motion of talos; take one of feet-apart"),
        (("check", "wave", "--robot", "anymal"), "no such motion of anymal; give the path"),
        (("play", str(tmp_path / "none.npz")), "check the path"),
        (("optimise", str(keys), "--output", str(tmp_path / "nod.txt")), "end it in .npz"),
        (("optimise", str(keys), "--output", str(tmp_path / "nod.npz"), "--robot", "g1"), "tell g1 nothing"),
        (("optimise", "fly"), "no such key postures; take one of feet-apart"),
        (("optimise", str(tmp_path / "none.toml"), "--output", str(tmp_path / "nod.npz")), "check the path"),
        (("play", "stand-up", "--standing"), "bring it within 0.35 rad first"),
    ):
        code, _, err = say(capsys, *words)
        assert code not in (0, 1), words
        assert err.startswith("handhold: ")
        assert told in err
        assert err.count("\n") == 1


@pytest.mark.parametrize("robot", ["talos", "g1", "icub"])
def test_the_shipped_motions_are_listed(capsys, robot):
    code, out, _ = say(capsys, "list", "--robot", robot)
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "feet-apart",
        "feet-together",
        "squat",
        "stand-up",
        "step-up",
        "wave",
    ]


def test_a_robot_without_motions_is_told_so(capsys):
    code, out, _ = say(capsys, "list", "--robot", "anymal")
    assert code == 0
    assert out.startswith("no motions are shipped for anymal")
