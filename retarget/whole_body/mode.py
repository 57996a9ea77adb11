"""Whole-body mode: while a hand squeezes a tracked person moves the whole robot, kept balanced and within all limits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.braced_body import PERIOD, BracedBody
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.preparation import StancePreparation
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.command import OperatorCommand
from handhold.retarget.grippers import find_hands_without_tip
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ModeReport, Preview, Toggle
from handhold.retarget.timed_messages import TimedMessages, say_name
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.retarget.whole_body.body_rows import BodyRows
from handhold.retarget.whole_body.body_targets import BodyTargets
from handhold.retarget.whole_body.com_offset import apply_offset
from handhold.retarget.whole_body.contact_intent import ContactIntent, Ends
from handhold.retarget.whole_body.lip_stabiliser import StabilisedVelocity, stabilise
from handhold.retarget.whole_body.person import Person
from handhold.retarget.whole_body.person_monitor import PersonMonitor
from handhold.retarget.whole_body.robot_stance import RobotStance
from handhold.retarget.whole_body.target_follower import TargetFollower
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

COM_RATE, COM_SPEED = 4.0, 0.3
"""Rate at which the centre of mass comes to where the person's is [1/s], and its largest speed [m/s]; its acceleration is what
the stabiliser leaves."""

HEIGHT_RATE, HEIGHT_SPEED, HEIGHT_ACCELERATION = 6.0, 0.5, 2.0
"""The same of the height [1/s], [m/s], and its largest acceleration [m/s^2]: a fifth of the weight."""

COM_RATIO = 10.0
"""How much more than SEIKO's own a motion of the centre of mass counts [-]: a hand that cannot get where the person's is would
lean the robot for it."""

ZMP_RATIO = 0.02
"""How much less than SEIKO's own an acceleration of the centre of mass costs [-]: the stabiliser sees to the ZMP, and at the
full cost a velocity would be followed 0.2 s late."""

ORIENTATION_RATIO = 8.0
"""How much more than SEIKO's own a hand's orientation counts [-]: how a hand is held matters more than where its elbow is."""

CALIBRATE = "calibrate"
"""Name of the toggle that calibrates anew."""


_TOGGLES = tuple((Toggle(name=CALIBRATE, title="Calibrated", on=known),) for known in (False, True))


class WholeBodyMode:
    """Lets a robot do what a person does.

    Attributes:
        person: Who is tracked.
        targets: What the robot was asked to follow last; None while it follows nobody.
        stabilised: What became of the velocity of the centre of mass in the last step; None while it follows nobody.
        velocity_com: What was commanded of it in the last step, seen from above, shape ``(2,)`` [m/s]; None likewise.
    """

    profile = ModeProfile(
        name="whole-body",
        title="Whole body",
        hints=ModeHints(primary="calibrate"),
        toggles_title="Person",
    )

    def __init__(
        self,
        model: RobotModel,
        mapping: BodyMapping,
        solver: QpSolver,
        *,
        parameters: SeikoParameters | None = None,
        period: float = PERIOD,
        stabilises: bool = True,
    ) -> None:
        """Wait for a person.

        Args:
            model: The robot.
            mapping: What of it follows a person.
            solver: Solves SEIKO's programs.
            parameters: Of SEIKO; None for the defaults.
            period: The mode's own period [s].
            stabilises: Whether the centre of mass is stabilised; without it, for comparison, it goes where the person's goes.
        """
        self._model, self._mapping = model, mapping
        own = parameters or SeikoParameters()
        own = replace(own, zmp=ZMP_RATIO * own.zmp, com=COM_RATIO * own.com, orientation=ORIENTATION_RATIO * own.orientation)
        self._preparation = StancePreparation(model, solver, own)
        self._period, self._stabilises = period, stabilises
        self._body = BracedBody(model)
        self._rows = BodyRows(model, mapping)
        self._monitor = PersonMonitor(model, mapping)
        hands = {model.effectors[arm.hand].hand: arm.hand for arm in mapping.arms}
        self._hands = hands.get("left"), hands.get("right")
        self.person = Person(mapping)
        self._messages = TimedMessages()
        self._forget()

    def _forget(self) -> None:
        """Begin with nobody in charge of the robot."""
        self.person.let_go()
        self._pending, self._pressed = 0.0, False
        self._follow_nobody()

    def _follow_nobody(self) -> None:
        self.targets: BodyTargets | None = None
        self.stabilised: StabilisedVelocity | None = None
        self.velocity_com: np.ndarray | None = None
        self._follower: TargetFollower | None = None
        self._monitor.forget()

    @property
    def seiko(self) -> Seiko:
        """The reference's configuration."""
        return self._body.seiko

    def describe(self) -> ModeOutput:
        """Return what there is to know of the mode now."""
        body = self._body
        status = ModeStatus(
            hands=self._hands,
            contacts=body.contacts.states,
            busy=body.contacts.busy,
            at_rest=body.at_rest,
            hold_reason=body.contacts.hold_reason,
            rest_obstacle=body.contacts.rest_obstacle,
            messages=tuple(text for text in (self.person.describe(), self._describe_approach(), *self._messages.texts) if text)
            + body.messages,
            failures=body.failures,
            failures_in_a_row=body.failures_in_a_row,
            refused=body.contacts.refused + self.person.refused,
        )
        report = ModeReport(
            active_constraints=body.active,
            region=body.region_monitor.region,
            toggles=_TOGGLES[self.person.known],
            person=self._monitor.report,
        )
        return ModeOutput(reference=body.reference, status=status, report=report)

    def _describe_approach(self) -> str:
        if self._follower is None or self._follower.arrived:
            return ""
        return f"the robot comes to where you are: {100.0 * self._follower.progress:.0f} %"

    def leave(self) -> None:
        """Come to rest for another mode: as in any hold."""

    def toggle(self, name: str) -> ModeOutput:
        """Calibrate anew.

        Raises:
            NoSuchToggle: There is none of this name.
        """
        if name != CALIBRATE:
            raise NoSuchToggle(self.profile.name, name)
        self._pressed = True
        return self._output

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the mode from taking charge: a brace that is loaded, or a foot that is not."""
        for in_contact, effector in zip(reference.contacts, self._model.effectors, strict=True):
            if in_contact != effector.standing:
                name = say_name(effector.name)
                return f"release the {name} first" if in_contact else f"put the {name} down first"
        return ""

    def preview(self, reference: Reference, /) -> Preview:
        """Return the posture that taking charge leads to: the robot stays as it stands until somebody squeezes."""
        obstacle = self.find_obstacle(reference)
        title = f"{self.profile.title}: stays as it is until you squeeze"
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
        self._forget()
        self._body.begin(seiko, state)
        self._stance = RobotStance(self._model, self._mapping)
        self._output = self.describe()
        return self._output

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Step SEIKO when its period is up; the reference in between is the last one."""
        self._pressed |= command.left.primary_pressed or command.right.primary_pressed
        self._body.observe(state, dt)
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._output
        elapsed, self._pending = self._pending, 0.0
        self._stance.follow(self._body.seiko)
        self._follow_person(command, elapsed, hold=hold)
        # A contact that was begun is brought to its end, whoever has let go meanwhile.
        stays = hold or (self._follower is None and not self._body.contacts.busy)
        stopped = bool(command.stop) or command.speed <= 0.0
        self._body.begin_period(state, elapsed, hold=stays)
        if self._follower is None or stays:
            poses = self._body.begin_contacts(self._answer_button(), state, surfaces, elapsed, stopped=stopped)
            targets = self._body.make_rest_targets(poses) if stays else self._go_on(poses)
        else:
            targets = self._choose_targets(state, surfaces, elapsed)
        self._pressed = False
        if self._body.frozen:
            self._body.rest(state)
        else:
            self._body.step(targets, state, elapsed, hold=stays)
        self._watch(elapsed)
        self._messages.advance(elapsed)
        self._output = self.describe()
        return self._output

    def _follow_person(self, command: OperatorCommand, dt: float, *, hold: bool) -> None:
        """Take the person up or let go."""
        person, squeezed = self.person, command.left.engaged or command.right.engaged
        pressed = self._pressed and not self._body.contacts.suspended
        person.update(command.human, command.lost_humans, dt, squeezed=squeezed, pressed=pressed, hold=hold)
        if person.refusal:
            self._messages.publish(person.refusal)
        if person.targets is None:
            self._follow_nobody()
        elif self._follower is None:
            self._intent = ContactIntent(self._mapping)
            self._follower = TargetFollower(self._stance.measure(self._body.seiko), person.targets)

    def _answer_button(self) -> dict[int, EffectorCommand]:
        """Return what the contact button asks for while nobody is followed: what a stop has left half-way goes on."""
        switch, contacts = self._body.contacts.switch, self._body.contacts
        if switch is None or not contacts.suspended or not self._pressed:
            return {}
        pose = self._body.seiko.kinematics.poses[switch.effector].copy()
        return {switch.effector: EffectorCommand(desired_pose=pose, engaged=False, pressed=True, push=0.0)}

    def _go_on(self, poses: np.ndarray) -> SeikoTargets:
        """Return targets that bring a contact to its end, and ask for nothing else."""
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan), rest=self._body.braking)

    def _watch(self, dt: float) -> None:
        """Follow what is shown."""
        body = self._body
        body.region_monitor.update(dt)
        if self.targets is not None and self._follower is not None:
            following = self._follower.arrived
            self._monitor.update(self.targets, self._stance.frame, body.seiko, body.active, dt, following=following)

    def _choose_targets(self, state: RobotState, surfaces: tuple[Surface, ...], dt: float) -> SeikoTargets:
        """Return what SEIKO is to follow: the person's posture, hands, feet and stabilised centre of mass."""
        assert self._follower is not None, "somebody is followed"
        assert self.person.targets is not None, "somebody is followed"
        body, frame = self._body, self._stance.frame
        targets = self.targets = self._follower.advance(self.person.targets, dt)
        ends = Ends(
            hands=frame @ targets.hands,
            feet=frame @ targets.feet,
            lifted=self.person.lifted,
            along=targets.com.along,
            arrived=self._follower.arrived,
        )
        open_hands = find_hands_without_tip(self._model, state)
        commands = self._intent.choose(ends, body.seiko, body.contacts, surfaces, dt, cannot_brace=open_hands)
        poses = body.begin_contacts(commands, state, surfaces, dt, stopped=False)
        rotation, height = frame[:3, :3], float(frame[2, 3] + targets.pelvis[2])
        directions = (targets.limbs @ rotation.T, targets.hinges @ rotation.T)
        rows = self._rows.fill(body.seiko.kinematics, rotation @ targets.rotations, height, *directions)
        velocity = self._stabilise(targets, height, dt)
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, preferences=rows, rest=body.braking)

    def _stabilise(self, targets: BodyTargets, height: float, dt: float) -> np.ndarray:
        """Return the velocity that takes the centre of mass to the person's and keeps the ZMP in the support."""
        seiko = self._body.seiko
        com = seiko.kinematics.position_com_in_world[:2]
        aim = apply_offset(targets.com, *self._stance.find_feet(seiko), self._mapping.sole_half_length)
        desired = COM_RATE * (aim - com)
        desired *= min(1.0, COM_SPEED / max(float(np.linalg.norm(desired)), 1e-9))
        measured = self._body.measured.position_com_in_world[:2]
        omega = seiko.pendulum_frequency
        self.stabilised = stabilise(desired, seiko.velocity_com[:2], measured, seiko.balance.vertices, omega, dt)
        self.velocity_com = self.stabilised.velocity if self._stabilises else desired
        return np.array([*self.velocity_com, self._choose_rise(height - float(seiko.kinematics.joint_poses[1, 3, 2]), dt)])

    def _choose_rise(self, missing: float, dt: float) -> float:
        """Return the vertical velocity that makes up for what is missing to a height [m], and can come to rest there [m/s]."""
        before, change = float(self._body.seiko.velocity_com[2]), HEIGHT_ACCELERATION * dt
        braking = math.sqrt(2.0 * HEIGHT_ACCELERATION * abs(missing))
        desired = math.copysign(min(HEIGHT_RATE * abs(missing), braking, HEIGHT_SPEED), missing)
        return min(before + change, max(before - change, desired))
