"""A person who holds a hand of the robot, or what it holds, as by a spring whose other end goes along a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from handhold.app.lab.scenarios.score import Vector
from handhold.app.limbs import Side
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot


class Handle(Protocol):
    """What a person takes."""

    def find_place(self, body: SimulatedRobot) -> np.ndarray:
        """Return where it is in world, shape ``(3,)`` [m]."""
        ...

    def pull(self, body: SimulatedRobot, force: np.ndarray) -> None:
        """Pull at it during the next ``advance`` with a force in world, shape ``(3,)`` [N]."""
        ...


@dataclass(frozen=True, slots=True)
class HandHandle:
    """A hand of the robot: its index among the effectors, and its frame."""

    effector: int
    frame: str

    @staticmethod
    def of(model: RobotModel, side: Side) -> HandHandle:
        """Return the hand of a side, which the robot has."""
        index = model.effector_of_hand(side)
        assert index is not None
        return HandHandle(index, f"handhold/{model.effectors[index].name}")

    def find_place(self, body: SimulatedRobot) -> np.ndarray:
        """Return where the hand is in world, shape ``(3,)`` [m]."""
        return body.effector_poses()[self.effector, :3, 3]

    def pull(self, body: SimulatedRobot, force: np.ndarray) -> None:
        """Pull at the hand."""
        body.push(force, self.frame)


@dataclass(frozen=True, slots=True)
class SolidHandle:
    """A solid of the world, by its index there."""

    index: int

    def find_place(self, body: SimulatedRobot) -> np.ndarray:
        """Return where its middle is in world, shape ``(3,)`` [m]."""
        return body.solid_poses()[self.index, :3, 3]

    def pull(self, body: SimulatedRobot, force: np.ndarray) -> None:
        """Pull at its middle."""
        body.push_solid(force, self.index)


class Guide:
    """Takes what is to be led where it is, and lets it go at the end of the path."""

    def __init__(
        self,
        handle: Handle,
        path: Sequence[Vector],
        stiffness: float,
        speed: float,
        begins: float,
        stays: float,
    ) -> None:
        """Take where it is led, and how.

        Args:
            handle: What the person takes.
            path: Steps in world, one after the other [m].
            stiffness: Of the grip [N/m].
            speed: Of the hand that leads [m/s].
            begins: When it is taken [s].
            stays: How long the person stays at each corner [s].
        """
        self._handle = handle
        self._stiffness, self._begins = stiffness, begins
        steps = np.array(path)
        corners = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
        durations = np.linalg.norm(steps, axis=1) / speed
        self._times = np.array([0.0, *np.cumsum(np.column_stack([durations, np.full(len(steps), stays)]))])
        self._points = np.vstack([corners[:1], np.repeat(corners[1:], 2, axis=0)])
        self._start: np.ndarray | None = None

    @property
    def duration(self) -> float:
        """How long it is led [s]."""
        return float(self._times[-1])

    def __call__(self, body: SimulatedRobot, state: RobotState) -> np.ndarray:
        """Pull, and return the force [N]."""
        elapsed = state.time - self._begins
        if not 0.0 <= elapsed <= self.duration:
            return np.zeros(3)
        place = self._handle.find_place(body)
        if self._start is None:
            self._start = place
        led = self._start + [np.interp(elapsed, self._times, self._points[:, axis]) for axis in range(3)]
        force: np.ndarray = self._stiffness * (led - place)
        self._handle.pull(body, force)
        return force
