r"""Posture retargeting: setpoints that follow the gradient of the stability margin [McCrory2024]_ (eq. 15).

.. math::

    \dot t_i = \begin{cases}
    \dot t_0(\Delta t_{i,nom}) & s_q = 0 \lor m > m^+ \quad (a) \\
    k_q J_i N_h \nabla m(q) & s_q > s_q^+ \quad (b) \\
    0 & \text{else} \quad (c) \end{cases}

for the orientations of pelvis, chest and bracing hands, for the height of the centre of mass, and, beyond the paper, for the
joints, or what leaves those where they are, such as the swivel of an elbow, would not come about. The gradient is that of
``margin_ascent``: of one edge that is nearest it is the paper's, of several that are about as near it raises them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.retarget.bracing.seiko.preferred_posture import PostureSetpoint, Preferences, PreferredPosture
from handhold.robots.control.clamp import clamp_norm

LEAD_OF_HEIGHT = 0.1
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


def choose_case(assessment: PosturalStability, parameters: StabilityParameters) -> PostureCase:
    """Choose the line of eq. 15."""
    if assessment.sensitivity == 0.0 or assessment.margin > parameters.ample_margin:
        return PostureCase.NOMINAL
    return PostureCase.RETARGET if assessment.sensitivity > parameters.min_sensitivity else PostureCase.FREEZE


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class PostureDeviation:
    """How far the setpoints are from nominal.

    Attributes:
        nominal: Posture when they began to deviate; None while nothing deviates and nothing is preferred.
        turns: Rotation vectors in world of base and trunk's frames, shape ``(frames, 3)`` [rad].
        rise: Of the centre of mass [m].
        joints: Of the actuated joints, shape ``(n,)`` [rad].
        hands: Rotation vectors in world of bracing hands, by effector, shape ``(3,)`` each [rad].
        insistence: How much the preferred posture counts, 0 to 1.
    """

    nominal: PostureSetpoint | None
    turns: np.ndarray
    rise: float
    joints: np.ndarray
    hands: Mapping[int, np.ndarray]
    insistence: float

    @staticmethod
    def none(frames: int, joints: int) -> PostureDeviation:
        """Return no deviation of a robot with so many frames and joints."""
        return PostureDeviation(
            nominal=None, turns=np.zeros((frames, 3)), rise=0.0, joints=np.zeros(joints), hands={}, insistence=0.0
        )

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
        return PostureSetpoint(
            rotations=np.stack(turned), height=self.nominal.height + self.rise, joints=self.nominal.joints + self.joints
        )

    def follow(self, posture: PreferredPosture, lead: float, taken: float) -> PostureDeviation:
        """Return the deviation with the nominal posture taken along by what else moves the robot.

        The operator's hands come first, and they take trunk and limbs where they must: a setpoint that stayed would pull back.

        Args:
            posture: The present posture.
            lead: How far setpoints may be from it [rad]; of the height ``LEAD_OF_HEIGHT`` of it.
            taken: Part of what is left of the distance that is taken along as well, 0 to 1.
        """
        setpoint, left = self.setpoint, 1.0 - taken
        if self.nominal is None or setpoint is None:
            return self
        rotations = np.empty_like(self.nominal.rotations)
        for k, (aim, present) in enumerate(zip(setpoint.rotations, posture.rotations, strict=True)):
            ahead = clamp_norm(pin.log3(aim @ present.T), lead)
            rotations[k] = pin.exp3(self.turns[k]).T @ pin.exp3(left * ahead) @ present
        above, high = setpoint.height - posture.height, LEAD_OF_HEIGHT * lead
        joints = left * np.clip(setpoint.joints - posture.joints, -lead, lead)
        nominal = PostureSetpoint(
            rotations=rotations,
            height=posture.height + left * float(np.clip(above, -high, high)) - self.rise,
            joints=posture.joints + joints - self.joints,
        )
        return replace(self, nominal=nominal)

    def prefer(self, posture: PreferredPosture, projector: np.ndarray) -> Preferences | None:
        """Return what SEIKO is asked to prefer in a posture, by N_h, shape ``(nv, nv)``; None where nothing deviates."""
        setpoint = self.setpoint
        return None if setpoint is None else posture.prefer(setpoint, self.insistence, projector)


def step_posture(
    before: PostureDeviation,
    posture: PreferredPosture,
    hands: Mapping[int, np.ndarray],
    assessment: PosturalStability,
    dt: float,
    parameters: StabilityParameters,
    hands_first: float = 1.0,
) -> PostureDeviation:
    """Move the setpoints by one step of eq. 15; a function of its arguments.

    Args:
        before: Deviation after the step before.
        posture: The present posture and its Jacobian.
        hands: Angular Jacobians in world of the hands that brace on points now, by effector, shape ``(3, nv)`` each.
        assessment: What is known of stability.
        dt: Length of the step [s].
        parameters: Gains, caps and rates.
        hands_first: How much the posture may insist, 1 to 0: the less, the more the free hands lack.
    """
    before = before.follow(posture, parameters.lead, (1.0 - hands_first) * min(1.0, dt / parameters.tracking_time_constant))
    before = replace(before, insistence=min(before.insistence, hands_first))
    kept = {effector: before.hands.get(effector, np.zeros(3)) for effector in hands}
    case = choose_case(assessment, parameters)
    if case is PostureCase.RETARGET:
        return _follow_gradient(before, kept, posture, hands, hands_first * assessment.gradient, dt, parameters)
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
    count = 3 * len(before.turns)
    turned = {}
    for effector, jacobian in hands.items():
        rate = clamp_norm(parameters.posture_gain * jacobian @ gradient, parameters.max_turn_rate)
        turned[effector] = clamp_norm(kept[effector] + dt * rate, parameters.max_hand_turn)
    return PostureDeviation(
        nominal=nominal,
        turns=_turn_frames(before.turns, nominal, posture, dt * rates[:count].reshape(-1, 3), dt, parameters),
        rise=_raise(before.rise, nominal, posture, dt * float(rates[count]), dt, parameters),
        joints=_move_joints(before.joints, nominal, posture, dt * rates[count + 1 :], dt, parameters),
        hands=turned,
        insistence=min(1.0, before.insistence + dt / parameters.fade),
    )


def _turn_frames(
    turns: np.ndarray,
    nominal: PostureSetpoint,
    posture: PreferredPosture,
    steps: np.ndarray,
    dt: float,
    parameters: StabilityParameters,
) -> np.ndarray:
    """Turn the frames' setpoints by a step, but not further ahead of the posture than the lead."""
    turned = turns.copy()
    for k, (turn, step) in enumerate(zip(turns, steps, strict=True)):
        candidate = turn + clamp_norm(step, dt * parameters.max_turn_rate)
        ahead = pin.log3(pin.exp3(candidate) @ nominal.rotations[k] @ posture.rotations[k].T)
        if np.linalg.norm(ahead) < parameters.lead:
            turned[k] = clamp_norm(candidate, parameters.max_turn)
    return turned


