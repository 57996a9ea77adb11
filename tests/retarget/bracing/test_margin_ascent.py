"""The way on which the least of several distances grows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.bracing.margin.margin_ascent import find_ascent, weigh_edges
from handhold.retarget.bracing.margin.postural_sensitivity import NEAR_LIMIT, project_gradient

NV, N = 16, 10
FAR = np.full(N, -1.0), np.full(N, 1.0)  # limits of joints that stand at 0
REACH = 1.0  # [rad^2/m]
SOLVED = 1e-6  # [m], [m/rad]: the program's regularisation and tolerance


def draw(seed: int, edges: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.05, 0.07, edges), rng.normal(scale=0.1, size=(edges, NV)), rng.normal(size=(5, NV))


def ascend(margins: np.ndarray, gradients: np.ndarray, tasks: np.ndarray, joints: np.ndarray | None = None) -> np.ndarray:
    return find_ascent(margins, gradients, tasks, np.zeros(N) if joints is None else joints, FAR, reach=REACH)


@given(seed=st.integers(0, 10_000))
def test_of_one_edge_it_is_the_projected_gradient(seed: int) -> None:
    margins, gradients, tasks = draw(seed, 1)
    assert ascend(margins, gradients, tasks) == pytest.approx(project_gradient(gradients[0], tasks, np.zeros(N), FAR))


@given(seed=st.integers(0, 10_000), edges=st.integers(2, 6))
def test_no_other_step_of_that_price_raises_the_least_distance_more(seed: int, edges: int) -> None:
    margins, gradients, tasks = draw(seed, edges)
    ascent = ascend(margins, gradients, tasks)
    assert np.abs(tasks @ ascent).max() < SOLVED
    distances = margins + REACH * gradients @ ascent
    # Optimal: the price's gradient is a mixture of those of edges that are least after the step.
    best = distances.min() - 0.5 * REACH * ascent @ ascent
    rng = np.random.default_rng(seed)
    for scale in (1e-3, 1e-2, 1e-1):
        way = rng.normal(scale=scale, size=NV)
        way -= np.linalg.pinv(tasks) @ (tasks @ way)
        step = REACH * ascent + way
        assert (margins + gradients @ step).min() - step @ step / (2.0 * REACH) <= best + SOLVED


def test_between_two_edges_that_want_the_opposite_nothing_moves() -> None:
    gradient = np.zeros(NV)
    gradient[8] = 0.1
    ascent = ascend(np.array([0.05, 0.05]), np.stack([gradient, -gradient]), np.zeros((0, NV)))
    assert np.abs(ascent).max() < SOLVED


def test_an_edge_counts_the_less_the_further_away_it_is() -> None:
    gradients = np.zeros((2, NV))
    gradients[0, 8] = gradients[1, 9] = 0.1  # 1 cm a step of 0.1 rad
    shares = [weigh_edges(np.array([0.05, 0.05 + away]), gradients, REACH)[1] for away in (0.0, 0.004, 0.008, 0.011)]
    assert shares == pytest.approx([0.5, 0.3, 0.1, 0.0], abs=1e-5)


def test_a_joint_near_its_limit_is_driven_no_further() -> None:
    margins, gradients, tasks = draw(3, 4)
    joints = np.random.default_rng(3).choice([-0.99, 0.0, 0.99], N)
    ascent = ascend(margins, gradients, tasks, joints)
    assert (ascent[6:][joints > 1.0 - NEAR_LIMIT] <= 0.0).all()
    assert (ascent[6:][joints < -1.0 + NEAR_LIMIT] >= 0.0).all()


def test_where_no_edge_depends_on_the_posture_nothing_moves() -> None:
    margins, gradients, tasks = draw(5, 3)
    assert not ascend(margins, np.zeros_like(gradients), tasks).any()
