"""Drives that a description has: how late they are, and what that does to the gains of the arms."""

from __future__ import annotations

import math

import pytest

from handhold.robots.control.drive_targets import DriveParameters
from handhold.robots.drives import Drives
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.links import build_links
from handhold.robots.simulation.mechanics import Mechanics


def describe(drives: Drives | None) -> RobotModel:
    return RobotModel(load_model("g1").description.model_copy(update={"drives": drives}))


def test_torques_are_late_by_their_delay_and_their_time_constant() -> None:
    assert Drives(delay=2e-3, bandwidth=50.0).lag == pytest.approx(2e-3 + 1.0 / (100.0 * math.pi))
    assert Drives(delay=2e-3).lag == pytest.approx(2e-3)


@pytest.mark.parametrize(
    ("drives", "lag"),
    [
        (None, DriveParameters().lag),
        (Drives(delay=2e-3), DriveParameters().lag),
        (Drives(delay=4e-3, bandwidth=10.0), 4e-3 + 1.0 / (20.0 * math.pi)),
        (Drives(delay=0.0, bandwidth=1000.0), DriveParameters().step),
    ],
)
def test_the_gains_of_the_arms_follow_from_how_late_their_drives_are(drives: Drives | None, lag: float) -> None:
    assert DriveParameters.of(describe(drives)).lag == pytest.approx(lag)


def test_a_simulated_robot_has_the_drives_that_are_described() -> None:
    model = describe(Drives(friction={"left_knee_joint": 1.5}, rotor_inertia={"left_knee_joint": 0.07}))
    links = {link.name: link for link in build_links(model, Mechanics(joint_friction=0.5))}
    assert links["left_knee_joint"].friction == pytest.approx(2.0)
    assert links["left_knee_joint"].rotor_inertia == pytest.approx(0.07)
    assert links["right_knee_joint"].friction == pytest.approx(0.5)
    assert links["right_knee_joint"].rotor_inertia == 0.0
