"""Contacts: what a sole or a hand can transmit, and the set of contacts that support a robot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from handhold.robots.contact_kind import ContactKind
from handhold.robots.grasp import Grasp
from handhold.robots.model import RobotModel

UNBOUNDED = 1e30

NORMAL = 2
"""Where the normal force is in a plane contact's wrench."""

INSIDE_CONE = math.sqrt(0.5)
r"""What a sole's pyramid of four sides may use of a friction coefficient, so that it lies inside the round cone [-].

:math:`|f_x|, |f_y| \leq \mu f_z / \sqrt 2` gives :math:`\|f_{xy}\| \leq \mu f_z`: its edges lie on the cone. With the whole
coefficient a force along an edge would be 1.41 times what the contact can transmit. The generators of the stability region
are those of this pyramid for all contacts.
"""


POINT_SIDES = 8
"""Sides of a point contact's friction pyramid: its least reach is 0.92 of the cone's, and 0.71 with four.

With four sides friction alone limited a quadruped that pushes ahead, whatever its posture.
"""


def compute_wrench_cone(half_lengths: tuple[float, float], friction: float) -> np.ndarray:
    r"""Compute the half-spaces that bound the wrenches a rectangular sole can transmit.

    The sole neither slips, tilts nor twists under the wrench :math:`w = (f, \tau)` exerted by the environment at the origin
    and along the axes of the contact frame when :math:`U w \leq 0` [Caron2015]_: friction pyramid (4 rows), centre of pressure
    (4 rows), torsion (8 rows). The normal force itself is bounded elsewhere.

    Args:
        half_lengths: Half lengths of the sole along x and y of the contact frame [m].
        friction: Friction coefficient [-].

    Returns:
        Matrix :math:`U`, shape ``(16, 6)``, columns as in Pinocchio: force [N] first, then moment [Nm].

    .. [Caron2015] S. Caron, Q.-C. Pham, Y. Nakamura, Stability of surface contacts for humanoid robots, ICRA 2015.
    """
    x, y = half_lengths
    mu = friction
    reach = mu * (x + y)
    return np.array(
        [
            [-1, 0, -mu, 0, 0, 0],
            [+1, 0, -mu, 0, 0, 0],
            [0, -1, -mu, 0, 0, 0],
            [0, +1, -mu, 0, 0, 0],
            [0, 0, -y, -1, 0, 0],
            [0, 0, -y, +1, 0, 0],
            [0, 0, -x, 0, -1, 0],
            [0, 0, -x, 0, +1, 0],
            [-y, -x, -reach, +mu, +mu, -1],
            [-y, +x, -reach, +mu, -mu, -1],
            [+y, -x, -reach, -mu, +mu, -1],
            [+y, +x, -reach, -mu, -mu, -1],
            [+y, +x, -reach, +mu, +mu, +1],
            [+y, -x, -reach, +mu, -mu, +1],
            [-y, +x, -reach, -mu, +mu, +1],
            [-y, -x, -reach, -mu, -mu, +1],
        ],
        dtype=float,
    )


def compute_sole_corners(half_lengths: tuple[float, float], inset: float = 0.0) -> np.ndarray:
    """Compute the corners of a sole in its contact frame, counter-clockwise, shape ``(4, 3)`` [m].

    Args:
        half_lengths: Half lengths along x and y of the contact frame [m].
        inset: How far inside the real edges the corners are taken [m].
    """
    x, y = half_lengths[0] - inset, half_lengths[1] - inset
    return np.array([[x, y, 0.0], [-x, y, 0.0], [-x, -y, 0.0], [x, -y, 0.0]])


def compute_friction_pyramid(normal: np.ndarray, friction: float, sides: int = POINT_SIDES) -> np.ndarray:
    r"""Compute the half-spaces :math:`U f \leq 0` of a friction pyramid inside a point contact's round cone.

    Row k is :math:`\cos\theta_k f_x + \sin\theta_k f_y - \mu \cos(\pi / n) f_z` in the axes of ``compute_tangents``, with
    :math:`\theta_k = 2 \pi k / n`: the edges lie on the cone.

    Args:
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
        friction: Friction coefficient of the round cone [-].
        sides: Number n of sides.

    Returns:
        Matrix :math:`U`, shape ``(sides, 3)``, for the force exerted by the environment in world axes [N].
    """
    angles = 2.0 * math.pi * np.arange(sides) / sides
    tangents = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ np.stack(compute_tangents(normal))
    return tangents - friction * math.cos(math.pi / sides) * normal


