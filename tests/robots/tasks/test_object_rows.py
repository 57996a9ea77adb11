"""Two hands that hold an object: what is asked of their motion and of their wrenches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.contact import Stance
from handhold.robots.grasp import NO_LOAD, NO_PUSH, Grasp, Load
from handhold.robots.kinematics import EffectorKinematics, fill_contact_jacobian
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.tasks.object_rows import WRENCH, ObjectRows, compute_twist_transform
from handhold.robots.tasks.task import FORCE_UNIT

STEP = 1e-6  # [rad] of the central differences
LOAD = Load(mass=4.0, com=np.array([0.02, -0.03, -0.15]))
PUSHED = replace(LOAD, push=np.array([30.0, -10.0, 5.0, 1.0, 2.0, -3.0]))


class Held:
    """Two arms in a random posture, with a grasp between their palms as they are there, and random wrenches."""

    def __init__(self) -> None:
        self.model = load_model("dual-panda")
        random = np.random.default_rng(3)
        self.q = self.model.q_nominal.copy()
        self.q[7:] += 0.1 * random.normal(size=self.model.n)
        self.kinematics = EffectorKinematics(self.model)
        self.kinematics.update(self.q)
        first, second = (pin.SE3(self.kinematics.poses[hand]) for hand in (1, 2))
        self.placement = first.actInv(second).homogeneous
        self.stance = Stance(
            self.model, (0, 1, 2), inset=0.0, grasp=Grasp(effectors=(1, 2), placement=self.placement, min_force=20.0)
        )
        self.wrenches = 20.0 * random.normal(size=self.stance.size)
        self.direction = np.concatenate([np.zeros(6), random.normal(size=self.model.n)])

    def fill(self, rows: ObjectRows, targets: np.ndarray | None = None, drift: np.ndarray | None = None) -> np.ndarray:
        """Fill rows where the arms are, and return the contacts' Jacobian."""
        kinematics, stance = self.kinematics, self.stance
        jacobian = np.zeros((stance.size, self.model.nv))
        contacts = np.array(stance.effectors)
        fill_contact_jacobian(kinematics.jacobians, kinematics.poses, contacts, stance.planes, stance.arms, jacobian)
        nothing = np.zeros(stance.size)
        rows.fill(jacobian, nothing if targets is None else targets, nothing if drift is None else drift, kinematics.poses)
        return jacobian

    def rate(self, measure) -> np.ndarray:
        """How fast something changes along the direction, by central differences."""
        values = []
        for step in (STEP, -STEP):
            self.kinematics.update(pin.integrate(self.model.pinocchio, self.q, step * self.direction))
            values.append(np.array(measure()))
        self.kinematics.update(self.q)
        return (values[0] - values[1]) / (2.0 * STEP)


@pytest.fixture(scope="module")
def held() -> Held:
    return Held()


def make_rows(held: Held, **settings: bool) -> ObjectRows:
    """Return rows of a program with one unknown after the wrenches: how much of a change of the load is admitted."""
    nv = held.model.nv
    return ObjectRows(held.stance, nv, nv + held.stance.size + 1, **settings)


def test_the_second_hand_moves_as_the_first_one_takes_the_object(held: Held) -> None:
    rows = make_rows(held)
    held.fill(rows)

    def measure_difference() -> np.ndarray:
        first, second = (pin.SE3(held.kinematics.poses[hand]) for hand in (1, 2))
        return np.asarray(pin.log6((first * pin.SE3(held.placement)).actInv(second)).vector)

    np.testing.assert_allclose(rows.rows[WRENCH:, : held.model.nv] @ held.direction, held.rate(measure_difference), atol=1e-6)


@pytest.mark.parametrize("load", [LOAD, PUSHED], ids=["weight", "push"])
def test_the_balance_turns_with_the_hand(held: Held, load: Load) -> None:
    rows = make_rows(held)
    rows.load = rows.next_load = load
    rows.wrenches = held.wrenches
    held.fill(rows)
    a, b = (slice(first, first + WRENCH) for first in held.stance.offsets[1:])

    def measure_missing() -> np.ndarray:
        weight = load.compute_wrench(held.kinematics.poses[1, :3, :3])
        return np.asarray(weight - held.wrenches[a] - compute_twist_transform(held.placement).T @ held.wrenches[b])

    np.testing.assert_allclose(FORCE_UNIT * rows.targets[:WRENCH], measure_missing(), atol=1e-9)
    changes = FORCE_UNIT * rows.rows[:WRENCH, : held.model.nv] @ held.direction
    np.testing.assert_allclose(changes, -held.rate(measure_missing), atol=1e-5)


