r"""How late and how slowly a drive gives the torque that it is asked for.

A drive is taken to follow to first order what it was told some time ago,

.. math::

    \dot \tau = 2 \pi b \, (u - \tau), \qquad
    u(t) = \tau_{ff}(t - d) + k (q_d(t - d) - q(t)) + k_d (v_d(t - d) - v(t)),

with bandwidth b and delay d. What it measures itself is not late. The times are those at which commands were handed to the
link, and at which states arrived by the same clock: d is all that passes between the two but the lag of the torque itself,
ways through guard and network included, and the time until the robot looks for a command. Of its half that lies on the way
back a law in the drive knows nothing; a controller of ours has all of it in its loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares
from scipy.signal import lfilter

from handhold.robots.estimation.identification.joint_record import JointRecord

STEP = 2.5e-4
"""Step with which a response is computed [s]."""

FORGOTTEN = 0.1
"""Time after which nothing is left of the torque that there was in the beginning [s]."""

DELAYS, BANDWIDTHS = np.arange(0.0, 0.021, 1e-3), np.geomspace(8.0, 250.0, 6)
"""Where the search begins, at the best of them [s], [Hz]."""

MAX_DELAY, MAX_BANDWIDTH = 0.05, 1000.0
"""Where it ends [s], [Hz]: at 500 samples a second a faster torque is there at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TorqueResponse:
    """Of one drive.

    Attributes:
        delay: See above [s].
        bandwidth: Of its torque [Hz].
        residual: Root mean square of what it does not explain, as a part of the torque's own deviation [-].
    """

    delay: float
    bandwidth: float
    residual: float


def fit_torque_response(record: JointRecord) -> TorqueResponse:
    """Fit delay and bandwidth of a drive to what it told while its torque changed."""
    response = _Response(record)
    starts = [(delay, bandwidth) for delay in DELAYS.tolist() for bandwidth in BANDWIDTHS.tolist()]
    delay, bandwidth = min(starts, key=lambda start: float(np.sum(response.miss(*start) ** 2)))
    fitted = least_squares(
        lambda x: response.miss(float(x[0]), math.exp(float(x[1]))),
        (max(delay, 1e-4), math.log(bandwidth)),
        bounds=((0.0, 0.0), (MAX_DELAY, math.log(MAX_BANDWIDTH))),
        x_scale=(1e-3, 0.1),
        diff_step=1e-3,
    )
    miss = math.sqrt(float(np.mean(fitted.fun**2)))
    return TorqueResponse(delay=float(fitted.x[0]), bandwidth=math.exp(float(fitted.x[1])), residual=miss / response.deviation)


class _Response:
    """What a drive would tell, on a fine grid of time.

    Attributes:
        deviation: Standard deviation of what it told [Nm].
    """

    def __init__(self, record: JointRecord) -> None:
        j, times = record.joint, record.times
        self._edges = np.arange(times[0], times[-1] + STEP, STEP)
        measured = record.stiffness * record.positions[:, j] + record.damping * record.velocities[:, j]
        middles = self._edges[:-1] + 0.5 * STEP
        self._measured = np.interp(middles, times, measured)
        commanded = (
            record.feed_forward + record.stiffness * record.desired_positions + record.damping * record.desired_velocities
        )
        # A command holds until the next one: with its integral no delay falls between two steps of the grid.
        self._sent_at = record.sent_at
        self._integral = np.concatenate([[0.0], np.cumsum(commanded[:-1] * np.diff(record.sent_at))])
        self._last = commanded[-1]
        self._counted = times > times[0] + FORGOTTEN
        self._times, self._told = times[self._counted], record.torques[self._counted, j]
        self._first = float(record.torques[0, j])
        self.deviation = float(np.std(self._told))

    def miss(self, delay: float, bandwidth: float) -> np.ndarray:
        """Return what was told less what a drive of that delay [s] and bandwidth [Hz] would tell, but for scale and offset."""
        integral = np.interp(self._edges - delay, self._sent_at, self._integral)
        asked = np.diff(integral) / STEP - self._measured
        kept = math.exp(-2.0 * math.pi * bandwidth * STEP)
        given, _ = lfilter([1.0 - kept], [1.0, -kept], asked, zi=[kept * self._first])
        told = np.interp(self._times, self._edges[1:], given)
        columns = np.column_stack([told, np.ones_like(told)])
        return np.asarray(self._told - columns @ np.linalg.lstsq(columns, self._told, rcond=None)[0])
