"""A reference on its contacts: SEIKO, stepped from where the robot really stands, and held back while the robot holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numba import njit

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.contacts.switching import command_com_return
from handhold.retarget.bracing.entry_lead import EntryLead
from handhold.retarget.bracing.margin.region_monitor import RegionMonitor
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.seiko.yielding import Yielding, apply_yielding
from handhold.robots.estimation.external_force import GAIN, ExternalForceObserver
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""SEIKO's own period [s]: as the authors' robot; the controller goes on from its velocity in between."""

BRAKING_TIME, RELEASING_TIME = 0.05, 0.2
"""Times in which a hold comes to brake fully and in which it releases again, so that no joint's speed steps [s]."""

REST_SPEED = 1e-3
"""Joint speed under which a holding reference counts as at rest and is frozen [rad/s]."""

MAX_UNBALANCED = 3.0
"""External force up to which a holding reference that does not balance it may be frozen [N]."""

REST_DAMPING_DELAY, REST_DAMPING_RATE, MAX_REST_DAMPING = 1.0, 1.0, 3.0
"""Time of a hold after which a reference that still creeps is damped harder [s], by how many orders of magnitude more with
every second [1/s], and by how many at most [-]."""


def leave_targets(targets: SeikoTargets, /) -> SeikoTargets:
    """Return targets as they are."""
    return targets


