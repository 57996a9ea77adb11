"""The body goes along with where feet stand: its derivatives by finite differences, and what it is over either foot."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.retarget.motions.body import MovingBody
from handhold.retarget.motions.chart import BodyState, shift_base
from handhold.retarget.motions.stance_shift import compute_stance_shift

STEP = 1e-4
STILL = np.zeros((2, 3))


def move(coefficients: np.ndarray, time: float) -> np.ndarray:
    """Return a polynomial of time with its two derivatives, shape ``(3, 3)``."""
    powers = np.array(
        [time ** np.arange(4), np.arange(4) * time ** np.maximum(np.arange(4) - 1, 0), [0.0, 0.0, 2.0, 6.0 * time]]
    )
    return powers @ coefficients


def test_its_derivatives_are_those_of_the_displacement():
    random = np.random.default_rng(0)
    com, *feet = random.normal(0.0, 0.1, (3, 4, 3))
    feet[0][0], feet[1][0] = [0.0, 0.12, 0.0], [0.05, -0.12, 0.0]
    displacements = random.normal(0.0, 0.02, (2, 4, 3))

    def shift(time):
        moved = [np.array([move(each, time) for each in both]) for both in (feet, displacements)]
        return compute_stance_shift(move(com, time), *moved)

    before, now, after = shift(0.3 - STEP), shift(0.3), shift(0.3 + STEP)
    assert (after[0] - before[0]) / (2.0 * STEP) == pytest.approx(now[1], abs=1e-6)
    assert (after[1] - before[1]) / (2.0 * STEP) == pytest.approx(now[2], abs=1e-6)


@pytest.mark.parametrize(("ratio", "expected"), [(0.0, -0.018), (1.0, 0.02), (0.5, 0.001), (0.25, -0.0085)])
def test_over_a_foot_it_is_that_foots_and_between_them_in_proportion(ratio, expected):
    left, right = np.array([0.1, 0.12, 0.0]), np.array([0.1, -0.12, 0.0])
    com = right + ratio * (left - right) + [0.03, 0.0, 0.7]
    displacements = np.array([[[0.0, 0.02, 0.0], *STILL], [[0.0, -0.018, 0.0], *STILL]])
    shift = compute_stance_shift(np.array([com, *STILL]), np.array([[left, *STILL], [right, *STILL]]), displacements)
    assert shift[0] == pytest.approx([0.0, expected, 0.0])
    assert np.abs(shift[1:]).max() == 0.0


def test_a_state_is_displaced_with_all_that_its_body_does(talos):
    random = np.random.default_rng(1)
    q = pin.integrate(talos.pinocchio, talos.q_nominal, random.normal(0.0, 0.2, talos.nv))
    state = BodyState(q=q, v=random.normal(0.0, 0.3, talos.nv), a=random.normal(0.0, 0.5, talos.nv))
    shift = random.normal(0.0, 0.1, (3, 3))
    before, after = MovingBody(talos), MovingBody(talos)
    before.update(state)
    after.update(shift_base(state, shift))
    assert after.com - before.com == pytest.approx(shift, abs=1e-9)
    assert (after.poses - before.poses)[:, :3, 3] == pytest.approx(np.tile(shift[0], (len(before.poses), 1)))
    assert (after.accelerations - before.accelerations)[:, :3] == pytest.approx(np.tile(shift[2], (len(before.poses), 1)))
