"""A contact switch run ahead without the robot: whether it will succeed, and the posture it would lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from handhold.retarget.bracing.contact_switch import SwitchPhase
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.retarget.bracing.switching import (
    advance_switch,
    finish_switch,
    follow_forces,
    guide_back,
    let_weights_return,
    start_adding,
    start_removing,
)

SETTLING = 0.5
"""Time that is looked ahead after the switch itself is over [s]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Outlook:
    """What a look ahead has found.

    Attributes:
        effector: Place of the effector whose contact would be switched.
        q: Configuration it would lead to, shape ``(nq,)``.
        feasible: Whether it will succeed.
        obstacles: Names of the constraints that would stand in the way.
        duration: How long it would take [s].
    """

    effector: int
    q: np.ndarray
    feasible: bool
    obstacles: tuple[str, ...]
    duration: float


class SwitchPreview:
    """Steps a fork of SEIKO through a switch, with the effectors asked to stay where they are."""

    def __init__(
        self, seiko: Seiko, effector: int, normal: np.ndarray, forces: Mapping[int, float] = MappingProxyType({})
    ) -> None:
        """Look ahead from where SEIKO is now.

        Args:
            seiko: The robot's own; it is left alone.
            effector: Place of the effector: a contact would be removed, a free effector added where it is.
            normal: Outward normal in world of the surface an added point contact would bear on, unit, shape ``(3,)``.
            forces: Normal forces commanded now, by effector, which are taken to stay [N]; those commanded before go on fading.
        """
        self._seiko = seiko.fork()
        self._targets = SeikoTargets(effector_poses=seiko.kinematics.poses.copy(), velocity_com_in_world=np.full(3, np.nan))
        self._forces = dict(forces)
        removing = effector in seiko.stance.effectors
        self._switch = start_removing(self._seiko, effector) if removing else start_adding(self._seiko, effector, normal)
        self._elapsed = 0.0
        self._settled = 0.0
        self.outlook: Outlook | None = None

    def advance(self, steps: int, dt: float) -> None:
        """Look further ahead by some steps of ``dt`` [s]; sets ``outlook`` when there is nothing more to see."""
        for _ in range(steps):
            if self.outlook is not None:
                return
            self._step(dt)

    def _step(self, dt: float) -> None:
        if self._switch.over:
            if self._settled == 0.0:
                finish_switch(self._seiko, self._switch)
            self._settled += dt
        switch = None if self._switch.over else self._switch
        let_weights_return(self._seiko, switch, dt)
        follow_forces(self._seiko, self._forces, switch, dt)
        step = self._seiko.step(guide_back(self._seiko, self._switch, self._targets), dt)
        if not self._switch.over:
            self._elapsed += dt
            self._switch = advance_switch(self._seiko, self._switch, step.active, dt)
        elif self._settled >= SETTLING:
            self.outlook = Outlook(
                effector=self._switch.effector,
                q=self._seiko.q,
                feasible=self._switch.phase is SwitchPhase.DONE,
                obstacles=self._switch.obstacles,
                duration=self._elapsed,
            )
