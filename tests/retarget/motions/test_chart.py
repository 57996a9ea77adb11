"""Motion coordinates: there and back, and derivatives by finite differences."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handhold.retarget.motions.chart import ChartState, compute_body_state, compute_coordinates

STEP = 1e-5  # [s]
ROUNDING = 1e-9
DIFFERENCES = 1e-5  # of second differences over STEP


def random_state(seed: int, nv: int) -> ChartState:
    random = np.random.default_rng(seed)
    return ChartState(x=random.uniform(-1.0, 1.0, nv), rate=random.normal(size=nv), acceleration=random.normal(size=nv))


def random_frame(seed: int) -> pin.SE3:
    random = np.random.default_rng(seed + 1)
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, random.uniform(-3.0, 3.0)), random.normal(size=3))


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_coordinates_lead_back_to_the_configuration(talos_nv, seed):
    state, frame = random_state(seed, talos_nv), random_frame(seed)
    q = compute_body_state(state, frame).q
    assert compute_coordinates(q, frame) == pytest.approx(state.x, abs=ROUNDING)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_velocity_and_acceleration_are_those_of_the_configuration(talos, seed):
    state, frame = random_state(seed, talos.nv), random_frame(seed)

    def at(time: float):
        return compute_body_state(
            ChartState(
                x=state.x + time * state.rate + 0.5 * time**2 * state.acceleration,
                rate=state.rate + time * state.acceleration,
                acceleration=state.acceleration,
            ),
            frame,
        )

    before, now, after = at(-STEP), at(0.0), at(STEP)
    velocity = pin.difference(talos.pinocchio, before.q, after.q) / (2.0 * STEP)
    assert now.v == pytest.approx(velocity, abs=DIFFERENCES)
    assert now.a == pytest.approx((after.v - before.v) / (2.0 * STEP), abs=DIFFERENCES)


@pytest.fixture(scope="module")
def talos_nv(talos) -> int:
    return talos.nv
