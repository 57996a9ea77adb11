"""Bracing mode: hands, feet and centre of mass under the operator, everything else under SEIKO."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts import Contacts, EffectorCommand, list_names, say_name
from handhold.retarget.bracing.effector_choice import EffectorChoice, list_effectors, step_choice
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.retarget.bracing.preparation import Preparation
from handhold.retarget.bracing.preview import SwitchPreview
from handhold.retarget.bracing.retargeting_choice import NOMINAL, Retargeting, list_switches, turn_over
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.retarget.bracing.stability_aware import StabilityAware
from handhold.retarget.bracing.stability_sight import StabilityLook
from handhold.retarget.bracing.switching import guide_back
from handhold.retarget.bracing.yielding import compute_yielding, give_way
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ComingPose, ComingStep, NoSuchSwitch, StabilitySight, Switch
from handhold.robots.contact import Stance
from handhold.robots.external_force import ExternalForceObserver
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference, Residuals
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""SEIKO's own period [s]: as the authors' robot; the controller goes on from its velocity in between."""

COM_SPEED = 0.05
"""Speed of the centre of mass at full deflection of a stick [m/s]."""

TURNING_SPEED = 0.2
"""Turning rate of the base at full deflection of a stick [rad/s]."""

BRAKING_TIME, RELEASING_TIME = 0.05, 0.2
"""Times in which a hold comes to brake fully and in which it lets go again, so that no joint's speed steps [s]."""

REST_SPEED = 1e-3
"""Joint speed under which a holding reference counts as at rest and is frozen [rad/s]."""

STILL_AFTER, STILLNESS_RATE, MOST_STILLNESS = 1.0, 1.0, 3.0
"""Time of a hold after which a reference that still creeps is held back harder [s], by how many orders of magnitude more with
every second [1/s], and by how many at most [-]."""

PREVIEW_STEPS = 3
"""Steps that a preview looks ahead in one of the robot's own: three times as fast, at three times a step's cost."""

STALE_AFTER = 0.01
"""How far the centre of mass or an effector may go from where a preview began before it holds no more [m]."""


@dataclass(slots=True)
class _Buttons:
    """Buttons of one side that were pressed since SEIKO's last step."""

    primary: bool = False
    secondary: bool = False


