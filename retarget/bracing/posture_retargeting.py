r"""Posture retargeting: setpoints that follow the gradient of the stability margin [McCrory2024]_ (eq. 15).

.. math::

    \dot t_i = \begin{cases}
    \dot t_0(\Delta t_{i,nom}) & s_q = 0 \lor m > m^+ \quad (a) \\
    k_q J_i N_h \nabla m(q) & s_q > s_q^+ \quad (b) \\
    0 & \text{else} \quad (c) \end{cases}

for the orientations of pelvis, chest and bracing hands and for the height of the centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.clamp import clamp_norm
from handhold.retarget.bracing.preferred_posture import PostureSetpoint, Preferences, PreferredPosture
from handhold.retarget.bracing.stability_parameters import StabilityParameters

_LEAD_OF_HEIGHT = 0.1
"""How far the height may be ahead of what has come of it, as a part of what orientations may [m/rad]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PosturalStability:
    r"""What retargeting must know of one configuration.

    Attributes:
        margin: Stability margin m [m].
        gradient: :math:`N_h \nabla m(q)`, shape ``(nv,)`` [m/rad].
        sensitivity: :math:`s_q = \|N_h \nabla m(q)\|^2` [m^2/rad^2].
    """

    margin: float
    gradient: np.ndarray
    sensitivity: float


class PostureCase(Enum):
    """Which line of eq. 15 holds."""

    NOMINAL = "nominal"
    RETARGET = "retarget"
    FREEZE = "freeze"


def choose_case(seen: PosturalStability, parameters: StabilityParameters) -> PostureCase:
    """Choose the line of eq. 15."""
    if seen.sensitivity == 0.0 or seen.margin > parameters.ample_margin:
        return PostureCase.NOMINAL
    return PostureCase.RETARGET if seen.sensitivity > parameters.least_sensitivity else PostureCase.FREEZE


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PostureDeviation:
    """How far the setpoints are from nominal.

    Attributes:
        nominal: Posture when they began to deviate; None while nothing deviates and nothing is preferred.
        turns: Rotation vectors in world of base and trunk's frames, shape ``(frames, 3)`` [rad].
        rise: Of the centre of mass [m].
        hands: Rotation vectors in world of bracing hands, by effector, shape ``(3,)`` each [rad].
        insistence: How much the preferred posture counts, 0 to 1.
    """

    nominal: PostureSetpoint | None
    turns: np.ndarray
    rise: float
    hands: Mapping[int, np.ndarray]
    insistence: float

    @staticmethod
    def none(frames: int) -> PostureDeviation:
        """Return no deviation of a robot with so many frames."""
        return PostureDeviation(nominal=None, turns=np.zeros((frames, 3)), rise=0.0, hands={}, insistence=0.0)

    @property
    def remains(self) -> bool:
        """Whether anything deviates, or is still preferred to what SEIKO would do itself."""
        return self.nominal is not None or any(turn.any() for turn in self.hands.values())

    @property
    def setpoint(self) -> PostureSetpoint | None:
        """The posture that is preferred."""
        if self.nominal is None:
            return None
        turned = [pin.exp3(turn) @ start for turn, start in zip(self.turns, self.nominal.rotations, strict=True)]
        return PostureSetpoint(rotations=np.stack(turned), height=self.nominal.height + self.rise)

    def prefer(self, posture: PreferredPosture) -> Preferences | None:
        """Return what SEIKO is asked to prefer in a posture; None where nothing deviates."""
        setpoint = self.setpoint
        return None if setpoint is None else posture.prefer(setpoint, self.insistence)


def step_posture(
    before: PostureDeviation,
    posture: PreferredPosture,
    hands: Mapping[int, np.ndarray],
    seen: PosturalStability,
    dt: float,
    parameters: StabilityParameters,
) -> PostureDeviation:
    """Move the setpoints by one step of eq. 15; a function of its arguments.

    Args:
        before: Deviation after the step before.
        posture: The present posture and its Jacobian.
        hands: Angular Jacobians in world of the hands that brace on points now, by effector, shape ``(3, nv)`` each.
        seen: What is known of stability.
        dt: Length of the step [s].
        parameters: Gains, caps and rates.
    """
    kept = {effector: before.hands.get(effector, np.zeros(3)) for effector in hands}
    case = choose_case(seen, parameters)
    if case is PostureCase.RETARGET:
        return _follow_gradient(before, kept, posture, hands, seen.gradient, dt, parameters)
    if case is PostureCase.FREEZE:
        return replace(before, hands=kept)
    return _return(before, kept, dt, parameters)


def _follow_gradient(
    before: PostureDeviation,
    kept: Mapping[int, np.ndarray],
    posture: PreferredPosture,
    hands: Mapping[int, np.ndarray],
    gradient: np.ndarray,
    dt: float,
    parameters: StabilityParameters,
) -> PostureDeviation:
    nominal = before.nominal or posture.take()
    rates = parameters.posture_gain * posture.jacobian @ gradient
    turns = before.turns.copy()
    for k, turn in enumerate(turns):
        wanted = turn + dt * clamp_norm(rates[3 * k : 3 * k + 3], parameters.fastest_turn)
        ahead = pin.log3(pin.exp3(wanted) @ nominal.rotations[k] @ posture.rotations[k].T)
        if np.linalg.norm(ahead) < parameters.lead:
            turns[k] = clamp_norm(wanted, parameters.most_turned)
    rise = before.rise + dt * float(np.clip(rates[-1], -parameters.fastest_move, parameters.fastest_move))
    if abs(nominal.height + rise - posture.height) > _LEAD_OF_HEIGHT * parameters.lead:
        rise = before.rise
    turned = {}
    for effector, jacobian in hands.items():
        rate = clamp_norm(parameters.posture_gain * jacobian @ gradient, parameters.fastest_turn)
        turned[effector] = clamp_norm(kept[effector] + dt * rate, parameters.most_turned_hand)
    return PostureDeviation(
        nominal=nominal,
        turns=turns,
        rise=float(np.clip(rise, -parameters.most_raised, parameters.most_raised)),
        hands=turned,
        insistence=min(1.0, before.insistence + dt / parameters.fade),
    )


def _return(
    before: PostureDeviation, kept: Mapping[int, np.ndarray], dt: float, parameters: StabilityParameters
) -> PostureDeviation:
    """Go back to nominal at a fixed rate; once there, count less and less, until the posture is SEIKO's own again."""
    back, down = dt * parameters.turning_back, dt * parameters.moving_back
    turns = np.array([_shrink(turn, back) for turn in before.turns])
    rise = float(np.sign(before.rise) * max(0.0, abs(before.rise) - down))
    there = not turns.any() and rise == 0.0
    insistence = max(0.0, before.insistence - dt / parameters.fade) if there else before.insistence
    return PostureDeviation(
        nominal=before.nominal if insistence > 0.0 else None,
        turns=turns,
        rise=rise,
        hands={effector: _shrink(turn, back) for effector, turn in kept.items()},
        insistence=insistence,
    )


def _shrink(vector: np.ndarray, by: float) -> np.ndarray:
    norm = float(np.linalg.norm(vector))
    return np.zeros(3) if norm <= by else (1.0 - by / norm) * vector
