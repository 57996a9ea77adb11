"""The base's filter: its error model against finite differences, and what it makes of a walk that is known."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.contact_aided_filter import (
    SETTLED,
    ContactAidedFilter,
    ContactAidedParameters,
    propagate,
)
from handhold.robots.estimation.inertial import InertialSample
from handhold.robots.model import GRAVITY
from handhold.robots.rotation import fill_exponential

DT = 2e-3
UP = np.array([0.0, 0.0, GRAVITY])
STEP = 0.6  # [s] on each foot in turns, on both for a fifth of it


class Walk:
    """A base that sways, turns and walks ahead over two feet; what its unit and its joints measure."""

    def __init__(self, seed, *, noise=True):
        self.random, self.noise = np.random.default_rng(seed), noise
        self.gyroscope_bias = self.random.normal(0.0, 5e-3, 3)
        self.accelerometer_bias = self.random.normal(0.0, 5e-2, 3)
        self.feet, self.stands, self.time = np.zeros((2, 3)), np.zeros(2, dtype=bool), 0.0
        self.step(0.0)

    def position(self, t):
        return np.array([0.3 * t, 0.04 * np.sin(np.pi * t / STEP), 0.9 + 0.01 * np.cos(2.0 * np.pi * t / STEP)])

    def rotation(self, t):
        return pin.rpy.rpyToMatrix(0.03 * np.sin(3.0 * t), 0.05 + 0.02 * np.cos(2.0 * t), 0.1 * t)

    def velocity(self, t):
        return (self.position(t + 1e-5) - self.position(t - 1e-5)) / 2e-5

    def step(self, dt):
        self.time += dt
        phase = (self.time / STEP) % 2.0
        stands = np.array([phase < 1.2 or phase > 1.99, phase > 0.99 or phase < 0.2])
        for k in np.flatnonzero(stands & ~self.stands):
            self.feet[k] = self.position(self.time) + self.rotation(self.time) @ [0.1, 0.1 - 0.2 * k, -0.9]
        self.stands = stands

    def measure(self):
        """Return the sample of the next period, which feet stand after it, and where they are in the unit's frame."""
        before, after = self.time, self.time + DT
        turn = pin.log3(self.rotation(before).T @ self.rotation(after))
        mean = self.rotation(before) @ pin.exp3(0.5 * turn)
        force = mean.T @ ((self.velocity(after) - self.velocity(before)) / DT + UP)
        self.step(DT)
        positions = (self.feet - self.position(after)) @ self.rotation(after)
        if self.noise:
            turn = turn + DT * (self.gyroscope_bias + self.random.normal(0.0, 2e-4 / np.sqrt(DT), 3))
            force = force + self.accelerometer_bias + self.random.normal(0.0, 2e-3 / np.sqrt(DT), 3)
            positions = positions + self.random.normal(0.0, 1e-3, (2, 3))
        return InertialSample(after, turn / DT, force), self.stands, positions


def follow(walk, estimate, seconds):
    """Let the filter follow; return the errors of velocity, tilt and position over time."""
    errors = []
    for _ in range(round(seconds / DT)):
        sample, stands, positions = walk.measure()
        estimate.update(sample, stands, positions, DT)
        tilt = np.linalg.norm(np.cross(estimate.rotation[2], walk.rotation(walk.time)[2]))
        velocity = np.linalg.norm(estimate.velocity - walk.velocity(walk.time))
        errors.append((velocity, tilt, np.linalg.norm(estimate.position - walk.position(walk.time))))
    return np.array(errors)