class BracingMode:
    """Drives SEIKO at its own period and tells the controller what it found.

    Attributes:
        retargeting: What may change the operator's commands for the sake of stability; the operator switches it.
        seiko: The reference's configuration.
        contacts: The contacts, made and switched.
        retargeter: What is changed of the commands for the sake of stability.
        failures: Quadratic programs without a solution so far.
        failures_in_a_row: How many of them since the last that had one.
        active: Names of the constraints that hold the reference back now.
    """

    name = "bracing"
    title = "Bracing"

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
        self._preview: SwitchPreview | None = None
        # How much free hands give way now, 0 to 1, and which.
        self._yielding, self._yielding_hands = 0.0, tuple[int, ...]()
        # Where the centre of mass and the effectors were when it began.
        self._seen_at = np.zeros((1 + len(model.effectors), 3))
        self.failures = 0
        self.failures_in_a_row = 0
        self.active: tuple[str, ...] = ()

    @property
    def hands(self) -> tuple[int | None, int | None]:
        """The effectors that the operator's left and right hand command now."""
        return self._choices["left"].effector, self._choices["right"].effector

    @property
    def restarted(self) -> frozenset[int]:
        """Effectors whose clutch must begin anew, because something else than the operator has moved them."""
        gave_way = frozenset(self._yielding_hands) if self._yielding == 1.0 else frozenset()
        return self.contacts.restarted | self.retargeter.contacts.settled | gave_way

    @property
    def busy(self) -> bool:
        """Whether a motion that a button began is under way."""
        return self.contacts.busy

    @property
    def hold_reason(self) -> str:
        """Why the robot must hold, in words; empty where nothing is wrong."""
        return self.contacts.hold_reason

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        pushed = ("something pushes the robot: its hands give way",) if self._yielding > 0.0 else ()
        return (*self.contacts.messages, *pushed)

    @property
    def refused(self) -> int:
        """Commands of the operator refused so far."""
        return self.contacts.refused

    @property
    def coming(self) -> ComingPose | None:
        """The posture that the contact switch asked about would lead to, as long as the answer holds."""
        outlook = None if self._preview is None else self._preview.outlook
        if outlook is None:
            return None
        name = say_name(self._model.effectors[outlook.effector].name)
        verb = "unload" if outlook.effector in self._stance.effectors else "load"
        return ComingPose(
            title=f"{verb} {name}: {outlook.duration:.1f} s" if outlook.feasible else f"{name} cannot be {verb}ed",
            q=outlook.q,
            feasible=outlook.feasible,
            reason="" if outlook.feasible else f"{list_names(outlook.obstacles)} in the way",
            stability=outlook.stability,
        )

    @property
    def stability(self) -> StabilitySight | None:
        """Where the reference's centre of mass may be; None where nothing would hold the robot up."""
        return self._look.sight

    @property
    def coming_stability(self) -> StabilitySight | None:
        """Where the centre of mass could be, did the hand bear whose contact is retargeted; None where none is."""
        preview = self.retargeter.contacts.preview
        return None if preview is None else preview.stability

    @property
    def footsteps(self) -> tuple[ComingStep, ...]:
        """Footsteps to come: none is planned here."""
        return ()

    def carry(self, effector: int, /) -> np.ndarray | None:
        """Return how far contact retargeting has moved a hand, homogeneous; None where it has not."""
        retargeting = self.retargeter.contacts
        if effector not in retargeting.moved:
            return None
        way = np.eye(4)
        way[:3, 3] = retargeting.offsets[effector]
        return way

    @property
    def stepping(self) -> bool:
        """Whether feet come down by themselves: none does here that a button has not sent."""
        return False

    @property
    def unrest(self) -> str:
        """Why the robot does not come to rest by itself: a contact that is half-way."""
        return self.contacts.unrest

    def leave(self) -> None:
        """Come to rest for another mode: as in any hold."""

    @property
    def settled(self) -> bool:
        """Whether the reference is at rest and no contact is being made, loaded or unloaded."""
        idle = self.contacts.switch is None and not self.busy
        return idle and bool(np.abs(self.seiko.v).max() < REST_SPEED)

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The retargetings, each on or off."""
        return list_switches(self.retargeting)

    def switch(self, name: str) -> None:
        """Turn a retargeting over, from the next step on; what it has moved goes back at its rate or stays.

        Raises:
            NoSuchSwitch: There is none of this name.
        """
        if name not in (switch.name for switch in self.switches):
            raise NoSuchSwitch(self.name, name)
        self.retargeting = turn_over(self.retargeting, name)
        self.retargeter.choice = self.retargeting

    def describe_contact(self, effector: int) -> str:
        """Return the state of an effector's contact in a word."""
        return self.contacts.describe(effector)

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the mode from taking charge: an effector that the robot stands on and that does not bear."""
        lifted = [self._model.effectors[i].name for i in self._standing if not reference.contacts[i]]
        return f"put the {say_name(lifted[0])} down first" if lifted else ""

    def foresee(self, reference: Reference, /) -> ComingPose:
        """Return the pose that taking charge leads to: the robot goes on standing as it stands."""
        obstacle = self.find_obstacle(reference)
        return ComingPose(title=f"{self.title}: stands as it is", q=reference.q, feasible=not obstacle, reason=obstacle)

    def prepare(self, before: Reference, /) -> bool:
        """Settle a little further in the posture of a reference at rest; says whether ``enter`` costs no more time."""
        if self._preparation is None or not self._preparation.begins_at(before.q):
            self._preparation = self._begin_to_settle(before.q)
        return self._preparation.advance()

    def _begin_to_settle(self, q: np.ndarray) -> Preparation:
        stance = Stance.of_reference(self._model, self._standing)
        return Preparation(Seiko(self._model, stance, q, self._solver, self._parameters), self._solver)

    def enter(self, state: RobotState, before: Reference | None = None, /) -> Reference:
        """Stand on the standing effectors where they are, at the nearest feasible equilibrium.

        Raises:
            NoEquilibrium: The robot does not stand over its feet.
        """
        q = state.q if before is None else before.q
        prepared, self._preparation = self._preparation, None
        if prepared is None or not prepared.begins_at(q):
            prepared = self._begin_to_settle(q)
        return self.enter_with(prepared.finish(), state)

    def enter_with(self, seiko: Seiko, state: RobotState) -> Reference:
        """Take charge with a reference in equilibrium, on whatever contacts it stands, where the robot is."""
        self._forget_operator()
        self._measured.update(state.q)
        self.seiko = seiko
        self.contacts = Contacts(self._model, seiko)
        self.retargeter = StabilityAware(self._model, seiko, self.retargeting)
        self._look = StabilityLook(self._model, seiko)
        self._see_stance()
        self._pending, self._braking, self._held = 0.0, 1.0, 0.0
        self._yielding, self._yielding_hands = 0.0, ()
        self.failures_in_a_row, self.active = 0, ()
        self._reference = self._describe(state.time)
        return self._reference

    def _forget_operator(self) -> None:
        """Begin with each side's first effector, nothing pressed and no force estimated."""
        self._choices: dict[str, EffectorChoice] = {side: list_effectors(self._model, side) for side in ("left", "right")}
        self._pressed = {"left": _Buttons(), "right": _Buttons()}
        self._observer = ExternalForceObserver(self._model, sensed=self._sensed)

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Step SEIKO when its period is up; the reference in between is the last one."""
        self._remember_buttons(command)
        if len(self._sensed) < len(self._model.effectors):
            self._observer.update(state, dt)
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._reference
        elapsed, self._pending = self._pending, 0.0
        change = elapsed / BRAKING_TIME if hold else -elapsed / RELEASING_TIME
        self._braking = min(1.0, max(0.0, self._braking + change))
        self._held = self._held + elapsed if hold and self.contacts.switch is None and not self.busy else 0.0
        self._measured.update(state.q)
        self._update_yielding()
        frozen = hold and self._yielding == 0.0 and bool(np.abs(self.seiko.v).max() < REST_SPEED)
        targets = self._choose_targets(command, state, surfaces, elapsed, hold=hold, frozen=frozen)
        if frozen:
            self.seiko.stand_still()
            self.failures_in_a_row = 0
            self._reference = self._describe(state.time)
        else:
            self._step(targets, state, elapsed, hold=hold)
        self._look.update(elapsed)
        if self._preview is not None:
            self._go_on_looking(self._preview)
        return self._reference

    def _go_on_looking(self, preview: SwitchPreview) -> None:
        """Look further ahead; what was seen from another posture holds no more."""
        moved = np.linalg.norm(self._list_places() - self._seen_at, axis=1).max()
        if moved > STALE_AFTER:
            self._preview = None
        else:
            preview.advance(PREVIEW_STEPS, self._period)

    def follow(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool = False) -> Reference:
        """Take one step of SEIKO towards targets from where the robot really stands, and return its reference."""
        self._measured.update(state.q)
        return self._step(targets, state, dt, hold=hold)

    def _step(self, targets: SeikoTargets, state: RobotState, dt: float, *, hold: bool) -> Reference:
        self.seiko.follow_contacts(self._measured.poses, state.q[7:], dt)
        stays = hold or self.contacts.suspended
        guided = targets if stays else guide_back(self.seiko, self.contacts.switch, targets)
        yielded = give_way(guided, self._measured.poses, self._yielding_hands, self._yielding)
        step = self.seiko.step(self.retargeter.prefer(yielded, dt, hold=hold), dt)
        # A program that was solved at the second attempt only counts too, but does not make the robot hold.
        self.failures += step.relaxed or not step.solved
        self.failures_in_a_row = 0 if step.solved else self.failures_in_a_row + 1
        self.active = step.active
        self.contacts.end_step(step.active, dt, hold=hold)
        self._reference = self._describe(state.time)
        return self._reference

    def _update_yielding(self) -> None:
        """Update which hands may give way to what pushes the robot off feet that bear alone, and how much."""
        effectors, bearing = self._model.effectors, self.seiko.stance.effectors
        alone = all(effectors[e].is_foot for e in bearing)
        hands = [e for e in range(len(effectors)) if not effectors[e].is_foot and not self.contacts.is_moving(e)]
        self._yielding_hands = tuple(hands) if alone else ()
        reference, measured = self.seiko.kinematics.position_com_in_world, self._measured.position_com_in_world
        self._yielding = compute_yielding(reference, measured, self._yielding) if self._yielding_hands else 0.0

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
        asked = self.busy or command.left.engaged or command.right.engaged
        stopped = hold and bool(command.stop or command.speed <= 0.0 or (asked and not self.hold_reason))
        commands = self._read_hands(command, surfaces, dt)
        poses = self.contacts.begin_step(commands, self._feel(state), surfaces, dt, hold=stopped, frozen=frozen)
        if self.seiko.stance is not self._stance:
            self._see_stance()
        velocity = np.full(3, np.nan)
        if hold:
            # Coming to rest within what balance allows: the centre of mass is asked to stop, not made to, and bit by bit.
            velocity = (1.0 - self._braking) * self.seiko.velocity_com
            stillness = min(MOST_STILLNESS, max(0.0, STILLNESS_RATE * (self._held - STILL_AFTER)))
            # Hands give way in a hold as well.
            rest, stillness = (1.0 - self._yielding) * np.array([self._braking, stillness])
            return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, rest=rest, stillness=stillness)
        pushed = np.abs(command.com_velocity) > 0.0
        velocity[pushed] = COM_SPEED * command.com_velocity[pushed]
        turning = TURNING_SPEED * command.yaw_rate if command.yaw_rate != 0.0 else float("nan")
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, yaw_rate=turning, rest=self._braking)

    def _feel(self, state: RobotState) -> tuple[np.ndarray, np.ndarray]:
        """Return where the effectors are and what the environment exerts on them, measured or estimated, in world axes."""
        poses, forces = self._measured.poses, self._observer.forces.copy()
        for effector in self._sensed:
            forces[effector] = poses[effector, :3, :3] @ state.contact_wrenches[effector, :3]
        return poses, forces

    def _read_hands(self, command: OperatorCommand, surfaces: tuple[Surface, ...], dt: float) -> dict[int, EffectorCommand]:
        commands = {}
        for side, hand in (("left", command.left), ("right", command.right)):
            pressed, self._pressed[side] = self._pressed[side], _Buttons()
            effector = self._choose_effector(side, hand, dt)
            if effector is None or not math.isfinite(hand.target.sum()):
                continue
            if pressed.primary:
                self._preview = None
            elif pressed.secondary:
                self._look_ahead(effector, surfaces)
            moved = self.retargeter.move_hand(effector, hand.target, surfaces, dt, engaged=hand.engaged)
            commands[effector] = EffectorCommand(
                wanted=moved, engaged=hand.engaged, pressed=pressed.primary, push=hand.trigger
            )
        return commands

    def _choose_effector(self, side: str, hand: HandCommand, dt: float) -> int | None:
        before = self._choices[side]
        self._choices[side] = step_choice(before, held=hand.secondary_held, may_change=self._may_change(before, hand), dt=dt)
        effector = self._choices[side].effector
        # The target still is that of the effector before: the clutch takes the new one up in the next step.
        return effector if effector == before.effector else None

    def _may_change(self, choice: EffectorChoice, hand: HandCommand) -> bool:
        return not hand.engaged and (choice.effector is None or not self.contacts.is_moving(choice.effector))

    def _look_ahead(self, effector: int, surfaces: tuple[Surface, ...]) -> None:
        if self.contacts.switch is not None:
            return
        self._preview = SwitchPreview(self._model, self.seiko, effector, surfaces, self.contacts.commanded)
        self._seen_at = self._list_places()

    def _list_places(self) -> np.ndarray:
        """Return where the centre of mass and the effectors are in the reference, shape ``(1 + effectors, 3)`` [m]."""
        kinematics = self.seiko.kinematics
        return np.vstack([kinematics.position_com_in_world, kinematics.poses[:, :3, 3]])

    def _see_stance(self) -> None:
        """See other contacts: a preview made before holds no more."""
        self._preview = None
        self._stance = self.seiko.stance

    def _describe(self, time: float) -> Reference:
        seiko, model = self.seiko, self._model
        count = len(model.effectors)
        kinematics = seiko.kinematics
        return Reference(
            time=time,
            q=seiko.q,
            v=seiko.v,
            joint_torques=seiko.joint_torques,
            position_com_in_world=kinematics.position_com_in_world.copy(),
            velocity_com_in_world=seiko.velocity_com,
            acceleration_com_in_world=seiko.acceleration_com,
            support_polygon=seiko.balance.vertices,
            effector_poses=kinematics.poses.copy(),
            effector_velocities=kinematics.jacobians @ seiko.v,
            contacts=seiko.stance.contact_flags(count),
            contact_normals=seiko.terms.normals.copy(),
            contact_wrenches=seiko.stance.unstack(seiko.wrenches, count),
            residuals=Residuals(
                contact=seiko.contact_error, equilibrium=seiko.equilibrium_error, torque=seiko.torque_overshoot
            ),
        )
