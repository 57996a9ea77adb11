r"""A nominal posture: knees bent, soles level under the centre of mass, forearms ahead.

Legs and arms are solved one after the other as nonlinear least squares over their joints q within their limits,

.. math:: \min_q \sum_k w_k^2 \| e_k(q) \|^2,

from several starts, because a knee or an elbow bends two ways.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from handhold.robots.model import RobotModel
from handhold.robots.proposal.bend import Legs

OFF_LIMITS = 0.05
"""How far inside its limits a joint of the posture stays, as a part of its range [-]."""

ROUNDED = 3
"""Decimals of the angles of a posture [rad]."""

_STARTS = 12
# Angle beyond which no search begins [rad].
_FURTHEST_START = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLimb:
    """A limb by names.

    Attributes:
        joints: Names of its joints, the one at the trunk first.
        middle: Index among them of the knee, or of the elbow.
        effector: Index of the effector that it ends in.
    """

    joints: tuple[str, ...]
    middle: int
    effector: int


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Posture:
    """A nominal posture.

    Attributes:
        angles: Positions of joints by name [rad].
        legs: Sizes of a leg.
        sole_error: How far the worst sole stays from level [rad].
    """

    angles: dict[str, float]
    legs: Legs
    sole_error: float


def find_posture(
    model: RobotModel, legs: tuple[NamedLimb, ...], arms: tuple[NamedLimb, ...], rng: np.random.Generator
) -> Posture:
    """Find the nominal posture.

    Args:
        model: The robot; its own nominal posture is not used.
        legs: Left and right leg.
        arms: Left and right arm, or none.
        rng: Where the starts are drawn from.
    """
    solver = _PostureSolver(model, rng)
    for k, arm in enumerate(arms):
        solver.place_arm(arm, sign=1.0 if k == 0 else -1.0)
    sizes = solver.measure_legs(legs)
    solver.place_legs(legs, sizes)
    angles = {name: round(float(solver.q[7 + i]), ROUNDED) for i, name in enumerate(model.joint_names)}
    error = max(solver.measure_sole(leg) for leg in legs)
    return Posture(angles={name: angle for name, angle in angles.items() if angle}, legs=sizes, sole_error=error)


class _PostureSolver:
    def __init__(self, model: RobotModel, rng: np.random.Generator) -> None:
        self._model, self._rng = model, rng
        self._data = model.pinocchio.createData()
        self.q = pin.neutral(model.pinocchio)
        span = model.upper - model.lower
        self._lower, self._upper = model.lower + OFF_LIMITS * span, model.upper - OFF_LIMITS * span
        self.q[7:] = np.clip(0.0, self._lower, self._upper)
        self._mirrored_elbow: np.ndarray | None = None

    def measure_legs(self, legs: tuple[NamedLimb, ...]) -> Legs:
        """Measure the legs; of two that differ the shorter parts."""
        self._update()
        sizes = np.array([self._measure_leg(leg) for leg in legs])
        thigh, shank, foot, torque = sizes.min(axis=0)
        return Legs(
            thigh=float(thigh),
            shank=float(shank),
            foot=float(foot),
            knee_torque=float(torque),
            weight=self._model.weight,
        )

    def place_legs(self, legs: tuple[NamedLimb, ...], sizes: Legs) -> None:
        """Bend the knees, soles level and under the centre of mass."""
        hips = [self._position(self._find_hip(leg)) for leg in legs]
        soles = [self._pose(leg).translation.copy() for leg in legs]
        height = sizes.foot + sizes.compute_height(sizes.standing_bend)
        for _ in range(3):
            com = pin.centerOfMass(self._model.pinocchio, self._data, self.q)
            for k, leg in enumerate(legs):
                target = np.array([com[0], soles[k][1], hips[k][2] - height])
                self._place_leg(leg, target)
            self._update()

    def place_arm(self, arm: NamedLimb, sign: float) -> None:
        """Bring a hand ahead of the trunk at the height of a bent elbow, pointing forward; ``sign`` is 1 at the left."""
        self._update()
        shoulder = self._position(arm.joints[max(0, arm.middle - 1)])
        length = self._measure_arm(arm)
        target = shoulder + length * np.array([0.5, 0.1 * sign, -0.4])
        indices = self._indices(arm)

        def residual(x: np.ndarray) -> np.ndarray:
            self._set(indices, x)
            pose, elbow = self._pose(arm), self._position(arm.joints[arm.middle])
            outward = sign * (elbow[1] - shoulder[1]) / length
            parts = [
                4.0 * (pose.translation - target) / length,
                1.0 * (-pose.rotation[:, 2] - np.array([0.95, 0.0, -0.3])),
                np.array([2.0 * min(0.0, outward), 2.0 * max(0.0, (elbow[2] - shoulder[2]) / length + 0.15)]),
                0.1 * (x - self._middle(indices)) / self._span(indices),
            ]
            if self._mirrored_elbow is not None:
                parts.append(4.0 * (elbow - self._mirrored_elbow) / length)
            return np.concatenate(parts)

        self._solve(indices, residual)
        self._update()
        self._mirrored_elbow = self._position(arm.joints[arm.middle]) * np.array([1.0, -1.0, 1.0]) if sign > 0.0 else None

    def measure_sole(self, leg: NamedLimb) -> float:
        """Return how far a sole is from level [rad]."""
        self._update()
        return float(np.abs(self._pose(leg).rotation[:2, 2]).max())

    def _place_leg(self, leg: NamedLimb, target: np.ndarray) -> None:
        indices = self._indices(leg)
        knee = leg.joints[leg.middle]

        def residual(x: np.ndarray) -> np.ndarray:
            self._set(indices, x)
            pose = self._pose(leg)
            hip, ankle = self._position(self._find_hip(leg)), self._position(leg.joints[-1])
            # ahead of the line from hip to ankle: a knee that bends as a person's
            bend = self._position(knee)[0] - 0.5 * (hip[0] + ankle[0])
            return np.concatenate(
                [
                    10.0 * (pose.translation - target),
                    3.0 * (pose.rotation[:, 2] - [0.0, 0.0, 1.0]),
                    3.0 * pose.rotation[1:2, 0],
                    [10.0 * min(0.0, bend)],
                    0.01 * x,
                ]
            )

        self._solve(indices, residual)

    def _solve(self, indices: list[int], residual: Callable[[np.ndarray], np.ndarray]) -> None:
        lower, upper = self._lower[indices], self._upper[indices]
        starts = [self.q[7:][indices].copy()]
        start_min = np.maximum(lower, -_FURTHEST_START)
        start_max = np.maximum(np.minimum(upper, _FURTHEST_START), start_min + 1e-6)
        starts += [self._rng.uniform(start_min, start_max) for _ in range(_STARTS)]
        found = [
            least_squares(residual, np.clip(x, lower + 1e-6, upper - 1e-6), bounds=(lower, upper), max_nfev=60) for x in starts
        ]
        best = min(found, key=lambda result: float(result.cost))
        self._set(indices, best.x)

    def _set(self, indices: list[int], x: np.ndarray) -> None:
        self.q[[7 + i for i in indices]] = x
        self._update()

    def _update(self) -> None:
        pin.framesForwardKinematics(self._model.pinocchio, self._data, self.q)

    def _pose(self, limb: NamedLimb) -> pin.SE3:
        return self._data.oMf[self._model.effector_frames[limb.effector]]

    def _position(self, joint: str) -> np.ndarray:
        return np.array(self._data.oMi[self._model.pinocchio.getJointId(joint)].translation)

    def _indices(self, limb: NamedLimb) -> list[int]:
        return [self._model.joint_names.index(name) for name in limb.joints]

    def _middle(self, indices: list[int]) -> np.ndarray:
        return np.clip(0.0, self._lower[indices], self._upper[indices])

    def _span(self, indices: list[int]) -> np.ndarray:
        return np.asarray(self._upper[indices] - self._lower[indices])

    def _find_hip(self, leg: NamedLimb) -> str:
        """Return the joint before the knee."""
        return leg.joints[max(0, leg.middle - 1)]

    def _measure_leg(self, leg: NamedLimb) -> tuple[float, float, float, float]:
        """Return lengths of thigh and shank, height of the ankle over the sole [m], and torque of the knee [Nm]."""
        knee = leg.joints[leg.middle]
        hip, middle = self._position(self._find_hip(leg)), self._position(knee)
        ankle, sole = self._position(leg.joints[-1]), self._pose(leg).translation
        torque = float(self._model.torque_limits[self._model.joint_names.index(knee)])
        return float(np.linalg.norm(middle - hip)), float(np.linalg.norm(ankle - middle)), float(ankle[2] - sole[2]), torque

    def _measure_arm(self, arm: NamedLimb) -> float:
        positions = [self._position(joint) for joint in arm.joints[max(0, arm.middle - 1) :]] + [self._pose(arm).translation]
        return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(positions)))
