"""The control cycle: a function of its arguments that the loop, the scenarios, a replay and the tests all run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from handhold.app.host.modes import MODES, ModeChoices, ModeMaker, make_modes
from handhold.app.host.weight_words import say_weight
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.perception.surface import Surface
from handhold.render.snapshot import Counters, HandStatus, Snapshot
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.engagement.attention import Attention
from handhold.retarget.engagement.engagement import Engagement
from handhold.retarget.engagement.filters import FilterLimits
from handhold.retarget.engagement.requests import Requests
from handhold.retarget.grippers import Grippers
from handhold.retarget.mode import ModeStatus
from handhold.retarget.mode_report import ContactState
from handhold.retarget.switcher import MAX_FAILURES, Switcher
from handhold.robots.control.controller import ControllerParameters, WholeBodyController
from handhold.robots.estimation.base_velocity_filter import BaseVelocityFilter
from handhold.robots.estimation.centroid import Centroid
from handhold.robots.estimation.fall import find_ground, has_fallen
from handhold.robots.estimation.level import Level
from handhold.robots.estimation.state_watch import StateWatch
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.reference import Reference
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.simulation.actuation import DAMPING

WEIGHED_EVERY = 10
"""Cycles from one look at what the robot bears to the next."""

MAX_PUSH = 1.0
"""Force of others up to which what the contacts exert tells the vertical [N]."""


def no_mark(_stage: str) -> None:
    """Leave a stage of the cycle untimed."""


class Headline(NamedTuple):
    """What changes rarely, and is published in the cycle in which it does.

    Attributes:
        mode: Mode in charge.
        stop: The latched stop.
        left_engaged: Whether the operator's left hand moves the robot.
        right_engaged: Whether the right one does.
        holding: Why the robot holds, in words; empty while it does not.
    """

    mode: str
    stop: Stop
    left_engaged: bool
    right_engaged: bool
    holding: str = ""


class _Ran(NamedTuple):
    """What the last cycle was about."""

    command: OperatorCommand
    state: RobotState
    surfaces: tuple[Surface, ...]
    input_age: float


class Cycle:
    """One control cycle after the other; reads no clock, file, socket or thread.

    The state it keeps between cycles is all in its parts: engagement, switcher and mode, controller.
    """

    def __init__(
        self,
        model: RobotModel,
        initial_state: RobotState,
        *,
        solver: str = "daqp",
        seiko: SeikoParameters | None = None,
        controller: ControllerParameters | None = None,
        retargeting: Retargeting = NOMINAL,
        modes: Sequence[ModeMaker] = MODES,
        filters: FilterLimits | None = None,
        mark: Callable[[str], None] = no_mark,
    ) -> None:
        """Take charge of a standing robot.

        Args:
            model: Robot.
            initial_state: Its state; the first reference is made from it.
            solver: Name of the QP solver of retargeting and controller.
            seiko: Parameters of SEIKO; None for the defaults.
            controller: Parameters of the controller; None for the defaults.
            retargeting: What may change the operator's commands for the sake of stability.
            modes: What makes each mode; the first is in charge at the start.
            filters: How fast and how far ahead the targets of hands may be; None for the defaults.
            mark: Called with the name of each stage when it is done, for timing.

        Raises:
            RetargetError: The robot does not stand in a feasible posture.
        """
        self._model = model
        self._level, self._centroid = Level(model), Centroid(model)
        self._unsensed = [k for k, effector in enumerate(model.effectors) if not effector.standing]
        self._mark = mark
        self._attention = Attention()
        self._engagement = Engagement(filters)
        self._requests = Requests()
        self._switcher = Switcher(make_modes(model, ModeChoices(solver=solver, seiko=seiko, retargeting=retargeting), modes))
        self._controller = WholeBodyController(model, make_solver(solver), controller)
        self._reference = self._switcher.enter(initial_state)
        self._engagement.follow_mode(self._status)
        self._hands = self._status.hands
        self._grippers = Grippers(model, initial_state)
        self._states = StateWatch(initial_state)
        self._base_velocity = BaseVelocityFilter()
        self._base_acceleration = np.zeros(3)
        self._ground = find_ground(model, model.effector_poses(initial_state.q))
        self._cycle = 0
        self._ran: _Ran | None = None
        # Why the robot is damped for good, in words; empty while it is not.
        self._fault = ""

    def step(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> tuple[JointCommand, Snapshot]:
        """Run one cycle.

        Args:
            operator_input: What the operator does, with its age.
            robot_state: What the robot measures.
            surfaces: What a hand could lean on.
            dt: Length of the cycle [s].

        Returns:
            What the joints are to do, and what a viewer or a recording needs to know.
        """
        joint_command = self.advance(operator_input, robot_state, surfaces, dt)
        return joint_command, self.report()

    def advance(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> JointCommand:
        """Run one cycle, see ``step``, and leave its report to ``report``: viewers get only some of them."""
        state = self._estimate(self._states.take(robot_state, dt))
        braces = self._switcher.mode.profile.braces
        command = self._grippers.screen(self._update_command(operator_input, dt), self._status, state, braces=braces)
        self._mark("operator")
        fault = "the robot's state is lost" if self._states.lost else ""
        self._reference = self._switcher.update(command, state, surfaces, dt, fault=fault)
        self._engagement.follow_mode(self._status)
        self._mark("retarget")
        joint_command = self._command_joints(command, state)
        if self._model.description.grippers:
            frozen = bool(self._fault) or self._states.lost
            closings = self._grippers.update(command, self._status, dt, frozen=frozen)
            joint_command = replace(joint_command, gripper_closings=closings)
        self._mark("controller")
        self._cycle += 1
        self._ran = _Ran(command, state, surfaces, operator_input.age)
        return joint_command

    def _estimate(self, measured: RobotState) -> RobotState:
        """Return a state with a level base and without the noise of its velocity."""
        q, v = self._level.correct(measured.q), self._base_velocity.correct(measured, self._base_acceleration)
        q.flags.writeable = v.flags.writeable = False
        return RobotState(
            time=measured.time,
            q=q,
            v=v,
            joint_torques=measured.joint_torques,
            contact_wrenches=measured.contact_wrenches,
            gripper_closings=measured.gripper_closings,
            gripper_forces=measured.gripper_forces,
            unfiltered_velocity_base=measured.v[:3],
        )

    @property
    def reference(self) -> Reference:
        """What the controller tracked in the last cycle."""
        return self._reference

    @property
    def headline(self) -> Headline:
        """What must be published of the last cycle at once, whenever the rest is published."""
        command = self._last.command
        switcher = self._switcher
        return Headline(switcher.mode.profile.name, self._stop, command.left.engaged, command.right.engaged, switcher.holding)

    @property
    def _status(self) -> ModeStatus:
        """What the mode in charge said last of itself."""
        return self._switcher.output.status

    @property
    def _stop(self) -> Stop:
        return Stop.DAMP if self._fault else self._last.command.stop

    @property
    def _last(self) -> _Ran:
        assert self._ran is not None, "no cycle has run yet"
        return self._ran

    def _update_command(self, operator_input: OperatorInput, dt: float) -> OperatorCommand:
        status = self._status
        # What a hand commands is another thing now, or has been moved: the command of before is not for it.
        at_once = self._switcher.changed or status.hands != self._hands or bool(status.restarted)
        elapsed = self._attention.check(operator_input, dt, at_once=at_once)
        return self._read_operator(operator_input, elapsed) if elapsed > 0.0 else self._last.command.pass_on()

    def _read_operator(self, operator_input: OperatorInput, dt: float) -> OperatorCommand:
        switcher = self._switcher
        before, self._hands = self._hands, self._status.hands
        restarted = self._status.restarted
        anew = [now != then or now in restarted for now, then in zip(self._hands, before, strict=True)]
        self._engagement.restart(left=anew[0], right=anew[1])
        if switcher.changed:
            self._engagement.release()
        left, right = (None if hand is None else self._reference.effector_poses[hand] for hand in self._hands)
        command = self._engagement.update(operator_input, left, right, dt)
        self._handle_request(operator_input.request or self._read_buttons(command), dt)
        return command

    def _read_buttons(self, command: OperatorCommand) -> str:
        """Return what the operator asks for by a button that the mode in charge does not read; empty for nothing."""
        pressed = command.left.secondary_pressed or command.right.secondary_pressed
        return self._switcher.mode.profile.secondary_request if pressed else ""

    def _handle_request(self, request: str, dt: float) -> None:
        switcher = self._switcher
        toggles = tuple(toggle.name for toggle in switcher.output.report.toggles)
        asked = self._requests.take(request, switcher.names, dt, toggles=toggles)
        if asked is not None:
            kind, name = asked
            {"mode": switcher.ask, "preview": switcher.preview_mode, "switch": switcher.toggle}[kind](name)

    def _command_joints(self, command: OperatorCommand, state: RobotState) -> JointCommand:
        self._fault = self._fault or self._find_fault(state)
        if self._fault or command.stop is Stop.DAMP:
            return self._damp(state)
        joint_command = self._controller.track(self._reference, state)
        self._base_acceleration = self._controller.base_acceleration
        motion, learns = (state.q[:3], self._controller.velocity_com), self._measures_all() and not self._is_pushed()
        self._level.update(self._controller.effector_poses, motion, state, learns=learns)
        self._learn_weight(state, learns=learns)
        self._ground = find_ground(self._model, self._controller.effector_poses)
        return joint_command

    def _learn_weight(self, state: RobotState, *, learns: bool) -> None:
        """Learn what the robot bears while its feet alone are in contact, now and then."""
        if self._cycle % WEIGHED_EVERY == 0:
            controller, touching = self._controller, self._reference.contacts
            alone = learns and not touching[self._unsensed].any()
            self._centroid.update(state, controller.effector_poses, controller.position_com_in_world, learns=alone)

    def _measures_all(self) -> bool:
        """Whether nothing but what has a sensor touches anything: only then it is known what supports the robot."""
        return all(self._status.find_contact(hand) is ContactState.FREE for hand in self._unsensed)

    def _is_pushed(self) -> bool:
        """Whether somebody pushes or leads the robot: what the contacts exert then says nothing of the vertical."""
        forces = self._reference.external_forces
        return self._status.led or (forces is not None and bool(np.abs(forces).max() > MAX_PUSH))

    def _find_fault(self, state: RobotState) -> str:
        if has_fallen(self._model, state, self._ground):
            return "fallen"
        if self._states.hopeless:
            return "damped: the robot's state is lost"
        if self._controller.failures_in_a_row >= MAX_FAILURES:
            return "damped: the controller finds no torques"
        return ""

    def _damp(self, state: RobotState) -> JointCommand:
        self._controller.reset()
        nothing = np.zeros(self._model.n)
        self._base_acceleration = np.zeros(3)
        return JointCommand(
            time=state.time,
            positions=state.q[7:],
            velocities=nothing,
            torques=nothing,
            stiffness=nothing,
            damping=DAMPING * self._model.motor_torques,
        )

    def report(self) -> Snapshot:
        """Return what a viewer or a recording needs to know of the last cycle; before the next one begins."""
        switcher, status = self._switcher, self._status
        command, state = self._last.command, self._last.state
        target_left, target_right = self._engagement.displayed_targets
        infeasible = "" if command.stop or command.speed <= 0.0 else switcher.holding
        asked = (switcher.message, self._requests.message, say_weight(self._centroid, self._model))
        messages = tuple(
            m for m in (self._fault, infeasible, *asked, *command.messages, *self._grippers.messages, *status.messages) if m
        )
        snapshot = Snapshot(
            time=state.time,
            cycle=self._cycle - 1,
            robot=self._model.description.name,
            mode=switcher.mode.profile.name,
            stop=self._stop,
            q=state.q,
            position_com_in_world=self._controller.position_com_in_world,
            contact_wrenches=state.contact_wrenches,
            reference=self._reference,
            left=self._describe_hand(command.left, target_left, status.hands[0]),
            right=self._describe_hand(command.right, target_right, status.hands[1]),
            messages=messages,
            counters=Counters(
                refused_samples=command.refused_samples,
                lost_tracking=command.lost_tracking,
                lost_link=command.lost_link,
                qp_failures_reference=switcher.failures,
                qp_failures_controller=self._controller.failures,
                qp_relaxed_controller=self._controller.relaxed,
                refused_states=self._states.refused,
                refused_commands=self._requests.refused + switcher.refused_commands + self._grippers.refused,
            ),
            input_age=self._last.input_age,
            joint_torques=state.joint_torques,
            gripper_closings=state.gripper_closings,
            report=replace(switcher.output.report, preview=switcher.preview),
            modes=switcher.offers,
        )
        self._mark("report")
        return snapshot

    def _describe_hand(self, hand: HandCommand, target: np.ndarray, effector: int | None) -> HandStatus:
        if effector is None:
            return HandStatus(engaged=hand.engaged, waiting=hand.waiting, target=target)
        return HandStatus(
            engaged=hand.engaged,
            waiting=hand.waiting,
            target=target,
            effector=self._model.effectors[effector].name,
            contact=self._status.find_contact(effector),
            grip=self._grippers.describe(effector, self._last.state),
        )
