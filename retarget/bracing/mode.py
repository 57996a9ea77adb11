"""Bracing mode: hands, feet and centre of mass under the operator, everything else under SEIKO."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.braced_body import PERIOD, BracedBody
from handhold.retarget.bracing.candidates.place_choice import TOGGLE
from handhold.retarget.bracing.com_velocity_ramp import ComVelocityRamp
from handhold.retarget.bracing.compliance.compliance import Compliance
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_choice import EffectorChoice, list_effectors, step_choice
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.hand_reports import HandReports
from handhold.retarget.bracing.margin.margin_gains import MarginGains
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting, list_toggles, turn_over
from handhold.retarget.bracing.margin.stability_aware import StabilityAware
from handhold.retarget.bracing.objects.object_holding import ObjectHolding
from handhold.retarget.bracing.preparation import StancePreparation
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.switch_outlook import SwitchPreviewMonitor
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ModeReport, Preview, Toggle
from handhold.retarget.timed_messages import say_name
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

COM_SPEED = 0.05
"""Speed of the centre of mass at full deflection of a stick [m/s]."""

TURNING_SPEED = 0.2
"""Turning rate of the base at full deflection of a stick [rad/s]."""


@dataclass(slots=True)
class _Buttons:
    """Buttons of one side that were pressed since SEIKO's last step."""

    primary: bool = False
    secondary: bool = False


