"""``handhold identify`` on a robot that stands in: what it finds, whom it asks, and what it writes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from handhold.app.identify.bodies import STAND_IN, BodyChoice, reach_body
from handhold.app.identify.consent import Answer, Consenting, Operator, Terminal
from handhold.app.identify.drives_text import CannotWriteDrives, check_output, replace_drives, write_drives
from handhold.app.identify.program import move_joints
from handhold.app.lab.benches.identify import MAX_ERROR, find_on_stand_in, measure_errors, to_figures
from handhold.app.main import run
from handhold.robots.description import load_description
from handhold.robots.drives import Drives
from handhold.robots.errors import DescriptionError
from handhold.robots.model import RobotModel, load_model
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.stand_in_motors import MotorFlaws

TRIED = ("left_knee_joint", "right_elbow_joint", "left_wrist_yaw_joint")
DRIVES = Drives(delay=0.002, bandwidth=60.0, friction={"left_knee_joint": 1.4}, rotor_inertia={"left_knee_joint": 0.07})


@pytest.mark.parametrize(
    "flaws", [MotorFlaws(), MotorFlaws(delay=4e-3, bandwidth=30.0, friction=0.02, rotor_inertia=1e-3)], ids=["usual", "slow"]
)
def test_friction_and_delay_are_found_whatever_they_are(flaws: MotorFlaws) -> None:
    model = load_model("g1")
    found = find_on_stand_in(model, [model.joint_names.index(name) for name in TRIED], flaws)
    figures = {figure.name: figure for figure in to_figures(measure_errors(model, found, flaws), "")}
    assert figures["friction_error"].holds
    assert figures["delay_error"].holds
    assert figures["bandwidth_error"].keeps(MAX_ERROR)
    assert [each.joint for each in found] == list(TRIED)


def test_what_it_finds_is_written_into_a_copy_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    words = ["identify", "--body", "stand-in", "--joints", "left_wrist_yaw_joint", "--motors", "4,0.0", "--yes", "--json"]
    assert run([*words, "--output", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    drives = load_description(str(file)).drives
    assert drives is not None
    assert drives.delay == pytest.approx(4e-3, rel=0.2)
    assert drives.friction["left_wrist_yaw_joint"] == pytest.approx(0.05, rel=0.2)
    assert told["joints"]["left_wrist_yaw_joint"]["friction_nm"] == pytest.approx(
        drives.friction["left_wrist_yaw_joint"], rel=1e-3
    )
    assert list(tmp_path.iterdir()) == [file]
    original = Path(load_description("g1").source).read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8").startswith(original.rstrip())


class Says:
    """Somebody who answers each question with the next of some answers, after having thought."""

    def __init__(self, *answers: Answer) -> None:
        self._answers, self.questions, self._thinking = list(answers), [], 0

    def ask(self, question: str) -> None:
        self.questions.append(question)
        self._thinking = 50

    def poll(self) -> Answer | None:
        self._thinking -= 1
        return None if self._thinking > 0 else self._answers.pop(0)


def test_each_joint_is_asked_for_and_only_what_is_consented_to_moves() -> None:
    model, operator = load_model("g1"), Says(Answer.SKIP, Answer.YES, Answer.STOP)
    with reach_body(model, BodyChoice(name=STAND_IN)) as robot:
        robot.hold()
        joints = [model.joint_names.index(name) for name in TRIED]
        records = move_joints(robot, joints, operator, print, np.random.default_rng(0))
    assert list(records) == [joints[1]]
    assert len(operator.questions) == 3
    assert TRIED[0] in operator.questions[0]
    assert robot.command is None, "it is damped in the end"


def drive_until_interrupted(model: RobotModel, operator: Operator, reached: list[HeldRobot]) -> None:
    with reach_body(model, BodyChoice(name=STAND_IN)) as robot:
        reached.append(robot)
        robot.hold()
        move_joints(robot, [0], operator, print, np.random.default_rng(0))


def test_whoever_interrupts_it_damps_the_robot() -> None:
    class Interrupts(Consenting):
        def poll(self) -> Answer | None:
            raise KeyboardInterrupt

    model, reached = load_model("g1"), []
    with pytest.raises(KeyboardInterrupt):
        drive_until_interrupted(model, Interrupts(print), reached)
    (robot,) = reached
    assert robot.command is None


def test_a_person_at_a_terminal_is_heard_once_a_line_is_whole_and_who_leaves_stops() -> None:
    reading, writing = os.pipe()
    said: list[str] = []
    terminal = Terminal(reading, said.append)
    os.write(writing, b"stop\n")
    terminal.ask("may it move?")
    assert terminal.poll() is None, "what was typed before the question is no answer"
    os.write(writing, b"perhaps\ny")
    assert terminal.poll() is None
    os.write(writing, b"es\n")
    assert terminal.poll() is Answer.YES
    os.close(writing)
    assert terminal.poll() is Answer.STOP
    os.close(reading)
    assert "may it move?" in said[0]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--joints", "left_elbo_joint"], "left_elbow_joint"),
        (["--body", "simulated"], "unitree, stand-in"),
        (["--json"], "--yes"),
        (["--motors", "x"], "4,0.3"),
        (["--output", "mine.txt"], ".toml"),
        (["--body", "unitree", "--motors", "4,0.3", "--yes"], "leave --motors out"),
    ],
)
def test_what_it_cannot_do_is_one_line(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["identify", "--body", "stand-in", "--output", "mine.toml", *words]) != 0
    error = capsys.readouterr().err
    assert problem in error
    assert error.count("\n") == 1
    assert not Path("mine.toml").exists()


def test_drives_are_put_in_place_of_those_before_and_all_else_is_kept() -> None:
    text = 'name = "a" # mine\n\n[drives]\ndelay = 0.1\n[drives.friction]\nx = 1.0\n\n[posture] # kept\nx = 0.2\n'
    once = replace_drives(text, DRIVES)
    assert "delay = 0.1" not in once
    assert "[posture] # kept\nx = 0.2\n" in once
    assert once.startswith('name = "a" # mine\n')
    assert replace_drives(once, DRIVES) == once


def test_drives_that_stand_elsewhere_in_a_file_are_not_overwritten(tmp_path: Path) -> None:
    source = Path(load_description("g1").source).read_text(encoding="utf-8")
    file = tmp_path / "dotted.toml"
    file.write_text("drives.delay = 0.001\n" + source, encoding="utf-8")
    with pytest.raises(CannotWriteDrives, match="take them out"):
        write_drives(load_description(str(file)), DRIVES, tmp_path / "copy.toml")
    assert not (tmp_path / "copy.toml").exists()


def test_a_copy_that_would_not_find_its_urdf_is_refused_before_anything_moves(tmp_path: Path) -> None:
    description = load_description("g1")
    beside = description.model_copy(update={"urdf": description.urdf.model_copy(update={"package": ""})})
    with pytest.raises(CannotWriteDrives, match="beside"):
        check_output(beside, tmp_path / "copy.toml")


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ("friction = { left_knee = 1.0 }", "drives.friction"),
        ("friction = { left_knee_joint = -1.0 }", "drives.friction.left_knee_joint"),
        ("delay = 3.0", "drives.delay"),
        ("bandwidth = 0.0", "drives.bandwidth"),
        ("rotor = 1.0", "drives.rotor"),
    ],
)
def test_a_wrong_drive_is_named_with_its_place(tmp_path: Path, lines: str, named: str) -> None:
    file = tmp_path / "mine.toml"
    source = Path(load_description("g1").source).read_text(encoding="utf-8")
    file.write_text(f"{source}\n[drives]\n{lines}\n", encoding="utf-8")
    with pytest.raises(DescriptionError, match=re.escape(named)):
        load_model(str(file))
