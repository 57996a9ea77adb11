"""What of a gradient is left for the posture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.bracing.margin.postural_sensitivity import NEAR_LIMIT, compute_postural_sensitivity, project_gradient

NV, N = 16, 10
FAR = np.full(N, -1.0), np.full(N, 1.0)  # limits of joints that stand at 0
NOTHING = 1e-9


def draw(seed: int, rows: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=NV), rng.normal(size=(rows, NV))


@given(seed=st.integers(0, 10_000))
def test_what_is_left_disturbs_no_task_and_is_the_nearest_to_the_gradient(seed: int) -> None:
    gradient, tasks = draw(seed)
    left = project_gradient(gradient, tasks, np.zeros(N), FAR)
    projector = np.eye(NV) - np.linalg.pinv(tasks) @ tasks
    assert left == pytest.approx(projector @ gradient, abs=NOTHING)
    assert np.abs(tasks @ left).max() < NOTHING
    assert compute_postural_sensitivity(left) == pytest.approx(np.linalg.norm(projector @ gradient) ** 2)


def test_tasks_that_say_the_same_are_one() -> None:
    gradient, tasks = draw(0)
    twice = np.vstack([tasks, tasks, 2.0 * tasks[:1]])
    once = project_gradient(gradient, tasks, np.zeros(N), FAR)
    assert project_gradient(gradient, twice, np.zeros(N), FAR) == pytest.approx(once, abs=1e-7)


@given(seed=st.integers(0, 10_000))
def test_a_joint_near_its_limit_is_driven_no_further(seed: int) -> None:
    gradient, tasks = draw(seed)
    joints = np.random.default_rng(seed).choice([-0.99, 0.0, 0.99], N)
    left = project_gradient(gradient, tasks, joints, FAR)
    assert np.abs(tasks @ left).max() < NOTHING
    assert (left[6:][joints > 1.0 - NEAR_LIMIT] <= 0.0).all()
    assert (left[6:][joints < -1.0 + NEAR_LIMIT] >= 0.0).all()
    assert gradient @ left >= -NOTHING  # still a way that gains


def test_a_joint_near_its_limit_may_come_back() -> None:
    gradient = np.zeros(NV)
    gradient[6] = -1.0
    joints = np.zeros(N)
    joints[0] = 0.99
    no_task = np.zeros((0, NV))
    assert project_gradient(gradient, no_task, joints, FAR) == pytest.approx(gradient)
    assert not project_gradient(-gradient, no_task, joints, FAR).any()


def test_no_gradient_is_no_sensitivity() -> None:
    left = project_gradient(np.zeros(NV), draw(0)[1], np.zeros(N), FAR)
    assert compute_postural_sensitivity(left) == 0.0
