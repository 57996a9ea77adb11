"""What a viewer or a recording is told of one control cycle (no OpenGL is imported with it)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.robots.reference import Reference


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandStatus:
    """What became of one hand of the operator.

    Attributes:
        engaged: The clutch of the hand is closed: its motion moves the robot.
        waiting: Why an open clutch does not close or was opened (``"squeeze to move"``, ``"not tracked"``,
            ``"squeeze again"``), in words for the operator.
        target: Pose commanded for the effector in world after the filters, shape ``(4, 4)``, homogeneous.
    """

    engaged: bool
    waiting: str
    target: np.ndarray


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Counters:
    """Events counted since the session began.

    Attributes:
        refused_samples: Operator samples refused (NaN, infinity, jumps).
        lost_tracking: Times a hand that was engaged lost its tracking.
        lost_link: Times the operator's link fell silent while engaged.
        qp_failures_reference: QPs of the retargeting without a solution.
        qp_failures_controller: QPs of the controller without a solution.
        overruns: Cycles over their budget.
    """

    refused_samples: int = 0
    lost_tracking: int = 0
    lost_link: int = 0
    qp_failures_reference: int = 0
    qp_failures_controller: int = 0
    overruns: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Snapshot:
    """All that a viewer or a recording needs of one control cycle.

    Attributes:
        time: Clock of the robot [s].
        cycle: Number of the cycle.
        robot: Name of the robot's description.
        mode: Name of the mode in charge (``"bracing"``, ``"hold"``, ``"damp"``).
        stop: ``""``, ``"hold"`` or ``"damp"``: the latched stop.
        q: Measured configuration, shape ``(nq,)``.
        position_com_in_world: Measured centre of mass, shape ``(3,)`` [m].
        contact_wrenches: Measured, as in RobotState, shape ``(effectors, 6)``.
        reference: What the controller tracks.
        left: What became of the left hand.
        right: What became of the right hand.
        active_constraints: Names of the reference's constraints that are saturated now.
        messages: Warnings and reasons in words, the most urgent first.
        counters: Events counted so far.
        input_age: Age of the operator's last sample [s].
    """

    time: float
    cycle: int
    robot: str
    mode: str
    stop: str
    q: np.ndarray
    position_com_in_world: np.ndarray
    contact_wrenches: np.ndarray
    reference: Reference
    left: HandStatus
    right: HandStatus
    active_constraints: tuple[str, ...]
    messages: tuple[str, ...]
    counters: Counters
    input_age: float
