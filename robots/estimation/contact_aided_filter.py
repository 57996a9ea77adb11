r"""Pose and velocity of a robot's base from its inertial unit and from what stands still: a right-invariant Kalman filter.

The state :math:`X = (R, v, p, d_1 \dots d_N)` is the unit's attitude, velocity and position in world and the positions of the
contacts, with the biases :math:`b_g, b_a`. Between two samples :math:`\tilde \omega, \tilde f`

.. math::

    \dot R = R (\tilde \omega - b_g)_\times, \quad \dot v = R (\tilde f - b_a) + g, \quad \dot p = v, \quad \dot d_i = 0 ,

and a contact that is where the joints say, :math:`h_i` in the unit's frame, has the innovation
:math:`z_i = R h_i + p - d_i`. With the error :math:`\eta = \hat X X^{-1} = \exp \xi` of the group of these states
[Hartley2020]_

.. math::

    \dot\xi = A \xi + \mathrm{Ad}_X w, \quad
    A = \begin{bmatrix} 0 & & & & -R & 0 \\ g_\times & 0 & & & -v_\times R & -R \\ & I & 0 & & -p_\times R & 0 \\
        & & & 0 & -d_\times R & 0 \end{bmatrix}, \qquad
    z_i = \xi_p - \xi_{d_i}, \quad \hat X \leftarrow \exp(K z) \hat X ,

in which nothing but the columns of the biases depends on the estimate: a filter that begins with a wrong attitude or velocity
comes to the true ones all the same. Position and heading are not observed; they drift.

What is learnt of the biases tells anew where a walk has led to, and then moves and turns all that is known in world, by
centimetres within a second. Under feet that have stood for long nothing is to move: of the worlds that differ by a translation
:math:`t` and a heading :math:`\psi`, which are one to all that is measured, that one is taken in which such contacts have
stayed, on the whole, where they were before they were corrected:

.. math:: \min_{\psi, t} \sum_i \| R_z(\psi) d_i^+ + t - d_i^- \|^2 , \qquad X \leftarrow (R_z(\psi), t) X^+ ,

with :math:`\psi` such that the base keeps its heading where one contact stands.

.. [Hartley2020] R. Hartley, M. Ghaffari, R. M. Eustice, J. W. Grizzle, Contact-aided invariant extended Kalman filtering for
    robot state estimation, International Journal of Robotics Research, 2020.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from handhold.robots.estimation.inertial import InertialNoise, InertialSample
from handhold.robots.model import GRAVITY
from handhold.robots.rotation import fill_exponential, skew, turn_about_vertical

MAX_SLIP = 30.7
"""Squared Mahalanobis distance of a contact's innovation from where it has moved: one in a million that stand has it [-]."""

SETTLED = 2.0
"""How long a contact has stood when the world is kept where it is [s]: longer than a foot does between two steps."""

