"""From samples of the operator to what a mode may follow: every loss of the operator is dealt with here."""

from __future__ import annotations

import numpy as np

from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.command import OperatorCommand
from handhold.retarget.engagement.filters import FilterLimits
from handhold.retarget.engagement.hand_engagement import HandEngagement
from handhold.retarget.engagement.human_screening import HumanScreen
from handhold.retarget.engagement.latched_stop import NOT_STOPPED, ask_stop, step_stop
from handhold.retarget.engagement.presence import Presence
from handhold.retarget.engagement.sticks import remove_dead_zone, remove_round_dead_zone
from handhold.retarget.mode import ModeStatus

_STANDING_STILL = np.zeros(3)
_STANDING_STILL.setflags(write=False)


class Engagement:
    """What the operator holds of the robot.

    A hand moves the robot's while its squeeze is held, relative to where both were when it closed. Nothing that comes back
    (a hand, the link, the headset, the end of a stop) moves anything: squeezes and buttons must be released and pressed again,
    sticks released, triggers brought to where they were.
    """

    def __init__(self, limits: FilterLimits | None = None) -> None:
        """Begin with nothing engaged.

        Args:
            limits: How fast the hands' targets may follow the operator.

        Raises:
            UnusableLimits: The limits contradict each other.
        """
        limits = limits or FilterLimits()
        self._presence = Presence()
        self._stop = NOT_STOPPED
        self._left = HandEngagement("left", limits)
        self._right = HandEngagement("right", limits)
        self._human = HumanScreen()

    @property
    def displayed_targets(self) -> tuple[np.ndarray, np.ndarray]:
        """Targets of the left and the right hand as the mode has moved them by now, in world, homogeneous, ``(4, 4)`` each."""
        return self._left.displayed_target, self._right.displayed_target

    def follow_mode(self, status: ModeStatus) -> None:
        """Take over from the mode in charge how far it moves the hands by itself; called once a cycle."""
        for hand, effector in zip((self._left, self._right), status.hands, strict=True):
            hand.offset = None if effector is None else status.hand_offsets.get(effector)

    def clear_stop(self) -> None:
        """End a latched stop of either kind: for the application, once someone has checked the robot."""
        self._stop = NOT_STOPPED

    def restart(self, *, left: bool = True, right: bool = True) -> None:
        """Disengage hands and begin at the reference poses of the next step.

        For when something else than the operator has moved what a hand commands.
        """
        if left:
            self._left.restart()
        if right:
            self._right.restart()

    def release(self) -> None:
        """Disengage both hands, and read sticks, buttons and triggers only once they have been released.

        For when another mode takes charge: a stick that is pushed to walk must not lean the robot that stands.
        """
        for hand in (self._left, self._right):
            hand.restart()
            hand.controls.release()

    def update(
        self,
        operator_input: OperatorInput,
        reached_left: np.ndarray | None,
        reached_right: np.ndarray | None,
        dt: float,
    ) -> OperatorCommand:
        """Move the hands' targets one step.

        Args:
            operator_input: Newest sample of the operator, with its age; the same one again where none has come.
            reached_left: Reference pose of the left hand's effector in world, homogeneous, shape ``(4, 4)``; None where the
                robot has no such hand.
            reached_right: The same of the right hand.
            dt: Length of the step [s].

        Returns:
            What the mode is to follow: targets are without what it adds to them itself (see ``follow_mode``).
        """
        self._presence.update(operator_input, dt)
        self._follow_stop(operator_input, dt)
        accepted_left, accepted_right = self._screen(operator_input, dt)
        human = operator_input.human if self._presence.linked else None
        self._human.update(human, operator_input.time, dt)
        obstacle = self._find_obstacle(can_stop=operator_input.can_stop)
        held = bool(self._stop.kind) or not self._presence.linked
        speed = self._presence.speed
        left = self._left.update(reached_left, obstacle, dt, accepted=accepted_left, held=held, speed=speed)
        right = self._right.update(reached_right, obstacle, dt, accepted=accepted_right, held=held, speed=speed)
        com_velocity, yaw_rate = self._read_sticks()
        return OperatorCommand(
            left=left,
            right=right,
            com_velocity=com_velocity,
            yaw_rate=yaw_rate,
            menu_pressed=self._left.controls.pressed.menu or self._right.controls.pressed.menu,
            stop=self._stop.kind,
            speed=speed,
            messages=tuple(m for m in (obstacle, self._left.message, self._right.message, self._describe_human()) if m),
            refused_samples=self._left.refused + self._right.refused + self._human.refused,
            lost_tracking=self._left.lost_tracking + self._right.lost_tracking,
            lost_link=self._presence.lost_link,
            attended=not obstacle,
            human=self._human.human,
            lost_humans=self._human.losses,
        )

    def _follow_stop(self, operator_input: OperatorInput, dt: float) -> None:
        # A stop counts even in a sample whose pose is refused, and whoever holds the sticks.
        presence = self._presence
        may_resume = presence.linked and presence.focused and not (self._left.squeezed or self._right.squeezed)
        self._stop = step_stop(
            ask_stop(self._stop, operator_input.stop, may_resume=may_resume),
            pressed=operator_input.left.buttons.stick and operator_input.right.buttons.stick,
            may_resume=may_resume,
            dt=dt if presence.linked else 0.0,
        )

    def _screen(self, operator_input: OperatorInput, dt: float) -> tuple[bool, bool]:
        presence = self._presence
        if presence.changed:
            self._left.forget()
            self._right.forget()
        left, right = (operator_input.left, operator_input.right) if presence.fresh else (None, None)
        return (
            self._left.take(left, dt, linked=presence.linked),
            self._right.take(right, dt, linked=presence.linked),
        )

    def _find_obstacle(self, *, can_stop: bool) -> str:
        if self._stop.kind is Stop.DAMP:
            return "damped: restart the robot"
        if self._stop.kind is Stop.HOLD:
            return "stopped: let go with both hands, then lift the stop"
        if not self._presence.linked:
            return "no word from the operator's station: check that it runs, and the network"
        if not self._presence.focused:
            return "nobody is there: put the headset on, or open the page"
        if not can_stop:
            return "nothing is bound to the stop: bind a control to it in the device's own settings"
        return ""

    def _describe_human(self) -> str:
        return f"the suit's sample is refused: {self._human.fault}" if self._human.fault else ""

    def _read_sticks(self) -> tuple[np.ndarray, float]:
        """Compute the velocity of the centre of mass (forward, left, up) and the turning rate, slowed with the link."""
        speed = self._presence.speed
        right, forward = remove_round_dead_zone(self._left.controls.stick)
        turn, up = (remove_dead_zone(x) for x in self._right.controls.stick)
        if not (right or forward or up):
            return _STANDING_STILL, -speed * turn
        velocity = speed * np.array([forward, -right, up])
        velocity.setflags(write=False)
        return velocity, -speed * turn
