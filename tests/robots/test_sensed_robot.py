"""A robot that is not told where its base is: how well it knows, in both engines; the same commands make the same run."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.errors import BaseNotObserved
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.robot import JointCommand
from handhold.robots.simulation.engines import known_engines, make_robot
from handhold.robots.simulation.sensed_robot import ENCODER_STEP, SensedRobot, check_observed
from handhold.robots.worlds import load_world

DT = 1e-3


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def make(model, engine):
    return SensedRobot(make_robot(engine, model, load_world("flat")), np.random.default_rng(1))


def run(robot, cycles, *, push=0.0):
    """Hold the joints where they are by stiff drives, and return the states; the base is pushed aside."""
    model = robot.model
    state, states = robot.reset(model.q_nominal), []
    for _ in range(cycles):
        gains = np.full(model.n, 3000.0)
        robot.send(
            JointCommand(
                time=state.time,
                positions=model.q_nominal[7:],
                velocities=np.zeros(model.n),
                torques=np.zeros(model.n),
                stiffness=gains,
                damping=0.02 * gains,
            )
        )
        robot.push(np.array([0.0, push, 0.0]), "base_link")
        robot.advance(DT)
        state = robot.read()
        states.append(state)
    return states


@pytest.mark.parametrize("engine", known_engines())
def test_its_base_is_estimated_and_the_rest_is_measured(talos, engine):
    robot = make(talos, engine)
    states = run(robot, 200, push=40.0)
    truth, state = robot.truth, states[-1]
    base, estimated = pin.XYZQUATToSE3(truth.q[:7]), pin.XYZQUATToSE3(state.q[:7])
    assert np.abs(truth.q[:3] - talos.q_nominal[:3]).max() > 1e-3  # [m] it was moved
    assert 0.0 < np.abs(estimated.translation - base.translation).max() < 3e-3
    assert 0.0 < np.linalg.norm(np.cross(estimated.rotation[2], base.rotation[2])) < 3e-3
    assert np.abs(state.v[:3] - truth.v[:3]).max() < 0.02
    assert np.abs(state.q[7:] - truth.q[7:]).max() <= 0.5 * ENCODER_STEP + 1e-12
    assert robot.estimator.standing[:2].all()
    robot.close()


def test_the_same_commands_make_the_same_run(talos):
    robot = make(talos, "mujoco")
    first, again = run(robot, 100), run(robot, 100)
    for before, after in zip(first, again, strict=True):
        np.testing.assert_array_equal(before.q, after.q)
        np.testing.assert_array_equal(before.v, after.v)
        np.testing.assert_array_equal(before.contact_wrenches, after.contact_wrenches)
    robot.close()


def test_its_state_cannot_be_written(talos):
    robot = make(talos, "mujoco")
    state = run(robot, 1)[0]
    for array in (state.q, state.v, state.contact_wrenches):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0
    robot.close()


def test_a_base_that_is_bolted_down_stays_where_it_is_though_its_joints_are_measured():
    model = load_model("dual-panda")
    robot = make(model, "mujoco")
    state = robot.reset(model.q_nominal)
    assert np.array_equal(state.q[:7], model.q_nominal[:7])
    assert not state.v[:6].any()
    assert not state.base_covariance.any()
    assert 0.0 < np.abs(state.q[7:] - model.q_nominal[7:]).max() <= 0.5 * ENCODER_STEP + 1e-12
    robot.close()


def test_what_feels_no_ground_is_refused_in_one_line(talos):
    effectors = [effector.model_copy(update={"sensed": False}) for effector in talos.description.effectors]
    with pytest.raises(BaseNotObserved, match="sensed = true"):
        check_observed(talos.description.model_copy(update={"effectors": effectors}))


def test_what_is_measured_and_how_well_the_rest_is_known_is_told(talos):
    robot = make(talos, "mujoco")
    states = run(robot, 400)
    first, last = states[0], states[-1]
    mean = np.mean([state.inertial for state in states[200:]], axis=0)
    assert mean == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.0, GRAVITY], abs=0.5)
    assert np.linalg.eigvalsh(last.base_covariance).min() > -1e-12
    deviations = np.sqrt(np.diag(last.base_covariance))
    assert (deviations[:3] < 2e-2).all()  # [rad]
    assert (deviations[3:6] < 2e-2).all()  # [m/s]
    # Nothing tells the position: it is the less known the longer nothing did.
    assert (deviations[6:8] > np.sqrt(np.diag(first.base_covariance))[6:8]).all()
    robot.close()
