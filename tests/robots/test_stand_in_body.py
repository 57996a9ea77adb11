"""The physics of a robot that stands in for a real one: somebody else's model, and motors that are not ideal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.app.stand_in.program import find_model, make_body
from handhold.robots.errors import DescriptionError
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.robot import JointCommand
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.unitree.stand_in_file import TIMESTEP
from handhold.robots.unitree.stand_in_motors import MotorFlaws
from handhold.robots.worlds import load_world

STIFFNESS, DAMPING = 200.0, 5.0


def make_command(positions: np.ndarray, torques: np.ndarray | None = None, stiffness: float = STIFFNESS) -> JointCommand:
    nothing = np.zeros(len(positions))
    return JointCommand(
        time=0.0,
        positions=positions,
        velocities=nothing,
        torques=nothing if torques is None else torques,
        stiffness=np.full(len(positions), stiffness),
        damping=np.full(len(positions), DAMPING if stiffness else 0.0),
    )


@pytest.fixture
def body() -> StandInBody:
    return make_body(load_model("g1"), find_model("g1"), "flat", 0)


def test_its_motors_are_in_the_order_of_our_joints_and_its_masses_are_not_ours(body: StandInBody) -> None:
    model = load_model("g1")
    assert body.joint_names == tuple(model.joint_names)
    assert body.joint_positions == pytest.approx(find_standing_posture(model)[7:], abs=1e-9)
    assert abs(body.mass - model.weight / GRAVITY) > 1.0, "another robot than the one that is reckoned with"


def test_on_its_hoist_it_keeps_its_posture_and_feels_gravity(body: StandInBody) -> None:
    posture = body.joint_positions
    body.command(make_command(posture))
    height = body.base_height
    body.advance(2.0)
    assert body.base_height == pytest.approx(height, abs=0.01)
    assert body.joint_positions == pytest.approx(posture, abs=0.06)
    forces = []
    for _ in range(100):
        body.advance(TIMESTEP)
        forces.append(body.read().specific_force)
    assert np.mean(forces, axis=0) == pytest.approx([0.0, 0.0, GRAVITY], abs=0.25)


def test_without_a_hoist_nobody_balances_it(body: StandInBody) -> None:
    body.command(make_command(body.joint_positions))
    body.hoisted = 0.0
    body.advance(3.0)
    assert body.base_height < 0.5


def test_a_command_is_there_after_its_delay_and_is_followed_to_first_order() -> None:
    flaws = MotorFlaws(bandwidth=50.0, delay=4e-3)
    body = StandInBody(find_model("g1"), Stand(joints={}), load_world("flat"), np.random.default_rng(0), flaws)
    asked = np.full(len(body.joint_names), 2.0)
    body.command(make_command(body.joint_positions, asked, stiffness=0.0))
    told = []
    for _ in range(20):
        body.advance(TIMESTEP)
        told.append(body.read().torques[0])
    assert told[3] == 0.0
    after = np.array(told[4:])
    expected = 2.0 * (1.0 - np.exp(-2.0 * np.pi * flaws.bandwidth * TIMESTEP * np.arange(1, len(after) + 1)))
    assert after == pytest.approx(expected, rel=1e-6)


def test_a_file_that_is_no_model_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "robot.xml"
    file.write_text("<mujoco><worldbody><body/></worldbody>")
    with pytest.raises(DescriptionError, match="take a MuJoCo model") as told:
        StandInBody(find_model("g1", file), Stand(joints={}), load_world("flat"), np.random.default_rng(0))
    assert "\n" not in str(told.value)
