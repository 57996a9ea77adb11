"""Mass and centre of mass of a robot, by what its feet feel."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.centroid import AT_REST, AVERAGING, Centroid
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.robot import RobotState

DT = 0.01


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def stand(model, mass, offset, heading=0.0, velocity=0.0, time=0.0):
    """Return state and poses of a robot whose centre of mass is off in its own axes, and where that is thought to be."""
    q = model.q_nominal.copy()
    turn = pin.rpy.rpyToMatrix(0.0, 0.0, heading)
    q[3:7] = pin.Quaternion(turn).coeffs()
    poses = model.effector_poses(q)
    com = pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q)
    point = com + turn @ [*offset, 0.0]
    feet = [e for e, effector in enumerate(model.effectors) if effector.standing]
    wrenches = np.zeros((len(model.effectors), 6))
    for foot in feet:
        force = np.array([0.0, 0.0, mass * GRAVITY / len(feet)])
        rotation = poses[foot, :3, :3]
        moment = np.cross([*point[:2], 0.0], force) - np.cross(poses[foot, :3, 3], force)
        wrenches[foot] = np.concatenate([rotation.T @ force, rotation.T @ moment])
    v = np.zeros(model.nv)
    v[0] = velocity
    state = RobotState(time=time, q=q, v=v, joint_torques=np.zeros(model.n), contact_wrenches=wrenches)
    return state, poses, com


def learn(model, seconds, learns=True, **about):
    centroid = Centroid(model)
    for k in range(round(seconds / DT)):
        centroid.update(*stand(model, time=k * DT, **about), learns=learns)
    return centroid


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_mass_and_offset_are_found_whatever_the_heading(talos, heading):
    centroid = learn(talos, AVERAGING + 1.0, mass=talos.mass + 5.0, offset=(0.02, -0.01), heading=heading)
    assert centroid.is_known
    assert centroid.mass == pytest.approx(talos.mass + 5.0)
    assert centroid.offset == pytest.approx([0.02, -0.01], abs=1e-9)


def test_nothing_is_learnt_while_it_moves_or_is_held(talos):
    for about in ({"velocity": 2.0 * AT_REST}, {"learns": False}):
        centroid = learn(talos, 1.0, mass=talos.mass + 5.0, offset=(0.0, 0.0), **about)
        assert centroid.mass == talos.mass
        assert not centroid.is_known


def test_a_robot_on_a_hoist_is_not_thought_to_be_light(talos):
    centroid = learn(talos, AVERAGING + 1.0, mass=0.4 * talos.mass, offset=(0.0, 0.0))
    assert centroid.mass == talos.mass
    assert not centroid.is_known
