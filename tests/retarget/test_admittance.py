"""What touches an effector moves it, and no more than it should."""

from __future__ import annotations

import numpy as np
import pytest

from handhold.retarget.admittance import Admittance, AdmittanceParameters

DT = 2e-3
ABOUT = AdmittanceParameters()
ALONG = np.array([2.0, -1.0, 2.0]) / 3.0
NOWHERE = np.zeros(3)


def push(admittance: Admittance, force: np.ndarray, duration: float, lag: np.ndarray = NOWHERE) -> list[np.ndarray]:
    """Push for a duration [s]; return the displacements."""
    return [admittance.update(force, lag, DT) for _ in range(round(duration / DT))]


def test_it_settles_where_the_leak_balances_the_force() -> None:
    admittance = Admittance(ABOUT)
    push(admittance, (ABOUT.dead_zone + 1.0) * ALONG, 60.0)
    assert admittance.displacement == pytest.approx(ABOUT.return_time * 1.0 / ABOUT.damping * ALONG, rel=1e-3)
    assert admittance.velocity == pytest.approx(NOWHERE, abs=1e-5)


def test_it_is_the_integral_of_its_velocity() -> None:
    admittance = Admittance(ABOUT)
    push(admittance, 8.0 * ALONG, 0.1)
    before = admittance.displacement
    after = admittance.update(8.0 * ALONG, NOWHERE, DT)
    assert (after - before) / DT == pytest.approx(admittance.velocity)


def test_within_the_dead_zone_nothing_moves() -> None:
    assert not np.any(push(Admittance(ABOUT), 0.999 * ABOUT.dead_zone * ALONG, 10.0))


def test_it_goes_back_once_nobody_pushes() -> None:
    admittance = Admittance(ABOUT)
    displaced = push(admittance, 10.0 * ALONG, 1.0)[-1]
    push(admittance, NOWHERE, 10.0 * ABOUT.return_time)
    assert np.linalg.norm(displaced) > 0.1
    assert np.linalg.norm(admittance.displacement) < 1e-4


def test_however_hard_it_is_pushed_speed_and_displacement_are_capped() -> None:
    admittance = Admittance(ABOUT)
    path = np.array(push(admittance, 1e4 * ALONG, 5.0))
    speeds = np.linalg.norm(np.diff(path, axis=0), axis=1) / DT
    assert speeds.max() <= ABOUT.max_speed * (1.0 + 1e-9)
    assert np.linalg.norm(path, axis=1).max() <= ABOUT.max_displacement * (1.0 + 1e-9)


def test_a_push_beyond_what_can_be_reached_winds_nothing_up() -> None:
    admittance = Admittance(ABOUT)
    reach, path = 0.1, []
    for _ in range(round(10.0 / DT)):
        displacement = admittance.displacement
        reached = displacement * min(1.0, reach / max(float(np.linalg.norm(displacement)), 1e-9))
        path.append(admittance.update(150.0 * ALONG, displacement - reached, DT))
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert np.linalg.norm(path[-1]) == pytest.approx(reach + ABOUT.max_lag, abs=2e-3)
    assert steps.max() <= 2.0 * ABOUT.max_speed * DT
