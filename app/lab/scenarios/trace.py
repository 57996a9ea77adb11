"""The run of a scenario as arrays over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Counters, Snapshot
from handhold.robots.robot import RobotState


@dataclass(slots=True)
class Trace:
    """Samples of a run, one every so many control cycles, and what was counted.

    Attributes:
        stride: Control cycles from one sample to the next; residuals, activity and counters miss no cycle.
        times: Clock of the robot [s].
        modes: Names of the modes in charge.
        postures: Configurations of the reference.
        configurations: Measured configurations.
        com: Measured centre of mass [m].
        com_reference: The reference's [m].
        effectors: Measured positions of all effectors [m].
        rotations: Measured orientations of all effectors, shape ``(effectors, 3, 3)``.
        effectors_reference: The reference's positions [m].
        contacts: Which effectors are in contact in the reference.
        normals: Outward normals in world of the surfaces under them.
        wrenches: Measured contact wrenches in the contact frames.
        wrenches_reference: The reference's, as in ``Reference.contact_wrenches``.
        torques: Measured joint torques [Nm].
        torques_reference: The reference's [Nm].
        targets: Commanded positions of left and right hand after the filters [m].
        offers: Where the places are that were offered to brace on, shape ``(offers, 3)`` each [m].
        contact_words: State of the contacts under the left and the right hand's command.
        person_hands: Where the hands of the person are whom the robot follows, shape ``(arms, 3)`` [m]; none before it does.
        solids: Poses of the world's solids, shape ``(solids, 4, 4)`` each; none where nothing can be moved
            and the robot holds no tool.
        pushes: Force with which the robot is pushed, in world, shape ``(3,)`` each [N]; none where nobody tells.
        external: All forces of others together that are measured, in world, shape ``(3,)`` [N].
        last_joints: Joints of the reference in the last cycle [rad].
        joint_jump: Largest change of a joint of the reference from one cycle to the next [rad].
        residuals: Contact [m], equilibrium [N] and torque [Nm] residuals of the reference.
        worst_residuals: The largest of each over all cycles.
        activity: Cycles in which each kind of constraint held the reference back.
        cycles: Control cycles so far.
        counters: Counters at the end.
        first_counters: Counters at the beginning: the station is silent before the script begins.
        samples: All that the operator did, one after the other.
        received: What of it reached the robot, each after when it did, by the clock of the script [s].
        missed: What the operator waited for in vain.
        notes: What the operator counted himself.
        fell: Whether the robot fell, whatever the control cycle said of it.
        fell_at: When [s]; NaN where it did not.
        damped: Why the robot was damped first, in words; empty where it never was.
        sight: How right was what a camera saw; nothing where there was none.
    """

    stride: int = 1
    times: list[float] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    postures: list[np.ndarray] = field(default_factory=list)
    configurations: list[np.ndarray] = field(default_factory=list)
    com: list[np.ndarray] = field(default_factory=list)
    com_reference: list[np.ndarray] = field(default_factory=list)
    effectors: list[np.ndarray] = field(default_factory=list)
    rotations: list[np.ndarray] = field(default_factory=list)
    effectors_reference: list[np.ndarray] = field(default_factory=list)
    contacts: list[np.ndarray] = field(default_factory=list)
    normals: list[np.ndarray] = field(default_factory=list)
    wrenches: list[np.ndarray] = field(default_factory=list)
    wrenches_reference: list[np.ndarray] = field(default_factory=list)
    torques: list[np.ndarray] = field(default_factory=list)
    torques_reference: list[np.ndarray] = field(default_factory=list)
    targets: list[np.ndarray] = field(default_factory=list)
    offers: list[np.ndarray] = field(default_factory=list)
    contact_words: list[tuple[str, str]] = field(default_factory=list)
    person_hands: list[np.ndarray] = field(default_factory=list)
    solids: list[np.ndarray] = field(default_factory=list)
    pushes: list[np.ndarray] = field(default_factory=list)
    external: list[np.ndarray] = field(default_factory=list)
    last_joints: np.ndarray = field(default_factory=lambda: np.zeros(0))
    joint_jump: float = 0.0
    residuals: list[tuple[float, float, float]] = field(default_factory=list)
    worst_residuals: np.ndarray = field(default_factory=lambda: np.zeros(3))
    activity: Counter[str] = field(default_factory=Counter)
    cycles: int = 0
    counters: Counters = field(default_factory=Counters)
    first_counters: Counters = field(default_factory=Counters)
    samples: Sequence[OperatorInput] = ()
    received: Sequence[tuple[float, OperatorInput]] = ()
    missed: tuple[str, ...] = ()
    notes: Mapping[str, float] = field(default_factory=dict)
    fell: bool = False
    fell_at: float = float("nan")
    damped: str = ""
    sight: tuple[Figure, ...] = ()

    def add(
        self, snapshot: Snapshot, state: RobotState, effector_poses: np.ndarray, normals: np.ndarray, *, fallen: bool
    ) -> None:
        """Add one cycle.

        Args:
            snapshot: What the cycle told.
            state: What the robot measured.
            effector_poses: Measured, homogeneous, shape ``(effectors, 4, 4)``.
            normals: Outward normals in world of the surfaces under the effectors, as they are, shape ``(effectors, 3)``.
            fallen: Whether the robot lies or kneels (``has_fallen``).
        """
        residuals = snapshot.reference.residuals
        found = (residuals.contact, residuals.equilibrium, residuals.torque)
        # NaN is the worst of all, and stays.
        self.worst_residuals = np.maximum(self.worst_residuals, found)
        self.activity.update({name.rpartition(" ")[2] for name in snapshot.report.active_constraints})
        self.counters = snapshot.counters
        joints = snapshot.reference.q[7:]
        if self.cycles == 0:
            self.first_counters, self.last_joints = snapshot.counters, joints
        self.joint_jump = max(self.joint_jump, float(np.abs(joints - self.last_joints).max()))
        self.last_joints = joints
        if snapshot.stop is Stop.DAMP:
            self.damped = self.damped or next(iter(snapshot.messages), "damped")
        if fallen and not self.fell:
            self.fell, self.fell_at = True, state.time
        if self.cycles % self.stride == 0:
            self._sample(snapshot, state, effector_poses, normals)
            self.residuals.append(found)
        self.cycles += 1

    def _sample(self, snapshot: Snapshot, state: RobotState, effector_poses: np.ndarray, normals: np.ndarray) -> None:
        reference = snapshot.reference
        self.times.append(state.time)
        self.modes.append(snapshot.mode)
        self.postures.append(reference.q)
        self.configurations.append(state.q)
        self.com.append(snapshot.position_com_in_world)
        self.com_reference.append(reference.position_com_in_world)
        self.effectors.append(effector_poses[:, :3, 3].copy())
        self.rotations.append(effector_poses[:, :3, :3].copy())
        self.effectors_reference.append(reference.effector_poses[:, :3, 3])
        self.contacts.append(reference.contacts)
        self.normals.append(normals)
        self.wrenches.append(state.contact_wrenches)
        self.wrenches_reference.append(reference.contact_wrenches)
        forces = reference.external_forces
        self.external.append(np.zeros(3) if forces is None else forces.sum(axis=0))
        self.torques.append(state.joint_torques)
        self.torques_reference.append(reference.joint_torques)
        self.targets.append(np.stack([snapshot.left.target[:3, 3], snapshot.right.target[:3, 3]]))
        self.offers.append(np.array([place.pose[:3, 3] for place in snapshot.report.candidates]).reshape(-1, 3))
        self.contact_words.append((snapshot.left.contact, snapshot.right.contact))
        person = snapshot.report.person
        self.person_hands.append(np.zeros((0, 3)) if person is None or not person.following else person.hands)

    @property
    def activity_ratios(self) -> dict[str, float]:
        """Ratio of the cycles in which each kind of constraint was active."""
        return {kind: count / max(1, self.cycles) for kind, count in sorted(self.activity.items())}
