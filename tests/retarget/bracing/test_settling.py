"""SEIKO settles from any posture that can be settled, and says what is missing where none can."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from stances import ask

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.bracing.preparation import Preparation
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import NoEquilibrium
from handhold.retarget.bracing.seiko.settling import MAX_RATE, STEP
from handhold.robots.contact import Stance
from handhold.robots.qp import DaqpSolver

TRAPPED = Path(__file__).with_name("trapped.json")
"""Where walking left a Talos with stretched arms: the right shoulder carries 2.0 Nm more than the reference may."""

POSTURES = 40


def stand_in(model, q):
    standing = [k for k, effector in enumerate(model.effectors) if effector.standing]
    return Seiko(model, Stance.of_reference(model, standing), q, DaqpSolver())


def load_trapped(talos):
    q = np.array(json.loads(TRAPPED.read_text())["q"])
    q[3:7] /= np.linalg.norm(q[3:7])
    return stand_in(talos, q)


def list_free_joints(model):
    """Return the joints that carry no foot: arms, trunk and head."""
    feet = [joint for effector, joint in zip(model.effectors, model.effector_joints, strict=True) if effector.is_foot]
    carrying = {model.pinocchio.joints[j].idx_v - 6 for foot in feet for j in model.pinocchio.supports[foot] if j > 1}
    return [joint for joint in range(model.n) if joint not in carrying]


def test_arms_that_walking_left_past_their_torques_settle(talos):
    seiko = load_trapped(talos)
    before = seiko.q.copy()
    assert seiko.torque_overshoot == pytest.approx(1.99, abs=0.01)  # [Nm]
    seiko.project_to_equilibrium()
    assert seiko.shortcomings.none
    # The feet stay where they are, and the arms go no further than they must.
    assert np.abs(seiko.q[7:] - before[7:]).max() < 0.25  # [rad]


def test_the_fastest_rate_alone_has_no_solution_there(talos):
    seiko = load_trapped(talos)
    assert not DaqpSolver().solve(seiko.build(ask(seiko), STEP, barrier=MAX_RATE)).solved


def test_whatever_arms_and_trunk_do_it_settles(model):
    random, free = np.random.default_rng(7), list_free_joints(model)
    nominal, strained = find_standing_posture(model), 0
    for _ in range(POSTURES):
        q = nominal.copy()
        q[7:][free] = random.uniform(model.lower[free], model.upper[free])
        seiko = stand_in(model, q)
        strained += seiko.torque_overshoot > 0.0
        seiko.project_to_equilibrium()
        assert seiko.shortcomings.none
        assert not seiko.v.any()
    assert strained or model.description.name != "talos"


def test_a_joint_far_past_its_limit_comes_back_as_fast_as_it_may_move(talos):
    q = find_standing_posture(talos)
    elbow = talos.joint_names.index("arm_left_4_joint")
    q[7 + elbow] = talos.upper[elbow] + 0.5
    seiko = stand_in(talos, q)
    assert "left elbow 28.65 deg past its range" in seiko.shortcomings.list_problems()
    seiko.project_to_equilibrium()
    assert seiko.q[7 + elbow] < talos.upper[elbow] + 1e-4


def refuse(seiko):
    with pytest.raises(NoEquilibrium) as refusal:
        seiko.project_to_equilibrium()
    return refusal.value


def test_a_refusal_names_the_balance_and_what_mends_it(talos):
    leaning = talos.q_nominal.copy()
    leaning[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.7, 0.0)).coeffs()
    words = str(refuse(stand_in(talos, leaning)))
    assert "contact forces" in words or "balance" in words
    assert words.endswith("bring the robot's centre of mass over its feet")


def test_a_refusal_names_every_joint_whose_torque_does_not_do(talos):
    class Helpless:
        def solve(self, program):
            solution = DaqpSolver().solve(program)
            return type(solution)(x=solution.x, multipliers=solution.multipliers, iterations=1, solved=False)

    stuck = load_trapped(talos)
    seiko = Seiko(talos, stuck.stance, stuck.q, Helpless())
    error = refuse(seiko)
    assert error.shortcomings.torques.max() == pytest.approx(1.99, abs=0.01)
    assert str(error) == (
        "no feasible equilibrium near the present posture (right shoulder 1.99 Nm past its torque limit, "
        "left shoulder 0.73 Nm past its torque limit); move right shoulder and left shoulder nearer to where the "
        "robot has them at the start"
    )


def test_settling_a_part_at_a_time_ends_where_settling_at_once_ends(talos):
    at_once, stepwise = load_trapped(talos), load_trapped(talos)
    start = stepwise.q.copy()
    at_once.project_to_equilibrium()
    preparation = Preparation(stepwise, DaqpSolver())
    calls = 1
    while not preparation.advance():
        calls += 1
    assert calls > 1
    np.testing.assert_allclose(preparation.finish().q, at_once.q, atol=1e-9)
    assert preparation.begins_at(start)
    assert not preparation.begins_at(at_once.q)


def test_who_cannot_wait_for_the_parts_gets_the_same(talos):
    at_once = load_trapped(talos)
    at_once.project_to_equilibrium()
    np.testing.assert_allclose(Preparation(load_trapped(talos), DaqpSolver()).finish().q, at_once.q, atol=1e-9)


def test_a_posture_that_cannot_be_settled_is_refused_at_the_end_and_not_before(talos):
    q = find_standing_posture(talos)
    q[3:7] = (0.0, np.sin(0.35), 0.0, np.cos(0.35))  # it leans forward by 40 degrees
    preparation = Preparation(stand_in(talos, q), DaqpSolver())
    while not preparation.advance(50):
        pass
    with pytest.raises(NoEquilibrium):
        preparation.finish()
