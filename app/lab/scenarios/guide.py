"""A person who holds a hand of the robot as by a spring, whose other end goes along a path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.scenarios.score import Vector
from handhold.app.limbs import Side
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot


class Guide:
    """Takes the hand where it is, and lets it go at the end of the path."""

    def __init__(
        self,
        model: RobotModel,
        side: Side,
        path: Sequence[Vector],
        stiffness: float,
        speed: float,
        begins: float,
        stays: float,
    ) -> None:
        """Take where the hand is led, and how.

        Args:
            model: Robot.
            side: Of the hand.
            path: Steps in world, one after the other [m].
            stiffness: Of the grip [N/m].
            speed: Of the hand that leads [m/s].
            begins: When the hand is taken [s].
            stays: How long the person stays at each corner [s].
        """
        index = model.effector_of_hand(side)
        assert index is not None
        self._effector, self._frame = index, f"handhold/{model.effectors[index].name}"
        self._stiffness, self._begins = stiffness, begins
        steps = np.array(path)
        corners = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
        durations = np.linalg.norm(steps, axis=1) / speed
        self._times = np.array([0.0, *np.cumsum(np.column_stack([durations, np.full(len(steps), stays)]))])
        self._points = np.vstack([corners[:1], np.repeat(corners[1:], 2, axis=0)])
        self._start: np.ndarray | None = None

    @property
    def duration(self) -> float:
        """How long the hand is led [s]."""
        return float(self._times[-1])

    def __call__(self, body: SimulatedRobot, state: RobotState) -> np.ndarray:
        """Pull at the hand, and return the force [N]."""
        elapsed = state.time - self._begins
        if not 0.0 <= elapsed <= self.duration:
            return np.zeros(3)
        place = body.effector_poses()[self._effector, :3, 3]
        if self._start is None:
            self._start = place
        led = self._start + [np.interp(elapsed, self._times, self._points[:, axis]) for axis in range(3)]
        force: np.ndarray = self._stiffness * (led - place)
        body.push(force, self._frame)
        return force
