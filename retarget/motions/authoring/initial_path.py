"""A smooth trajectory through key postures: what the optimiser begins with and stays near."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pinocchio as pin
from scipy.interpolate import BPoly, PchipInterpolator

from handhold.retarget.motions.authoring.key_solver import SolvedKey
from handhold.retarget.motions.chart import ChartState, compute_body_state, compute_coordinates
from handhold.robots.model import RobotModel

KNOT = 0.02
"""Time between two knots [s]."""


class KeyTrajectory:
    """Interpolates key postures, their centres of mass and their effectors.

    Attributes:
        times: Times of the knots, shape ``(k,)`` [s].
        keys: The key postures.
        com: Centres of mass at the knots, shape ``(k, 3)`` [m].
    """

    def __init__(self, model: RobotModel, keys: tuple[SolvedKey, ...]) -> None:
        self.keys = keys
        self.times = np.linspace(0.0, keys[-1].time, round(keys[-1].time / KNOT) + 1)
        times = np.array([key.time for key in keys])
        changes = [b.time for a, b in pairwise(keys) if a.supporting != b.supporting]
        stationary = np.isin(times, [0.0, *changes, keys[-1].time])
        self._ground = pin.SE3.Identity()
        coordinates = np.stack([compute_coordinates(key.q, self._ground) for key in keys])
        self._postures = interpolate(times, coordinates, stationary)
        self.com = interpolate(times, np.stack([key.position_com for key in keys]), stationary)(self.times)
        self._effectors = [self._follow(times, effector) for effector in range(len(model.effectors))]

    def _follow(self, times: np.ndarray, effector: int) -> BPoly:
        in_contact = np.array([effector in key.supporting for key in self.keys])
        # It rests where it leaves the ground, where it lands and as long as it supports.
        stationary = in_contact | np.array([False, *in_contact[:-1]])
        poses = [key.effector_poses[effector] for key in self.keys]
        values = np.stack([np.concatenate([pose[:3, 3], pin.log3(pose[:3, :3])]) for pose in poses])
        return interpolate(times, values, stationary)

    def find_posture(self, knot: int) -> np.ndarray:
        """Return the configuration at a knot, shape ``(nq,)``."""
        return compute_body_state(ChartState.at_rest(self._postures(self.times[knot])), self._ground).q

    def find_pose(self, effector: int, knot: int) -> np.ndarray:
        """Return the pose of an effector at a knot, homogeneous."""
        values = self._effectors[effector](self.times[knot])
        return np.asarray(pin.SE3(pin.exp3(values[3:]), values[:3]).homogeneous)


def interpolate(times: np.ndarray, values: np.ndarray, stationary: np.ndarray) -> BPoly:
    """Interpolate between values without overshoot, twice continuously, at rest where it should be.

    Args:
        times: Shape ``(k,)`` [s].
        values: Shape ``(k, m)``.
        stationary: Where the velocity is nothing, shape ``(k,)``, bool.
    """
    slopes = PchipInterpolator(times, values).derivative()(times) if len(times) > 2 else np.zeros_like(values)
    slopes[stationary] = 0.0
    slopes[[0, -1]] = 0.0
    return BPoly.from_derivatives(times, [[v, s, np.zeros_like(v)] for v, s in zip(values, slopes, strict=True)])
