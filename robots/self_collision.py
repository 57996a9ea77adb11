r"""Self-collision: distances between the robot's own bodies, and the rows that keep them apart.

Bodies are sets of capsules (``bodies.py``), so that a distance is that of two segments less two radii, in closed form. Coal
computes it as fast, but takes ten times as long to hand the result to Python. With the nearest points :math:`p_a`, :math:`p_b`
of two capsules' segments and the unit vector n from the first to the second,

.. math::

    d = n^T (p_b - p_a) - r_a - r_b, \qquad \dot d = n^T (J_b - J_a) \dot q.

The distance is signed: below zero it says how far the capsules must part along n to touch no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.bodies import BodyCapsule
from handhold.robots.errors import DescriptionError
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses
from handhold.robots.qp import INFINITY

# Constraint rows: as many pairs of capsules as can be close to each other at a time; the nearest have them.
_MAX_ROWS = 12

# Segments nearer than this cross [m]: their connection has no direction.
_CROSSING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """How near two bodies are.

    Attributes:
        bodies: Names of the two.
        distance: Distance between them [m]; below zero where they overlap.
    """

    bodies: tuple[str, str]
    distance: float

    def __str__(self) -> str:
        return f"{self.bodies[0]} near {self.bodies[1]}"


class SelfCollision:
    r"""Distances of all pairs of a robot's bodies, and the rows that keep them, refreshed without an allocation.

    Attributes:
        names: Names of the two bodies of every pair of capsules.
        distances: Signed distance of every pair of capsules, shape ``(pairs,)`` [m]; of those beyond the influence distance
            only a bound from below that is beyond it too.
        normals: Unit vectors from the first to the second capsule of a pair, in world, shape ``(pairs, 3)``.
        points: Points of the pairs' segments that are nearest to each other, in world, shape ``(pairs, 2, 3)`` [m].
        row_count: How many constraint rows ``fill_limits`` fills.
        least_distance: Distance that bodies keep [m].
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the bodies and pairs of the robot's description.

        Raises:
            DescriptionError: A pair's bodies share a joint, so that nothing could keep them apart.
        """
        settings = model.description.self_collision
        self.least_distance: float = settings.least_distance
        self._influence: float = settings.influence_distance
        capsules = model.bodies
        joints = [capsule.joint for capsule in capsules]
        self._ends = np.array([capsule.capsule.ends for capsule in capsules]).reshape(-1, 2, 3)
        self._radii = np.array([capsule.capsule.radius for capsule in capsules])
        self._joints = np.array(joints, dtype=np.int64)
        self._pairs, self.names = _pair_up(model, capsules)
        self._columns, self._counts = _moving_columns(model, self._joints, self._pairs)
        count = len(self._pairs)
        self.distances = np.full(count, np.inf)
        self.normals = np.zeros((count, 3))
        self.points = np.zeros((count, 2, 3))
        self.row_count = min(_MAX_ROWS, count)
        self._chosen = np.full(self.row_count, -1, dtype=np.int64)
        self._world_ends = np.zeros_like(self._ends)
        # Spheres about the capsules, to pass over pairs that are far: radius, then centre in world.
        self._spheres = np.zeros((len(capsules), 4))
        self._spheres[:, 0] = self._radii + 0.5 * np.linalg.norm(self._ends[:, 1] - self._ends[:, 0], axis=1)

    def update(self, joint_poses: np.ndarray, *, everywhere: bool = False) -> None:
        """Compute distances, normals and nearest points.

        Args:
            joint_poses: Poses of all joints as ``view_joint_poses`` shows them, shape ``(njoints, 4, 3)``.
            everywhere: Compute them beyond the influence distance, too.
        """
        measure_distances(
            joint_poses,
            (self._joints, self._ends, self._radii),
            self._pairs,
            np.inf if everywhere else self._influence,
            self._spheres,
            self._world_ends,
            (self.distances, self.normals, self.points),
        )

    def fill_limits(
        self,
        joint_jacobians: np.ndarray,
        barrier: float,
        dt: float,
        first: int,
        limits: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Fill the rows of the nearest pairs (see ``fill_distance_rows``)."""
        fill_distance_rows(
            joint_jacobians,
            (self.distances, self.normals, self.points),
            (self._chosen, self._columns, self._counts),
            (self.least_distance, self._influence),
            (barrier, dt),
            first,
            limits,
        )

    def name_row(self, row: int) -> str:
        """Return the name of the pair that has one of the rows last filled, such as ``"left_arm near torso"``."""
        pair = int(self._chosen[row])
        return " near ".join(self.names[pair]) if pair >= 0 else ""

    def find_nearest_pair(self) -> Clearance | None:
        """Return the nearest pair of bodies, or None for a robot without pairs."""
        if not len(self.distances):
            return None
        nearest = int(np.argmin(self.distances))
        return Clearance(bodies=self.names[nearest], distance=float(self.distances[nearest]))


