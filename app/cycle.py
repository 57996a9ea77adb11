"""The control cycle: a function of its arguments that the loop, the scenarios, a replay and the tests all run."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from handhold.app.modes import BUTTONS, ModeChoices, make_modes
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import (
    Counters,
    Footstep,
    HandStatus,
    ModeStatus,
    Preview,
    Snapshot,
    StabilityRegion,
    SwitchStatus,
)
from handhold.retarget.attention import Attention
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.retarget.bracing.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.engagement import Engagement
from handhold.retarget.mode import ComingPose, StabilitySight, Switch
from handhold.retarget.requests import Requests
from handhold.retarget.switcher import MOST_FAILURES, Offer, Switcher
from handhold.robots.actuation import DAMPING
from handhold.robots.base_velocity_filter import BaseVelocityFilter
from handhold.robots.controller import ControllerParameters, WholeBodyController
from handhold.robots.fall import find_ground, has_fallen
from handhold.robots.level import Level
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.reference import Reference
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.state_watch import StateWatch


def no_mark(_stage: str) -> None:
    """Leave a stage of the cycle untimed."""


class Headline(NamedTuple):
    """What changes rarely, and is told in the cycle in which it does.

    Attributes:
        mode: Mode in charge.
        stop: ``""``, ``"hold"`` or ``"damp"``.
        left_engaged: Whether the operator's left hand moves the robot.
        right_engaged: Whether the right one does.
        holding: Why the robot holds, in words; empty while it does not.
    """

    mode: str
    stop: str
    left_engaged: bool
    right_engaged: bool
    holding: str = ""


class _Ran(NamedTuple):
    """What the last cycle was about."""

    command: OperatorCommand
    state: RobotState
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
        mark: Callable[[str], None] = no_mark,
    ) -> None:
        """Take charge of a robot that stands.

        Args:
            model: Robot.
            initial_state: Its state; the first reference is made from it.
            solver: Name of the QP solver of retargeting and controller.
            seiko: Parameters of SEIKO; None for the defaults.
            controller: Parameters of the controller; None for the defaults.
            retargeting: What may change the operator's commands for the sake of stability.
            mark: Called with the name of each stage when it is done, for timing.

        Raises:
            RetargetError: The robot does not stand in a feasible posture.
        """
        self._model = model
        self._level = Level(model)
        self._unsensed = [k for k, effector in enumerate(model.effectors) if not effector.standing]
        self._mark = mark
        self._attention = Attention()
        self._engagement = Engagement()
        self._requests = Requests()
        self._switcher = Switcher(make_modes(model, ModeChoices(solver=solver, seiko=seiko, retargeting=retargeting)))
        self._controller = WholeBodyController(model, make_solver(solver), controller)
        self._reference = self._switcher.enter(initial_state)
        self._hands = self._switcher.mode.hands
        self._states = StateWatch(initial_state)
        self._base_velocity = BaseVelocityFilter()
        self._base_acceleration = np.zeros(3)
        self._ground = find_ground(model, model.effector_poses(initial_state.q))
        self._cycle = 0
        self._ran: _Ran | None = None
        # Why the robot is damped for good, in words; empty while it is not.
        self._given_up = ""

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
        """Run one cycle, see ``step``, and leave it to ``report`` to tell of it: viewers see only some of them."""
        state = self._estimate(self._states.take(robot_state))
        command = self._understand_operator(operator_input, dt)
        self._mark("operator")
        fault = "the robot's state is lost" if self._states.lost else ""
        self._reference = self._switcher.update(command, state, surfaces, dt, fault=fault)
        self._mark("retarget")
        joint_command = self._command_joints(command, state)
        self._mark("controller")
        self._cycle += 1
        self._ran = _Ran(command, state, operator_input.age)
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
        )

    @property
    def reference(self) -> Reference:
        """What the controller tracked in the last cycle."""
        return self._reference

    @property
    def headline(self) -> Headline:
        """What must be told of the last cycle at once, whenever viewers are told of the rest."""
        command = self._last.command
        switcher = self._switcher
        return Headline(switcher.mode.name, self._stop, command.left.engaged, command.right.engaged, switcher.holding)

    @property
    def _stop(self) -> str:
        return "damp" if self._given_up else self._last.command.stop

    @property
    def _last(self) -> _Ran:
        assert self._ran is not None, "no cycle has run yet"
        return self._ran

    def _understand_operator(self, operator_input: OperatorInput, dt: float) -> OperatorCommand:
        mode = self._switcher.mode
        # What a hand commands is another thing now, or has been moved: the command of before is not for it.
        at_once = self._switcher.changed or mode.hands != self._hands or bool(mode.restarted)
        elapsed = self._attention.look(operator_input, dt, at_once=at_once)
        return self._read_operator(operator_input, elapsed) if elapsed > 0.0 else self._last.command.pass_on()

    def _read_operator(self, operator_input: OperatorInput, dt: float) -> OperatorCommand:
        switcher = self._switcher
        before, self._hands = self._hands, switcher.mode.hands
        restarted = switcher.mode.restarted
        anew = [now != then or now in restarted for now, then in zip(self._hands, before, strict=True)]
        self._engagement.start_anew(left=anew[0], right=anew[1])
        if switcher.changed:
            self._engagement.let_go()
        left, right = (None if hand is None else self._place_hand(hand) for hand in self._hands)
        command = self._engagement.update(operator_input, left, right, dt)
        self._obey(operator_input.request or self._read_buttons(command), dt)
        return command

    def _read_buttons(self, command: OperatorCommand) -> str:
        """Return what the operator asks for by a button that the mode in charge does not read; empty for nothing."""
        pressed = command.left.secondary_pressed or command.right.secondary_pressed
        return BUTTONS.get(self._switcher.mode.name, "") if pressed else ""

    def _place_hand(self, hand: int) -> np.ndarray:
        """Return where a hand's reference would be had the mode itself not moved it since its clutch closed."""
        pose = self._reference.effector_poses[hand]
        way = self._switcher.mode.carry(hand)
        return pose if way is None else np.asarray(np.linalg.solve(way, pose))

    def _obey(self, request: str, dt: float) -> None:
        switcher, mode = self._switcher, self._switcher.mode
        asked = self._requests.take(request, switcher.names, dt, switches=tuple(switch.name for switch in mode.switches))
        if asked is not None:
            kind, name = asked
            {"mode": switcher.ask, "preview": switcher.look, "switch": mode.switch}[kind](name)

    def _command_joints(self, command: OperatorCommand, state: RobotState) -> JointCommand:
        self._given_up = self._given_up or self._find_reason_to_give_up(state)
        if self._given_up or command.stop == "damp":
            return self._damp(state)
        joint_command = self._controller.track(self._reference, state)
        self._base_acceleration = self._controller.base_acceleration
        self._level.update(
            self._controller.effector_poses, (state.q[:3], self._controller.velocity_com), state, learns=self._measures_all()
        )
        self._ground = find_ground(self._model, self._controller.effector_poses)
        return joint_command

    def _measures_all(self) -> bool:
        """Whether nothing but what has a sensor touches anything: only then it is known what bears the robot."""
        mode = self._switcher.mode
        return all(mode.describe_contact(hand) == "free" for hand in self._unsensed)

    def _find_reason_to_give_up(self, state: RobotState) -> str:
        if has_fallen(self._model, state, self._ground):
            return "fallen"
        if self._states.hopeless:
            return "damped: the robot's state is lost"
        if self._controller.failures_in_a_row >= MOST_FAILURES:
            return "damped: the controller finds no torques"
        return ""

    def _damp(self, state: RobotState) -> JointCommand:
        self._controller.rest()
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
        switcher, mode = self._switcher, self._switcher.mode
        command, state = self._last.command, self._last.state
        infeasible = "" if command.stop or command.speed <= 0.0 else switcher.holding
        asked = (switcher.message, self._requests.message)
        messages = tuple(m for m in (self._given_up, infeasible, *asked, *command.messages, *mode.messages) if m)
        snapshot = Snapshot(
            time=state.time,
            cycle=self._cycle - 1,
            robot=self._model.description.name,
            mode=mode.name,
            stop=self._stop,
            q=state.q,
            position_com_in_world=self._controller.position_com_in_world,
            contact_wrenches=state.contact_wrenches,
            reference=self._reference,
            left=self._describe_hand(command.left, mode.hands[0]),
            right=self._describe_hand(command.right, mode.hands[1]),
            active_constraints=mode.active,
            messages=messages,
            counters=Counters(
                refused_samples=command.refused_samples,
                lost_tracking=command.lost_tracking,
                lost_link=command.lost_link,
                qp_failures_reference=switcher.failures,
                qp_failures_controller=self._controller.failures,
                qp_relaxed_controller=self._controller.relaxed,
                refused_states=self._states.refused,
                refused_commands=self._requests.refused + switcher.refused_commands,
            ),
            input_age=self._last.input_age,
            joint_torques=state.joint_torques,
            region=_describe_stability(mode.stability),
            coming_region=_describe_stability(mode.coming_stability),
            preview=_describe_coming(switcher.coming),
            footsteps=tuple(Footstep(side=step.side, pose=step.pose, delay=step.delay) for step in mode.footsteps),
            modes=tuple(_describe_offer(offer) for offer in switcher.offers),
            switches=tuple(_describe_switch(switch) for switch in mode.switches),
        )
        self._mark("report")
        return snapshot

    def _describe_hand(self, hand: HandCommand, effector: int | None) -> HandStatus:
        way = None if effector is None else self._switcher.mode.carry(effector)
        return HandStatus(
            engaged=hand.engaged,
            waiting=hand.waiting,
            target=hand.target if way is None else way @ hand.target,
            effector="" if effector is None else self._model.effectors[effector].name,
            contact="free" if effector is None else self._switcher.mode.describe_contact(effector),
        )


def _describe_offer(offer: Offer) -> ModeStatus:
    return ModeStatus(name=offer.name, title=offer.title, feasible=not offer.obstacle, reason=offer.obstacle)


def _describe_switch(switch: Switch) -> SwitchStatus:
    return SwitchStatus(name=switch.name, title=switch.title, on=switch.on)


def _describe_coming(coming: ComingPose | None) -> Preview | None:
    if coming is None:
        return None
    return Preview(
        title=coming.title,
        q=coming.q,
        feasible=coming.feasible,
        reason=coming.reason,
        region=_describe_stability(coming.stability),
    )


def _describe_stability(sight: StabilitySight | None) -> StabilityRegion | None:
    if sight is None:
        return None
    return StabilityRegion(
        vertices=sight.vertices,
        height=sight.height,
        margin=sight.margin,
        edge=sight.edge,
        limit=sight.limit.replace("_", " "),
    )
