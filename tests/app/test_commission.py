"""The check list of a robot: all of it on what stands in for one, and what is wrong fails at its item, in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handhold.app.commission.answers import Consenting
from handhold.app.commission.bodies import hang_stand_in, make_stand_in_rig
from handhold.app.commission.check_list import CHECK_LIST
from handhold.app.commission.item import Item, Result, Verdict
from handhold.app.commission.program import run_check_list
from handhold.app.commission.report import Report, ReportNotWritten, write_report
from handhold.app.commission.rig import Rig
from handhold.robots.model import RobotModel, load_model, weigh
from handhold.robots.unitree.hung_stand_in import HungStandIn
from handhold.robots.unitree.motor_reading import MotorReading

pytestmark = pytest.mark.timeout(900)

KNEE, WAIST = "left_knee_joint", "waist_yaw_joint"


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("g1")


class Answers:
    """Somebody who says yes but to one question, by a word in it."""

    def __init__(self, no: str = "") -> None:
        self.no, self.asked = no, list[str]()

    def ask(self, question: str) -> None:
        self.asked.append(question)

    def poll(self) -> bool:
        return not (self.no and self.no in self.asked[-1])


def choose(*names: str) -> Sequence[Item]:
    assert set(names) <= {item.name for item in CHECK_LIST}
    return [item for item in CHECK_LIST if item.name in names]


def go_through(rig: Rig, items: Sequence[Item], answers: Answers) -> tuple[dict[str, Result], str]:
    results: list[Result] = []
    run_check_list(items, rig, answers, lambda _words: None, results.append)
    return {result.item.name: result for result in results}, rig.end(answers)


def change_readings(hung: HungStandIn, change: Callable[[MotorReading], MotorReading]) -> None:
    """Let the robot tell something else than it is."""
    tell = hung.link.read

    def read() -> MotorReading | None:
        reading = tell()
        return None if reading is None else change(reading)

    hung.link.read = read  # type: ignore[method-assign]


def make_report(results: Sequence[Result], ending: str) -> Report:
    return Report(
        robot="g1",
        body="stand-in",
        started="2026-01-01T00:00:00",
        commit="abc",
        count=len(CHECK_LIST),
        results=results,
        ending=ending,
    )


def is_slack(model: RobotModel, hung: HungStandIn) -> bool:
    """Whether its joints do no more than brake what still sinks."""
    hung.sleep(1.0)
    return bool(np.abs(hung.body.motors.told / model.motor_torques).max() < 0.03)


def test_all_of_it_passes_on_what_stands_in_which_hangs_damped_in_the_end(model: RobotModel, tmp_path: Path) -> None:
    hung = hang_stand_in(model)
    results: list[Result] = []
    said: list[str] = []
    rig, operator = make_stand_in_rig(model, hung), Consenting(said.append)
    run_check_list(CHECK_LIST, rig, operator, said.append, results.append)
    ending = rig.end(operator)
    assert [(result.item.name, result.problem) for result in results if result.verdict is not Verdict.PASSED] == []
    assert [result.item for result in results] == list(CHECK_LIST)
    assert "damped" in ending
    assert is_slack(model, hung)
    report = make_report(results, ending)
    file = tmp_path / "report.md"
    write_report(report, file)
    assert report.passed
    assert json.loads((tmp_path / "report.json").read_text())["passed"] is True
    assert "# Commissioning of g1: passed" in file.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "report.md"]


def test_who_says_no_ends_it_and_nothing_is_sent(model: RobotModel) -> None:
    hung, answers = hang_stand_in(model), Answers(no="emergency stop")
    results, ending = go_through(make_stand_in_rig(model, hung), CHECK_LIST, answers)
    assert list(results) == ["emergency-stop"]
    assert results["emergency-stop"].problem == "the answer was no"
    assert len(answers.asked) == 1
    assert ending == "nothing was sent to the robot"


def test_the_motors_of_this_revision_are_asked_for_by_their_torques(model: RobotModel) -> None:
    answers = Answers(no="label")
    go_through(make_stand_in_rig(model, hang_stand_in(model)), choose("torque-limits"), answers)
    assert "hip roll 139 Nm" in answers.asked[0]
    assert "ankle pitch 35 Nm" in answers.asked[0]


def test_a_second_commander_fails_before_anything_is_sent(model: RobotModel) -> None:
    hung = hang_stand_in(model)
    hung.link.is_commanded = lambda: True  # type: ignore[method-assign]
    results, ending = go_through(make_stand_in_rig(model, hung), CHECK_LIST, Answers())
    assert list(results)[-1] == "rivals"
    assert "something else commands the robot" in results["rivals"].problem
    assert ending == "nothing was sent to the robot"


def test_a_second_commander_who_comes_while_it_is_reached_is_not_sent_against(model: RobotModel) -> None:
    hung, sent, asked = hang_stand_in(model), [], []
    hung.link.write = sent.append  # type: ignore[method-assign]
    # of the two questions in "hold" the second finds him
    hung.link.is_commanded = lambda: bool(asked.append(0) or len(asked) > 1)  # type: ignore[method-assign,func-returns-value]
    results, ending = go_through(make_stand_in_rig(model, hung), choose("hold"), Answers())
    assert "something else commands the robot" in results["hold"].problem
    assert ending == "nothing was sent to the robot"
    assert sent == []


def test_a_hot_robot_fails_by_its_hottest_motor(model: RobotModel) -> None:
    hung = hang_stand_in(model)
    hung.body.heat.temperatures[model.joint_names.index(KNEE)] = 83.0
    results, _ = go_through(make_stand_in_rig(model, hung), choose("rivals", "health", "hold"), Answers())
    assert list(results) == ["rivals", "health"]
    assert results["health"].problem == "hottest motor 83 degrees C (left knee), at most 75 degrees C is allowed"


def test_a_joint_that_moves_the_wrong_way_fails_by_its_name_and_the_robot_is_damped(model: RobotModel) -> None:
    hung, joint = hang_stand_in(model), model.joint_names.index(WAIST)
    signs = np.where(np.arange(model.n) == joint, -1.0, 1.0)
    change_readings(hung, lambda told: replace(told, positions=signs * told.positions, velocities=signs * told.velocities))
    results, ending = go_through(make_stand_in_rig(model, hung), choose("hold", "joints", "silence"), Answers())
    assert list(results)[-1] == "joints"
    assert "waist yaw" in results["joints"].problem or WAIST in results["joints"].problem
    assert results["joints"].verdict is Verdict.FAILED
    assert "damped" in ending
    assert is_slack(model, hung)


def test_a_robot_that_weighs_less_than_its_description_by_a_fifth_fails_on_its_soles_and_is_lifted(model: RobotModel) -> None:
    hung = hang_stand_in(model)
    heavier = weigh(model, 1.2 * hung.body.mass)
    results, ending = go_through(make_stand_in_rig(heavier, hung), choose("hold", "to-posture", "weight", "stance"), Answers())
    assert list(results)[-1] == "weight"
    assert "its legs feel" in results["weight"].problem
    assert "damped" in ending
    assert hung.body.hangs
    assert hung.body.base_height > 0.75, "it hangs"


def test_gravity_that_points_elsewhere_than_the_units_attitude_fails(model: RobotModel) -> None:
    hung = hang_stand_in(model)
    change_readings(hung, lambda told: replace(told, specific_force=told.specific_force + np.array([1.0, 0.0, 0.0])))
    results, _ = go_through(make_stand_in_rig(model, hung), choose("gravity"), Answers())
    assert "its direction, off by 0.1" in results["gravity"].problem


def test_a_report_goes_nowhere_but_to_a_markdown_file_in_a_folder(tmp_path: Path) -> None:
    report = make_report((), "")
    for file in (tmp_path / "report.txt", tmp_path / "nowhere" / "report.md"):
        with pytest.raises(ReportNotWritten):
            write_report(report, file)
    assert not report.passed, "nothing has been gone through"
    assert list(tmp_path.iterdir()) == []