def measure_clearance(model: RobotModel, q: np.ndarray) -> Clearance | None:
    """Return the nearest pair of bodies at a configuration, or None for a robot without pairs; not for the control cycle."""
    return _measure_distances_at(model, q).find_nearest_pair()


def measure_nominal_clearances(model: RobotModel) -> dict[tuple[str, str], float]:
    """Return the distance of each pair of bodies in the nominal posture [m]."""
    bodies = _measure_distances_at(model, model.q_nominal)
    nearest: dict[tuple[str, str], float] = {}
    for pair, distance in zip(bodies.names, bodies.distances.tolist(), strict=True):
        nearest[pair] = min(distance, nearest.get(pair, np.inf))
    return nearest


def _measure_distances_at(model: RobotModel, q: np.ndarray) -> SelfCollision:
    """Return the distances of all pairs at a configuration, shape ``(nq,)``."""
    collision, data = SelfCollision(model), model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, q)
    collision.update(view_joint_poses(data, model.pinocchio.njoints), everywhere=True)
    return collision


def _pair_up(model: RobotModel, capsules: tuple[BodyCapsule, ...]) -> tuple[np.ndarray, tuple[tuple[str, str], ...]]:
    """Return all pairs of capsules that belong to a pair of bodies, shape ``(pairs, 2)``, and the names of the bodies."""
    pairs: list[tuple[int, int]] = []
    names: list[tuple[str, str]] = []
    for first, second in model.description.self_collision.pairs:
        for a, one in enumerate(capsules):
            for b, other in enumerate(capsules):
                if (one.body, other.body) != (first, second):
                    continue
                if one.joint == other.joint:
                    raise DescriptionError(
                        model.description.source,
                        "self_collision.pairs",
                        f"both '{first}' and '{second}' have links that '{model.pinocchio.names[one.joint]}' carries",
                        "leave them out of one of the two",
                    )
                pairs.append((a, b))
                names.append((first, second))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2), tuple(names)