_VELOCITY, _POSITION, _CONTACTS = 3, 6, 9
"""First rows of the error's parts; the biases are the last six."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactAidedParameters:
    """How much what stands still is believed, and how well the beginning is known.

    Attributes:
        inertial: The unit's noise.
        contact_drift: Random walk of a contact that stands [m/sqrt(s)].
        contact_position: Standard deviation of a contact's position by the joints, along each axis [m].
        tilt, velocity: Standard deviations of the attitude [rad] and the velocity [m/s] in the beginning.
        gyroscope_bias, accelerometer_bias: Of the biases [rad/s], [m/s^2].
    """

    inertial: InertialNoise = field(default_factory=InertialNoise)
    contact_drift: float = 3e-4
    contact_position: float = 1e-3
    tilt: float = 0.02
    velocity: float = 0.05
    gyroscope_bias: float = 0.01
    accelerometer_bias: float = 0.1


class ContactAidedFilter:
    """Estimates where a robot's inertial unit is, and how fast it moves.

    Attributes:
        rotation: Attitude of the unit in world, shape ``(3, 3)``.
        vectors: Its velocity [m/s] and position [m] in world, and the contacts' positions [m], shape ``(2 + contacts, 3)``.
        biases: Of gyroscope [rad/s] and accelerometer [m/s^2], shape ``(2, 3)``.
        covariance: Of the error: attitude, velocity, position, contacts, biases; shape ``(n, n)``, n = 15 + 3 contacts.
        in_contact: Which contacts stand, shape ``(contacts,)``, bool.
        angular_velocity: Of the unit in its frame, less the bias, shape ``(3,)`` [rad/s].
        slips: How often a contact that was said to stand was taken to have moved.
    """

    def __init__(self, contacts: int, parameters: ContactAidedParameters | None = None) -> None:
        """Begin at the origin, level and at rest, with as many contacts at most."""
        self._parameters = p = parameters or ContactAidedParameters()
        noise = p.inertial
        densities = (noise.gyroscope, noise.accelerometer, p.contact_drift, noise.gyroscope_drift, noise.accelerometer_drift)
        self._variances = np.array(densities) ** 2
        size = _CONTACTS + 3 * contacts + 6
        self.covariance = np.zeros((size, size))
        self._transition = np.eye(size)
        self.in_contact = np.zeros(contacts, dtype=np.bool_)
        # How long each has stood [s].
        self._standing_times = np.zeros(contacts)
        self.biases = np.zeros((2, 3))
        self.vectors = np.zeros((2 + contacts, 3))
        self.reset(np.eye(3), np.zeros(3), np.zeros(3))

    def reset(self, rotation: np.ndarray, velocity: np.ndarray, position: np.ndarray) -> None:
        """Begin anew where the unit is believed to be; what is known of its biases is forgotten.

        Args:
            rotation: Its attitude in world, shape ``(3, 3)``.
            velocity: In world, shape ``(3,)`` [m/s].
            position: Likewise [m].
        """
        p = self._parameters
        self.rotation = np.array(rotation, dtype=float)
        self.vectors[:] = 0.0
        self.vectors[0], self.vectors[1] = velocity, position
        self.biases[:] = 0.0
        self.angular_velocity = np.zeros(3)
        self.slips = 0
        self.in_contact[:] = False
        self._standing_times[:] = 0.0
        self.covariance[:] = 0.0
        deviations = np.repeat([p.tilt, p.velocity], 3)
        self.covariance[range(6), range(6)] = deviations**2
        last = range(len(self.covariance) - 6, len(self.covariance))
        self.covariance[last, last] = np.repeat([p.gyroscope_bias, p.accelerometer_bias], 3) ** 2

    def update(
        self,
        sample: InertialSample,
        standing: np.ndarray,
        positions: np.ndarray,
        dt: float,
        rolled: np.ndarray | None = None,
    ) -> None:
        """Go on by a period.

        Args:
            sample: What the unit measured over it.
            standing: Which contacts stand at its end, shape ``(contacts,)``, bool.
            positions: Of the contacts in the unit's frame by the joints then, shape ``(contacts, 3)`` [m].
            dt: Its length [s].
            rolled: By how much contacts that stand have moved on over it in world, shape ``(contacts, 3)`` [m]; None for none.
        """
        state = self.rotation, self.vectors, self.biases, self.covariance
        propagate(*state, (sample.angular_velocity, sample.specific_force), self._variances, self._transition, dt)
        if sample.force_deviation:
            add_acceleration_variance(self.covariance, sample.force_deviation, dt)
        self.angular_velocity = sample.angular_velocity - self.biases[0]
        if rolled is not None:
            self.vectors[2:] += rolled
        contacts, attitude = self.vectors[2:].copy(), self.rotation.copy()
        variance, stays = self._parameters.contact_position**2, self.in_contact & standing
        slips = correct(*state, self.in_contact, standing, positions, variance, MAX_SLIP)
        # A slip begins all of them anew: until it was noticed it has moved the others.
        self._standing_times = np.where(stays & (slips == 0), self._standing_times + dt, 0.0)
        self.slips += slips
        anchor_world(self.rotation, self.vectors, self._standing_times >= SETTLED, contacts, attitude)

    @property
    def velocity(self) -> np.ndarray:
        """Of the unit in world, shape ``(3,)`` [m/s] (view)."""
        return self.vectors[0]

    @property
    def position(self) -> np.ndarray:
        """Of the unit in world, shape ``(3,)`` [m] (view)."""
        return self.vectors[1]


def add_acceleration_variance(covariance: np.ndarray, deviation: float, dt: float) -> None:
    r"""Add what a constant acceleration of a deviation does within a period, :math:`\sigma^2 G G^T, \; G = (dt, dt^2 / 2)`.

    Args:
        covariance: Added to, shape ``(n, n)``.
        deviation: Along each axis [m/s^2].
        dt: Length of the period [s].
    """
    gains = deviation * np.array([dt, 0.5 * dt * dt])
    for axis in range(3):
        rows = np.array([_VELOCITY + axis, _POSITION + axis])
        covariance[np.ix_(rows, rows)] += np.outer(gains, gains)


@njit(cache=True)
def fill_transition(rotation: np.ndarray, vectors: np.ndarray, transition: np.ndarray, dt: float) -> None:
    """Fill ``I + A dt``, shape ``(n, n)``; what never changes of it is there already or filled again."""
    n = transition.shape[0]
    gyroscope, accelerometer = n - 6, n - 3
    gravity = skew(np.array([0.0, 0.0, -GRAVITY]))
    for i in range(3):
        transition[_POSITION + i, _VELOCITY + i] = dt
        for j in range(3):
            transition[_VELOCITY + i, j] = dt * gravity[i, j]
            transition[i, gyroscope + j] = -dt * rotation[i, j]
            transition[_VELOCITY + i, accelerometer + j] = -dt * rotation[i, j]
    for k in range(vectors.shape[0]):
        turned = skew(vectors[k]) @ rotation
        for i in range(3):
            for j in range(3):
                transition[_VELOCITY + 3 * k + i, gyroscope + j] = -dt * turned[i, j]


@njit(cache=True)
def add_noise(vectors: np.ndarray, variances: np.ndarray, covariance: np.ndarray, dt: float) -> None:
    r"""Add :math:`\mathrm{Ad}_X \, \mathrm{Cov}(w) \, \mathrm{Ad}_X^T dt`, and what the biases walk.

    Args:
        vectors: As in ``ContactAidedFilter``.
        variances: Of gyroscope, accelerometer, contacts, and the biases' walks, densities squared, shape ``(5,)``.
        covariance: Added to, shape ``(n, n)``.
        dt: Length of the period [s].
    """
    rows = 3 + 3 * vectors.shape[0]
    turns = np.zeros((rows, 3))
    for i in range(3):
        turns[i, i] = 1.0
    for k in range(vectors.shape[0]):
        turns[_VELOCITY + 3 * k : _POSITION + 3 * k] = skew(vectors[k])
    covariance[:rows, :rows] += variances[0] * dt * (turns @ turns.T)
    n = covariance.shape[0]
    for i in range(3):
        covariance[_VELOCITY + i, _VELOCITY + i] += variances[1] * dt
        covariance[n - 6 + i, n - 6 + i] += variances[3] * dt
        covariance[n - 3 + i, n - 3 + i] += variances[4] * dt
    for i in range(_CONTACTS, rows):
        covariance[i, i] += variances[2] * dt


@njit(cache=True)
def propagate(
    rotation: np.ndarray,
    vectors: np.ndarray,
    biases: np.ndarray,
    covariance: np.ndarray,
    sample: tuple[np.ndarray, np.ndarray],
    variances: np.ndarray,
    transition: np.ndarray,
    dt: float,
) -> None:
    """Carry state and covariance on by a period, in place.

    Args:
        rotation: As in ``ContactAidedFilter``, as the next three.
        vectors: Likewise.
        biases: Likewise.
        covariance: Likewise.
        sample: Angular velocity and specific force as measured, shape ``(3,)`` each.
        variances: As in ``add_noise``.
        transition: Filled, shape ``(n, n)``.
        dt: Length of the period [s].
    """
    fill_transition(rotation, vectors, transition, dt)
    covariance[:] = transition @ covariance @ transition.T
    add_noise(vectors, variances, covariance, dt)
    angular_velocity, specific_force = sample
    turn, half = np.zeros((3, 3)), np.zeros((3, 3))
    fill_exponential(dt * (angular_velocity - biases[0]), turn, half)
    # The mean attitude over the period: its left Jacobian.
    acceleration = rotation @ (half @ (specific_force - biases[1]))
    acceleration[2] -= GRAVITY
    for i in range(3):
        vectors[1, i] += dt * vectors[0, i] + 0.5 * dt * dt * acceleration[i]
        vectors[0, i] += dt * acceleration[i]
    rotation[:] = rotation @ turn


@njit(cache=True)
def correct(
    rotation: np.ndarray,
    vectors: np.ndarray,
    biases: np.ndarray,
    covariance: np.ndarray,
    in_contact: np.ndarray,
    standing: np.ndarray,
    positions: np.ndarray,
    variance: float,
    max_distance: float,
) -> int:
    """Correct state and covariance by the contacts that stand, begin new ones and end others, in place.

    Args:
        rotation: As in ``ContactAidedFilter``, as the next four.
        vectors: Likewise.
        biases: Likewise.
        covariance: Likewise.
        in_contact: Likewise: before, and then ``standing``.
        standing: As in ``ContactAidedFilter.update``.
        positions: Likewise.
        variance: Of a contact's position by the joints, along each axis [m^2].
        max_distance: Squared Mahalanobis distance from which on a contact has moved [-].

    Returns:
        How many contacts that stood were taken to have moved: each begins anew where it is.
    """
    slips = 0
    for k in range(in_contact.size):
        if standing[k] and in_contact[k]:
            innovation = rotation @ positions[k] + vectors[1] - vectors[2 + k]
            if not correct_by_contact(rotation, vectors, biases, covariance, k, innovation, variance, max_distance):
                slips += 1
                in_contact[k] = False
    for k in range(in_contact.size):
        if standing[k] and not in_contact[k]:
            begin_contact(rotation, vectors, covariance, k, positions[k], variance)
        in_contact[k] = standing[k]
    return slips


@njit(cache=True)
def anchor_world(
    rotation: np.ndarray, vectors: np.ndarray, kept: np.ndarray, contacts: np.ndarray, attitude: np.ndarray
) -> None:
    """Move and turn all, in place, so that some contacts are on the whole where they were before they were corrected.

    The covariance, which this turns by what is learnt in one period, is left as it is.

    Args:
        rotation: As in ``ContactAidedFilter``, as the next.
        vectors: Likewise.
        kept: Contacts that count, shape ``(contacts,)``, bool; without any nothing is moved.
        contacts: Where they were, shape ``(contacts, 3)`` [m].
        attitude: Of the unit before, shape ``(3, 3)``.
    """
    count = kept.sum()
    if count == 0:
        return
    now, then = np.zeros(3), np.zeros(3)
    for k in range(kept.size):
        if kept[k]:
            now += vectors[2 + k] / count
            then += contacts[k] / count
    along, across = 0.0, 0.0
    for k in range(kept.size):
        if kept[k]:
            a, b = vectors[2 + k] - now, contacts[k] - then
            along += a[0] * b[0] + a[1] * b[1]
            across += a[0] * b[1] - a[1] * b[0]
    if count == 1:
        turned = attitude @ rotation.T
        along, across = turned[0, 0] + turned[1, 1], turned[1, 0] - turned[0, 1]
    turn = turn_about_vertical(math.atan2(across, along))
    rotation[:] = turn @ rotation
    vectors[0] = turn @ vectors[0]
    for k in range(1, vectors.shape[0]):
        vectors[k] = then + turn @ (vectors[k] - now)


@njit(cache=True)
def begin_contact(
    rotation: np.ndarray, vectors: np.ndarray, covariance: np.ndarray, k: int, position: np.ndarray, variance: float
) -> None:
    r"""Let contact k begin at :math:`p + R h`: its error is that of the position, and that of h."""
    first = _CONTACTS + 3 * k
    vectors[2 + k] = vectors[1] + rotation @ position
    covariance[first : first + 3, :] = covariance[_POSITION:_CONTACTS, :]
    covariance[:, first : first + 3] = covariance[:, _POSITION:_CONTACTS]
    for i in range(3):
        covariance[first + i, first + i] += variance


@njit(cache=True)
def correct_by_contact(
    rotation: np.ndarray,
    vectors: np.ndarray,
    biases: np.ndarray,
    covariance: np.ndarray,
    k: int,
    innovation: np.ndarray,
    variance: float,
    max_distance: float,
) -> bool:
    """Correct by one contact; says whether it counts as one that has stayed where it was."""
    first = _CONTACTS + 3 * k
    # P H^T and S = H P H^T + N, of the measurement z = xi_p - xi_d, H = (0, 0, -I, I).
    gains = covariance[:, first : first + 3] - covariance[:, _POSITION:_CONTACTS]
    spread = gains[first : first + 3] - gains[_POSITION:_CONTACTS]
    for i in range(3):
        spread[i, i] += variance
    weighted = np.linalg.solve(spread, innovation)
    if innovation @ weighted > max_distance:
        return False
    apply_correction(rotation, vectors, biases, gains @ weighted)
    covariance -= gains @ np.linalg.solve(spread, np.ascontiguousarray(gains.T))
    for i in range(covariance.shape[0]):
        for j in range(i):
            covariance[i, j] = covariance[j, i] = 0.5 * (covariance[i, j] + covariance[j, i])
    return True


@njit(cache=True)
def apply_correction(rotation: np.ndarray, vectors: np.ndarray, biases: np.ndarray, correction: np.ndarray) -> None:
    r"""Apply :math:`\hat X \leftarrow \exp(\delta) \hat X`, and add the biases' part, in place."""
    turn, jacobian = np.zeros((3, 3)), np.zeros((3, 3))
    fill_exponential(correction[:3], turn, jacobian)
    rotation[:] = turn @ rotation
    for k in range(vectors.shape[0]):
        first = _VELOCITY + 3 * k
        vectors[k] = turn @ vectors[k] + jacobian @ correction[first : first + 3]
    n = correction.size
    biases[0] += correction[n - 6 : n - 3]
    biases[1] += correction[n - 3 :]
