r"""What pushes the body, of what is estimated at its touch points.

The estimate (:class:`ExternalForceObserver`) has an offset: what the feet's sensors measure wrongly, and what the model has
wrongly, looks like a push. It is taken for the mean of a second in which nobody pushes the robot: one that is not quiet begins
anew. Then it is followed slowly, and more slowly still while somebody pushes, so that no push that is none lasts for ever,

.. math:: o_{k+1} = o_k + \frac{\delta}{T + \delta} (f_k - o_k) .

How large a push is is known sooner than where on the body it acts: a gyroscope's noise looks like a moment, a push at one
point and its opposite at another. So the mean over the points is filtered by 10 ms, what each differs from it by 100 ms.

A push counts as one above 2 % of the weight, and three standard deviations of the noise that the filters leave.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.bracing.contacts.touch import MIN_ESTIMATED

OFFSET_TIME, OFFSET_FILTER, PUSHED_FILTER = 1.0, 20.0, 300.0
"""Time in which the offset is learnt at first, and the time constants with which it is followed while nobody pushes and while
somebody does [s]."""

FILTERS = np.array([0.01, 0.1])
"""Time constants of the forces' mean over the points, and of what each differs from it by [s]. With 10 ms for both, real
sensors left 13 N at Talos' pelvis and chest against each other, and a push of 51 N was taken for noise."""

NOISE_FILTER, QUIET_FILTER = 1.0, 0.05
"""Time constants of the forces' noise, and of what tells whether a second is quiet [s]."""

NOISE_RATIO = 3.0
"""How many standard deviations of the filtered force's noise a push is above at least [-]."""


class BodyTouch:
    """The filtered forces on the touch points of one robot.

    Attributes:
        known: Whether the offset has been learnt.
        forces: In world, shape ``(points, 3)`` [N].
        dead_zone: Size of all of them together under which nobody pushes; infinite before the offset is known [N].
    """

    def __init__(self, points: int, weight: float) -> None:
        """Begin with nothing measured, of a robot of this weight [N]."""
        self._weight = weight
        self._learnt_for, self._offset = 0.0, np.zeros((points, 3))
        # Of mean and differences, squared [N^2].
        self._noise, self._smoothed = np.zeros(2), np.zeros((points, 3))
        self.forces, self.dead_zone = np.zeros((points, 3)), math.inf

    @property
    def known(self) -> bool:  # noqa: D102
        return self._learnt_for >= OFFSET_TIME

    @property
    def pushed(self) -> bool:
        """Whether somebody pushes."""
        return float((self.forces**2).sum()) > self.dead_zone**2

    def update(self, estimated: np.ndarray, dt: float) -> None:
        """Take in what is estimated, shape ``(points, 3)`` [N], ``dt`` [s] after the last time."""
        if not np.isfinite(estimated).all():
            return
        if not self.known:
            self._learn(estimated, dt)
            return
        innovation = estimated - self._offset - self.forces
        mean, gains = innovation.mean(axis=0), dt / (FILTERS + dt)
        self._noise += dt / (NOISE_FILTER + dt) * (_square(innovation) - self._noise)
        self.forces = self.forces + gains[0] * mean + gains[1] * (innovation - mean)
        noise = float((self._noise * gains / (2.0 - gains)).sum())
        self.dead_zone = max(MIN_ESTIMATED * self._weight, NOISE_RATIO * math.sqrt(noise))
        self._offset = self._offset + dt / ((PUSHED_FILTER if self.pushed else OFFSET_FILTER) + dt) * self.forces

    def _learn(self, estimated: np.ndarray, dt: float) -> None:
        """Take the mean, and its noise; begin anew where what is measured comes away from it: somebody pushes."""
        part = dt / (self._learnt_for + dt)
        difference = estimated - self._offset if self._learnt_for > 0.0 else np.zeros_like(estimated)
        self._smoothed = self._smoothed + dt / (QUIET_FILTER + dt) * (difference - self._smoothed)
        if float((self._smoothed**2).sum()) > (MIN_ESTIMATED * self._weight) ** 2:
            self._learnt_for, self._noise, self._smoothed = 0.0, np.zeros(2), np.zeros_like(estimated)
            return
        self._offset = self._offset + part * (estimated - self._offset)
        self._noise += part * (_square(difference) - self._noise)
        self._learnt_for += dt


def _square(forces: np.ndarray) -> np.ndarray:
    """Return the squares, summed over the points, of the mean and of what each differs from it by, shape ``(2,)`` [N^2]."""
    mean = forces.mean(axis=0)
    return np.array([len(forces) * float((mean**2).sum()), float(((forces - mean) ** 2).sum())])
