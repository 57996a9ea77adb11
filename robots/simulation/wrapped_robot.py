"""A simulated robot seen or driven otherwise than it is: what wrappers about one have in common."""

from __future__ import annotations

import numpy as np

from handhold.robots.robot import SimulatedRobot


class WrappedRobot:
    """Passes on what concerns the simulation alone (see ``SimulatedRobot``).

    Attributes:
        description: What the robot is.
        model: What is thought to be its kinematics and dynamics.
        world: Its surroundings as they are.
        period: Control period at which it is driven [s].
        is_truthful: What it measures is not its state as it is.
    """

    is_truthful = False

    def __init__(self, body: SimulatedRobot) -> None:
        """Take over a body."""
        self.description, self.model, self.world = body.description, body.model, body.world
        self.period = body.period
        self._body = body

    def push(self, force: np.ndarray, frame: str) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a frame's origin during the next ``advance``.

        Raises:
            FrameNotFound: The URDF has no such frame.
        """
        self._body.push(force, frame)

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a movable solid's middle during the next ``advance``."""
        self._body.push_solid(force, index)

    def effector_poses(self) -> np.ndarray:
        """Return the true poses of the contact frames in world, shape ``(effectors, 4, 4)``."""
        return self._body.effector_poses()

    def solid_poses(self) -> np.ndarray:
        """Return the present poses of the world's solids, shape ``(solids, 4, 4)``."""
        return self._body.solid_poses()

    def shift_solid(self, index: int, displacement: np.ndarray) -> None:
        """Shift a fixed solid of the world at once, by a displacement in world, shape ``(3,)`` [m]; ``world`` says so."""
        self._body.shift_solid(index, displacement)
        self.world = self._body.world

    def close(self) -> None:
        """Release the body."""
        self._body.close()