class BracedBody:
    """The reference of a robot that stands, and may brace.

    Each period of its own it is told whether the robot holds (``begin_period``), what is asked of the contacts
    (``begin_contacts``), and either takes a step (``step``) or, where it has come to rest in a hold, rests (``rest``).

    Attributes:
        seiko: The reference's configuration.
        contacts: The contacts, made and switched.
        measured: Where the robot's effectors really are, as of the last period.
        yielding: How far hands give way to a push that would tip the robot over.
        region_monitor: Follows the stability region for those who watch.
        reference: The reference of the last step.
        braking: How hard the reference is held back now, 0 to 1.
        frozen: Whether it has come to rest in a hold, so that no step is taken in this period.
        failures: Quadratic programs without a solution since the mode was made.
        failures_in_a_row: How many of them since the last that had one, or since the robot was last held at rest.
        active: Names of the constraints that held the last step back.
    """

    def __init__(self, model: RobotModel) -> None:
        """Wait for ``begin``."""
        self._model = model
        self.measured = EffectorKinematics(model)
        self._sensed = [i for i, effector in enumerate(model.effectors) if effector.sensed]
        self.failures = 0
        self._forget()

    def _forget(self) -> None:
        self.braking, self.frozen = 1.0, False
        # For how long it has been held, with nothing under way [s].
        self._held = 0.0
        self.failures_in_a_row = 0
        self.active: tuple[str, ...] = ()
        self._observer, self._with_points = ExternalForceObserver(self._model, sensed=self._sensed), False
        # Wrenches that the object is expected to exert on hands that hold it, as late as the observer, (effectors, 6) [N, Nm].
        self._expected = np.zeros((len(self._model.effectors), 6))
        self.yielding = Yielding(self._model)

    def begin(self, seiko: Seiko, state: RobotState) -> Reference:
        """Take over a reference in equilibrium, on whatever contacts it stands, where the robot is; nothing moves yet."""
        self._forget()
        self.measured.update(state.q)
        self.seiko = seiko
        com = seiko.kinematics.position_com_in_world - self.measured.position_com_in_world
        self._lead = EntryLead(seiko.q[7:] - state.q[7:], com)
        self.contacts = Contacts(self._model, seiko)
        self.region_monitor = RegionMonitor(self._model, seiko)
        self.reference = make_reference(self._model, seiko, state.time)
        return self.reference

    @property
    def at_rest(self) -> bool:
        """Whether nothing is under way and the reference does not move."""
        return self.contacts.switch is None and not self.contacts.busy and self._is_slow()

    @property
    def yielded_hands(self) -> frozenset[int]:
        """Hands that a push has taken altogether."""
        return frozenset(self.yielding.hands) if self.yielding.ratio == 1.0 else frozenset()

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        pushed = ("something pushes the robot: its hands give way",) if self.yielding.ratio > 0.0 else ()
        return (*self.contacts.messages, *pushed)

    def observe(self, state: RobotState, dt: float, *, with_points: bool = False) -> None:
        """Estimate in every cycle what touches effectors that have no sensor, and the body's touch points if asked to."""
        if with_points is not self._with_points:
            self._with_points = with_points
            self._observer = ExternalForceObserver(self._model, sensed=self._sensed, with_points=with_points)
        if with_points or len(self._sensed) < len(self._model.effectors):
            self._observer.update(state, dt)

    @property
    def forces_on_points(self) -> np.ndarray:
        """Forces on the body's touch points in world, shape ``(points, 3)`` [N]; none where they are not observed."""
        return self._observer.forces[len(self._model.effectors) :]

    def begin_period(self, state: RobotState, dt: float, *, hold: bool) -> None:
        """Brake or release, and see where the robot is; ``frozen`` says whether it is to step."""
        change = dt / BRAKING_TIME if hold else -dt / RELEASING_TIME
        self.braking = min(1.0, max(0.0, self.braking + change))
        self._held = self._held + dt if hold and self.contacts.switch is None and not self.contacts.busy else 0.0
        self.measured.update(state.q)
        self._lead.advance(dt)
        self.yielding.update(self.seiko, self.measured, self._lead.com, self.contacts.is_moving, self.braking)
        resting = hold and self.yielding.ratio == 0.0 and self._is_slow()
        held = self.seiko.stance.grasp is not None
        self.frozen = resting and not held and self.seiko.external.max_missing < MAX_UNBALANCED

    def begin_contacts(
        self,
        commands: Mapping[int, EffectorCommand],
        state: RobotState,
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        stopped: bool,
    ) -> np.ndarray:
        """Follow what is asked of the contacts; return the free effectors' targets, shape ``(effectors, 4, 4)``.

        Args:
            commands: What is asked of the effectors under command.
            state: What the robot measures.
            surfaces: Surfaces that could support an effector.
            dt: Length of the period [s].
            stopped: Whether everything holds for a reason: nothing goes on.
        """
        poses, forces = self.measured.poses, self._observer.forces[: len(self._model.effectors)].copy()
        for effector in self._sensed:
            forces[effector] = poses[effector, :3, :3] @ state.contact_wrenches[effector, :3]
        return self.contacts.begin_step(commands, (poses, forces), surfaces, dt, hold=stopped, frozen=self.frozen)

    def measure_wrenches(self, state: RobotState) -> np.ndarray:
        """Return what the environment exerts on the effectors, measured or estimated, in their contact frames.

        Returns:
            Shape ``(effectors, 6)`` [N, Nm]; of points without a sensor no moment.
        """
        wrenches, observer = state.contact_wrenches.copy(), self._observer
        for effector in set(range(len(wrenches))).difference(self._sensed):
            into = self.measured.poses[effector, :3, :3].T
            wrenches[effector] = *(into @ observer.forces[effector]), *(into @ observer.moments[effector])
        return wrenches

    def measure_hands(self, state: RobotState, dt: float) -> MeasuredHands:
        """Measure what hands that hold an object need, ``dt`` [s] after the last time."""
        motion = np.asarray(self.measured.jacobians @ state.v)
        return MeasuredHands(self.measured.poses, motion, self.measure_wrenches(state), self.find_unobserved_wrenches(dt))

    def find_unobserved_wrenches(self, dt: float) -> np.ndarray:
        """Find what ``measure_wrenches`` lacks where hands without a sensor press an object as the reference has it.

        What is expected of them is as late as the estimate: that of a grip that grows would be taken for a push.

        Args:
            dt: Time since this was last asked [s].

        Returns:
            Shape ``(effectors, 6)`` [N, Nm], in their contact frames; nothing where none is held.
        """
        expected, grasp = self._expected, self.seiko.stance.grasp
        unsensed = () if grasp is None else [hand for hand in grasp.effectors if hand not in self._sensed]
        if not unsensed:
            expected[:] = 0.0
            return np.zeros_like(expected)
        gain, present = dt * GAIN / (1.0 + dt * GAIN), self.reference.contact_wrenches
        _follow_rows(expected, present, np.array(unsensed), gain)
        return self._observer.find_unobserved(expected)

    def make_rest_targets(self, poses: np.ndarray) -> SeikoTargets:
        """Return targets that come to rest within what balance allows.

        The centre of mass is asked to stop, not made to, and bit by bit; hands give way in a hold as well.

        Args:
            poses: Targets of the free effectors, as ``begin_contacts`` returned them.
        """
        velocity = (1.0 - self.braking) * self.seiko.velocity_com
        rest_damping = min(MAX_REST_DAMPING, max(0.0, REST_DAMPING_RATE * (self._held - REST_DAMPING_DELAY)))
        rest, rest_damping = (1.0 - self.yielding.freed) * np.array([self.braking, rest_damping])
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, rest=rest, rest_damping=rest_damping)

    def step(
        self,
        targets: SeikoTargets,
        state: RobotState,
        dt: float,
        *,
        hold: bool,
        adjust: Callable[[SeikoTargets], SeikoTargets] = leave_targets,
    ) -> Reference:
        """Take one step of SEIKO towards targets from where the robot was measured, and return its reference.

        Args:
            targets: What to follow.
            state: What the robot measures.
            dt: Length of the step [s].
            hold: Whether everything holds.
            adjust: Changes the targets once contacts and a push have had their say.
        """
        self.seiko.update_contact_targets(self.measured.poses, state.q[7:] + self._lead.joints, dt)
        stays = hold or self.contacts.suspended
        guided = targets if stays else command_com_return(self.seiko, self.contacts.switch, targets)
        yielded = apply_yielding(guided, self.measured.poses, self.yielding.hands, self.yielding.ratio)
        step = self.seiko.step(adjust(yielded), dt)
        # A program that was solved at the second attempt only counts too, but does not make the robot hold.
        self.failures += step.relaxed or not step.solved
        self.failures_in_a_row = 0 if step.solved else self.failures_in_a_row + 1
        self.active = step.active
        self.contacts.end_step(step.active, dt, hold=hold)
        self.reference = make_reference(self._model, self.seiko, state.time)
        return self.reference

    def rest(self, state: RobotState) -> Reference:
        """Stay where the reference has come to rest."""
        self.seiko.set_at_rest()
        self.failures_in_a_row = 0
        self.reference = make_reference(self._model, self.seiko, state.time)
        return self.reference

    def _is_slow(self) -> bool:
        return bool(np.abs(self.seiko.v).max() < REST_SPEED)


@njit(cache=True)
def _follow_rows(followed: np.ndarray, present: np.ndarray, rows: np.ndarray, gain: float) -> None:
    """Let some rows go a part of the way to what they are now, in place, shape ``(effectors, 6)`` both."""
    for row in rows:
        for i in range(followed.shape[1]):
            followed[row, i] += gain * (present[row, i] - followed[row, i])
