"""An object between two palms is part of SEIKO's equilibrium: it is balanced by their contact forces, as far as these can."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from stances import DT, stand

from handhold.retarget.bracing.braced_body import BracedBody
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.grasp import NO_LOAD, Load
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState
from handhold.robots.tasks.object_rows import compute_twist_transform
from handhold.robots.tasks.task import FORCE_UNIT

LEFT, RIGHT = 1, 2
GRIP = 30.0  # [N]
LOAD = Load(mass=3.0, com=np.array([0.01, 0.02, -0.14]))
EQUILIBRIUM = 1e-2  # [N, Nm], as of any reference
CLOSURE = 1e-4  # [m], as of any contact


@pytest.fixture(scope="module")
def model():
    return load_model("dual-panda")


@pytest.fixture
def seiko(model):
    """SEIKO that holds an object whose weight has been admitted."""
    seiko = stand(model)
    seiko.hold((LEFT, RIGHT), GRIP)
    seiko.measured_load = LOAD
    follow(seiko, seiko.kinematics.poses.copy(), 400)
    return seiko


def follow(seiko: Seiko, poses: np.ndarray, steps: int) -> np.ndarray:
    """Take steps towards poses; return the worst errors of equilibrium, contacts and cones on the way."""
    worst = np.zeros(3)
    for _ in range(steps):
        step = seiko.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan)), DT)
        assert step.solved
        assert not step.relaxed
        worst = np.maximum(worst, [seiko.equilibrium_error, seiko.contact_error, measure_cone_excess(seiko)])
    return worst


def measure_cone_excess(seiko: Seiko) -> float:
    return float(max(0.0, (seiko.stance.cone @ seiko.wrenches).max(initial=0.0)))


def turn_object(poses: np.ndarray, turn: tuple[float, float, float], shift: tuple[float, float, float]) -> np.ndarray:
    """Return poses with the object, by its first hand, turned about its middle by roll, pitch, yaw and shifted."""
    middle = pin.SE3(np.eye(3), 0.5 * (poses[LEFT, :3, 3] + poses[RIGHT, :3, 3]))
    moved = middle * pin.SE3(pin.rpy.rpyToMatrix(*turn), np.array(shift)) * middle.inverse()
    turned = poses.copy()
    turned[LEFT] = (moved * pin.SE3(poses[LEFT])).homogeneous
    return turned


def test_what_is_weighed_is_balanced_and_no_palm_slips(seiko: Seiko) -> None:
    assert seiko.load.mass == pytest.approx(LOAD.mass, abs=1e-6)
    assert seiko.equilibrium_error < EQUILIBRIUM
    forces = np.zeros(3)
    for hand, wrench in zip((LEFT, RIGHT), seiko.stance.unstack(seiko.wrenches, 3)[1:], strict=True):
        forces += seiko.kinematics.poses[hand, :3, :3] @ wrench[:3]
        assert seiko.compute_normal_force(hand) > GRIP - 2.0
    np.testing.assert_allclose(forces, [0.0, 0.0, -9.81 * LOAD.mass], atol=EQUILIBRIUM)


def test_the_hands_move_as_one_and_the_object_is_balanced_on_the_way(seiko: Seiko) -> None:
    poses = seiko.kinematics.poses.copy()
    for turn in ((0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3)):
        goal = turn_object(poses, turn, (0.0, 0.0, 0.05))
        equilibrium, contact, excess = follow(seiko, goal, 600)
        assert (equilibrium < EQUILIBRIUM, contact < CLOSURE, excess < EQUILIBRIUM) == (True, True, True)
        assert np.linalg.norm(seiko.kinematics.poses[LEFT, :3, 3] - goal[LEFT, :3, 3]) < 0.02


def test_a_command_out_of_reach_is_followed_as_far_as_torques_and_friction_allow(seiko: Seiko) -> None:
    goal = turn_object(seiko.kinematics.poses.copy(), (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    equilibrium, contact, excess = follow(seiko, goal, 1500)
    assert (equilibrium < EQUILIBRIUM, contact < CLOSURE, excess < EQUILIBRIUM) == (True, True, True)
    assert seiko.torque_overshoot < 1e-2


def test_a_weight_beyond_what_the_arms_bear_is_admitted_in_part(seiko: Seiko) -> None:
    seiko.measured_load = Load(mass=40.0, com=LOAD.com)
    equilibrium, _, excess = follow(seiko, seiko.kinematics.poses.copy(), 1000)
    assert (equilibrium < EQUILIBRIUM, excess < EQUILIBRIUM) == (True, True)
    assert seiko.torque_overshoot < 1e-2
    assert LOAD.mass < seiko.load.mass < 30.0


def test_the_smaller_program_is_the_textbook_one(seiko: Seiko) -> None:
    seiko.measured_load = Load(mass=LOAD.mass + 1.0, com=LOAD.com)
    goal = turn_object(seiko.kinematics.poses.copy(), (0.1, 0.1, 0.0), (0.0, 0.05, 0.05))
    condensed = DaqpSolver().solve(
        seiko.build(SeikoTargets(effector_poses=goal, velocity_com_in_world=np.full(3, np.nan)), DT)
    )
    textbook = DaqpSolver().solve(seiko.program.assemble())
    np.testing.assert_allclose(seiko.program.expand(condensed.x), textbook.x, atol=1e-6)


@pytest.mark.parametrize("sensed", [False, True])
def test_what_arms_hardly_show_is_taken_as_the_reference_presses_of_hands_without_a_sensor(seiko: Seiko, sensed: bool) -> None:
    model = load_model("dual-panda")
    if sensed:
        effectors = tuple(each.model_copy(update={"sensed": True}) for each in model.description.effectors)
        model = RobotModel(model.description.model_copy(update={"effectors": effectors}))
    body = BracedBody(model)
    state = RobotState(
        time=0.0,
        q=seiko.q,
        v=np.zeros(model.nv),
        joint_torques=seiko.joint_torques,
        contact_wrenches=np.zeros((len(model.effectors), 6)),
    )
    reference = body.begin(seiko, state)
    for _ in range(1000):
        body.observe(state, DT)
        unobserved = body.find_unobserved_wrenches(DT)
    lacking = (reference.contact_wrenches - body.measure_wrenches(state))[[LEFT, RIGHT]]
    if sensed:
        assert not unobserved.any()
    else:
        assert np.abs(lacking).max() > 0.01
        np.testing.assert_allclose(unobserved[[LEFT, RIGHT]], lacking, atol=0.02)
    seiko.release()
    assert not body.find_unobserved_wrenches(DT).any()


def test_hands_that_let_go_are_free_and_nothing_is_held(seiko: Seiko) -> None:
    seiko.terms.set_unloading(LEFT, unloading=True)
    seiko.release()
    assert (seiko.stance.grasp, seiko.load, seiko.stance.effectors) == (None, NO_LOAD, (0,))
    assert not seiko.terms.unloading.any()
    assert not seiko.terms.min_forces.any()
    assert follow(seiko, seiko.kinematics.poses.copy(), 50)[0] < EQUILIBRIUM


def test_a_fork_holds_what_its_origin_holds(seiko: Seiko) -> None:
    fork = seiko.fork()
    assert fork.stance.grasp is seiko.stance.grasp
    assert (fork.load, fork.measured_load) == (seiko.load, seiko.measured_load)
    np.testing.assert_array_equal(fork.wrenches, seiko.wrenches)


def test_the_controller_presses_on_the_object_as_the_reference_does(model, seiko: Seiko) -> None:
    follow(seiko, seiko.kinematics.poses.copy(), 400)
    reference = make_reference(model, seiko, 0.0)
    state = RobotState(
        time=0.0,
        q=reference.q,
        v=np.zeros(model.nv),
        joint_torques=reference.joint_torques,
        contact_wrenches=np.zeros((3, 6)),
    )
    command = WholeBodyController(model, DaqpSolver()).track(reference, state)
    np.testing.assert_allclose(command.torques, reference.joint_torques, atol=0.3)


def test_the_controller_accelerates_the_object_by_the_palms_and_bears_its_whole_weight(model, seiko: Seiko) -> None:
    follow(seiko, seiko.kinematics.poses.copy(), 400)
    reference, v = make_reference(model, seiko, 0.0), np.zeros(model.nv)
    v[6:] = 0.2 * np.random.default_rng(1).normal(size=model.n)
    state = RobotState(time=0.0, q=reference.q, v=v, joint_torques=reference.joint_torques, contact_wrenches=np.zeros((3, 6)))
    controller, solver = WholeBodyController(model, DaqpSolver()), DaqpSolver()
    solution = solver.solve(controller.build(reference, state))
    x = controller.program.expand(solution.x)
    contacts, nv = controller.program.contacts, model.nv
    assert len(x) == nv + controller.stance.size
    wrenches = FORCE_UNIT * x[nv:]
    first, second = (slice(start, start + 6) for start in controller.stance.offsets[1:])
    acceleration = contacts.jacobian[first] @ x[:nv] - contacts.drift[first]
    linear = acceleration[:3] + np.cross(acceleration[3:], reference.load.com)
    inertial = reference.load.mass * np.concatenate([linear, np.cross(reference.load.com, linear)])
    total = wrenches[first] + compute_twist_transform(controller.stance.grasp.placement).T @ wrenches[second]
    weight = reference.load.compute_wrench(reference.effector_poses[LEFT, :3, :3])
    np.testing.assert_allclose(total, weight - inertial, atol=1e-4)
