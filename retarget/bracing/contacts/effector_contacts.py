"""The contact of every effector as it is measured: approached, touched, lost, slipping, and what viewers show of it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.approach import KnownSurfaces, find_approach
from handhold.retarget.bracing.contacts.contact_making import (
    ContactMaking,
    EffectorMeasurement,
    compute_filtered_noise,
    find_axis,
    step_contact_making,
)
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contacts.contact_phase import ContactPhase
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.contacts.support import describe_support
from handhold.retarget.bracing.contacts.surfaces import SurfaceAhead, find_surface_ahead, is_at_edge
from handhold.retarget.bracing.contacts.touch import MIN_ESTIMATED, Touch
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Approach, ContactState, Support
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel

_MOVING = (ContactPhase.APPROACHING, ContactPhase.TOUCHED, ContactPhase.RETURNING)
_STATES = {
    ContactPhase.APPROACHING: ContactState.APPROACHING,
    ContactPhase.TOUCHED: ContactState.TOUCHING,
    ContactPhase.BLOCKED: ContactState.TOUCHING,
}
"""What phases of an approach are called for people."""


TOUCH_NOISE_RATIO = 3.0
"""How many standard deviations of the filtered force's noise a touch is above at least [-]."""


class EffectorContacts:
    """Steps the contact making of all effectors of one SEIKO.

    Attributes:
        makings: How far the contact of every effector is made.
    """

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        """Begin with nothing measured."""
        self._model, self._seiko = model, seiko
        count = len(model.effectors)
        self._parameters = [choose_contact_making(model, effector) for effector in range(count)]
        self.makings = [ContactMaking() for _ in range(count)]
        # The surfaces of the last approach, laid out for the search.
        self._known = KnownSurfaces(())

    @property
    def busy(self) -> bool:
        """Whether any effector moves on its own."""
        return any(making.phase in _MOVING for making in self.makings)

    def is_moving(self, effector: int) -> bool:
        """Whether an effector moves on its own, which a button began."""
        return self.makings[effector].phase in _MOVING

    def in_contact(self, effector: int) -> bool:
        """Whether the reference counts on an effector's contact."""
        return effector in self._seiko.stance.effectors

    def is_loaded(self, effector: int) -> bool:
        """Whether the measured force is more than that under which a contact counts as lost."""
        return float(np.linalg.norm(self.makings[effector].force)) > self._parameters[effector].lost_force

    def measure_touch(self, effector: int, dt: float) -> Touch:
        """Return what touches a free effector; nothing before its sensor's offset is known.

        Args:
            effector: Its index.
            dt: Length of a period [s].
        """
        making, parameters = self.makings[effector], self._parameters[effector]
        if making.offset.learnt_for < parameters.offset_time:
            return Touch(force=np.zeros(3), noise=0.0, uncertainty=math.inf)
        noise = math.sqrt(3.0) * compute_filtered_noise(making, dt, parameters)
        estimated = 0.0 if self._model.effectors[effector].sensed else MIN_ESTIMATED * self._model.weight
        return Touch(force=making.force, noise=noise, uncertainty=max(TOUCH_NOISE_RATIO * noise, estimated))

    def find_state(self, effector: int) -> ContactState:
        """Return the state of an effector's contact, as long as that is not switched."""
        if self.in_contact(effector):
            return ContactState.LOADED
        return _STATES.get(self.makings[effector].phase, ContactState.FREE)

    def step(
        self,
        commands: Mapping[int, EffectorCommand],
        targets: np.ndarray,
        measured: tuple[np.ndarray, np.ndarray],
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        pressed: set[int],
        hold: bool,
    ) -> frozenset[int]:
        """Take in what is measured, and return the effectors that move on their own or have just been loaded or freed.

        Args:
            commands: What the operator asks of the effectors under command.
            targets: Where those are to go that are not, shape ``(effectors, 4, 4)``.
            measured: Poses of all effectors in world, shape ``(effectors, 4, 4)``, and forces exerted on them by the
                environment in world axes, shape ``(effectors, 3)`` [N].
            surfaces: What an effector could bear on.
            dt: Length of the step [s].
            pressed: Effectors whose approach is to begin or to stop.
            hold: Whether everything holds.
        """
        restarted = set()
        for effector, before in enumerate(self.makings):
            if self._model.effectors[effector].is_fixed or self._seiko.stance.holds(effector):
                # Nothing measures a mount; and whether a grasp holds is not told by where it is.
                self.makings[effector] = ContactMaking(offset=before.offset)
                continue
            command = commands.get(effector)
            if command is None:
                command = EffectorCommand(desired_pose=targets[effector], engaged=False, pressed=False, push=0.0)
            measurement = self._measure(effector, command, measured, surfaces, pressed=effector in pressed, hold=hold)
            making = step_contact_making(before, measurement, dt, self._parameters[effector])
            self.makings[effector] = making
            if self.is_moving(effector) or (making.phase is ContactPhase.LOADED) != (before.phase is ContactPhase.LOADED):
                restarted.add(effector)
            self._seiko.terms.approaching[effector] = self.is_moving(effector)
        return frozenset(restarted)

    def _measure(
        self,
        effector: int,
        command: EffectorCommand,
        measured: tuple[np.ndarray, np.ndarray],
        surfaces: tuple[Surface, ...],
        *,
        pressed: bool,
        hold: bool,
    ) -> EffectorMeasurement:
        seiko, described = self._seiko, self._model.effectors[effector]
        in_contact = self.in_contact(effector)
        approaching = self.makings[effector].phase is ContactPhase.APPROACHING
        poses, forces = measured
        pose = poses[effector].copy()
        if in_contact:
            # A ball that rolls does not slip: it counts where it would be, had it only turned.
            pose[:3, 3] -= seiko.terms.rolled[effector]
        return EffectorMeasurement(
            force=forces[effector],
            pose=pose,
            reference=seiko.kinematics.poses[effector],
            desired=command.desired_pose,
            engaged=command.engaged,
            led=command.led,
            in_contact=in_contact,
            desired_force=seiko.compute_normal_force(effector),
            pressed=pressed,
            hold=hold,
            normal=seiko.terms.normals[effector] if in_contact and described.contact is ContactKind.POINT else None,
            at_edge=approaching and is_at_edge(described, pose, surfaces),
            ahead=self._look_ahead(effector, pose, surfaces) if approaching or pressed else None,
        )

    def _look_ahead(self, effector: int, pose: np.ndarray, surfaces: tuple[Surface, ...]) -> SurfaceAhead | None:
        parameters = self._parameters[effector]
        return find_surface_ahead(
            self._model.effectors[effector],
            pose,
            find_axis(pose, parameters),
            surfaces,
            within=parameters.approach_distance,
            max_tilt=parameters.max_tilt,
        )

    def find_approach(self, effector: int, pose: np.ndarray, surfaces: tuple[Surface, ...]) -> Approach | None:
        """Find the known surface in front of an effector at a measured pose, shape ``(4, 4)``; None for one in contact."""
        if self.in_contact(effector):
            return None
        if self._known.surfaces is not surfaces:
            self._known = KnownSurfaces(surfaces)
        return find_approach(self._model.effectors[effector], pose, self._known, self._parameters[effector])

    def describe_support(self, effector: int, margin_gain: float) -> Support | None:
        """Describe the support of an effector that adds this to the stability margin [m]; None without contact."""
        if not self.in_contact(effector):
            return None
        return describe_support(
            self._model.effectors[effector],
            self.makings[effector].force,
            self._find_normal(effector),
            desired_force=self._seiko.compute_normal_force(effector),
            min_force=self._parameters[effector].lost_force,
            margin_gain=margin_gain,
        )

    def _find_normal(self, effector: int) -> np.ndarray:
        """Return the outward normal under an effector in contact, in world, unit, shape ``(3,)``."""
        if self._model.effectors[effector].contact is ContactKind.POINT:
            return self._seiko.terms.normals[effector]
        return np.array(self._seiko.kinematics.poses[effector, :3, 2])
