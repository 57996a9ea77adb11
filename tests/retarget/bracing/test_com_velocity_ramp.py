"""What a stick asks of the centre of mass: no step of its acceleration beyond a limit, and nothing where it is let go."""

import numpy as np

from handhold.retarget.bracing.com_velocity_ramp import MAX_ACCELERATION, ComVelocityRamp

DT = 2e-3
REST = np.zeros(3)
PUSHED = np.array([0.03, 0.0, -0.05])


def follow(ramp: ComVelocityRamp, desired: np.ndarray, seconds: float, present: np.ndarray = REST) -> np.ndarray:
    return np.array([ramp.follow(desired, present, DT) for _ in range(round(seconds / DT))])


def test_it_comes_to_what_is_asked_for_at_no_more_than_the_limit() -> None:
    velocities = follow(ComVelocityRamp(), PUSHED, 0.5)
    assert np.abs(np.diff(velocities[:, [0, 2]], axis=0)).max() <= MAX_ACCELERATION * DT * (1.0 + 1e-9)
    np.testing.assert_allclose(velocities[-1, [0, 2]], PUSHED[[0, 2]])
    assert np.isnan(velocities[:, 1]).all()


def test_let_go_it_comes_to_rest_and_asks_for_nothing_more() -> None:
    ramp = ComVelocityRamp()
    follow(ramp, PUSHED, 0.5)
    braking = follow(ramp, REST, 0.5)
    assert np.nanmax(np.abs(np.diff(braking, axis=0))) <= MAX_ACCELERATION * DT * (1.0 + 1e-9)
    assert np.isfinite(braking[0, [0, 2]]).all()
    assert np.isnan(braking[-1]).all()


def test_an_axis_begins_where_the_reference_is() -> None:
    (first,) = follow(ComVelocityRamp(), PUSHED, DT, present=np.array([0.02, 0.7, 0.0]))
    np.testing.assert_allclose(first, [0.02 + MAX_ACCELERATION * DT, np.nan, -MAX_ACCELERATION * DT])


def test_forgotten_it_asks_for_nothing_at_once() -> None:
    ramp = ComVelocityRamp()
    follow(ramp, PUSHED, 0.5)
    ramp.forget()
    assert np.isnan(ramp.follow(REST, REST, DT)).all()