def test_a_walk_is_followed_and_the_biases_are_found():
    walk, estimate = Walk(0), ContactAidedFilter(2)
    estimate.reset(walk.rotation(0.0), walk.velocity(0.0), walk.position(0.0))
    errors = follow(walk, estimate, 30.0)
    settled = errors[len(errors) // 3 :]
    assert np.sqrt(np.mean(settled[:, 0] ** 2)) < 0.02  # [m/s]
    assert np.degrees(np.sqrt(np.mean(settled[:, 1] ** 2))) < 0.2
    assert errors[-1, 2] < 0.02 * np.linalg.norm(walk.position(30.0) - walk.position(0.0))
    assert estimate.biases[0] == pytest.approx(walk.gyroscope_bias, abs=1e-3)
    assert estimate.slips == 0


def test_without_noise_a_wrong_beginning_is_forgotten():
    walk, estimate = Walk(1, noise=False), ContactAidedFilter(2, ContactAidedParameters(tilt=0.2, velocity=0.5))
    wrong = pin.exp3(np.array([0.15, -0.2, 0.0])) @ walk.rotation(0.0)
    estimate.reset(wrong, walk.velocity(0.0) + np.array([0.3, -0.2, 0.1]), walk.position(0.0))
    errors = follow(walk, estimate, 10.0)
    assert errors[0, 0] > 0.3
    assert errors[-1, 0] < 0.01
    assert np.degrees(errors[-1, 1]) < 0.5


def test_a_foot_that_has_moved_is_not_believed():
    walk, estimate = Walk(2), ContactAidedFilter(2)
    estimate.reset(walk.rotation(0.0), walk.velocity(0.0), walk.position(0.0))
    follow(walk, estimate, 10.0)
    assert walk.stands.sum() == 1
    walk.feet[walk.stands] += np.array([0.1, 0.0, 0.0])
    errors = follow(walk, estimate, 1.0)
    assert estimate.slips == 1
    assert errors[:, 0].max() < 0.1


def test_what_is_estimated_is_as_far_off_as_the_covariance_says():
    squares = []
    for seed in range(10):
        walk, estimate = Walk(seed), ContactAidedFilter(2)
        estimate.reset(walk.rotation(0.0), walk.velocity(0.0), walk.position(0.0))
        follow(walk, estimate, 4.0)
        # Velocity's part of the right-invariant error.
        off = estimate.rotation @ walk.rotation(walk.time).T
        error = estimate.velocity - off @ walk.velocity(walk.time)
        squares.append(error @ np.linalg.solve(estimate.covariance[3:6, 3:6], error) / 3.0)
    assert 0.2 < np.mean(squares) < 3.0


def random_state(random):
    rotation = pin.exp3(random.normal(0.0, 0.5, 3))
    return rotation, random.normal(0.0, 1.0, (4, 3)), random.normal(0.0, 0.1, (2, 3))


def displace(state, error):
    """Return the state of which another is off by an error: exp(xi) X, and the biases."""
    rotation, vectors, biases = state
    turn, jacobian = np.zeros((3, 3)), np.zeros((3, 3))
    fill_exponential(error[:3], turn, jacobian)
    moved = vectors @ turn.T + error[3:-6].reshape(-1, 3) @ jacobian.T
    return turn @ rotation, moved, biases + error[-6:].reshape(2, 3)


def carry_on(state, sample, transition):
    rotation, vectors, biases = (np.ascontiguousarray(part.copy()) for part in state)
    covariance = np.zeros((21, 21))
    propagate(rotation, vectors, biases, covariance, sample, np.zeros(5), transition, DT)
    return rotation, vectors, biases


def test_the_error_goes_on_as_its_model_says():
    random = np.random.default_rng(3)
    state, sample = random_state(random), (random.normal(0.0, 1.0, 3), random.normal(0.0, 5.0, 3))
    transition = np.eye(21)
    after = carry_on(state, sample, transition)
    for k in range(21):
        error = np.zeros(21)
        error[k] = 1e-6
        off = carry_on(displace(state, error), sample, np.eye(21))
        turn = off[0] @ after[0].T
        found = np.concatenate([pin.log3(turn), (off[1] - after[1] @ turn.T).ravel(), (off[2] - after[2]).ravel()]) / 1e-6
        # To the first order in dt.
        np.testing.assert_allclose(found, transition[:, k], atol=20.0 * DT**2 * 10.0)


@pytest.mark.parametrize("turn", [np.zeros(3), np.array([1e-8, 0.0, 0.0]), np.array([0.3, -1.0, 0.5])])
def test_the_exponential_is_that_of_rotations(turn):
    rotation, jacobian = np.zeros((3, 3)), np.zeros((3, 3))
    fill_exponential(turn, rotation, jacobian)
    np.testing.assert_allclose(rotation, pin.exp3(turn), atol=1e-12)
    mean = np.mean([pin.exp3(s * turn) for s in (np.arange(1000) + 0.5) / 1000.0], axis=0)
    np.testing.assert_allclose(jacobian, mean, atol=1e-6)


def test_the_world_stays_where_it_is_under_feet_that_have_stood_for_long():
    walk, estimate = Walk(4), ContactAidedFilter(2, ContactAidedParameters(contact_position=1.2e-3))
    walk.feet = np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]])
    walk.position = lambda t: np.array([3.0, 0.0, 0.9]) + 0.03 * (1.0 - np.cos(0.7 * t)) * np.array([1.0, 0.5, 0.2])
    walk.rotation = lambda t: pin.exp3(0.1 * (1.0 - np.cos(0.5 * t)) * np.array([0.2, 0.5, 1.0]))
    walk.step = lambda dt: setattr(walk, "time", walk.time + dt)
    estimate.reset(walk.rotation(0.0), walk.velocity(0.0), walk.position(0.0))
    contacts = []
    for _ in range(round(20.0 / DT)):
        sample, _, positions = walk.measure()
        # Encoders round, which the filter takes for noise.
        estimate.update(sample, np.ones(2, dtype=bool), np.round(positions / 1e-3) * 1e-3, DT)
        contacts.append(estimate.vectors[2:].copy())
    settled = np.array(contacts[round((SETTLED + 0.1) / DT) :])
    assert estimate.slips == 0
    assert np.abs(settled.mean(axis=1) - settled[0].mean(axis=0)).max() < 1e-9
    between = settled[:, 0] - settled[:, 1]
    assert np.ptp(np.arctan2(between[:, 1], between[:, 0])) < 1e-6
    assert np.linalg.norm(estimate.velocity - walk.velocity(walk.time)) < 0.02
