"""Round feet roll as their legs turn."""

import numpy as np
import pinocchio as pin

from handhold.robots.estimation.base_estimator import BaseEstimator
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import GRAVITY, load_model

DT, SECONDS = 1e-3, 1.5


def test_a_base_above_a_foot_that_rolls_is_followed() -> None:
    model, random = load_model("anymal"), np.random.default_rng(0)
    estimator, kinematics = BaseEstimator(model), EffectorKinematics(model)
    foot, radius = 0, model.effectors[0].radius
    wrenches = np.zeros((len(model.effectors), 6))
    wrenches[foot, 2] = model.weight
    swing, axis = random.normal(scale=0.15, size=model.n), random.normal(scale=0.1, size=3)
    q = model.q_nominal.copy()
    estimator.reset(q)
    kinematics.update(q)
    centre, rotation = kinematics.poses[foot, :3, 3].copy(), kinematics.poses[foot, :3, :3].copy()
    begun, velocity, rolled = q[:3].copy(), np.zeros(3), 0.0
    for k in range(1, round(SECONDS / DT) + 1):
        phase, before = 1.0 - np.cos(2.0 * k * DT), q.copy()
        attitude = pin.Quaternion(pin.exp3(phase * axis) @ pin.XYZQUATToSE3(model.q_nominal[:7]).rotation)
        q = np.concatenate([before[:3], attitude.coeffs(), model.q_nominal[7:] + phase * swing])
        kinematics.update(q)
        # The ball rolls, and the base is above it wherever that leads.
        step = np.cross(pin.log3(kinematics.poses[foot, :3, :3] @ rotation.T), [0.0, 0.0, radius])
        centre, rotation, rolled = centre + step, kinematics.poses[foot, :3, :3].copy(), rolled + float(np.linalg.norm(step))
        q[:3] += centre - kinematics.poses[foot, :3, 3]
        before_turn, turn = pin.XYZQUATToSE3(before[:7]).rotation, attitude.toRotationMatrix()
        moved = (q[:3] - before[:3]) / DT
        angle = pin.log3(before_turn.T @ turn)
        force = (before_turn @ pin.exp3(0.5 * angle)).T @ ((moved - velocity) / DT + [0.0, 0.0, GRAVITY])
        velocity = moved
        estimator.update(InertialSample(k * DT, angle / DT, force), q[7:], wrenches, DT)
    assert rolled > 0.01
    assert np.linalg.norm(q[:3] - begun) > 0.02
    assert np.linalg.norm(estimator.pose[:3] - q[:3]) < 1e-3
