"""Directions of limbs and axes of elbows, against differences."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.whole_body.limb_directions import HingeAxes, LimbDirections
from handhold.robots.kinematics import EffectorKinematics

STEP = 1e-6
TOLERANCE = 1e-6  # [-] of central differences with that step


@pytest.mark.parametrize("kind", ["limbs", "hinges"])
def test_jacobians_are_those_of_differences(model, mapping, kind):
    kinematics = EffectorKinematics(model)
    if kind == "limbs":
        directions = LimbDirections(model, [limb for arm in mapping.arms for limb in arm.limbs])
    else:
        directions = HingeAxes(model, [a.elbow for a in mapping.arms], np.array([a.hinge for a in mapping.arms]))

    def at(q):
        kinematics.update(q)
        directions.update(kinematics)
        return directions.directions.copy()

    random = np.random.default_rng(1)
    q = pin.integrate(model.pinocchio, model.q_nominal, 0.3 * random.normal(size=model.nv))
    at(q)
    jacobians = directions.jacobians.copy()
    for k in range(model.nv):
        step = STEP * np.eye(model.nv)[k]
        ahead, behind = (at(pin.integrate(model.pinocchio, q, sign * step)) for sign in (1.0, -1.0))
        assert np.abs((ahead - behind) / (2.0 * STEP) - jacobians[:, :, k]).max() < TOLERANCE


def test_a_positive_turn_about_its_axis_bends_an_elbow(model, mapping):
    kinematics = EffectorKinematics(model)
    for arm in mapping.arms:
        column = model.pinocchio.joints[arm.elbow].idx_q
        kinematics.update(model.q_nominal)
        axis = arm.hinge @ kinematics.joint_poses[arm.elbow, :3]
        sign = np.sign(axis @ kinematics.data.J[3:, model.pinocchio.joints[arm.elbow].idx_v])
        distances = []
        for bend in (0.0, 0.05):
            q = model.q_nominal.copy()
            q[column] += sign * bend
            kinematics.update(q)
            distances.append(np.linalg.norm(kinematics.joint_poses[arm.wrist, 3] - kinematics.joint_poses[arm.shoulder, 3]))
        assert distances[1] < distances[0]
