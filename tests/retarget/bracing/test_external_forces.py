"""What others exert on free hands is part of the reference's equilibrium, as far as there is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from stances import DT, ask, brace, stand, take_steps

from handhold.retarget.bracing.seiko.external_forces import NO_FORCES
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.qp import DaqpSolver

LEFT, RIGHT, PELVIS, CHEST = 2, 3, 4, 5
PULL = np.array([20.0, 5.0, -10.0])
STEP = 1e-6  # [rad, m] of the central differences
EQUILIBRIUM = 1e-3  # [N, Nm]


def compute_residual(model, stance, pushed, q, wrenches):
    r""":math:`G - J^T \lambda` by other means, the forces of others after those of the contacts."""
    kinematics = EffectorKinematics(model, with_points=True)
    kinematics.update(q)
    arms = np.vstack([stance.arms, np.zeros((len(pushed), 3))])
    jacobian = np.zeros((wrenches.size, model.nv))
    effectors = np.array([*stance.effectors, *pushed])
    poses, jacobians = kinematics.touched_poses, kinematics.touched_jacobians
    fill_contact_jacobian(jacobians, poses, effectors, stance.planes, arms, jacobian)
    gravity = pin.computeGeneralizedGravity(model.pinocchio, model.pinocchio.createData(), q)
    return gravity - jacobian.T @ wrenches


@pytest.mark.parametrize(
    ("effectors", "pushed"),
    [((0, 1), (LEFT, RIGHT)), ((0, 1, RIGHT), (LEFT,)), ((LEFT, RIGHT), (1,)), ((0, 1), (LEFT, PELVIS, CHEST))],
)
def test_the_derivative_of_the_equilibrium_agrees_with_central_differences(talos, effectors, pushed):
    random = np.random.default_rng(len(effectors))
    q = pin.integrate(talos.pinocchio, talos.q_nominal, 0.2 * random.normal(size=talos.nv))
    stance = Stance(talos, effectors, inset=0.0)
    seiko = Seiko(talos, stance, q, DaqpSolver())
    seiko.measure_external({effector: np.zeros(3) for effector in pushed})
    forces = 50.0 * random.normal(size=3 * len(pushed))
    seiko.external = seiko.external.admit(forces)
    seiko.wrenches = 50.0 * random.normal(size=stance.size)
    seiko.refresh()
    wrenches = np.concatenate([seiko.wrenches, forces])
    assert np.abs(seiko.residual - compute_residual(talos, stance, pushed, q, wrenches)).max() < 1e-9

    seiko.build(ask(seiko), DT)
    rows = seiko.program.equation.base_rows
    for j in range(talos.nv):
        step = STEP * np.eye(talos.nv)[j]
        ahead, behind = (
            compute_residual(talos, stance, pushed, pin.integrate(talos.pinocchio, q, sign * step), wrenches)[:6]
            for sign in (1.0, -1.0)
        )
        difference = (ahead - behind) / (2 * STEP)
        assert np.abs(rows[:, j] - difference).max() < 1e-6 * max(1.0, np.abs(difference).max())
    more = random.normal(size=wrenches.size)
    change = compute_residual(talos, stance, pushed, q, wrenches + 100.0 * more) - compute_residual(
        talos, stance, pushed, q, wrenches
    )
    assert rows[:, talos.nv :] @ more == pytest.approx(change[:6])


def test_the_condensed_program_has_the_textbook_programs_solution(talos):
    seiko = stand(talos)
    seiko.measure_external({LEFT: PULL, RIGHT: -PULL})
    solver = DaqpSolver(tolerance=1e-11)
    for _ in range(20):
        solution = solver.solve(seiko.build(ask(seiko, LEFT, (0.1, 0.0, 0.0)), DT))
        textbook = solver.solve(seiko.program.assemble())
        assert np.abs(seiko.program.expand(solution.x) - textbook.x).max() < 1e-9
        seiko.apply(solution, DT)


def test_a_pull_becomes_part_of_the_equilibrium_and_is_none_when_it_ends(talos):
    seiko = stand(talos)
    seiko.measure_external({LEFT: PULL})
    take_steps(seiko, ask(seiko), 0.5)
    assert seiko.external.balanced[0] == pytest.approx(PULL, abs=1e-3)
    assert seiko.equilibrium_error < EQUILIBRIUM
    forces = seiko.stance.unstack(seiko.wrenches, len(talos.effectors))
    ground = sum(seiko.kinematics.poses[foot, :3, :3] @ forces[foot, :3] for foot in (0, 1))
    assert ground == pytest.approx([-PULL[0], -PULL[1], talos.weight - PULL[2]], abs=0.01)

    seiko.measure_external({})
    assert seiko.external.pushed == (LEFT,), "its force is still balanced"
    take_steps(seiko, ask(seiko), 0.5)
    seiko.measure_external({})
    assert seiko.external is not NO_FORCES
    assert seiko.external.pushed == ()
    assert seiko.program.weights.size == talos.nv + seiko.stance.size
    assert seiko.equilibrium_error < EQUILIBRIUM


def test_the_pressure_shifts_as_the_feet_say(talos):
    seiko = stand(talos)
    seiko.measure_external({LEFT: PULL, RIGHT: np.array([0.0, -15.0, 5.0])})
    take_steps(seiko, ask(seiko), 0.5)
    wrenches, poses = seiko.stance.unstack(seiko.wrenches, len(talos.effectors)), seiko.kinematics.poses
    load = moment = 0.0
    for foot in (0, 1):
        force, torque = (poses[foot, :3, :3] @ part for part in (wrenches[foot, :3], wrenches[foot, 3:]))
        about = torque + np.cross(poses[foot, :3, 3] - [0.0, 0.0, seiko.ground_height], force)
        load, moment = load + force[2], moment + np.array([-about[1], about[0]])
    shift = moment / load - seiko.kinematics.position_com_in_world[:2]
    assert shift == pytest.approx(seiko.pressure_shift, abs=1e-4)
    reference = make_reference(talos, seiko, 0.0)
    assert reference.zmp_shift == pytest.approx(shift, abs=1e-4)
    assert reference.external_forces[LEFT] == pytest.approx(PULL, abs=1e-3)
    assert not reference.external_forces[:LEFT].any()


def test_where_nobody_pushes_the_reference_says_so(talos):
    seiko = stand(talos)
    seiko.measure_external({})
    assert seiko.external is NO_FORCES
    reference = make_reference(talos, seiko, 0.0)
    assert reference.external_forces is None
    assert reference.zmp_shift is None


def test_a_pull_that_is_too_strong_is_balanced_as_far_as_it_can_be(model):
    hand = model.effector_of_hand("left")
    seiko = stand(model)
    pull = np.array([0.5 * model.weight, 0.0, 0.0])
    start = seiko.kinematics.position_com_in_world.copy()
    seiko.measure_external({hand: pull})
    targets = ask(seiko)
    leaned = 0.0

    def check():
        nonlocal leaned
        balanced = seiko.external.balanced[0]
        assert (balanced >= np.minimum(pull, 0.0) - 1e-4).all()
        assert (balanced <= np.maximum(pull, 0.0) + 1e-4).all(), "no force is made up that would help"
        assert seiko.contact_error < 1e-5
        assert seiko.equilibrium_error < EQUILIBRIUM
        assert seiko.torque_overshoot < 1e-6
        assert seiko.contact_excess < 1e-3
        leaned = min(leaned, seiko.kinematics.position_com_in_world[0] - start[0])

    take_steps(seiko, targets, 4.0, check)
    most = seiko.external.balanced[0, 0]
    assert 0.05 * model.weight < most < 0.5 * model.weight
    assert leaned < -0.02, "it leans against the pull"
    assert seiko.external.max_missing == pytest.approx(np.linalg.norm(pull - seiko.external.balanced[0]))

    seiko.measure_external({hand: np.zeros(3)})
    take_steps(seiko, targets, 2.0, check)
    assert np.abs(seiko.external.balanced).max() < 1e-3, "let go, it stands by itself"


def test_a_preview_goes_on_under_the_same_pull(talos):
    seiko = stand(talos)
    brace(seiko, RIGHT, np.array([0.0, 0.0, 1.0]))
    seiko.measure_external({LEFT: PULL})
    take_steps(seiko, ask(seiko), 0.5)
    fork = seiko.fork()
    assert fork.external is seiko.external
    assert fork.equilibrium_error < EQUILIBRIUM
    take_steps(fork, ask(fork), 0.1)
    assert fork.external.balanced[0] == pytest.approx(PULL, abs=1e-3)

    other = stand(talos)
    brace(other, RIGHT, np.array([0.0, 0.0, 1.0]))
    other.copy_state(seiko)
    assert other.residual == pytest.approx(seiko.residual)
    take_steps(other, ask(other), 0.1)
    assert other.external.balanced[0] == pytest.approx(PULL, abs=1e-3)


@pytest.mark.parametrize("push", [(0.0, 0.0, 15.0), (20.0, 0.0, 0.0), (-20.0, 5.0, 0.0), (2.0, 0.0, -10.0)])
def test_what_pushes_a_hand_that_comes_into_contact_is_the_contacts(talos, push):
    seiko = stand(talos)
    seiko.measure_external({LEFT: np.array(push), RIGHT: PULL})
    take_steps(seiko, ask(seiko), 0.5)
    brace(seiko, LEFT, np.array([0.0, 0.0, 1.0]))
    assert seiko.external.pushed == (RIGHT,)
    assert seiko.equilibrium_error < EQUILIBRIUM
    assert seiko.external.balanced[0] == pytest.approx(PULL, abs=1e-3)
    seiko.measure_external({LEFT: PULL, RIGHT: PULL})
    assert seiko.external.pushed == (RIGHT,), "that on a contact is the contact's"


def test_a_look_ahead_of_a_hand_that_is_led_finds_what_it_would_without(talos):
    seiko = stand(talos)
    seiko.measure_external({LEFT: PULL})
    take_steps(seiko, ask(seiko), 0.5)
    fork = seiko.fork()
    brace(fork, LEFT, np.array([0.0, 0.0, 1.0]))
    assert fork.external.pushed == ()
    assert fork.equilibrium_error < EQUILIBRIUM
    assert seiko.external.pushed == (LEFT,)


def test_a_touch_that_begins_keeps_what_holds_the_centre_of_mass(talos):
    seiko = stand(talos)
    brace(seiko, RIGHT, np.array([0.0, 0.0, 1.0]))
    balance = seiko.balance
    seiko.measure_external({LEFT: PULL})
    assert seiko.balance is balance
    assert seiko.program.weights.size == talos.nv + seiko.stance.size + 3


def test_forces_come_and_go_by_effector():
    forces = NO_FORCES.measure({RIGHT: PULL})
    assert forces.pushed == (RIGHT,)
    assert forces.max_missing == pytest.approx(np.linalg.norm(PULL))
    forces = forces.admit(0.5 * PULL).measure({LEFT: -PULL})
    assert forces.pushed == (LEFT, RIGHT)
    assert forces.measured.tolist() == [(-PULL).tolist(), [0.0, 0.0, 0.0]]
    assert forces.balanced.tolist() == [[0.0, 0.0, 0.0], (0.5 * PULL).tolist()]
    assert forces.missing.tolist() == [(-PULL).tolist(), (-0.5 * PULL).tolist()]
    assert forces.drop((LEFT,)).pushed == (RIGHT,)
    assert forces.drop((0, 1)) is forces
    assert forces.spread(4)[RIGHT].tolist() == (0.5 * PULL).tolist()
    gone = replace(forces, balanced=np.zeros((2, 3))).measure({})
    assert gone.pushed == ()
    assert gone.max_missing == 0.0
