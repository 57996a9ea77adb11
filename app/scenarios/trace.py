"""The run of a scenario as arrays over time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from handhold.render.snapshot import Counters, Snapshot
from handhold.robots.robot import RobotState


@dataclass(slots=True)
class Trace:
    """Samples of a run, one a control cycle, and what was counted.

    Attributes:
        times: Clock of the robot [s].
        com: Measured centre of mass [m].
        com_reference: The reference's [m].
        effectors: Measured positions of all effectors [m].
        effectors_reference: The reference's [m].
        wrenches: Measured contact wrenches in the contact frames.
        targets: Commanded positions of left and right hand after the filters [m].
        residuals: Contact [m], equilibrium [N] and torque [Nm] residuals of the reference.
        activity: Cycles in which each kind of constraint held the reference back.
        counters: Counters at the end.
        fell: Whether the robot fell.
    """

    times: list[float] = field(default_factory=list)
    com: list[np.ndarray] = field(default_factory=list)
    com_reference: list[np.ndarray] = field(default_factory=list)
    effectors: list[np.ndarray] = field(default_factory=list)
    effectors_reference: list[np.ndarray] = field(default_factory=list)
    wrenches: list[np.ndarray] = field(default_factory=list)
    targets: list[np.ndarray] = field(default_factory=list)
    residuals: list[tuple[float, float, float]] = field(default_factory=list)
    activity: Counter[str] = field(default_factory=Counter)
    counters: Counters = field(default_factory=Counters)
    fell: bool = False

    def add(self, snapshot: Snapshot, state: RobotState, effector_positions: np.ndarray) -> None:
        """Add one cycle; ``effector_positions`` are measured, shape ``(effectors, 3)`` [m]."""
        reference = snapshot.reference
        self.times.append(state.time)
        self.com.append(snapshot.position_com_in_world)
        self.com_reference.append(reference.position_com_in_world)
        self.effectors.append(effector_positions)
        self.effectors_reference.append(reference.effector_poses[:, :3, 3])
        self.wrenches.append(state.contact_wrenches)
        self.targets.append(np.stack([snapshot.left.target[:3, 3], snapshot.right.target[:3, 3]]))
        residuals = reference.residuals
        self.residuals.append((residuals.contact, residuals.equilibrium, residuals.torque))
        self.activity.update({name.rpartition(" ")[2] for name in snapshot.active_constraints})
        self.counters = snapshot.counters
        self.fell = self.fell or "fallen" in snapshot.messages

    @property
    def activity_shares(self) -> dict[str, float]:
        """Share of the cycles in which each kind of constraint was active."""
        return {kind: count / max(1, len(self.times)) for kind, count in sorted(self.activity.items())}
