r"""The fingers of grippers as the physics engines build and drive them: links that slide.

.. math:: F = \mathrm{clip}(k \, (x_d - x) - d \, \dot x, \; -F_{max}, \; F_{max})
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.robots.gripper import TIP_CLOSED, Finger, Gripper
from handhold.robots.model import RobotModel
from handhold.robots.simulation.links import Link, Shape, convert_shape
from handhold.robots.worlds import World

FULL_FORCE_AT = 0.01
"""Distance from where it should be at which a finger presses with all its force [m]."""

_RADIUS = 0.02
"""Radius of gyration of a finger [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Fingers:
    """All fingers of a robot.

    Attributes:
        links: One a finger; the parents are the robot's links.
        grippers: Number of the gripper of each, shape ``(fingers,)``.
        strokes: How far each slides, shape ``(fingers,)`` [m].
        efforts: Largest force of each, shape ``(fingers,)`` [N].
        stiffness: k of each, shape ``(fingers,)`` [N/m].
        damping: d of each, critical, shape ``(fingers,)`` [Ns/m].
        hands: Effector at each gripper, shape ``(grippers,)``.
    """

    links: tuple[Link, ...]
    grippers: np.ndarray
    strokes: np.ndarray
    efforts: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    hands: np.ndarray

    @staticmethod
    def build(model: RobotModel, world: World) -> Fingers:
        """Build the fingers of a robot in a world; where nothing can be moved there is nothing to grip, and there are none."""
        movable = any(solid.mass is not None for solid in world.solids)
        grippers = model.description.grippers if movable else ()
        pairs = [(number, finger) for number, gripper in enumerate(grippers) for finger in gripper.fingers]
        efforts = np.array([grippers[number].effort for number, _ in pairs])
        stiffness, masses = efforts / FULL_FORCE_AT, np.array([finger.mass for _, finger in pairs])
        return Fingers(
            links=tuple(_build_finger(model, grippers[number], finger, k) for k, (number, finger) in enumerate(pairs)),
            grippers=np.array([number for number, _ in pairs], dtype=np.int64),
            strokes=np.array([float(np.linalg.norm(finger.travel)) for _, finger in pairs]),
            efforts=efforts,
            stiffness=stiffness,
            damping=2.0 * np.sqrt(stiffness * masses),
            hands=np.array(model.gripper_hands if movable else (), dtype=np.int64),
        )

    def compute_forces(self, closings: np.ndarray, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Compute the forces of the drives, shape ``(fingers,)`` [N].

        Args:
            closings: How far each gripper should be closed, 0 to 1, shape ``(grippers,)``.
            x: Where the fingers are, from open, shape ``(fingers,)`` [m].
            v: Their speeds, shape ``(fingers,)`` [m/s].
        """
        forces = self.stiffness * (closings[self.grippers] * self.strokes - x) - self.damping * v
        return np.asarray(np.clip(forces, -self.efforts, self.efforts))

    def measure(self, closings: np.ndarray, x: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Measure the grippers; those without fingers are as they are to be.

        Args:
            closings: How far each gripper should be closed, 0 to 1, shape ``(grippers,)``.
            x: Where the fingers are, from open, shape ``(fingers,)`` [m].
            v: Their speeds, shape ``(fingers,)`` [m/s].

        Returns:
            How far each is closed, shape ``(grippers,)`` [-], and the largest force with which a finger of it closes, shape
            ``(grippers,)`` [N].
        """
        largest = np.zeros(len(closings))
        if not self.links:
            return closings.copy(), largest
        np.maximum.at(largest, self.grippers, self.compute_forces(closings, x, v))
        return self.compute_closings(x), largest

    def compute_closings(self, x: np.ndarray) -> np.ndarray:
        """Compute how far the grippers are closed, by the mean of their fingers.

        Args:
            x: Where the fingers are, from open, shape ``(fingers,)`` [m].

        Returns:
            0 to 1, shape ``(grippers,)`` [-].
        """
        ratios = np.bincount(self.grippers, x / self.strokes, minlength=len(self.hands))
        return np.asarray(ratios / np.bincount(self.grippers, minlength=len(self.hands)))

    def find_open_grippers(self, x: np.ndarray) -> np.ndarray:
        """Return which grippers are not closed, shape ``(grippers,)``, bool.

        Those that are have a tip, which is what touches a wall there, and not the fingers that it stands for.
        """
        return np.asarray(self.compute_closings(x) < TIP_CLOSED)


def separate_fingers(links: Sequence[Link], fingers: Fingers) -> tuple[Link, ...]:
    """Return the robot's links without the mass of the fingers, which the model has in the hands', and then the fingers."""
    lighter = list(links)
    for finger in fingers.links:
        lighter[finger.parent] = lighter[finger.parent].without(finger.mass, finger.placement.act(finger.inertia.translation))
    return (*lighter, *fingers.links)


def _build_finger(model: RobotModel, gripper: Gripper, finger: Finger, number: int) -> Link:
    robot = model.pinocchio
    base = robot.frames[robot.getFrameId(gripper.frame)]
    shapes = _collect_shapes(model, finger, base.placement)
    middle = np.mean([shape.placement.translation for shape in shapes], axis=0) if shapes else np.zeros(3)
    stroke = float(np.linalg.norm(finger.travel))
    return Link(
        name=f"finger {number} of {gripper.joint}",
        parent=base.parentJoint - 1,
        placement=base.placement,
        axis=np.array(finger.travel) / stroke,
        slides=True,
        lower=0.0,
        upper=stroke,
        mass=finger.mass,
        inertia=pin.SE3(np.eye(3), middle),
        principal_inertia=np.full(3, finger.mass * _RADIUS**2),
        friction=0.0,
        rotor_inertia=0.0,
        shapes=shapes,
    )


def _collect_shapes(model: RobotModel, finger: Finger, base: pin.SE3) -> tuple[Shape, ...]:
    frames = {model.pinocchio.getFrameId(link) for link in finger.links}
    found = [g for g in model.collisions.geometryObjects if g.parentFrame in frames]
    shapes = [convert_shape(geometry) for geometry in found]
    return tuple(shape.move(base.inverse()) for shape in shapes)