def _raise(
    rise: float,
    nominal: PostureSetpoint,
    posture: PreferredPosture,
    step: float,
    dt: float,
    parameters: StabilityParameters,
) -> float:
    """Move the height's setpoint by a step, but not further ahead than the lead."""
    candidate = rise + float(np.clip(step, -dt * parameters.max_move_speed, dt * parameters.max_move_speed))
    if abs(nominal.height + candidate - posture.height) > LEAD_OF_HEIGHT * parameters.lead:
        return rise
    return float(np.clip(candidate, -parameters.max_rise, parameters.max_rise))


def _move_joints(
    joints: np.ndarray,
    nominal: PostureSetpoint,
    posture: PreferredPosture,
    step: np.ndarray,
    dt: float,
    parameters: StabilityParameters,
) -> np.ndarray:
    """Move the joints' setpoints by a step, but none further ahead than the lead."""
    candidate = np.clip(
        joints + clamp_norm(step, dt * parameters.max_joint_rate),
        -parameters.max_joint_deviation,
        parameters.max_joint_deviation,
    )
    ahead = np.abs(nominal.joints + candidate - posture.joints)
    return np.where(ahead < parameters.lead, candidate, joints)


def _return(
    before: PostureDeviation, kept: Mapping[int, np.ndarray], dt: float, parameters: StabilityParameters
) -> PostureDeviation:
    """Go back to nominal at a fixed rate; once there, count less and less, until the posture is SEIKO's own again."""
    back, down = dt * parameters.return_turn_rate, dt * parameters.return_move_rate
    turns = np.array([_shrink(turn, back) for turn in before.turns])
    rise = float(np.sign(before.rise) * max(0.0, abs(before.rise) - down))
    joints = _shrink(before.joints, back)
    there = not turns.any() and rise == 0.0 and not joints.any()
    insistence = max(0.0, before.insistence - dt / parameters.fade) if there else before.insistence
    return PostureDeviation(
        nominal=before.nominal if insistence > 0.0 else None,
        turns=turns,
        rise=rise,
        joints=joints,
        hands={effector: _shrink(turn, back) for effector, turn in kept.items()},
        insistence=insistence,
    )


def _shrink(vector: np.ndarray, by: float) -> np.ndarray:
    norm = float(np.linalg.norm(vector))
    return np.zeros_like(vector) if norm <= by else (1.0 - by / norm) * vector