class BracingMode:
    """Steps SEIKO at its own period and publishes its reference.

    Attributes:
        retargeting: What may change the operator's commands for the sake of stability; the operator switches it.
        retargeter: What is changed of the commands for the sake of stability.
    """

    profile = ModeProfile(
        name="bracing",
        title="Bracing",
        braces=True,
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
        retargets_objects: bool = True,
    ) -> None:
        self._model = model
        self.retargeting = retargeting
        self._period = period
        self._body = BracedBody(model)
        self._compliant = Compliance(model)
        self._object = ObjectHolding(model, retargets=retargets_objects)
        self._pending = 0.0
        self._standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
        self._forget_operator()
        self._preparation = StancePreparation(model, solver, parameters)

    @property
    def seiko(self) -> Seiko:
        """The reference's configuration."""
        return self._body.seiko

    @property
    def contacts(self) -> Contacts:
        """The contacts, made and switched."""
        return self._body.contacts

    @property
    def failures(self) -> int:
        """Quadratic programs without a solution so far."""
        return self._body.failures

    @property
    def _hands(self) -> tuple[int | None, int | None]:
        return self._choices["left"].effector, self._choices["right"].effector

    def describe(self) -> ModeOutput:
        """Return what there is to know of the mode now."""
        return ModeOutput(reference=self._body.reference, status=self._describe_status(), report=self._describe_report())

    def _describe_status(self) -> ModeStatus:
        body, contacts, retargeting = self._body, self.contacts, self.retargeter.contacts
        return ModeStatus(
            hands=self._hands,
            hand_offsets=self._collect_offsets(),
            restarted=contacts.restarted.union(
                retargeting.absorbed, self._compliant.hands.absorbed, body.yielded_hands, self._object.restarted
            ),
            contacts=contacts.states,
            busy=contacts.busy or self._object.busy,
            led=self._compliant.busy or self._object.led,
            at_rest=body.at_rest and not self._compliant.held and not self._object.rest_obstacle,
            hold_reason=contacts.hold_reason,
            rest_obstacle=contacts.rest_obstacle or self._object.rest_obstacle,
            messages=(*body.messages, *self._compliant.messages, *self._object.messages),
            failures=body.failures,
            failures_in_a_row=body.failures_in_a_row,
            refused=contacts.refused,
        )

    def _collect_offsets(self) -> dict[int, np.ndarray]:
        """Return how far hands are from where the operator has them, by effector, homogeneous, shape ``(4, 4)``."""
        retargeting = self.retargeter.contacts
        offsets = {hand: _translate(retargeting.offsets[hand]) for hand in retargeting.moved}
        led = {hand: _translate(displacement) for hand, displacement in self._object.displacements.items()}
        for hand, motion in (*self._compliant.hands.offsets.items(), *led.items()):
            offsets[hand] = motion @ offsets[hand] if hand in offsets else motion
        return offsets

    def _describe_report(self) -> ModeReport:
        return ModeReport(
            active_constraints=self._body.active,
            region=self._body.region_monitor.region,
            preview_region=self.retargeter.preview_region,
            preview=self._switch_preview.describe(),
            toggles=self._toggles,
            candidates=self.retargeter.places.candidates,
            left=self._hand_reports.left,
            right=self._hand_reports.right,
        )

    @property
    def _toggles(self) -> tuple[Toggle, ...]:
        retargeting = list_toggles(self.retargeting)
        return (*self.retargeter.places.toggles, *retargeting, *self._compliant.toggles, *self._object.toggles)

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
        elif not (self._compliant.turn_over(name) or self._object.turn_over(name)):
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
        return self._preparation.advance(before)

    def enter(self, state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        """Stand on the standing effectors where they are, at the nearest feasible equilibrium.

        Raises:
            NoEquilibrium: The robot does not stand over its feet.
        """
        seiko = self._preparation.finish(state.q if before is None else before.q, before)
        return self.enter_with(seiko, state)

    def enter_with(self, seiko: Seiko, state: RobotState) -> ModeOutput:
        """Take charge with a reference in equilibrium, on whatever contacts it stands, where the robot is."""
        self._forget_operator()
        self._body.begin(seiko, state)
        self._compliant.begin(seiko, self.contacts)
        self._object.begin(seiko, self.contacts)
        self.retargeter = StabilityAware(self._model, seiko, self.retargeting)
        self._gains = MarginGains(self._model, seiko)
        self._switch_preview = SwitchPreviewMonitor(self._model, seiko)
        self._pending = 0.0
        self._hand_reports = HandReports(self.contacts, self._gains)
        self._output = self.describe()
        return self._output

    def _forget_operator(self) -> None:
        """Begin with each side's first effector, and nothing pressed."""
        self._choices: dict[str, EffectorChoice] = {side: list_effectors(self._model, side) for side in ("left", "right")}
        self._pressed = {"left": _Buttons(), "right": _Buttons()}
        self._com_velocity = ComVelocityRamp()

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Step SEIKO when its period is up; the reference in between is the last one."""
        self._remember_buttons(command)
        self._body.observe(state, dt, with_points=self._compliant.body.observed)
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._output
        elapsed, self._pending = self._pending, 0.0
        self.seiko.measure_external(self._compliant.measure_forces(self._body.forces_on_points, elapsed))
        self._body.begin_period(state, elapsed, hold=hold)
        self._compliant.hands.measure_moments(state.contact_wrenches, self._body.measured.poses, elapsed)
        targets = self._choose_targets(command, state, surfaces, elapsed, hold=hold)
        if self._body.frozen:
            self._body.rest(state)
        else:
            self._step(targets, state, elapsed, hold=hold)
        self._body.region_monitor.update(elapsed)
        self._gains.update(elapsed)
        self._switch_preview.advance(self._period)
        self._hand_reports.update(self._hands, self._body.measured.poses, surfaces, elapsed)
        self._output = self.describe()
        return self._output

    def follow(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool = False) -> Reference:
        """Take one step of SEIKO towards targets from where the robot really stands, and return its reference."""
        self._body.measured.update(state.q)
        return self._step(targets, state, dt, hold=hold)

    def _step(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool) -> Reference:
        def prefer(yielded: SeikoTargets) -> SeikoTargets:
            return self.retargeter.prefer(yielded, dt, hold=hold)

        return self._body.step(targets, state, dt, hold=hold, adjust=prefer)

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
    ) -> SeikoTargets:
        # A hold without anything wrong (nothing is commanded) does not stop what the buttons ask; nor does a foot that is
        # lost, or it could never be found again.
        asked = self.contacts.busy or self._object.busy or command.left.engaged or command.right.engaged
        stopped = hold and bool(command.stop or command.speed <= 0.0 or (asked and not self.contacts.hold_reason))
        commands = self._read_hands(command, surfaces, dt, hold=hold)
        poses = self._body.begin_contacts(commands, state, surfaces, dt, stopped=stopped)
        if self._object.can_hold:
            measured = self._body.measure_hands(state, dt)
            poses = self._object.step(poses, commands, measured, dt, hold=stopped, leads=command.attended and not hold)
        self._switch_preview.check_stance()
        if hold:
            self._com_velocity.forget()
            if command.attended:
                self._compliant.body.lead(command.com_velocity, dt, hold=True)
            return self._body.make_rest_targets(poses)
        velocity = self._com_velocity.follow(COM_SPEED * command.com_velocity, self.seiko.velocity_com, dt)
        if command.attended:
            velocity = self._compliant.body.lead(velocity, dt, hold=False)
        turning = TURNING_SPEED * command.yaw_rate if command.yaw_rate != 0.0 else float("nan")
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, yaw_rate=turning, rest=self._body.braking)

    def _read_hands(
        self, command: OperatorCommand, surfaces: tuple[Surface, ...], dt: float, *, hold: bool
    ) -> dict[int, EffectorCommand]:
        if not command.attended:
            # Nothing moves while nobody is there, nor by itself once somebody is back: hands stay where they were led.
            self._compliant.absorb()
            self._object.absorb()
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
            retargeted = self.retargeter.move_hand(effector, hand.target, surfaces, dt, engaged=hand.engaged)
            moved = self._compliant.hands.move(effector, retargeted, dt, hold=hold) if command.attended else retargeted
            commands[effector] = EffectorCommand(
                desired_pose=moved,
                engaged=hand.engaged,
                pressed=pressed.primary,
                push=hand.trigger,
                led=self._compliant.hands.is_led(effector),
            )
        self._compliant.hands.absorb_others(commands)
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
        if self._object.holds and effector in self._hands:
            self.contacts.publish("refused: let go of the object first")
            return
        if self.contacts.switch is not None:
            self.contacts.publish("refused: a contact is being made or taken off; look ahead once that is done")
            return
        self._switch_preview.begin(effector, surfaces, self.contacts.commanded)


def _translate(offset: np.ndarray) -> np.ndarray:
    """Return a translation in world, shape ``(3,)`` [m], as a homogeneous transform, shape ``(4, 4)``."""
    transform = np.eye(4)
    transform[:3, 3] = offset
    return transform
