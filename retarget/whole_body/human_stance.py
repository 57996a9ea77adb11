"""On which feet a person stands, and so in which axes all else of the person is told."""

from __future__ import annotations

import numpy as np

from handhold.devices.tracked_human import TrackedHuman
from handhold.retarget.whole_body.calibration import HumanCalibration
from handhold.retarget.whole_body.human_body import FEET, HumanBody, place_body, to_matrices
from handhold.robots.rotation import turn_about_vertical

LIFTED, PUT_DOWN = 0.05, 0.025
"""Height of an ankle over the other one, against calibration, from which on a foot counts as lifted, and below which it stands
again [m]."""


class HumanStance:
    """Follows the feet of one person.

    The axes stay with the feet that stand: who turns on the spot asks for no turn of the robot, and who swings a foot moves
    nothing but the foot. While both stand, their middle is the origin, and they turn as the feet do on the average.

    Attributes:
        lifted: Whether the left and the right foot are in the air.
    """

    def __init__(self, calibration: HumanCalibration) -> None:
        """Begin with both feet on the ground."""
        self._calibration = calibration
        self.lifted = (False, False)
        ankles = calibration.body.positions[list(FEET)]
        self._level = ankles[:, 2] - ankles[:, 2].min()
        # Ankles in the person's axes, and how far each foot has turned against the axes, as of when both stood.
        self._offsets, self._turns = ankles.copy(), np.zeros(2)

    def read(self, human: TrackedHuman) -> HumanBody:
        """Return a sample of the person in the axes of the feet that stand."""
        ankles = human.positions[list(FEET)]
        self._find_lifted(ankles[:, 2])
        standing = np.array([not lifted for lifted in self.lifted])
        headings = self._measure_headings(human)
        heading = _average(headings - self._turns, standing)
        if standing.all():
            heading = _average(headings, standing)
            self._turns = _wrap(headings - heading)
            middle = ankles.mean(axis=0)
            middle[2] = float((ankles[:, 2] - self._level).mean())
            self._offsets = (ankles - middle) @ turn_about_vertical(heading)
        origin = (ankles - self._offsets @ turn_about_vertical(heading).T)[standing].mean(axis=0)
        return place_body(human, origin, heading)

    def _find_lifted(self, heights: np.ndarray) -> None:
        over = heights - self._level - (heights - self._level).min()
        left, right = (bool(high > (PUT_DOWN if before else LIFTED)) for high, before in zip(over, self.lifted, strict=True))
        self.lifted = (left, right)

    def _measure_headings(self, human: TrackedHuman) -> np.ndarray:
        """Return how far either foot has turned about the vertical since calibration, plus the heading of then [rad]."""
        calibration, feet = self._calibration, list(FEET)
        before = turn_about_vertical(calibration.heading) @ calibration.body.rotations[feet]
        turns = to_matrices(human.orientations[feet]) @ np.swapaxes(before, 1, 2)
        angles = np.arctan2(turns[:, 1, 0] - turns[:, 0, 1], turns[:, 0, 0] + turns[:, 1, 1])
        return np.asarray(calibration.heading + angles)


def _average(angles: np.ndarray, chosen: np.ndarray) -> float:
    """Return the mean of some angles [rad]."""
    return float(np.arctan2(np.sin(angles[chosen]).sum(), np.cos(angles[chosen]).sum()))


def _wrap(angles: np.ndarray) -> np.ndarray:
    """Return angles within half a turn of zero [rad]."""
    return np.asarray(np.arctan2(np.sin(angles), np.cos(angles)))
