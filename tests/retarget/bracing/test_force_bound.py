"""The largest normal force of a contact: feasible, optimal, and what another solver finds."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import nnls
from stances import ask, stand

from handhold.app.lab.force_bound import (
    NoForceBound,
    build_wrench_program,
    compute_force_bound,
    maximise_force,
)
from handhold.robots.contact import UNBOUNDED, Stance
from handhold.robots.qp import INFINITY, DaqpSolver, QuadraticProgram

DT = 1e-3
LEFT_HAND = 2
POSES = 20
# HiGHS keeps its constraints within 1e-7 of its unit of 100 N.
FEASIBLE = 1e-4  # [N, Nm]
# Where the bisection stops, and DAQP's tolerance of 1e-6 in units of 100 N.
SAME_FORCE = 0.01  # [N]
SLACK = 1e-3  # [N, Nm] a constraint that is closer to its bound than this counts as met with equality


@pytest.fixture(scope="module")
def postures(talos):
    """Random postures a standing robot reaches, each with a wall at its left hand that it could push."""
    found = []
    for seed in range(POSES):
        random = np.random.default_rng(seed)
        seiko = stand(talos)
        start = seiko.kinematics.poses.copy()
        offset = random.uniform([-0.2, -0.2, -0.3], [0.5, 0.3, 0.4])
        for _ in range(300):
            seiko.step(ask(seiko, LEFT_HAND, offset, start=start), 5 * DT)
        normal = pin.exp3(random.uniform(-0.7, 0.7, 3)) @ np.array([-1.0, 0.0, 0.0])
        found.append((seiko, normal))
    return found


def brace(model, normal):
    """The stance on both feet and the left hand on a surface, which may press with nothing at all."""
    stance = Stance.of_reference(model, (0, 1, LEFT_HAND), {LEFT_HAND: normal})
    stance.min_normal[2] = 0.0
    return stance


def excess(program, wrenches):
    """How far wrenches are outside a program."""
    off = np.abs(program.equalities @ wrenches - program.equality_sides).max()
    return max(off, (program.rows @ wrenches - program.sides).max())


def bisect_force(program, normal, upper=5000.0):
    """The largest normal force for which DAQP finds wrenches: another solver, another question."""
    limited = program.sides < UNBOUNDED
    rows = np.vstack([program.equalities, normal, program.rows[limited]])
    size = rows.shape[1]
    lower = 0.0
    while upper - lower > 0.1 * SAME_FORCE:
        force = 0.5 * (lower + upper)
        fixed = np.concatenate([program.equality_sides, [force]]) / 100.0
        quadratic = QuadraticProgram(
            H=np.eye(size),
            f=np.zeros(size),
            A=rows,
            lower=np.concatenate([np.full(size, -INFINITY), fixed, np.full(limited.sum(), -INFINITY)]),
            upper=np.concatenate([np.full(size, INFINITY), fixed, program.sides[limited] / 100.0]),
            equalities=7,
            soft=0,
        )
        lower, upper = (force, upper) if DaqpSolver().solve(quadratic).solved else (lower, force)
    return lower


def test_the_largest_force_is_that_of_a_bisection_with_another_solver(talos, postures):
    for seiko, normal in postures:
        stance = brace(talos, normal)
        stance.max_normal[:] = UNBOUNDED
        bound = compute_force_bound(talos, stance, seiko.q, LEFT_HAND)
        program = build_wrench_program(talos, stance, seiko.q, largest_forces=np.full(3, UNBOUNDED))
        assert bound.force == pytest.approx(bisect_force(program, stance.normals[2]), abs=SAME_FORCE)


def test_the_wrenches_are_feasible_and_the_active_constraints_alone_prove_them_best(talos, postures):
    r"""With multipliers :math:`\mu \geq 0` of the active rows, :math:`n = E^T \nu + A_{active}^T \mu`."""
    for seiko, normal in postures:
        stance = brace(talos, normal)
        bound = compute_force_bound(talos, stance, seiko.q, LEFT_HAND)
        program = build_wrench_program(talos, stance, seiko.q)
        assert excess(program, bound.wrenches) < FEASIBLE
        assert stance.normals[2] @ bound.wrenches == pytest.approx(bound.force)
        tight = program.sides - program.rows @ bound.wrenches < SLACK
        named = np.array([name in bound.active for name in program.names])
        columns = np.vstack([program.equalities, -program.equalities, program.rows[tight & named]]).T
        _, missing = nnls(columns, stance.normals[2])
        assert missing < 1e-6  # [N/N]


def test_what_seiko_has_now_is_feasible_and_below_the_bound(model):
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing]
    hand = next(i for i, effector in enumerate(model.effectors) if effector.hand)
    seiko = stand(model, effectors=(*feet, hand))
    stance = seiko.stance
    program = build_wrench_program(model, stance, seiko.q)
    # SEIKO settles to a millinewton.
    assert excess(program, seiko.wrenches) < 1e-3
    for contact, effector in enumerate(stance.effectors):
        bound = compute_force_bound(model, stance, seiko.q, effector)
        assert stance.normals[contact] @ seiko.wrenches < bound.force + 1e-3


def test_the_contacts_own_limit_counts_only_where_it_is_asked_for(talos):
    seiko = stand(talos)
    stance = brace(talos, np.array([-1.0, 0.0, 0.0]))
    stance.max_normal[2] = 5.0
    limited = compute_force_bound(talos, stance, seiko.q, LEFT_HAND)
    assert limited.force == pytest.approx(5.0)
    assert limited.active == ("left_hand normal force",)
    free = compute_force_bound(talos, stance, seiko.q, LEFT_HAND, limit_own=False)
    assert free.force > 10.0
    assert "left_hand normal force" not in free.active


def test_a_foot_can_bear_less_when_the_other_must_bear_more(talos):
    seiko = stand(talos)
    stance = Stance.of_reference(talos, (0, 1))
    forces = [
        compute_force_bound(talos, stance, seiko.q, 0, least_forces=np.array([0.0, least])).force
        for least in (0.0, 350.0, 400.0)
    ]
    # The centre of mass between the feet keeps one of them from bearing all; from there on it is the other's weight.
    assert forces[0] < talos.weight - 200.0
    np.testing.assert_allclose(forces[1:], talos.weight - np.array([350.0, 400.0]), atol=FEASIBLE)


def test_the_bound_of_a_weaker_robot_is_lower_and_names_its_joints(talos, postures):
    seiko, normal = postures[0]
    stance = brace(talos, normal)
    program = build_wrench_program(talos, stance, seiko.q, largest_forces=np.full(3, UNBOUNDED))
    strong = maximise_force(program, stance.normals[2], "left_hand")
    arm = np.array(["arm_left" in name for name in program.names])
    weak = replace(program, sides=np.where(arm, 0.5 * program.sides, program.sides))
    bound = maximise_force(weak, stance.normals[2], "left_hand")
    assert bound.force <= strong.force
    assert any("arm_left" in name for name in bound.active)


def test_without_a_contact_an_equilibrium_or_a_limit_there_is_no_bound(talos):
    seiko = stand(talos)
    with pytest.raises(NoForceBound, match="not in contact"):
        compute_force_bound(talos, seiko.stance, seiko.q, LEFT_HAND)
    fallen = seiko.q.copy()
    fallen[3:7] = pin.Quaternion(pin.exp3(np.array([0.0, 1.0, 0.0]))).coeffs()
    with pytest.raises(NoForceBound, match="no equilibrium"):
        compute_force_bound(talos, seiko.stance, fallen, 0)
    program = build_wrench_program(talos, brace(talos, np.array([0.0, 0.0, 1.0])), seiko.q)
    free = replace(program, sides=np.full_like(program.sides, UNBOUNDED))
    with pytest.raises(NoForceBound, match="nothing limits"):
        maximise_force(free, np.eye(free.rows.shape[1])[14], "left_hand")
