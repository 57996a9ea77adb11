"""Free hands give way to what pushes the robot off its feet: how much, whose, and a robot that is pushed off says so."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from stances import stand

from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.seiko.yielding import BEGIN, END, FULL, apply_yielding, compute_yielding
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

DT = 1e-3


@pytest.mark.parametrize(("displaced", "yielding"), [(0.0, 0.0), (BEGIN - 1e-6, 0.0), (0.02, 0.5), (FULL, 1.0), (0.2, 1.0)])
def test_hands_give_way_from_a_displacement_on_whichever_way_it_is(displaced, yielding):
    for angle in np.linspace(0.0, 2.0 * np.pi, 9):
        measured = displaced * np.array([np.cos(angle), np.sin(angle), 0.0])
        assert compute_yielding(np.zeros(3), measured, 0.0) == pytest.approx(yielding, abs=1e-9)
    assert compute_yielding(np.zeros(3), np.array([0.0, 0.0, 0.1]), 0.0) == 0.0


def test_once_begun_it_goes_on_until_little_is_left():
    assert compute_yielding(np.zeros(3), np.array([0.012, 0.0, 0.0]), 0.3) == pytest.approx(0.1)
    assert compute_yielding(np.zeros(3), np.array([0.012, 0.0, 0.0]), 0.0) == 0.0
    assert compute_yielding(np.zeros(3), np.array([END, 0.0, 0.0]), 0.3) == 0.0


def test_what_is_asked_goes_over_to_what_is_measured():
    poses, measured = np.tile(np.eye(4), (4, 1, 1)), np.tile(np.eye(4), (4, 1, 1))
    poses[2] = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.4, 0.0), np.array([0.1, 0.0, 0.0])).homogeneous
    asked = SeikoTargets(effector_poses=poses, velocity_com_in_world=np.array([0.1, np.nan, -0.1]))
    assert apply_yielding(asked, measured, (2,), 0.0) is asked
    half = apply_yielding(asked, measured, (2,), 0.5)
    assert np.linalg.norm(half.effector_poses[2, :3, 3]) == pytest.approx(0.05, rel=0.05)
    assert pin.rpy.matrixToRpy(half.effector_poses[2, :3, :3])[1] == pytest.approx(0.2)
    assert half.velocity_com_in_world == pytest.approx([0.05, np.nan, -0.05], nan_ok=True)
    altogether = apply_yielding(asked, measured, (2,), 1.0)
    assert altogether.effector_poses[2] == pytest.approx(measured[2])
    assert apply_yielding(asked, measured, (), 1.0).effector_poses == pytest.approx(poses)


def state_leant_back(model, q, angle):
    """Return the state of a robot that has turned about its ankles from a configuration [rad], on feet that stay."""
    leant = q.copy()
    for name in ("leg_left_5_joint", "leg_right_5_joint"):
        leant[7 + model.joint_names.index(name)] += angle
    turn = model.effector_poses(q)[0] @ np.linalg.inv(model.effector_poses(leant)[0])
    leant[:7] = pin.SE3ToXYZQUAT(pin.SE3(turn) * pin.XYZQUATToSE3(leant[:7]))
    wrenches = np.zeros((len(model.effectors), 6))
    wrenches[:2, 2] = 0.5 * model.weight
    return RobotState(time=0.0, q=leant, v=np.zeros(model.nv), joint_torques=np.zeros(model.n), contact_wrenches=wrenches)


def draw_left_hand(model, reference, ahead):
    """Return a command that draws the left hand ahead [m]."""
    left, right = (reference.effector_poses[model.effector_of_hand(side)].copy() for side in ("left", "right"))
    left[0, 3] += ahead
    return OperatorCommand.of_hands(replace(HandCommand.released(left), engaged=True), HandCommand.released(right))


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize(("angle", "gives_way"), [(0.01, False), (0.05, True)])
def test_a_robot_that_is_pushed_off_brings_its_hands_back_and_says_so(talos, angle, gives_way, hold):
    """Also in a hold, where nothing is commanded: the operator who reads it lets go."""
    mode = BracingMode(talos, DaqpSolver())
    start = reference = mode.enter(state_leant_back(talos, stand(talos).q, 0.0)).reference
    hand, command = talos.effector_of_hand("left"), draw_left_hand(talos, reference, 0.1)
    for _ in range(150):
        reference = mode.update(command, state_leant_back(talos, reference.q, angle), (), DT, hold=hold).reference
    moved = (reference.effector_poses[hand] - start.effector_poses[hand])[0, 3]
    assert bool(moved < -1e-4) is gives_way
    assert any("give way" in message for message in mode.describe().status.messages) is gives_way
