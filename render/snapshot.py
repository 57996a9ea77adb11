"""What is published of one control cycle to viewers and recordings (no OpenGL is imported with it)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from handhold.devices.stop import Stop
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import ContactState, Grip, ModeReport
from handhold.robots.health import RobotHealth
from handhold.robots.reference import Reference


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HandStatus:
    """What became of one hand of the operator.

    Attributes:
        engaged: The clutch of the hand is closed: its motion moves the robot.
        waiting: Why an open clutch does not close or was opened (``"squeeze to move"``, ``"not tracked"``,
            ``"squeeze again"``), in words for the operator.
        target: Pose commanded for the effector in world after the filters, shape ``(4, 4)``, homogeneous; not a number where
            the hand commands nothing.
        effector: Name of the effector under the hand's command; empty where it commands none.
        contact: State of that effector's contact.
        grip: What the gripper at it does.
    """

    engaged: bool
    waiting: str
    target: np.ndarray
    effector: str = ""
    contact: ContactState = ContactState.FREE
    grip: Grip = Grip.NONE

    @property
    def commands(self) -> bool:
        """Whether the hand commands anything of the robot: the mode may have nothing for it, or the robot no such hand."""
        return math.isfinite(self.target[0, 3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Events counted since the session began.

    Attributes:
        refused_samples: Operator samples refused (NaN, infinity, jumps).
        lost_tracking: Times a hand that was engaged lost its tracking.
        lost_link: Times the operator's link fell silent while engaged.
        qp_failures_reference: QPs of the retargeting without a solution.
        qp_failures_controller: QPs of the controller without a solution.
        qp_relaxed_controller: QPs of the controller that had one only without the limits of joints' positions.
        overruns: Cycles over their budget.
        refused_commands: Requests of the operator that the robot does not know.
        refused_states: States of the robot that could not be believed.
        refused_messages: Messages of the link that were forged, sent before, unreadable, too late or not the driver's.
    """

    refused_samples: int = 0
    lost_tracking: int = 0
    lost_link: int = 0
    qp_failures_reference: int = 0
    qp_failures_controller: int = 0
    qp_relaxed_controller: int = 0
    overruns: int = 0
    refused_commands: int = 0
    refused_states: int = 0
    refused_messages: int = 0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Snapshot:
    """All that a viewer or a recording needs of one control cycle.

    Attributes:
        time: Clock of the robot [s].
        cycle: Number of the cycle.
        robot: Name of the robot's description.
        mode: Name of the mode in charge, as in its profile.
        stop: The latched stop.
        q: Measured configuration, shape ``(nq,)``.
        position_com_in_world: Measured centre of mass, shape ``(3,)`` [m].
        contact_wrenches: Measured, as in RobotState, shape ``(effectors, 6)``.
        reference: What the controller tracks.
        left: What became of the left hand.
        right: What became of the right hand.
        messages: Warnings and reasons in words, the most urgent first.
        counters: Events counted so far.
        input_age: Age of the operator's last sample when this was measured [s], counted from its arrival at the host.
        joint_torques: Measured joint torques, shape ``(n,)`` [Nm]; empty where not published.
        gripper_closings: How far each gripper is closed, as measured, 0 to 1, shape ``(grippers,)``; empty where not known.
        report: What the mode in charge reports; its preview may be of another mode that was asked about.
        modes: Modes the operator can switch to.
        measured_at: When the robot was measured, by the monotonic clock of the process that has the snapshot [s]: the host's
            where it is made, the station's once it has come over the link. Not a number where it is unknown.
        health: How the robot is; None where it tells nothing of that, as a simulated one.
    """

    time: float
    cycle: int
    robot: str
    mode: str
    stop: Stop
    q: np.ndarray
    position_com_in_world: np.ndarray
    contact_wrenches: np.ndarray
    reference: Reference
    left: HandStatus
    right: HandStatus
    messages: tuple[str, ...]
    counters: Counters
    input_age: float
    joint_torques: np.ndarray = field(default_factory=lambda: np.zeros(0))
    gripper_closings: np.ndarray = field(default_factory=lambda: np.zeros(0))
    report: ModeReport = field(default_factory=ModeReport)
    modes: tuple[ModeOffer, ...] = ()
    measured_at: float = math.nan
    health: RobotHealth | None = None
