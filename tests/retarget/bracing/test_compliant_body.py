"""A body that gives way: as far as there is room, and no further."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from handhold.retarget.bracing.compliance.body_touch import MIN_ESTIMATED, OFFSET_TIME, BodyTouch
from handhold.retarget.bracing.compliance.compliant_body import BODY, MAX_MISSING, ROOM, CompliantBody
from handhold.robots.model import RobotModel, load_model

DT = 2e-3
PUSH = np.array([0.0, 40.0, 0.0])
NOBODY = np.zeros((2, 3))
FREE = np.full(3, np.nan)


class Robot:
    """A reference whose centre of mass goes as fast as it is told."""

    def __init__(self) -> None:
        self.kinematics = SimpleNamespace(position_com_in_world=np.array([0.0, 0.0, 0.9]))
        self.external = SimpleNamespace(max_missing=0.0)
        self.balance = SimpleNamespace(vertices=np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]))
        self.pressure_shift = np.zeros(2)
        self.velocity_com = np.zeros(3)

    def go(self, velocity: np.ndarray) -> None:
        self.velocity_com = np.nan_to_num(velocity)
        self.kinematics.position_com_in_world = self.kinematics.position_com_in_world + DT * self.velocity_com

    @property
    def place(self) -> np.ndarray:
        return self.kinematics.position_com_in_world[:2]


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture
def robot() -> Any:
    return Robot()


@pytest.fixture
def body(model: RobotModel, robot: Any) -> CompliantBody:
    made = CompliantBody(model)
    made.begin(robot)
    assert made.turn_over("compliant-body")
    push(made, robot, np.zeros(3), OFFSET_TIME)
    return made


def push(
    body: CompliantBody, robot: Any, force: np.ndarray, seconds: float, commanded: np.ndarray = FREE, *, hold: bool = False
) -> np.ndarray:
    """Push the chest for so long [s], and return what was last asked of the centre of mass, shape ``(3,)`` [m/s]."""
    asked = commanded
    for _ in range(round(seconds / DT)):
        body.measure_forces(np.array([np.zeros(3), force]), DT)
        asked = body.lead(commanded, DT, hold=hold)
        robot.go(np.zeros(3) if hold else asked)
    return asked


def test_off_is_off(model: RobotModel, robot: Any) -> None:
    stiff = CompliantBody(model)
    stiff.begin(robot)
    assert [toggle.on for toggle in stiff.toggles] == [False]
    assert stiff.measure_forces(np.array([PUSH, PUSH]), DT) == {}
    assert stiff.lead(FREE, DT, hold=False) is FREE
    assert not stiff.busy
    assert not stiff.turn_over("compliant-left")


def test_a_robot_without_touch_points_has_no_toggle(robot: Any) -> None:
    stiff = CompliantBody(load_model("icub"))
    stiff.begin(robot)
    assert stiff.toggles == ()
    assert not stiff.turn_over("compliant-body")


def test_the_body_goes_along_with_a_push_and_comes_back(model: RobotModel, body: CompliantBody, robot: Any) -> None:
    push(body, robot, PUSH, 6.0)
    assert body.messages == ("the body is pushed",)
    beyond = np.linalg.norm(PUSH) - MIN_ESTIMATED * model.weight
    assert robot.place == pytest.approx([0.0, BODY.return_time * beyond / BODY.damping], rel=0.1, abs=1e-4)
    push(body, robot, np.zeros(3), 0.3)
    assert body.messages == ("the body goes back",)
    push(body, robot, np.zeros(3), 12.0)
    assert not body.busy
    assert np.linalg.norm(robot.place) < 2e-3


def test_it_goes_no_further_and_no_faster_than_it_may(body: CompliantBody, robot: Any) -> None:
    for _ in range(1000):
        before = robot.place
        push(body, robot, 20.0 * PUSH, DT)
        assert np.linalg.norm(robot.place - before) < 2.5 * BODY.max_speed * DT
    assert np.linalg.norm(robot.place) < 1.05 * BODY.max_displacement


def test_what_cannot_be_balanced_is_not_gone_along_with(body: CompliantBody, robot: Any) -> None:
    robot.external.max_missing = MAX_MISSING
    asked = push(body, robot, PUSH, 2.0)
    assert body.busy, "which ends a hold: a robot at rest could not lean"
    assert np.isnan(asked).all(), "it may lean against it"
    assert not robot.place.any()


@pytest.mark.parametrize(("left", "gives_way"), [(0.9 * ROOM[0], False), (2.0 * ROOM[1], True)])
def test_it_does_not_give_way_where_the_push_leaves_too_little_room(
    body: CompliantBody, robot: Any, left: float, gives_way: bool
) -> None:
    robot.pressure_shift = np.array([0.0, 1.0 - left])
    asked = push(body, robot, PUSH, 2.0)
    assert bool(np.linalg.norm(robot.place) > 2e-3) is gives_way
    assert np.isnan(asked).all() is not gives_way


def test_a_body_made_stiff_under_a_push_is_led_no_more_once_it_is_back(body: CompliantBody, robot: Any) -> None:
    push(body, robot, PUSH, 0.1)
    assert body.busy
    assert body.turn_over("compliant-body")
    push(body, robot, PUSH, 1.0, hold=True)
    assert not body.busy


def test_the_operator_goes_on_meanwhile(body: CompliantBody, robot: Any) -> None:
    push(body, robot, PUSH, 2.0, np.array([0.05, 0.0, np.nan]))
    assert robot.place[0] == pytest.approx(0.1, rel=0.05)
    assert robot.place[1] > 2e-3


def test_a_robot_that_holds_stays_where_it_is(body: CompliantBody, robot: Any) -> None:
    asked = push(body, robot, PUSH, 2.0, hold=True)
    assert asked is FREE
    assert body.busy
    assert not robot.place.any()
    body.absorb()
    assert not body.busy


def test_an_offset_is_no_push(model: RobotModel) -> None:
    random = np.random.default_rng(0)
    touch = BodyTouch(2, model.weight)
    offset = np.array([[30.0, -20.0, 50.0], [-10.0, 0.0, 5.0]])
    for _ in range(round(3.0 / DT)):
        touch.update(offset + random.normal(scale=5.0, size=(2, 3)), DT)
        assert not touch.pushed
    for _ in range(round(0.1 / DT)):
        touch.update(offset + np.array([0.0 * PUSH, PUSH]), DT)
    assert touch.pushed
    assert touch.forces.sum(axis=0) == pytest.approx(PUSH, abs=1.0)
    for _ in range(round(0.5 / DT)):
        touch.update(offset + np.array([0.0 * PUSH, PUSH]), DT)
    assert touch.forces[1] == pytest.approx(PUSH, abs=1.0), "where it is pushed is known a little later"


def test_a_push_while_the_offset_is_learnt_is_none_of_it(model: RobotModel) -> None:
    touch = BodyTouch(1, model.weight)
    for force in (60.0, 0.0):
        for _ in range(round(3.0 / DT)):
            touch.update(np.array([[0.0, force if force else 0.0, 0.0]]), DT)
    assert touch.known
    for _ in range(round(600.0 / DT)):
        touch.update(np.zeros((1, 3)), DT)
    assert not touch.pushed, "a push that was taken for an offset does not last for ever"


def test_what_is_not_finite_is_left_out(model: RobotModel) -> None:
    touch = BodyTouch(1, model.weight)
    for value in (0.0, np.nan, 0.0):
        for _ in range(round(1.5 / DT)):
            touch.update(np.array([[0.0, value, 0.0]]), DT)
    assert np.isfinite(touch.forces).all()


def test_what_is_balanced_stays_known_when_the_body_is_made_stiff(body: CompliantBody, robot: Any) -> None:
    push(body, robot, PUSH, 1.0)
    assert body.turn_over("compliant-body")
    assert body.observed
    forces = body.measure_forces(np.array([np.zeros(3), PUSH]), DT)
    assert forces[5] == pytest.approx(PUSH, abs=2.0)
    push(body, robot, np.zeros(3), 1.0)
    assert not body.observed
    assert body.measure_forces(NOBODY, DT) == {}


def test_the_operator_can_retreat_at_once_from_where_it_goes_no_further(body: CompliantBody, robot: Any) -> None:
    ahead = np.array([0.05, 0.0, np.nan])
    for _ in range(round(5.0 / DT)):
        body.measure_forces(np.array([np.zeros(3), PUSH]), DT)
        body.lead(ahead, DT, hold=False)
    back = body.lead(-ahead, DT, hold=False)
    assert back[0] < -0.02


def test_what_drifts_slowly_is_an_offset_as_well(model: RobotModel) -> None:
    touch = BodyTouch(1, model.weight)
    for k in range(round(120.0 / DT)):
        touch.update(np.array([[0.5 * k * DT, 0.0, 0.0]]), DT)
        assert not touch.pushed, "60 N in two minutes"


def test_much_noise_needs_much_of_a_push(model: RobotModel) -> None:
    random = np.random.default_rng(0)
    touch = BodyTouch(1, model.weight)
    for _ in range(round(10.0 / DT)):
        touch.update(random.normal(scale=100.0, size=(1, 3)), DT)
    assert touch.dead_zone > 2.0 * MIN_ESTIMATED * model.weight
