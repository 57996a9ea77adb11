"""A contact switch run ahead without the robot: whether it will succeed, and the posture it would lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contact_making import (
    AT_EDGE,
    TURN,
    ContactMaking,
    EffectorMeasurement,
    find_axis,
    step_contact_making,
)
from handhold.retarget.bracing.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contact_switch import ContactSwitch, SwitchPhase
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.retarget.bracing.stability_sight import look_once
from handhold.retarget.bracing.surfaces import SurfaceAhead, find_normal, find_surface_ahead, is_at_edge
from handhold.retarget.bracing.switching import (
    advance_switch,
    finish_switch,
    follow_forces,
    guide_back,
    let_weights_return,
    start_adding,
    start_removing,
)
from handhold.retarget.mode import StabilitySight
from handhold.robots.model import RobotModel

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
        stability: The stability region of that configuration; None where it has none.
    """

    effector: int
    q: np.ndarray
    feasible: bool
    obstacles: tuple[str, ...]
    duration: float
    stability: StabilitySight | None


class SwitchPreview:
    """Steps a fork of SEIKO through a switch, with the effectors asked to stay where they are.

    A free effector goes on until it touches the surface that is known under it, as the real one would; where none is known it
    is added where it is.
    """

    def __init__(
        self,
        model: RobotModel,
        seiko: Seiko,
        effector: int,
        surfaces: tuple[Surface, ...] = (),
        forces: Mapping[int, float] = MappingProxyType({}),
    ) -> None:
        """Look ahead from where SEIKO is now.

        Args:
            model: Robot.
            seiko: The robot's own; it is left alone.
            effector: Place of the effector: a contact would be removed, a free effector added.
            surfaces: What an effector could bear on.
            forces: Normal forces commanded now, by effector, which are taken to stay [N]; those commanded before go on fading.
        """
        self._model = model
        self._seiko = seiko.fork()
        self._effector = effector
        self._surfaces = surfaces
        self._forces = dict(forces)
        self._targets = SeikoTargets(effector_poses=seiko.kinematics.poses.copy(), velocity_com_in_world=np.full(3, np.nan))
        self._switch: ContactSwitch | None = None
        self._approach: _Approach | None = None
        self._begin()
        self._elapsed = 0.0
        self._settled = 0.0
        self.outlook: Outlook | None = None

    def advance(self, steps: int, dt: float) -> None:
        """Look further ahead by some steps of ``dt`` [s]; sets ``outlook`` when there is nothing more to see."""
        for _ in range(steps):
            if self.outlook is not None:
                return
            if self._switch is None:
                self._come_near(dt)
            else:
                self._go_on(self._switch, dt)

    def _begin(self) -> None:
        pose = self._seiko.kinematics.poses[self._effector]
        if self._effector in self._seiko.stance.effectors:
            self._switch = start_removing(self._seiko, self._effector)
        elif (approach := _Approach(self._model, self._effector, self._surfaces)).find_surface(pose) is not None:
            self._approach = approach
            self._seiko.terms.approaching[self._effector] = True
        else:
            self._add()

    def _add(self) -> None:
        normal = find_normal(self._seiko.kinematics.poses[self._effector], self._surfaces)
        self._switch = start_adding(self._seiko, self._effector, normal)

    def _come_near(self, dt: float) -> None:
        assert self._approach is not None
        poses = self._targets.effector_poses.copy()
        poses[self._effector] = self._approach.step(self._seiko.kinematics.poses[self._effector], dt)
        active = self._step(replace(self._targets, effector_poses=poses), None, dt)
        self._elapsed += dt
        if self._approach.touches:
            self._add()
        elif self._approach.is_over:
            self._conclude(feasible=False, obstacles=self._approach.obstacles or active)

    def _go_on(self, switch: ContactSwitch, dt: float) -> None:
        if switch.over:
            if self._settled == 0.0:
                finish_switch(self._seiko, switch)
            self._settled += dt
        active = self._step(guide_back(self._seiko, switch, self._targets), None if switch.over else switch, dt)
        if not switch.over:
            self._elapsed += dt
            self._switch = advance_switch(self._seiko, switch, active, dt)
        elif self._settled >= SETTLING:
            self._conclude(feasible=switch.phase is SwitchPhase.DONE, obstacles=switch.obstacles)

    def _step(self, targets: SeikoTargets, switch: ContactSwitch | None, dt: float) -> tuple[str, ...]:
        let_weights_return(self._seiko, switch, dt)
        follow_forces(self._seiko, self._forces, switch, dt)
        return self._seiko.step(targets, dt).active

    def _conclude(self, *, feasible: bool, obstacles: tuple[str, ...]) -> None:
        self.outlook = Outlook(
            effector=self._effector,
            q=self._seiko.q,
            feasible=feasible,
            obstacles=obstacles,
            duration=self._elapsed,
            stability=look_once(self._model, self._seiko),
        )


class _Approach:
    """A free effector on its way to a surface that is where it is known to be, and hard."""

    def __init__(self, model: RobotModel, effector: int, surfaces: tuple[Surface, ...]) -> None:
        self._effector = model.effectors[effector]
        self._parameters = choose_contact_making(model, effector)
        self._surfaces = surfaces
        self._making = ContactMaking()
        self._begun = False

    def find_surface(self, pose: np.ndarray) -> SurfaceAhead | None:
        """Return the surface that the effector would come to from a pose, shape ``(4, 4)``; None where none is known."""
        return find_surface_ahead(
            self._effector,
            pose,
            find_axis(pose, self._parameters),
            self._surfaces,
            within=self._parameters.approach_distance,
            largest_tilt=self._parameters.largest_tilt,
        )

    @property
    def touches(self) -> bool:
        """Whether the effector has touched the surface."""
        return self._making.phase == "touched"

    @property
    def is_over(self) -> bool:
        """Whether it goes on no more, with nothing touched."""
        return self._making.phase not in ("approaching", "touched")

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What was in its way by its own account: an edge, where it could not bear, or its tilt to the surface."""
        if self._making.event == AT_EDGE:
            return ("an edge",)
        return ("its tilt",) if self._making.event.startswith(TURN) else ()

    def step(self, pose: np.ndarray, dt: float) -> np.ndarray:
        """Return where the effector is to go, shape ``(4, 4)``, from where it is."""
        ahead = self.find_surface(pose)
        force = np.zeros(3)
        if ahead is not None and ahead.gap < 0.0:
            force = 2.0 * self._parameters.touch_force * ahead.normal
        measured = EffectorMeasurement(
            force=force,
            pose=pose,
            reference=pose,
            wanted=pose,
            pressed=not self._begun,
            at_edge=is_at_edge(self._effector, pose, self._surfaces),
            ahead=ahead,
        )
        self._begun = True
        self._making = step_contact_making(self._making, measured, dt, self._parameters)
        return pose if self._making.target is None else self._making.target
