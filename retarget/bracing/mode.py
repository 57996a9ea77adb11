"""Bracing mode: hands, feet and centre of mass under the operator, everything else under SEIKO."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.place_choice import TOGGLE
from handhold.retarget.bracing.com_velocity_ramp import ComVelocityRamp
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_choice import EffectorChoice, list_effectors, step_choice
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.contacts.switching import command_com_return
from handhold.retarget.bracing.contacts.timed_messages import say_name
from handhold.retarget.bracing.hand_reports import HandReports
from handhold.retarget.bracing.margin.margin_gains import MarginGains
from handhold.retarget.bracing.margin.region_monitor import RegionMonitor
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting, list_toggles, turn_over
from handhold.retarget.bracing.margin.stability_aware import StabilityAware
from handhold.retarget.bracing.preparation import Preparation
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.seiko.yielding import Yielding, apply_yielding
from handhold.retarget.bracing.switch_outlook import SwitchPreviewMonitor
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ModeReport, Preview, Toggle
from handhold.robots.contact import Stance
from handhold.robots.estimation.external_force import ExternalForceObserver
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""SEIKO's own period [s]: as the authors' robot; the controller goes on from its velocity in between."""

COM_SPEED = 0.05
"""Speed of the centre of mass at full deflection of a stick [m/s]."""

TURNING_SPEED = 0.2
"""Turning rate of the base at full deflection of a stick [rad/s]."""

BRAKING_TIME, RELEASING_TIME = 0.05, 0.2
"""Times in which a hold comes to brake fully and in which it releases again, so that no joint's speed steps [s]."""

REST_SPEED = 1e-3
"""Joint speed under which a holding reference counts as at rest and is frozen [rad/s]."""

REST_DAMPING_DELAY, REST_DAMPING_RATE, MAX_REST_DAMPING = 1.0, 1.0, 3.0
"""Time of a hold after which a reference that still creeps is damped harder [s], by how many orders of magnitude more with
every second [1/s], and by how many at most [-]."""


@dataclass(slots=True)
class _Buttons:
    """Buttons of one side that were pressed since SEIKO's last step."""

    primary: bool = False
    secondary: bool = False


