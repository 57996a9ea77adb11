"""One solver of inverse kinematics: steps of damped least squares, limits, and postures that are exact."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.programs.inverse_kinematics import InverseKinematics, damp_motion
from handhold.robots.qp import DaqpSolver
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.joint_limits import JointLimits
from handhold.robots.tasks.pose import FrameTargets, PoseTask

DAMPING = 1e-4


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def make(model, reach, limits=(), **settings):
    """A solver that keeps the feet and puts the left hand elsewhere by ``reach`` [m]; its targets."""
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    targets = FrameTargets.at_rest(kinematics)
    targets.poses[2, :3, 3] += reach
    task = PoseTask(kinematics, np.arange(3), targets, weights=np.ones(6))
    tasks = (task, *damp_motion(model, DAMPING))
    return InverseKinematics(model, kinematics, DaqpSolver(), tasks, limits, **settings), targets


def test_a_step_without_limits_is_that_of_damped_least_squares(talos):
    inverse, targets = make(talos, [0.05, 0.02, 0.1])
    kinematics = inverse.kinematics
    J = kinematics.jacobians[:3].reshape(18, talos.nv)
    pairs = zip(targets.poses[:3], kinematics.poses[:3], strict=True)
    error = np.concatenate([np.r_[a[:3, 3] - b[:3, 3], pin.log3(a[:3, :3] @ b[:3, :3].T)] for a, b in pairs])
    step = J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(18), error)
    assert inverse.find_motion(talos.q_nominal).x == pytest.approx(step, abs=1e-9)


def test_a_posture_within_reach_is_found_exactly_and_one_out_of_reach_within_its_limits(talos):
    limits = JointLimits(talos, talos.lower, talos.upper)
    inverse, targets = make(talos, [0.05, 0.02, 0.1], (limits,))
    q = inverse.solve(talos.q_nominal, iterations=200, exact=1e-6)
    assert inverse.measure_error(q) < 1e-6
    assert np.abs(talos.effector_poses(q)[:3] - targets.poses[:3]).max() < 1e-5
    far, _ = make(talos, [3.0, 0.0, 0.0], (limits,))
    q = far.solve(talos.q_nominal, iterations=50)
    assert far.measure_error(q) > 0.5
    assert np.all((q[7:] > talos.lower - 1e-6) & (q[7:] < talos.upper + 1e-6))


def test_the_centre_of_mass_comes_to_its_target(talos):
    kinematics = EffectorKinematics(talos)
    kinematics.update(talos.q_nominal)
    com = CenterOfMassTask(kinematics)
    com.desired = np.array([0.0, 0.0, np.nan])
    com.target = kinematics.position_com_in_world + np.array([0.02, 0.03, 0.0])
    feet = PoseTask(kinematics, np.arange(2), FrameTargets.at_rest(kinematics), weights=np.ones(6))
    inverse = InverseKinematics(talos, kinematics, DaqpSolver(), (feet, com, *damp_motion(talos, DAMPING)))
    target = com.target.copy()
    inverse.solve(talos.q_nominal, iterations=100, exact=1e-8)
    assert kinematics.position_com_in_world[:2] == pytest.approx(target[:2], abs=1e-6)
