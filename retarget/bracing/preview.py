"""A preview of a contact switch, without the robot: whether it will succeed, and the posture it would lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contact_making import (
    AT_EDGE,
    TURN,
    ContactMaking,
    EffectorMeasurement,
    find_axis,
    step_contact_making,
)
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contacts.contact_phase import ContactPhase
from handhold.retarget.bracing.contacts.surfaces import SurfaceAhead, find_normal, find_surface_ahead, is_at_edge
from handhold.retarget.bracing.contacts.switching import (
    advance_switch,
    command_com_return,
    command_forces,
    finish_switch,
    restore_weights,
    start_adding,
    start_removing,
)
from handhold.retarget.bracing.margin.region_monitor import compute_region_once
from handhold.retarget.bracing.seiko.contact_switch import ContactSwitch, SwitchPhase
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.mode_report import StabilityRegion
from handhold.robots.model import RobotModel

SETTLING_TIME = 0.5
"""Time that is simulated after the switch itself is over [s]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SwitchPreviewResult:
    """The result of a preview.

    Attributes:
        effector: Index of the effector whose contact would be switched.
        q: Configuration it would lead to, shape ``(nq,)``.
        feasible: Whether it will succeed.
        obstacles: Names of the constraints that would stand in the way.
        duration: How long it would take [s].
        region: The stability region of that configuration; None where it has none.
    """

    effector: int
    q: np.ndarray
    feasible: bool
    obstacles: tuple[str, ...]
    duration: float
    region: StabilityRegion | None


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
        """Begin a preview at SEIKO's present state.

        Args:
            model: Robot.
            seiko: The robot's own; it is left alone.
            effector: Index of the effector: a contact would be removed, a free effector added.
            surfaces: Surfaces that could support an effector.
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
        self._time_since_switch = 0.0
        self.result: SwitchPreviewResult | None = None

    def advance(self, steps: int, dt: float) -> None:
        """Advance the preview by some steps of ``dt`` [s]; sets ``result`` once it is complete."""
        for _ in range(steps):
            if self.result is not None:
                return
            if self._switch is None:
                self._step_approach(dt)
            else:
                self._step_switch(self._switch, dt)

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

    def _step_approach(self, dt: float) -> None:
        assert self._approach is not None
        poses = self._targets.effector_poses.copy()
        poses[self._effector] = self._approach.step(self._seiko.kinematics.poses[self._effector], dt)
        active = self._step(replace(self._targets, effector_poses=poses), None, dt)
        self._elapsed += dt
        if self._approach.touches:
            self._add()
        elif self._approach.is_over:
            self._conclude(feasible=False, obstacles=self._approach.obstacles or active)

    def _step_switch(self, switch: ContactSwitch, dt: float) -> None:
        if switch.over:
            if self._time_since_switch == 0.0:
                finish_switch(self._seiko, switch)
            self._time_since_switch += dt
        active = self._step(command_com_return(self._seiko, switch, self._targets), None if switch.over else switch, dt)
        if not switch.over:
            self._elapsed += dt
            self._switch = advance_switch(self._seiko, switch, active, dt)
        elif self._time_since_switch >= SETTLING_TIME:
            self._conclude(feasible=switch.phase is SwitchPhase.DONE, obstacles=switch.obstacles)

    def _step(self, targets: SeikoTargets, switch: ContactSwitch | None, dt: float) -> tuple[str, ...]:
        restore_weights(self._seiko, switch, dt)
        command_forces(self._seiko, self._forces, switch, dt)
        return self._seiko.step(targets, dt).active

    def _conclude(self, *, feasible: bool, obstacles: tuple[str, ...]) -> None:
        self.result = SwitchPreviewResult(
            effector=self._effector,
            q=self._seiko.q,
            feasible=feasible,
            obstacles=obstacles,
            duration=self._elapsed,
            region=compute_region_once(self._model, self._seiko),
        )


class _Approach:
    """A free effector on its way to a surface that is where it is known to be, and hard."""

    def __init__(self, model: RobotModel, effector: int, surfaces: tuple[Surface, ...]) -> None:
        self._effector = model.effectors[effector]
        self._parameters = choose_contact_making(model, effector)
        self._surfaces = surfaces
        self._making = ContactMaking()
        self._started = False

    def find_surface(self, pose: np.ndarray) -> SurfaceAhead | None:
        """Return the surface that the effector would come to from a pose, shape ``(4, 4)``; None where none is known."""
        return find_surface_ahead(
            self._effector,
            pose,
            find_axis(pose, self._parameters),
            self._surfaces,
            within=self._parameters.approach_distance,
            max_tilt=self._parameters.max_tilt,
        )

    @property
    def touches(self) -> bool:
        """Whether the effector has touched the surface."""
        return self._making.phase is ContactPhase.TOUCHED

    @property
    def is_over(self) -> bool:
        """Whether it goes on no more, with nothing touched."""
        return self._making.phase not in (ContactPhase.APPROACHING, ContactPhase.TOUCHED)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What was in its way by its own account: an edge, where it could not be loaded, or its tilt to the surface."""
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
            desired=pose,
            pressed=not self._started,
            at_edge=is_at_edge(self._effector, pose, self._surfaces),
            ahead=ahead,
        )
        self._started = True
        self._making = step_contact_making(self._making, measured, dt, self._parameters)
        return pose if self._making.target is None else self._making.target
