"""A humanoid whose legs have five joints: its soles cannot slide apart, and nothing fails for that."""

import pytest
from stances import ask

from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.contact import Stance
from handhold.robots.description import load_description
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver

DT, CONTACT = 1e-3, 1e-5
LEFT_HAND = 2


@pytest.fixture(scope="module")
def model() -> RobotModel:
    talos = load_description("talos")
    locked = talos.locked_joints | {"leg_left_6_joint": 0.0, "leg_right_6_joint": 0.0}
    return RobotModel(talos.model_copy(update={"locked_joints": locked, "walking": None}))


def test_every_step_of_a_reach_has_a_solution_and_the_soles_stay(model: RobotModel) -> None:
    seiko = Seiko(model, Stance.of_reference(model, (0, 1)), model.q_nominal, DaqpSolver())
    seiko.project_to_equilibrium()
    start = seiko.kinematics.poses.copy()
    targets = ask(seiko, LEFT_HAND, (0.4, 0.1, 0.1), start=start)
    for _ in range(600):
        assert seiko.step(targets, DT).solved
        assert seiko.contact_error < CONTACT
    assert seiko.kinematics.poses[LEFT_HAND, 0, 3] > start[LEFT_HAND, 0, 3] + 0.1
