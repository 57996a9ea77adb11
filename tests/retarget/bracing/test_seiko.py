"""SEIKO: derivatives, residuals, limits and saturation."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from stances import ask, stand

from handhold.retarget.bracing.seiko.contact_following import measure_contact_error
from handhold.retarget.bracing.seiko.joint_speeds import find_body_joints
from handhold.retarget.bracing.seiko.parameters import TABLE_I, VELOCITY_IK, SeikoParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import NoEquilibrium
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.qp import DaqpSolver, OsqpSolver

DT = 1e-3
LEFT_HAND = 2
STEP = 1e-6  # [rad, m] of the central differences: truncation and rounding both near 1e-9 relative
RELATIVE = 1e-6
CONTACT = 1e-5  # [m]
EQUILIBRIUM = 1e-3  # [N]


def static_residual(model, stance, q, wrenches):
    r""":math:`G - J^T \lambda` by other means: gravity, and the Jacobian transposed."""
    kinematics = EffectorKinematics(model)
    kinematics.update(q)
    jacobian = np.zeros((stance.size, model.nv))
    fill_contact_jacobian(
        kinematics.jacobians, kinematics.poses, np.array(stance.effectors), stance.planes, stance.arms, jacobian
    )
    gravity = pin.computeGeneralizedGravity(model.pinocchio, model.pinocchio.createData(), q)
    return gravity - jacobian.T @ wrenches


@pytest.mark.parametrize("effectors", [(0, 1), (0, 1, 2), (0, 2, 3), (2, 3)])
def test_the_derivative_of_the_equilibrium_agrees_with_central_differences(model, effectors):
    random = np.random.default_rng(len(effectors))
    q = pin.integrate(model.pinocchio, model.q_nominal, 0.2 * random.normal(size=model.nv))
    stance = Stance(model, effectors, inset=0.0)
    seiko = Seiko(model, stance, q, DaqpSolver())
    seiko.set_stance(stance, 50.0 * random.normal(size=stance.size))
    seiko.refresh()
    assert np.abs(seiko.residual - static_residual(model, stance, q, seiko.wrenches)).max() < 1e-9

    seiko.build(ask(seiko), DT)
    base_rows = seiko.program.equation.base_rows[:, : model.nv]
    torque_rows = 100.0 * seiko.program.limit_rows[: model.n, : model.nv]
    for j in range(model.nv):
        step = np.zeros(model.nv)
        step[j] = STEP
        ahead = static_residual(model, stance, pin.integrate(model.pinocchio, q, step), seiko.wrenches)
        behind = static_residual(model, stance, pin.integrate(model.pinocchio, q, -step), seiko.wrenches)
        difference = (ahead - behind) / (2 * STEP)
        scale = max(1.0, np.abs(difference).max())
        assert np.abs(base_rows[:, j] - difference[:6]).max() < RELATIVE * scale
        assert np.abs(torque_rows[:, j] - difference[6:]).max() < RELATIVE * scale


def test_the_condensed_program_has_the_textbook_programs_solution(model):
    seiko = stand(model)
    start, hand = seiko.kinematics.poses.copy(), model.effector_of_hand("left")
    solver = DaqpSolver(tolerance=1e-11)  # limits that are all but violated count in both, or neither
    for tick in range(600):
        targets = ask(seiko, hand, (min(1e-3 * tick, 0.5), 0.0, 0.1), start=start)
        solution = solver.solve(seiko.build(targets, DT))
        if tick % 50 == 0:
            textbook = solver.solve(seiko.program.assemble())
            assert np.abs(seiko.program.expand(solution.x) - textbook.x).max() < 1e-9
        assert seiko.apply(solution, DT).solved


def test_the_body_may_stop_at_once_but_does_not_start_at_once(model):
    parameters = SeikoParameters()
    seiko = stand(model, parameters=parameters)
    body = find_body_joints(model)
    assert body.any()
    assert not body.all()
    fastest = 0.0
    for tick in range(600):
        # the feet are asked for a jump of the body, forth and back
        velocity = np.array([0.0, 0.5 * np.sign(np.sin(0.02 * tick)), 0.0])
        before = np.abs(seiko.v[6:])
        seiko.step(replace(ask(seiko), velocity_com_in_world=velocity), DT)
        limits = np.maximum(before, parameters.free_body_speed) + parameters.body_acceleration * DT
        assert (np.abs(seiko.v[6:]) <= limits + 1e-6)[body].all()
        fastest = max(fastest, np.abs(seiko.v[6:])[body].max())
    assert fastest > 1.5 * parameters.free_body_speed


def test_osqp_finds_daqps_step(talos):
    seiko = stand(talos)
    program = seiko.build(ask(seiko, LEFT_HAND, (0.2, 0.1, 0.0)), DT)
    exact, splitting = DaqpSolver().solve(program), OsqpSolver(tolerance=1e-9).solve(program)
    assert splitting.solved
    # In units of the step: a tenth of a millimetre a second.
    assert np.abs(exact.x[: talos.n] - splitting.x[: talos.n]).max() < 1e-7


@pytest.mark.parametrize("parameters", [SeikoParameters(), TABLE_I])
def test_a_target_out_of_reach_saturates_and_stays_feasible(model, parameters):
    seiko = stand(model, parameters=parameters)
    start, hand = seiko.kinematics.poses.copy(), model.effector_of_hand("left")
    saturated = False
    for tick in range(7000):
        reach = min(4e-4 * tick, 1.2)
        step = seiko.step(ask(seiko, hand, (reach, 0.0, 0.0), start=start), DT)
        saturated = saturated or bool(step.active)
        assert step.solved
        assert seiko.contact_error < CONTACT
        assert seiko.equilibrium_error < EQUILIBRIUM
        assert seiko.torque_overshoot == 0.0
        joints = seiko.q[7:]
        assert np.all(joints >= model.lower - 1e-9)
        assert np.all(joints <= model.upper + 1e-9)
        assert np.all(np.abs(seiko.v[6:]) <= model.velocity_limits + 1e-6)
        assert np.all(seiko.stance.cone @ seiko.wrenches <= 1e-6)
    assert saturated
    off = seiko.kinematics.poses[hand, 0, 3] - start[hand, 0, 3]
    assert 0.2 < off < 1.1


def test_a_target_within_reach_is_reached(talos):
    seiko = stand(talos)
    wanted = ask(seiko, LEFT_HAND, (0.1, 0.05, 0.1))
    for _ in range(6000):
        seiko.step(wanted, DT)
    off = seiko.kinematics.poses[LEFT_HAND, :3, 3] - wanted.effector_poses[LEFT_HAND, :3, 3]
    assert np.linalg.norm(off) < 0.01  # [m] posture and velocity costs hold back a little


def test_a_point_contact_carries_force_and_rolls_where_it_is(talos):
    seiko = stand(talos, effectors=(0, 1, LEFT_HAND))
    start = seiko.kinematics.poses.copy()
    arm = seiko.stance.arms[2]
    rolled = start[LEFT_HAND, :3, 3].copy()
    for tick in range(800):
        before = seiko.kinematics.poses[LEFT_HAND, :3, :3].copy()
        assert seiko.step(ask(seiko, 3, (2e-4 * tick, 0.0, 0.0), start=start), DT).solved
        turn = pin.log3(seiko.kinematics.poses[LEFT_HAND, :3, :3] @ before.T)
        rolled += np.cross(arm, turn)
    # The ball rolls without slipping: its centre moves by what it turns, times its radius.
    assert np.abs(seiko.kinematics.poses[LEFT_HAND, :3, 3] - rolled).max() < CONTACT
    assert seiko.equilibrium_error < EQUILIBRIUM


def test_the_centre_of_mass_moves_as_commanded_and_stops_inside_the_support(talos):
    seiko = stand(talos)
    start = seiko.kinematics.position_com_in_world.copy()
    poses = seiko.kinematics.poses.copy()
    for _ in range(4000):
        seiko.step(ask(seiko, start=poses, velocity_com=(0.03, np.nan, np.nan)), DT)
    assert seiko.kinematics.position_com_in_world[0] > start[0] + 0.02
    balance = seiko.balance
    assert np.all(balance.normals @ seiko.kinematics.position_com_in_world[:2] <= balance.distances + 1e-3)  # [m]


def test_a_measured_contact_that_is_off_is_taken_over_slowly(talos):
    seiko = stand(talos)
    poses = seiko.kinematics.poses.copy()
    measured = poses.copy()
    measured[1, 0, 3] += 0.01
    for _ in range(3000):
        seiko.update_contact_targets(measured, seiko.q[7:], DT)
        assert seiko.step(ask(seiko, start=poses), DT).solved
        assert seiko.contact_error < CONTACT
    assert seiko.kinematics.poses[1, 0, 3] == pytest.approx(measured[1, 0, 3], abs=1e-4)


def test_a_measured_contact_that_is_far_off_is_taken_over_no_faster_than_the_reference_follows(talos):
    seiko = stand(talos)
    poses = seiko.kinematics.poses.copy()
    measured = poses.copy()
    measured[1, 0, 3] += 0.15
    for _ in range(500):
        seiko.update_contact_targets(measured, seiko.q[7:], DT)
        assert seiko.step(ask(seiko, start=poses), DT).solved
        assert seiko.contact_error < CONTACT


def test_a_contact_that_joints_are_too_slow_for_is_made_up_for_in_steps(talos):
    """From rest, where legs may begin with 0.1 rad/s only; the feet a little apart from where they must be."""
    seiko = stand(talos, parameters=SeikoParameters(free_body_speed=0.05, body_acceleration=0.0))
    seiko.terms.poses[1, 0, 3] += 1.5e-4
    errors = []
    for _ in range(100):
        step = seiko.step(ask(seiko), DT)
        assert step.solved
        assert not step.relaxed
        errors.append(seiko.contact_error)
    assert errors[0] > CONTACT, "or nothing is too slow"
    assert errors[-1] < CONTACT


def test_joints_pushed_far_away_take_the_reference_with_them(talos):
    seiko = stand(talos)
    clamp = seiko.parameters.measured_clamp
    measured = seiko.q[7:].copy()
    issued = seiko.q
    measured[20] += 2.0 * clamp + 0.1
    seiko.update_contact_targets(seiko.kinematics.poses, measured, DT)
    assert np.abs(seiko.q[7:] - measured).max() == pytest.approx(2.0 * clamp)
    assert np.abs(issued[7:] - measured).max() > 2.0 * clamp
    # Not pushed as far as that, a joint only goes no further.
    measured[20] = seiko.q[27] + 1.5 * clamp
    seiko.update_contact_targets(seiko.kinematics.poses, measured, DT)
    before = seiko.q[27]
    assert seiko.step(ask(seiko, 3, (0.0, 0.0, 0.0)), DT).solved
    assert seiko.q[27] >= before


def test_a_program_without_a_solution_moves_nothing(talos):
    class Helpless:
        def solve(self, program):
            return replace(DaqpSolver().solve(program), solved=False)

    seiko = stand(talos)
    before = seiko.q.copy()
    broken = Seiko(talos, seiko.stance, seiko.q, Helpless())
    step = broken.step(ask(broken, LEFT_HAND, (0.5, 0.0, 0.0)), DT)
    assert not step.solved
    assert np.array_equal(broken.q, before)
    assert not broken.v.any()


def test_a_robot_that_does_not_stand_over_its_feet_is_refused(talos):
    leaning = talos.q_nominal.copy()
    leaning[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.7, 0.0)).coeffs()
    seiko = Seiko(talos, Stance(talos, (0, 1), inset=0.035), leaning, DaqpSolver())
    with pytest.raises(NoEquilibrium, match="over its feet"):
        seiko.project_to_equilibrium()


def test_building_leaves_the_configuration_alone(talos):
    seiko = stand(talos)
    before = (seiko.q.copy(), seiko.wrenches.copy())
    seiko.build(ask(seiko, LEFT_HAND, (0.3, 0.0, 0.0)), DT)
    assert np.array_equal(seiko.q, before[0])
    assert np.array_equal(seiko.wrenches, before[1])


def test_velocity_inverse_kinematics_limits_no_force_but_keeps_contacts_and_balance(talos):
    named = set()
    for parameters in (SeikoParameters(), VELOCITY_IK):
        seiko = stand(talos, parameters=parameters)
        start = seiko.kinematics.poses.copy()
        active = set()
        for _ in range(3000):
            step = seiko.step(ask(seiko, LEFT_HAND, (1.2, 0.0, 0.2), start=start), DT)
            assert step.solved
            # a sole tilts by its force, the base by its posture
            active |= {name.split()[-1] for name in step.active if name != "base tilt"}
            assert seiko.contact_error < CONTACT
            assert seiko.equilibrium_error < EQUILIBRIUM
        named |= {(parameters.force_limits, kind) for kind in active & {"torque", "friction", "tilt", "torsion"}}
    assert named
    assert all(limited for limited, _ in named)


def test_a_contact_that_is_nowhere_is_off_by_no_number():
    desired, poses = (np.tile(np.eye(4), (3, 1, 1)) for _ in range(2))
    poses[0, 0, 3], poses[2, 1, 3] = 0.3, np.nan
    assert measure_contact_error(np.array([0, 1]), desired, poses) == pytest.approx(0.3)
    assert np.isnan(measure_contact_error(np.array([0, 2]), desired, poses))
    assert np.isnan(measure_contact_error(np.array([2, 0]), desired, poses))