def test_wrenches_that_solve_the_balance_carry_the_object_by_moments_about_any_point(held: Held) -> None:
    rows = make_rows(held)
    rows.load = rows.next_load = LOAD
    held.fill(rows)
    nv, size = held.model.nv, held.stance.size
    solution = np.linalg.lstsq(rows.rows[:WRENCH, nv : nv + size], rows.targets[:WRENCH], rcond=None)[0] * FORCE_UNIT
    force, moment = np.zeros(3), np.zeros(3)
    for hand, first in zip((1, 2), held.stance.offsets[1:], strict=True):
        pose, wrench = held.kinematics.poses[hand], solution[first : first + WRENCH]
        pushed = pose[:3, :3] @ wrench[:3]
        force += pushed
        moment += pose[:3, :3] @ wrench[3:] + np.cross(pose[:3, 3], pushed)
    pose = held.kinematics.poses[1]
    weight = np.array([0.0, 0.0, -GRAVITY * LOAD.mass])
    np.testing.assert_allclose(force, weight, atol=1e-9)
    np.testing.assert_allclose(moment, np.cross(pose[:3, :3] @ LOAD.com + pose[:3, 3], weight), atol=1e-9)


def test_a_change_of_the_load_is_asked_for_as_far_as_it_is_admitted(held: Held) -> None:
    rows = make_rows(held)
    rows.load, rows.next_load = NO_LOAD, LOAD
    held.fill(rows)
    weight = LOAD.compute_wrench(held.kinematics.poses[1, :3, :3])
    np.testing.assert_allclose(FORCE_UNIT * rows.rows[:WRENCH, -1], -weight, atol=1e-9)
    np.testing.assert_allclose(rows.targets[:WRENCH], 0.0, atol=1e-12)


def test_where_accelerations_are_sought_the_object_is_accelerated_as_well(held: Held) -> None:
    nv = held.model.nv
    rows = ObjectRows(held.stance, nv, nv + held.stance.size, accelerations=True)
    rows.load, random = LOAD, np.random.default_rng(5)
    damped, drift = random.normal(size=(2, held.stance.size))
    jacobian = held.fill(rows, damped, -drift)
    hand = slice(held.stance.offsets[1], held.stance.offsets[1] + WRENCH)
    acceleration = jacobian[hand] @ held.direction + drift[hand]
    linear = acceleration[:3] + np.cross(acceleration[3:], LOAD.com)
    inertial = LOAD.mass * np.concatenate([linear, np.cross(LOAD.com, linear)])
    weight = LOAD.compute_wrench(held.kinematics.poses[1, :3, :3])
    # What the hands exert is what carries the object and what accelerates it: w = g - I a, no damping of contacts in it.
    balance = FORCE_UNIT * (rows.targets[:WRENCH] - rows.rows[:WRENCH, :nv] @ held.direction)
    np.testing.assert_allclose(balance, weight - inertial, atol=1e-9)


def test_where_nothing_is_held_nothing_is_asked(held: Held) -> None:
    stance = Stance(held.model, (0, 1, 2), inset=0.0)
    rows = ObjectRows(stance, held.model.nv, held.model.nv + stance.size)
    nothing = np.zeros(stance.size)
    rows.fill(np.zeros((stance.size, held.model.nv)), nothing, nothing, held.kinematics.poses)
    assert rows.indices.size == rows.rows.size == rows.targets.size == 0


def test_a_load_that_changes_in_part_weighs_as_much_of_the_change() -> None:
    rotation, other = np.eye(3), Load(mass=1.0, com=np.array([-0.2, 0.1, 0.3]))
    change = other.compute_wrench(rotation) - LOAD.compute_wrench(rotation)
    part = LOAD.approach(other, np.inf, 0.3).compute_wrench(rotation)
    np.testing.assert_allclose(part, LOAD.compute_wrench(rotation) + 0.3 * change, atol=1e-12)
    near = LOAD.approach(other, 0.1 * GRAVITY)
    assert near.mass == pytest.approx(LOAD.mass - 0.1)
    assert LOAD.approach(NO_LOAD, np.inf).mass == 0.0


def test_a_push_comes_and_goes_with_the_weight_and_is_nothing_again() -> None:
    rotation = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
    part = LOAD.approach(PUSHED, np.inf, 0.3)
    np.testing.assert_allclose(
        part.compute_wrench(rotation) - LOAD.compute_wrench(rotation),
        0.3 * np.concatenate([rotation.T @ PUSHED.push[:3], rotation.T @ PUSHED.push[3:]]),
        atol=1e-12,
    )
    force = float(np.linalg.norm(PUSHED.push[:3]))
    assert LOAD.measure_change(PUSHED) == pytest.approx(force)
    near = LOAD.approach(PUSHED, 0.5 * force)
    np.testing.assert_allclose(near.push, 0.5 * PUSHED.push)
    assert PUSHED.approach(LOAD, np.inf).push is NO_PUSH