def compute_tangents(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that make a right-handed frame with the normal, shape ``(3,)`` each."""
    along = np.array([1.0, 0.0, 0.0]) if abs(normal[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    first = along - (along @ normal) * normal
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)


class Stance:
    r"""The contacts that support a robot, and what they can transmit together.

    The wrenches of all contacts are stacked to :math:`\lambda`, shape ``(l,)``: six numbers a plane contact, in its contact
    frame; three a point contact, in world axes. They are feasible when :math:`U \lambda \leq 0` and
    :math:`\lambda_{min} \leq N \lambda \leq \lambda_{max}`, :math:`N` picking the normal forces.

    Attributes:
        effectors: Indices of the contacts among the description's effectors: what is fixed, plane contacts, points.
        planes: Number of contacts that carry a wrench: what is fixed, and plane contacts.
        fixed: Number of those that are fixed: they bear anything, have no rows in U, and none but zeros in N.
        grasp: Which two of them hold an object, and move with it; None where none do.
        held: Where these are among the contacts; empty where none do.
        feet: Indices of the contacts that support the robot's weight: all that no hand of the operator moves, or all
            where only hands are in contact.
        size: Length ``l`` of the stacked wrenches.
        offsets: Where each contact's wrench begins in the stack.
        cone: Matrix :math:`U`, shape ``(rows, l)``.
        cone_names: Name of every row of the cone, for people.
        normals: Matrix :math:`N`, shape ``(contacts, l)``.
        arms: From the origin of each contact frame to where it touches, in world axes, shape ``(contacts, 3)`` [m]: to the
            surface of a point contact's ball, nothing for a sole.
        min_normal: Minimum normal forces, shape ``(contacts,)`` [N].
        max_normal: Maximum normal forces, shape ``(contacts,)`` [N].
    """

    def __init__(
        self,
        model: RobotModel,
        effectors: Sequence[int],
        *,
        inset: float,
        friction_scale: float = 1.0,
        surface_normals: dict[int, np.ndarray] | None = None,
        grasp: Grasp | None = None,
    ) -> None:
        """Stack the contacts.

        Args:
            model: Robot.
            effectors: Indices of the effectors in contact.
            inset: How far inside the real edges of a sole the centre of pressure must stay [m].
            friction_scale: Part of the effectors' friction coefficients that counts [-].
            surface_normals: Outward normals in world of the surfaces under point contacts, shape ``(3,)`` each; a point
                contact that is not named stands on level ground.
            grasp: Which two of them hold an object.
        """
        self.grasp = grasp
        described = model.effectors
        fixed = [i for i in effectors if described[i].is_fixed]
        planes = [*fixed, *(i for i in effectors if described[i].contact is ContactKind.PLANE)]
        points = [i for i in effectors if described[i].contact is ContactKind.POINT]
        self.effectors: tuple[int, ...] = (*planes, *points)
        self.fixed, self.planes = len(fixed), len(planes)
        self.feet: tuple[int, ...] = tuple(i for i in self.effectors if described[i].is_foot) or self.effectors
        self.size = 6 * len(planes) + 3 * len(points)
        self.offsets: tuple[int, ...] = tuple(
            6 * k if k < self.planes else 6 * self.planes + 3 * (k - self.planes) for k in range(len(self.effectors))
        )
        self._stack_cones(model, inset, friction_scale, surface_normals or {})
        held = () if grasp is None else grasp.effectors
        grip = 0.0 if grasp is None else grasp.min_force
        self.held: tuple[int, ...] = tuple(self.effectors.index(i) for i in held)
        self.min_normal = np.array([max(described[i].min_normal_force, grip * (i in held)) for i in self.effectors])
        self.max_normal = np.array([described[i].max_normal_force for i in self.effectors])

    def _stack_cones(self, model: RobotModel, inset: float, friction_scale: float, normals: dict[int, np.ndarray]) -> None:
        """Stack what each contact can transmit (see ``__init__``)."""
        blocks, rows, names = [], [], []
        self.arms = np.zeros((len(self.effectors), 3))
        for k, effector in enumerate(self.effectors):
            about = model.effectors[effector]
            friction = friction_scale * about.friction
            if about.is_fixed:
                blocks.append(np.zeros((0, 6)))
                rows.append(np.zeros(6))
            elif about.half_lengths is not None:
                x, y = about.half_lengths
                blocks.append(compute_wrench_cone((x - inset, y - inset), INSIDE_CONE * friction))
                rows.append(np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
                names += [f"{about.name} {kind}" for kind in ("friction",) * 4 + ("tilt",) * 4 + ("torsion",) * 8]
            else:
                normal = normals.get(effector, np.array([0.0, 0.0, 1.0]))
                blocks.append(compute_friction_pyramid(normal, friction))
                rows.append(normal)
                self.arms[k] = -about.radius * normal
                names += [f"{about.name} friction"] * POINT_SIDES
        self.cone = _block_diagonal(blocks, self.size)
        self.cone_names: tuple[str, ...] = tuple(names)
        self.normals = _block_diagonal([row[None, :] for row in rows], self.size)

    @staticmethod
    def of_reference(
        model: RobotModel,
        effectors: Sequence[int],
        surface_normals: dict[int, np.ndarray] | None = None,
        grasp: Grasp | None = None,
    ) -> Stance:
        """Return the stance of a reference, which keeps the margins of the description."""
        about = model.description
        return Stance(
            model,
            effectors,
            inset=about.margins.reference,
            friction_scale=about.scales.friction,
            surface_normals=surface_normals,
            grasp=grasp,
        )

    @property
    def supporting(self) -> tuple[int, ...]:
        """The contacts with what is fixed: all but those that hold an object."""
        return tuple(effector for effector in self.effectors if not self.holds(effector))

    def holds(self, effector: int) -> bool:
        """Whether an effector is one of two that hold an object."""
        return self.grasp is not None and effector in self.grasp.effectors

    @property
    def carrying(self) -> tuple[int, ...]:
        """The effector by which the pose of an object is told that is held; the other one follows."""
        return () if self.grasp is None else self.grasp.effectors[:1]

    def set_grip(self, min_force: float) -> None:
        """Ask of the contacts that hold an object to press with at least a normal force [N]; there is one."""
        for k in self.held:
            self.min_normal[k] = min_force

    def measure_grip(self, wrenches: np.ndarray) -> list[float]:
        """Return the normal forces [N] of the contacts that hold an object, of stacked wrenches, shape ``(l,)``."""
        return [wrenches.item(self.offsets[k] + NORMAL) for k in self.held]

    def contact_flags(self, count: int) -> np.ndarray:
        """Return which of ``count`` effectors are in contact, shape ``(count,)``, bool."""
        flags = np.zeros(count, dtype=bool)
        flags[list(self.effectors)] = True
        return flags

    def unstack(self, wrenches: np.ndarray, count: int) -> np.ndarray:
        """Return the stacked wrenches one row an effector, shape ``(count, 6)``; effectors not in contact have zeros."""
        rows = np.zeros((count, 6))
        for k, (effector, offset) in enumerate(zip(self.effectors, self.offsets, strict=True)):
            width = 6 if k < self.planes else 3
            rows[effector, :width] = wrenches[offset : offset + width]
        return rows

    def stack(self, rows: np.ndarray) -> np.ndarray:
        """Return the wrenches of one row an effector, shape ``(count, 6)``, stacked, shape ``(l,)``."""
        parts = [rows[e, : (6 if k < self.planes else 3)] for k, e in enumerate(self.effectors)]
        return np.concatenate(parts) if parts else np.zeros(0)


def _block_diagonal(blocks: list[np.ndarray], width: int) -> np.ndarray:
    matrix = np.zeros((sum(block.shape[0] for block in blocks), width))
    row = column = 0
    for block in blocks:
        matrix[row : row + block.shape[0], column : column + block.shape[1]] = block
        row += block.shape[0]
        column += block.shape[1]
    return matrix
