"""The whole-body controller: dynamics, limits, and what it does about a lost program."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from shipped import BOLTED_DOWN, LEVEL_FEET, ON_FEET
from stances import ask, brace, stand, take_steps

from handhold.app.host.cycle import Cycle
from handhold.devices.stop import Stop
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.robots.contact_kind import ContactKind
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.control.controller_parameters import ControllerParameters
from handhold.robots.control.controller_program import MAX_PRESS_DISTANCE
from handhold.robots.description import known_robots
from handhold.robots.estimation.fall import find_ground, has_fallen
from handhold.robots.limb_joints import find_arm_joints
from handhold.robots.model import load_model
from handhold.robots.qp import INFINITY, DaqpSolver, OsqpSolver
from handhold.robots.robot import RobotState
from handhold.robots.tasks.task import FORCE_UNIT

TORQUE = 1e-6  # [Nm] the program's equalities are exact to rounding, in units of 100 N


def at_rest(model, q, v=None):
    return RobotState(
        time=0.0,
        q=q,
        v=np.zeros(model.nv) if v is None else v,
        joint_torques=np.zeros(model.n),
        contact_wrenches=np.zeros((len(model.effectors), 6)),
    )


@pytest.fixture(scope="module", params=known_robots())
def model(request):
    return load_model(request.param)


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


@pytest.fixture
def standing(model):
    """A controller, a reference that stands, and the state that is in it."""
    state = at_rest(model, stand(model).q)
    reference = BracingMode(model, DaqpSolver()).enter(state).reference
    return WholeBodyController(model, DaqpSolver()), reference, at_rest(model, reference.q)


def solve(controller, reference, state):
    """Accelerations, stacked wrenches and torques the controller decides on."""
    solution = DaqpSolver().solve(controller.build(reference, state))
    assert solution.solved
    x = controller.program.expand(solution.x)
    return x[: state.v.size], FORCE_UNIT * x[state.v.size :], controller.apply(solution, state).torques


def test_standing_in_the_reference_it_gives_the_references_torques(standing, model):
    controller, reference, state = standing
    torques = controller.track(reference, state).torques
    assert np.abs(torques - reference.joint_torques).max() < 1e-3  # [Nm] the same equilibrium, found twice


def test_a_pull_that_the_reference_balances_does_not_move_the_robot(talos):
    hand, pull = talos.effector_of_hand("left"), np.array([30.0, -10.0, 5.0])
    seiko = stand(talos)
    seiko.measure_external({hand: pull})
    take_steps(seiko, ask(seiko), 0.5)
    seiko.set_at_rest()
    reference = make_reference(talos, seiko, 0.0)
    controller, state = WholeBodyController(talos, DaqpSolver()), at_rest(talos, reference.q)
    acceleration, wrenches, torques = solve(controller, reference, state)
    assert np.abs(acceleration).max() < 1e-2  # [m/s^2, rad/s^2]: 30 N would be 0.3 m/s^2
    assert np.abs(torques - reference.joint_torques).max() < 0.05  # [Nm]: 30 N are 20 Nm at the shoulder
    jacobian, data = controller.program.contacts.jacobian, talos.pinocchio.createData()
    needed = pin.rnea(talos.pinocchio, data, state.q, state.v, acceleration) - jacobian.T @ wrenches
    needed -= seiko.kinematics.jacobians[hand, :3].T @ pull
    assert np.abs(needed[:6]).max() < 1e-2
    assert np.abs(needed[6:] - torques).max() < 1e-2


def test_torques_accelerations_and_wrenches_obey_the_equations_of_motion(standing, model):
    controller, reference, _ = standing
    random = np.random.default_rng(1)
    state = at_rest(model, pin.integrate(model.pinocchio, reference.q, 1e-3 * random.normal(size=model.nv)))
    state = replace(state, v=0.02 * random.normal(size=model.nv))
    acceleration, wrenches, torques = solve(controller, reference, state)
    jacobian = controller.program.contacts.jacobian
    data = model.pinocchio.createData()
    needed = pin.rnea(model.pinocchio, data, state.q, state.v, acceleration) - jacobian.T @ wrenches
    assert np.abs(needed[:6]).max() < TORQUE * 10
    assert np.abs(needed[6:] - torques).max() < TORQUE


# Two soles on legs of five joints depend on each other, in a way that changes with the posture: not all of it can be braked.
@pytest.mark.parametrize("model", [*LEVEL_FEET, *BOLTED_DOWN], indirect=True)
def test_contacts_are_kept_at_rest(standing, model):
    controller, reference, _ = standing
    v = 0.05 * np.random.default_rng(2).normal(size=model.nv)
    state = at_rest(model, reference.q, v)
    acceleration, _, _ = solve(controller, reference, state)
    for effector in np.flatnonzero(reference.contacts):
        frame = model.effector_frames[effector]
        data = model.pinocchio.createData()
        pin.forwardKinematics(model.pinocchio, data, state.q, v, acceleration)
        aligned = pin.LOCAL_WORLD_ALIGNED
        moved = pin.getFrameClassicalAcceleration(model.pinocchio, data, frame, aligned)
        velocity = pin.getFrameVelocity(model.pinocchio, data, frame, aligned)
        motion = moved.vector + 20.0 * velocity.vector
        if model.effectors[effector].contact is ContactKind.PLANE:
            assert np.abs(motion).max() < TORQUE
        # A point may turn; the ball around it rolls on where it touches.
        arm = controller.stance.arms[controller.stance.effectors.index(effector)]
        assert np.abs(motion[:3] + np.cross(motion[3:], arm)).max() < TORQUE


def test_pushed_hard_it_stays_inside_torque_limits_and_wrench_cones(standing, model):
    controller, reference, _ = standing
    state = at_rest(model, reference.q, np.concatenate([[0.15, 0.1, 0.0], np.zeros(model.nv - 3)]))
    _, wrenches, torques = solve(controller, reference, state)
    stance = controller.stance
    assert np.all(stance.cone @ wrenches <= 1e-6)
    assert np.all(np.abs(torques) <= model.motor_torques + TORQUE)


def test_a_centre_of_mass_that_falls_forward_is_caught_by_pressure_in_front(standing, model):
    controller, reference, state = standing
    falling = replace(state, v=np.concatenate([[0.1, 0.0, 0.0], np.zeros(model.nv - 3)]))
    _, before, _ = solve(controller, reference, state)
    _, after, _ = solve(controller, reference, falling)
    poses = model.effector_poses(state.q)
    feet = (poses[list(controller.stance.effectors), 0, 3], 6 if controller.stance.planes else 3)
    assert compute_pressure(after, *feet) > compute_pressure(before, *feet) + 0.01


def compute_pressure(wrenches, positions, width):
    """Centre of pressure of all feet along x [m], of stacked wrenches of six numbers or forces of three."""
    feet = wrenches.reshape(-1, width)
    moments = -feet[:, 4] if width == 6 else 0.0
    return (positions * feet[:, 2] + moments).sum() / feet[:, 2].sum()


def test_without_a_solution_the_last_torques_are_held_and_the_failure_is_counted(standing):
    controller, reference, state = standing
    last = controller.track(reference, state).torques
    solution = DaqpSolver().solve(controller.build(reference, state))
    command = controller.apply(replace(solution, solved=False), state)
    assert np.array_equal(command.torques, last)
    assert controller.failures == 1


def test_osqp_tracks_as_daqp_does(standing):
    controller, reference, state = standing
    program = controller.build(reference, state)
    exact, splitting = DaqpSolver().solve(program), OsqpSolver(tolerance=1e-7).solve(program)
    assert splitting.solved
    exact_torques = controller.apply(exact, state).torques
    assert np.abs(controller.apply(splitting, state).torques - exact_torques).max() < 1.0  # [Nm]


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_a_fallen_robot_is_damped_and_never_driven_again(model):
    state = at_rest(model, stand(model).q)
    cycle = Cycle(model, state)
    from handhold.devices.operator_input import OperatorInput

    lying = state.q.copy()
    lying[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 1.2, 0.0)).coeffs()
    operator = OperatorInput(time=0.0)
    command, snapshot = cycle.step(operator, at_rest(model, lying), (), 1e-3)
    assert snapshot.stop == Stop.DAMP
    assert "fallen" in snapshot.messages
    again, _ = cycle.step(operator, state, (), 1e-3)
    for damped in (command, again):
        assert not damped.torques.any()
        assert not damped.stiffness.any()
        assert np.all(damped.damping > 0.0)


@pytest.mark.parametrize("entry", [2, 3, 4])
def test_a_base_that_is_not_a_number_counts_as_fallen(model, entry):
    state = at_rest(model, model.q_nominal)
    assert not has_fallen(model, state)
    unknown = state.q.copy()
    unknown[entry] = np.nan
    assert has_fallen(model, at_rest(model, unknown))


def test_the_force_that_moves_the_centre_of_mass_is_shared_as_the_load_is():
    model = load_model("anymal")
    reference = BracingMode(model, DaqpSolver()).enter(at_rest(model, stand(model).q)).reference
    moving = replace(reference, acceleration_com_in_world=np.array([0.3, 0.0, 0.0]))
    controller = WholeBodyController(model, DaqpSolver())
    _, wrenches, _ = solve(controller, moving, at_rest(model, reference.q))
    wanted = controller.stance.stack(reference.contact_wrenches)
    loads = controller.stance.normals @ wanted
    ratios = (wrenches - wanted)[::3] / loads
    assert loads.max() > 1.3 * loads.min()
    assert ratios.min() > 0.02
    np.testing.assert_allclose(ratios, ratios.mean(), rtol=0.02)  # the posture's task pulls a little, too


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_a_robot_on_a_stair_has_not_fallen_and_one_that_kneels_up_there_has(model):
    level = find_ground(model, model.effector_poses(model.q_nominal))
    assert level == pytest.approx(0.0, abs=0.04)  # a point's contact frame lies in the middle of its ball
    for height in (-2.0, 1.5):
        stair = model.q_nominal.copy()
        stair[2] += height
        ground = find_ground(model, model.effector_poses(stair))
        assert ground == pytest.approx(level + height)
        assert not has_fallen(model, at_rest(model, stair), ground)
        stair[2] -= 0.5 * model.q_nominal[2]
        assert has_fallen(model, at_rest(model, stair), ground)


@pytest.mark.parametrize("model", ON_FEET, indirect=True)
def test_the_ground_of_a_robot_with_a_foot_in_the_air_is_under_the_others(model):
    poses = model.effector_poses(model.q_nominal).copy()
    level = find_ground(model, poses)
    poses[next(k for k, effector in enumerate(model.effectors) if effector.standing), 2, 3] += 0.3
    assert find_ground(model, poses) == pytest.approx(level, abs=1e-5)


class ReluctantSolver:
    """Finds no solution of the first programs of every cycle that it is told to refuse."""

    def __init__(self, refused):
        self.refused, self.programs, self._solver = refused, [], DaqpSolver()

    def solve(self, program):
        self.programs.append((program.lower[: program.H.shape[0]].copy(), program.upper[: program.H.shape[0]].copy()))
        solution = self._solver.solve(program)
        return replace(solution, solved=False) if len(self.programs) <= self.refused else solution


@pytest.mark.parametrize(("refused", "relaxed", "failures"), [(0, 0, 0), (1, 1, 0), (2, 1, 0), (3, 0, 1)])
def test_limits_of_arms_go_first_then_those_of_all_joints_and_it_is_counted(talos, refused, relaxed, failures):
    state = at_rest(talos, stand(talos).q)
    reference = BracingMode(talos, DaqpSolver()).enter(state).reference
    solver = ReluctantSolver(refused)
    controller = WholeBodyController(talos, solver)
    controller.track(reference, at_rest(talos, reference.q))
    assert (controller.relaxed, controller.failures) == (relaxed, failures)
    limited = [(lower > -INFINITY)[: talos.n] for lower, _ in solver.programs]
    arms = find_arm_joints(talos)
    assert limited[0].all()
    if refused > 0:
        assert np.array_equal(limited[1], ~arms)
    if refused > 1:
        assert not limited[2].any()


def test_a_hand_that_braces_is_pressed_to_its_reference_and_no_harder_than_at_a_touch(talos):
    seiko = stand(talos)
    hand = talos.effector_of_hand("left")
    brace(seiko, hand, np.array([-1.0, 0.0, 0.0]))
    state, count = at_rest(talos, seiko.q), len(talos.effectors)
    poses = seiko.kinematics.poses.copy()
    reference = replace(
        BracingMode(talos, DaqpSolver()).enter(at_rest(talos, stand(talos).q)).reference,
        q=seiko.q,
        effector_poses=poses,
        contacts=seiko.stance.contact_flags(count),
        contact_normals=seiko.terms.normals.copy(),
        contact_wrenches=seiko.stance.unstack(seiko.wrenches, count),
    )

    def press(ahead):
        moved = poses.copy()
        moved[hand, 0, 3] += ahead
        controller = WholeBodyController(talos, DaqpSolver())
        controller.build(replace(reference, effector_poses=moved), state)
        first = controller.stance.offsets[controller.stance.effectors.index(hand)]
        return controller.program.contacts.targets[first : first + 3]

    stiffness = ControllerParameters().hand_stiffness
    assert np.allclose(press(0.02) - press(0.0), [0.02 * stiffness, 0.0, 0.0])
    assert np.allclose(press(1.0) - press(0.0), [MAX_PRESS_DISTANCE * stiffness, 0.0, 0.0])


def test_while_it_walks_a_robot_may_use_more_of_its_soles():
    g1 = load_model("g1")
    state = at_rest(g1, stand(g1).q)
    reference = BracingMode(g1, DaqpSolver()).enter(state).reference
    controller, margins = WholeBodyController(g1, DaqpSolver()), g1.description.margins
    assert margins.walking is not None
    assert margins.walking < margins.controller

    def is_held(inset):
        """Whether a centre of pressure so far inside the side of a sole is allowed."""
        half = g1.effectors[0].half_lengths[1]
        wrench = np.array([0.0, 0.0, 100.0, 100.0 * (half - inset), 0.0, 0.0])
        return bool((controller.stance.cone[:, :6] @ wrench <= 1e-9).all())

    for walks, inset in ((False, margins.controller), (True, margins.walking), (False, margins.controller)):
        controller.build(replace(reference, natural_frequency=3.5 if walks else 0.0), state)
        assert is_held(inset + 1e-4)
        assert not is_held(inset - 1e-4)
