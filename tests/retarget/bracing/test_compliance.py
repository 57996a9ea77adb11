"""All that gives way together: what is told of pulls, and what keeps other modes out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from handhold.retarget.bracing.compliance.balance_filter import fade_in, follow, smooth
from handhold.retarget.bracing.compliance.compliance import Compliance
from handhold.retarget.bracing.compliance.unbalanced import Unbalanced
from handhold.retarget.bracing.contacts.touch import Touch
from handhold.retarget.bracing.seiko.external_forces import NO_FORCES, ExternalForces
from handhold.robots.model import RobotModel, load_model

DT = 2e-3
PULL = np.array([10.0, 0.0, 0.0])
LEFT, CHEST = 2, 5


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


def tell(unbalanced: Unbalanced, external: ExternalForces, duration: float) -> tuple[str, ...]:
    """What the operator is told once forces have lasted for a duration [s]."""
    for _ in range(round(duration / DT)):
        unbalanced.update(external, DT)
    return tuple(unbalanced.messages)


def test_the_operator_is_told_what_cannot_be_balanced(model: RobotModel) -> None:
    unbalanced = Unbalanced(model)
    assert tell(unbalanced, NO_FORCES.measure({LEFT: 0.4 * PULL}), 1.0) == ()
    pulled = NO_FORCES.measure({LEFT: 4.0 * PULL}).admit(2.8 * PULL)
    assert tell(unbalanced, pulled, 0.2) == (), "what is balanced follows at a rate"
    assert tell(unbalanced, pulled, 0.2) == ("the left hand is pulled by 12 N more than can be balanced",)
    let_go = NO_FORCES.measure({LEFT: 0.0 * PULL}).admit(40.0 * PULL)
    assert tell(unbalanced, let_go, 1.0) == (), "let go is not pulled"
    pushed = NO_FORCES.measure({CHEST: 4.0 * PULL}).admit(2.0 * PULL)
    assert tell(unbalanced, pushed, 0.4) == ("the chest is pulled by 20 N more than can be balanced",)


@pytest.mark.parametrize("pulled", [LEFT, CHEST])
def test_no_other_mode_takes_charge_of_a_robot_that_is_held_on_to(model: RobotModel, pulled: int) -> None:
    compliance = Compliance(model)
    robot: Any = SimpleNamespace(external=NO_FORCES)
    compliance.begin(robot, robot)
    assert not compliance.held
    for ratio in (0.9, 1.1):
        robot.external = NO_FORCES.measure({pulled: PULL}).admit(ratio * PULL)
        assert compliance.held == (ratio > 1.0)


def test_forces_on_hands_come_before_those_on_the_body(model: RobotModel) -> None:
    compliance = Compliance(model)
    touched = Touch(force=PULL, noise=0.0, uncertainty=0.0)
    robot: Any = SimpleNamespace(
        external=NO_FORCES,
        stance=SimpleNamespace(effectors=()),
        measure_touch=lambda _effector, _dt: touched,
        is_moving=lambda _effector: False,
    )
    compliance.begin(robot, robot)
    nobody, pushed = np.zeros((2, 3)), np.array([0.0 * PULL, 5.0 * PULL])
    assert compliance.measure_forces(pushed, DT) == {}, "stiff as long as nobody says otherwise"
    assert [toggle.name for toggle in compliance.toggles] == ["compliant-left", "compliant-right", "compliant-body"]
    for name in ("compliant-right", "compliant-body"):
        assert compliance.turn_over(name)
    assert not compliance.turn_over("compliant-tail")
    for on_points in (nobody, pushed):
        for _ in range(1000):
            forces = compliance.measure_forces(on_points, DT)
    assert list(forces) == [3, 4, 5]
    assert forces[CHEST] == pytest.approx(5.0 * PULL, abs=0.5)


def test_noise_is_faded_out_and_what_ends_is_exactly_zero() -> None:
    assert not fade_in(PULL, np.inf).any(), "before an offset is known"
    for size, ratio in ((0.9, 0.0), (1.25, 0.5), (1.5, 1.0), (9.0, 1.0)):
        assert fade_in(size * PULL, 10.0) == pytest.approx(ratio * size * PULL)
    force = smooth(np.zeros(3), PULL, 1.0)
    assert force == pytest.approx(PULL)
    for _ in range(50):
        force = smooth(force, np.zeros(3), DT)
    assert force[0] > 0.0
    for _ in range(100):
        force = smooth(force, np.zeros(3), DT)
    assert not force.any()


def test_what_is_within_the_noise_changes_nothing_that_is_balanced() -> None:
    noise, random = 2.0, np.random.default_rng(0)
    for _ in range(100):
        nearby = PULL + random.uniform(-1.0, 1.0, 3)
        assert follow(PULL, nearby, noise) == pytest.approx(PULL), "shorter than the noise"
    assert follow(np.zeros(3), PULL, noise) == pytest.approx((1.0 - noise / np.linalg.norm(PULL)) * PULL)
    assert np.array_equal(follow(np.zeros(3), PULL, 0.0), PULL), "an ideal sensor's is taken as it is"
    assert not follow(PULL, np.zeros(3), noise).any(), "what has ended is gone"