def _moving_columns(model: RobotModel, joints: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, a pair a row, the velocity indices that change its distance with their signs, and how many they are.

    A joint that carries both bodies moves them alike: only those that carry the second (+1) or the first (-1) count.
    """
    robot = model.pinocchio
    supports = [{j for j in robot.supports[int(joint)].tolist() if j > 0} for joint in joints]
    moving: list[list[tuple[int, int]]] = []
    for a, b in pairs.tolist():
        signs = [(j, 1) for j in sorted(supports[b] - supports[a])] + [(j, -1) for j in sorted(supports[a] - supports[b])]
        moving.append([(robot.joints[j].idx_v, sign) for j, sign in signs])
    counts = np.array([len(columns) for columns in moving], dtype=np.int64)
    padded = np.zeros((len(moving), int(counts.max(initial=0)), 2), dtype=np.int64)
    for k, columns in enumerate(moving):
        padded[k, : len(columns)] = columns
    return padded, counts


@njit(cache=True)
def measure_distances(
    joint_poses: np.ndarray,
    capsules: tuple[np.ndarray, np.ndarray, np.ndarray],
    pairs: np.ndarray,
    influence: float,
    spheres: np.ndarray,
    world_ends: np.ndarray,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Fill the distances of pairs of capsules.

    Args:
        joint_poses: Poses of the joints, shape ``(njoints, 4, 3)``: three axes, then the origin.
        capsules: Their joints, shape ``(capsules,)``; ends in the joints' frames, shape ``(capsules, 2, 3)``; radii.
        pairs: Indices of the capsules of each pair, shape ``(pairs, 2)``.
        influence: Distance beyond which the distance of the spheres about two capsules will do [m].
        spheres: Spheres about the capsules, shape ``(capsules, 4)``: radius, then, filled, the centre in world [m].
        world_ends: Filled: the capsules' ends in world.
        out: Filled: distances, normals and nearest points (see ``SelfCollision``).
    """
    joints, ends, radii = capsules
    distances, normals, points = out
    for c in range(joints.shape[0]):
        pose = joint_poses[joints[c]]
        for k in range(2):
            for i in range(3):
                world_ends[c, k, i] = (
                    pose[3, i] + pose[0, i] * ends[c, k, 0] + pose[1, i] * ends[c, k, 1] + pose[2, i] * ends[c, k, 2]
                )
        for i in range(3):
            spheres[c, 1 + i] = 0.5 * (world_ends[c, 0, i] + world_ends[c, 1, i])
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        x, y, z = spheres[b, 1] - spheres[a, 1], spheres[b, 2] - spheres[a, 2], spheres[b, 3] - spheres[a, 3]
        far = influence + spheres[a, 0] + spheres[b, 0]
        if x * x + y * y + z * z >= far * far:
            distances[p] = np.sqrt(x * x + y * y + z * z) - spheres[a, 0] - spheres[b, 0]
            continue
        distance = connect_segments(world_ends[a], world_ends[b], points[p], normals[p])
        distances[p] = distance - radii[a] - radii[b]


@njit(cache=True)
def connect_segments(first: np.ndarray, second: np.ndarray, points: np.ndarray, normal: np.ndarray) -> float:
    """Find the shortest connection of two segments, and return its length [m].

    Args:
        first: Ends of the first segment, shape ``(2, 3)`` [m].
        second: Ends of the second one.
        points: Filled: the nearest point of each, shape ``(2, 3)``.
        normal: Filled: unit vector from the first to the second; of segments that cross, perpendicular to both.
    """
    ux, uy, uz = first[1, 0] - first[0, 0], first[1, 1] - first[0, 1], first[1, 2] - first[0, 2]
    vx, vy, vz = second[1, 0] - second[0, 0], second[1, 1] - second[0, 1], second[1, 2] - second[0, 2]
    wx, wy, wz = first[0, 0] - second[0, 0], first[0, 1] - second[0, 1], first[0, 2] - second[0, 2]
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    # The nearest points of the lines, then back into the segments, one after the other.
    s, determinant = 0.5, uu * vv - uv * uv
    if uu <= _CROSSING**2:
        s = 0.0
    elif determinant > 1e-12 * uu * vv:
        s = min(1.0, max(0.0, (uv * vw - vv * uw) / determinant))
    t = (uv * s + vw) / vv if vv > _CROSSING**2 else 0.0
    if t < 0.0 or t > 1.0 or vv <= _CROSSING**2:
        t = min(1.0, max(0.0, t))
        s = min(1.0, max(0.0, (uv * t - uw) / uu)) if uu > _CROSSING**2 else 0.0
    for i in range(3):
        points[0, i] = first[0, i] + s * (first[1, i] - first[0, i])
        points[1, i] = second[0, i] + t * (second[1, i] - second[0, i])
        normal[i] = points[1, i] - points[0, i]
    distance = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    if distance > _CROSSING:
        for i in range(3):
            normal[i] /= distance
        return distance
    normal[0], normal[1], normal[2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    for i in range(3):
        normal[i] = normal[i] / length if length > 0.0 else (1.0 if i == 2 else 0.0)
    return distance


@njit(cache=True)
def choose_nearest(distances: np.ndarray, influence: float, chosen: np.ndarray) -> None:
    """Fill ``chosen`` with the pairs nearer than the influence distance, the nearest first; -1 where there are no more."""
    chosen[:] = -1
    for p in range(distances.shape[0]):
        if distances[p] >= influence:
            continue
        slot = chosen.shape[0]
        while slot > 0 and (chosen[slot - 1] < 0 or distances[p] < distances[chosen[slot - 1]]):
            slot -= 1
            if slot + 1 < chosen.shape[0]:
                chosen[slot + 1] = chosen[slot]
        if slot < chosen.shape[0]:
            chosen[slot] = p


@njit(cache=True)
def fill_distance_rows(
    joint_jacobians: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray, np.ndarray],
    choice: tuple[np.ndarray, np.ndarray, np.ndarray],
    bounds: tuple[float, float],
    step: tuple[float, float],
    first: int,
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    r"""Fill one row, in m/s, for each of the nearest pairs; the rows of the others stay empty.

    Bodies may approach each other at the barrier's rate, more freely the further they are, and at the influence distance
    :math:`d_i` as they like, so that nothing jerks when a pair comes within it; bodies too near part at the barrier's rate:

    .. math::

        n^T (J_b - J_a) \Delta q \geq -\beta (d - d_{min}) \, \frac{d_i - d_{min}}{d_i - d} \quad (d \geq d_{min})

    Args:
        joint_jacobians: Pinocchio's ``data.J``, shape ``(6, nv)``.
        pairs: Distances, normals and nearest points.
        choice: Filled: the pairs that are nearest, shape ``(rows,)``, -1 for none; columns and signs of all pairs, shape
            ``(pairs, columns, 2)``; how many of them count, shape ``(pairs,)``.
        bounds: Minimum distance and influence distance [m].
        step: Part of a distance that may be used up in this step [-], and the step's length [s].
        first: First limit row to fill.
        limits: Limit rows over :math:`(\Delta q, y)`, lower and upper bounds.
    """
    distances, normals, points = pairs
    chosen, columns, counts = choice
    smallest, influence = bounds
    barrier, dt = step
    rows, lower, _ = limits
    choose_nearest(distances, influence, chosen)
    for k in range(chosen.shape[0]):
        row, p = first + k, chosen[k]
        rows[row, :] = 0.0
        lower[row] = -INFINITY
        if p < 0:
            continue
        slack = distances[p] - smallest
        # Never more than the whole distance in one step.
        ratio = barrier if slack < 0.0 else min(1.0, barrier * (influence - smallest) / (influence - distances[p]))
        lower[row] = -ratio * slack / dt
        used = columns[p, : counts[p]]
        fill_distance_gradient(joint_jacobians, normals[p], points[p], used[:, 0], used[:, 1], 1.0 / dt, rows[row])


@njit(cache=True)
def fill_distance_gradient(
    joint_jacobians: np.ndarray,
    normal: np.ndarray,
    points: np.ndarray,
    columns: np.ndarray,
    signs: np.ndarray,
    scale: float,
    row: np.ndarray,
) -> None:
    r"""Fill :math:`n^T (J_b - J_a)`, times a scale, into the columns that are not zero.

    A column of pinocchio's joint Jacobian is a twist at the world's origin: :math:`n^T (v_0 + \omega \times p)`.
    """
    nx, ny, nz = normal[0], normal[1], normal[2]
    for c in range(columns.shape[0]):
        j = columns[c]
        p = points[1] if signs[c] > 0 else points[0]
        mx, my, mz = p[1] * nz - p[2] * ny, p[2] * nx - p[0] * nz, p[0] * ny - p[1] * nx
        moved = nx * joint_jacobians[0, j] + ny * joint_jacobians[1, j] + nz * joint_jacobians[2, j]
        turned = mx * joint_jacobians[3, j] + my * joint_jacobians[4, j] + mz * joint_jacobians[5, j]
        row[j] = scale * signs[c] * (moved + turned)
