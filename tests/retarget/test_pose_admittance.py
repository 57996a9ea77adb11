"""The relative pose of an effector that gives way."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.admittance import AdmittanceParameters
from handhold.retarget.pose_admittance import PoseAdmittance

DT = 2e-3
NOTHING = np.zeros(3)
POSE = pin.SE3(pin.rpy.rpyToMatrix(0.2, 0.7, -1.1), np.array([0.5, -0.2, 1.0])).homogeneous


def push(force: np.ndarray, moment: np.ndarray, duration: float) -> PoseAdmittance:
    admittance = PoseAdmittance(AdmittanceParameters(), AdmittanceParameters(damping=1.0, dead_zone=0.2, max_lag=1.0))
    for _ in range(round(duration / DT)):
        moved = admittance.displace(POSE)
        admittance.update(force, moment, (moved, moved), DT)
    return admittance


def test_a_force_moves_and_does_not_turn() -> None:
    admittance = push(np.array([9.0, 0.0, 0.0]), NOTHING, 1.0)
    moved = admittance.displace(POSE)
    assert moved[0, 3] > POSE[0, 3] + 0.1
    assert np.array_equal(moved[:3, :3], POSE[:3, :3])
    assert admittance.rotation is None


@pytest.mark.parametrize("axis", range(3))
def test_a_moment_turns_in_world_about_the_effector(axis: int) -> None:
    moved = push(NOTHING, 0.4 * np.eye(3)[axis], 1.0).displace(POSE)
    turn = pin.log3(moved[:3, :3] @ POSE[:3, :3].T)
    # (0.4 - 0.2) Nm at 1 Nms/rad, less the lag of 30 ms and the leak of 5 s
    assert turn[axis] == pytest.approx(0.2 * 5.0 * (1.0 - np.exp(-0.97 / 5.0)), abs=2e-3)
    assert np.delete(turn, axis) == pytest.approx(0.0, abs=1e-9)
    assert np.array_equal(moved[:3, 3], POSE[:3, 3])


def test_the_offset_is_the_motion_that_displaces() -> None:
    admittance = push(np.array([0.0, 8.0, -4.0]), np.array([0.5, -0.3, 0.6]), 1.0)
    assert admittance.compute_offset(POSE) @ POSE == pytest.approx(admittance.displace(POSE), abs=1e-12)


def test_stopped_it_stays() -> None:
    admittance = push(np.array([9.0, 0.0, 0.0]), np.array([0.5, 0.0, 0.0]), 0.5)
    admittance.stop()
    assert not admittance.linear.velocity.any()
    assert not admittance.angular.velocity.any()