class BracingMode:
    """Steps SEIKO at its own period and publishes its reference.

    Attributes:
        retargeting: What may change the operator's commands for the sake of stability; the operator switches it.
        seiko: The reference's configuration.
        contacts: The contacts, made and switched.
        retargeter: What is changed of the commands for the sake of stability.
        failures: Quadratic programs without a solution so far.
    """

    profile = ModeProfile(
        name="bracing",
        title="Bracing",
        hints=ModeHints(
            left_stick="lean",
            right_stick="height, turn",
            trigger="push on the contact",
            primary="load or unload",
            secondary="look ahead; held: hand or foot",
            right_stick_up=True,
        ),
    )

    def __init__(
        self,
        model: RobotModel,
        solver: QpSolver,
        *,
        parameters: SeikoParameters | None = None,
        retargeting: Retargeting = NOMINAL,
        period: float = PERIOD,
    ) -> None:
        self._model = model
        self._solver = solver
        self._parameters = parameters
        self.retargeting = retargeting
        self._period = period
        self._measured = EffectorKinematics(model)
        self._pending = 0.0
        # How hard the reference is held back now, 0 to 1.
        self._braking = 1.0
        # For how long it has been held, with nothing under way [s].
        self._held = 0.0
        self._standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
        self._sensed = [i for i, effector in enumerate(model.effectors) if effector.sensed]
        self._forget_operator()
        self._preparation: Preparation | None = None
        self._yielding = Yielding(model)
        self.failures = self._failures_in_a_row = 0
        self._active: tuple[str, ...] = ()

    @property
    def _hands(self) -> tuple[int | None, int | None]:
        return self._choices["left"].effector, self._choices["right"].effector

    def describe(self) -> ModeOutput:
        """Return what there is to know of the mode now."""
        return ModeOutput(reference=self._reference, status=self._describe_status(), report=self._describe_report())

    def _describe_status(self) -> ModeStatus:
        contacts, retargeting = self.contacts, self.retargeter.contacts
        yielded_hands = frozenset(self._yielding.hands) if self._yielding.ratio == 1.0 else frozenset()
        pushed = ("something pushes the robot: its hands give way",) if self._yielding.ratio > 0.0 else ()
        idle = contacts.switch is None and not contacts.busy
        return ModeStatus(
            hands=self._hands,
            hand_offsets={hand: _translate(retargeting.offsets[hand]) for hand in retargeting.moved},
            restarted=contacts.restarted | retargeting.absorbed | yielded_hands,
            contacts=contacts.states,
            busy=contacts.busy,
            at_rest=idle and bool(np.abs(self.seiko.v).max() < REST_SPEED),
            hold_reason=contacts.hold_reason,
            rest_obstacle=contacts.rest_obstacle,
            messages=(*contacts.messages, *pushed),
            failures=self.failures,
            failures_in_a_row=self._failures_in_a_row,
            refused=contacts.refused,
        )

    def _describe_report(self) -> ModeReport:
        return ModeReport(
            active_constraints=self._active,
            region=self._region_monitor.region,
            preview_region=self.retargeter.preview_region,
            preview=self._switch_preview.describe(),
            toggles=self._toggles,
            candidates=self.retargeter.places.candidates,
            left=self._hand_reports.left,
            right=self._hand_reports.right,
        )

    @property
    def _toggles(self) -> tuple[Toggle, ...]:
        return (*self.retargeter.places.toggles, *list_toggles(self.retargeting))

    def leave(self) -> None:
        """Come to rest for another mode: as in any hold."""

    def toggle(self, name: str) -> ModeOutput:
        """Turn a retargeting over, from the next step on; what it has moved goes back at its rate or stays.

        The toggle of the places takes the next one that is offered, or none after the last.

        Raises:
            NoSuchToggle: There is none of this name.
        """
        if name not in (toggle.name for toggle in self._toggles):
            raise NoSuchToggle(self.profile.name, name)
        if name == TOGGLE:
            self.retargeter.places.take_next()
        else:
            self.retargeting = self.retargeter.choice = turn_over(self.retargeting, name)
        self._output = self.describe()
        return self._output

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the mode from taking charge: a standing effector that is not in contact."""
        unloaded = [self._model.effectors[i].name for i in self._standing if not reference.contacts[i]]
        return f"put the {say_name(unloaded[0])} down first" if unloaded else ""

    def preview(self, reference: Reference, /) -> Preview:
        """Return the posture that taking charge leads to: the robot goes on standing as it stands."""
        obstacle = self.find_obstacle(reference)
        title = f"{self.profile.title}: stands as it is"
        return Preview(title=title, q=reference.q, feasible=not obstacle, reason=obstacle)

    def prepare(self, before: Reference, /) -> bool:
        """Continue the projection to equilibrium from a reference at rest; says whether ``enter`` costs no more time."""
        if self._preparation is None or not self._preparation.begins_at(before.q):
            self._preparation = self._begin_preparation(before.q)
        return self._preparation.advance()

    def _begin_preparation(self, q: np.ndarray) -> Preparation:
        stance = Stance.of_reference(self._model, self._standing)
        return Preparation(Seiko(self._model, stance, q, self._solver, self._parameters), self._solver)

    def enter(self, state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        """Stand on the standing effectors where they are, at the nearest feasible equilibrium.

        Raises:
            NoEquilibrium: The robot does not stand over its feet.
        """
        q = state.q if before is None else before.q
        prepared, self._preparation = self._preparation, None
        if prepared is None or not prepared.begins_at(q):
            prepared = self._begin_preparation(q)
        return self.enter_with(prepared.finish(), state)

    def enter_with(self, seiko: Seiko, state: RobotState) -> ModeOutput:
        """Take charge with a reference in equilibrium, on whatever contacts it stands, where the robot is."""
        self._forget_operator()
        self._measured.update(state.q)
        self.seiko = seiko
        self.contacts = Contacts(self._model, seiko)
        self.retargeter = StabilityAware(self._model, seiko, self.retargeting)
        self._region_monitor = RegionMonitor(self._model, seiko)
        self._gains = MarginGains(self._model, seiko)
        self._switch_preview = SwitchPreviewMonitor(self._model, seiko)
        self._pending, self._braking, self._held = 0.0, 1.0, 0.0
        self._yielding = Yielding(self._model)
        self._failures_in_a_row, self._active = 0, ()
        self._reference = make_reference(self._model, self.seiko, state.time)
        self._hand_reports = HandReports(self.contacts, self._gains)
        self._output = self.describe()
        return self._output

    def _forget_operator(self) -> None:
        """Begin with each side's first effector, nothing pressed and no force estimated."""
        self._choices: dict[str, EffectorChoice] = {side: list_effectors(self._model, side) for side in ("left", "right")}
        self._pressed = {"left": _Buttons(), "right": _Buttons()}
        self._observer = ExternalForceObserver(self._model, sensed=self._sensed)
        self._com_velocity = ComVelocityRamp()

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Step SEIKO when its period is up; the reference in between is the last one."""
        self._remember_buttons(command)
        if len(self._sensed) < len(self._model.effectors):
            self._observer.update(state, dt)
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._output
        elapsed, self._pending = self._pending, 0.0
        change = elapsed / BRAKING_TIME if hold else -elapsed / RELEASING_TIME
        self._braking = min(1.0, max(0.0, self._braking + change))
        self._held = self._held + elapsed if hold and self.contacts.switch is None and not self.contacts.busy else 0.0
        self._measured.update(state.q)
        self._yielding.update(self.seiko, self._measured, self.contacts.is_moving)
        frozen = hold and self._yielding.ratio == 0.0 and bool(np.abs(self.seiko.v).max() < REST_SPEED)
        targets = self._choose_targets(command, state, surfaces, elapsed, hold=hold, frozen=frozen)
        if frozen:
            self.seiko.set_at_rest()
            self._failures_in_a_row = 0
            self._reference = make_reference(self._model, self.seiko, state.time)
        else:
            self._step(targets, state, elapsed, hold=hold)
        self._region_monitor.update(elapsed)
        self._gains.update(elapsed)
        self._switch_preview.advance(self._period)
        self._hand_reports.update(self._hands, self._measured.poses, surfaces, elapsed)
        self._output = self.describe()
        return self._output

    def follow(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool = False) -> Reference:
        """Take one step of SEIKO towards targets from where the robot really stands, and return its reference."""
        self._measured.update(state.q)
        return self._step(targets, state, dt, hold=hold)

    def _step(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool) -> Reference:
        self.seiko.update_contact_targets(self._measured.poses, state.q[7:], dt)
        stays = hold or self.contacts.suspended
        guided = targets if stays else command_com_return(self.seiko, self.contacts.switch, targets)
        yielded = apply_yielding(guided, self._measured.poses, self._yielding.hands, self._yielding.ratio)
        step = self.seiko.step(self.retargeter.prefer(yielded, dt, hold=hold), dt)
        # A program that was solved at the second attempt only counts too, but does not make the robot hold.
        self.failures += step.relaxed or not step.solved
        self._failures_in_a_row = 0 if step.solved else self._failures_in_a_row + 1
        self._active = step.active
        self.contacts.end_step(step.active, dt, hold=hold)
        self._reference = make_reference(self._model, self.seiko, state.time)
        return self._reference

    def _remember_buttons(self, command: OperatorCommand) -> None:
        for side, hand in (("left", command.left), ("right", command.right)):
            self._pressed[side].primary |= hand.primary_pressed
            self._pressed[side].secondary |= hand.secondary_pressed

    def _choose_targets(
        self,
        command: OperatorCommand,
        state: RobotState,
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        hold: bool,
        frozen: bool,
    ) -> SeikoTargets:
        # A hold without anything wrong (nothing is commanded) does not stop what the buttons ask; nor does a foot that is
        # lost, or it could never be found again.
        asked = self.contacts.busy or command.left.engaged or command.right.engaged
        stopped = hold and bool(command.stop or command.speed <= 0.0 or (asked and not self.contacts.hold_reason))
        commands = self._read_hands(command, surfaces, dt)
        measured = _measure_contacts(self._measured.poses, self._observer.forces, self._sensed, state)
        poses = self.contacts.begin_step(commands, measured, surfaces, dt, hold=stopped, frozen=frozen)
        self._switch_preview.check_stance()
        if hold:
            self._com_velocity.forget()
            # Coming to rest within what balance allows: the centre of mass is asked to stop, not made to, and bit by bit.
            velocity = (1.0 - self._braking) * self.seiko.velocity_com
            rest_damping = min(MAX_REST_DAMPING, max(0.0, REST_DAMPING_RATE * (self._held - REST_DAMPING_DELAY)))
            # Hands give way in a hold as well.
            rest, rest_damping = (1.0 - self._yielding.ratio) * np.array([self._braking, rest_damping])
            return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, rest=rest, rest_damping=rest_damping)
        velocity = self._com_velocity.follow(COM_SPEED * command.com_velocity, self.seiko.velocity_com, dt)
        turning = TURNING_SPEED * command.yaw_rate if command.yaw_rate != 0.0 else float("nan")
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, yaw_rate=turning, rest=self._braking)

    def _read_hands(self, command: OperatorCommand, surfaces: tuple[Surface, ...], dt: float) -> dict[int, EffectorCommand]:
        if lost := self.retargeter.follow_places(surfaces, self._hands):
            self.contacts.publish(lost)
        commands = {}
        for side, hand in (("left", command.left), ("right", command.right)):
            pressed, self._pressed[side] = self._pressed[side], _Buttons()
            effector = self._choose_effector(side, hand, dt)
            if effector is None or not math.isfinite(hand.target.sum()):
                continue
            if pressed.primary:
                self._switch_preview.clear()
            elif pressed.secondary:
                self._begin_preview(effector, surfaces)
            moved = self.retargeter.move_hand(effector, hand.target, surfaces, dt, engaged=hand.engaged)
            commands[effector] = EffectorCommand(
                desired_pose=moved, engaged=hand.engaged, pressed=pressed.primary, push=hand.trigger
            )
        return commands

    def _choose_effector(self, side: str, hand: HandCommand, dt: float) -> int | None:
        before = self._choices[side]
        self._choices[side] = step_choice(before, held=hand.secondary_held, may_change=self._may_change(before, hand), dt=dt)
        effector = self._choices[side].effector
        if hand.secondary_held and self._choices[side] is before:
            what = "let go of the squeeze" if hand.engaged else "wait until its contact has come to an end"
            self.contacts.publish(f"refused: {what}, then the {side} hand may command another hand or foot")
        # The target still is that of the effector before: the clutch takes the new one up in the next step.
        return effector if effector == before.effector else None

    def _may_change(self, choice: EffectorChoice, hand: HandCommand) -> bool:
        return not hand.engaged and (choice.effector is None or not self.contacts.is_moving(choice.effector))

    def _begin_preview(self, effector: int, surfaces: tuple[Surface, ...]) -> None:
        if self.contacts.switch is not None:
            self.contacts.publish("refused: a contact is being made or taken off; look ahead once that is done")
            return
        self._switch_preview.begin(effector, surfaces, self.contacts.commanded)


def _measure_contacts(
    poses: np.ndarray, estimated: np.ndarray, sensed: list[int], state: RobotState
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the effectors are and what the environment exerts on them, measured or estimated, in world axes."""
    forces = estimated.copy()
    for effector in sensed:
        forces[effector] = poses[effector, :3, :3] @ state.contact_wrenches[effector, :3]
    return poses, forces


def _translate(offset: np.ndarray) -> np.ndarray:
    """Return a translation in world, shape ``(3,)`` [m], as a homogeneous transform, shape ``(4, 4)``."""
    transform = np.eye(4)
    transform[:3, 3] = offset
    return transform
