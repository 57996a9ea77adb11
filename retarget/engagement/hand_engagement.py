"""One hand of the operator and the hand of the robot it moves."""

from __future__ import annotations

import numpy as np

from handhold.devices.operator_input import HandInput
from handhold.retarget.command import HandCommand
from handhold.retarget.engagement.clutch import ARMED, OPEN, RELEASE_BELOW, step_clutch
from handhold.retarget.engagement.controls import HandControls
from handhold.retarget.engagement.filters import EffectorFilter, FilterLimits
from handhold.retarget.engagement.relative_command import compute_relative_command
from handhold.retarget.engagement.screening import HandScreen

REACHED_TOLERANCE = 0.005
"""Distance of the reference from its target that is no obstacle to it but the price of posture and torques [m].

Within it a hand that is released or taken up keeps its target: taking the reached pose for the target would let the hand slip
by that distance every time.
"""

_NOWHERE = np.full((4, 4), np.nan)
_NOWHERE.setflags(write=False)


class HandEngagement:
    """Screens, clutches and filters one hand.

    A hand that is released or lost brakes at its largest acceleration, then settles on the reference pose the robot's hand has
    come to, so that nothing pulls at it any more; a target that is as good as reached stays the target.

    What the mode itself does to the hand (a body that walks takes it along) is none of the operator's: the clutch and the
    filters are about where the hand would be without, and whoever sees its target sees it with.

    Attributes:
        controls: Trigger, stick and buttons of the hand.
        offset: How far the mode has moved the hand by itself since its clutch closed, in world, homogeneous, shape ``(4, 4)``;
            None where it has not.
        lost_tracking: How often the hand was seen and then was not, while samples came.
    """

    def __init__(self, side: str, limits: FilterLimits) -> None:
        """Make the engagement of the ``"left"`` or ``"right"`` hand."""
        self.controls = HandControls()
        self.offset: np.ndarray | None = None
        self.lost_tracking = 0
        self._side = side
        self._limits = limits
        self._screen = HandScreen()
        self._clutch = OPEN
        self._squeeze = 0.0
        self._filter: EffectorFilter | None = None
        self._target = _NOWHERE
        self._command = _NOWHERE
        self._commanded_by: np.ndarray | None = None
        # Where the hand stays while it is not engaged; None until it has come to rest.
        self._rest_pose: np.ndarray | None = None

    @property
    def refused(self) -> int:
        """Samples refused so far."""
        return self._screen.refused

    @property
    def squeezed(self) -> bool:
        """Whether the operator squeezes, by the last accepted sample."""
        return self._squeeze > RELEASE_BELOW

    @property
    def displayed_target(self) -> np.ndarray:
        """Target of the last step where the mode has taken it by now, in world, homogeneous, shape ``(4, 4)``."""
        return self._target if self.offset is None else self.offset @ self._target

    @property
    def message(self) -> str:
        """What the operator should know of this hand's controls that do not count yet."""
        if self._clutch.engaged and self.controls.trigger_kept:
            return f"{self._side} grip is kept: pull the trigger to where it was"
        if self.controls.stick_waits:
            return f"{self._side} stick: let it go first, it counts from its middle"
        return ""

    def forget(self) -> None:
        """Forget what was latched: poses before and after cannot be compared."""
        self._screen.forget()
        self._open()
        self.controls.release()

    def restart(self) -> None:
        """Disengage, and begin at the reference pose of the next step; a squeeze that only begins then engages there."""
        armed = self._clutch.armed and not self.squeezed
        self._open()
        self._clutch = ARMED if armed else OPEN
        # Where the hand stayed before is not where its effector is now.
        self._rest_pose = None
        self._filter = None

    def take(self, hand: HandInput | None, dt: float, *, linked: bool) -> bool:
        """Take a new sample, or let a step [s] pass without one (None); says whether one was accepted."""
        seen = self._screen.pose is not None
        accepted = hand is not None and self._screen.take(hand)
        if not accepted:
            self._screen.wait(dt)
        sample = self._screen.accepted
        if sample is not None:
            self._squeeze = sample.squeeze
        self.lost_tracking += linked and seen and self._screen.pose is None
        return accepted

    def update(
        self, reached: np.ndarray | None, obstacle: str, dt: float, *, accepted: bool, held: bool, speed: float
    ) -> HandCommand:
        """Move the hand's target one step.

        Args:
            reached: Reference pose of the robot's hand in world, homogeneous, shape ``(4, 4)``; None where it has none.
            obstacle: What keeps the operator from moving anything, in words; empty where nothing does.
            dt: Length of the step [s].
            accepted: Whether a new sample of the hand was accepted in this step.
            held: Whether the whole robot must hold, and comes to rest where it likes.
            speed: Ratio of the largest velocities allowed now, 0 to 1.
        """
        self._target = _NOWHERE
        if reached is not None:
            self._target = self._move(self._remove_offset(reached), obstacle, dt, held=held, speed=speed)
        self._read_controls(obstacle, accepted=accepted)
        return HandCommand(
            engaged=self._clutch.engaged,
            waiting=self._explain(obstacle, reached),
            target=self._target,
            trigger=self.controls.trigger,
            primary_pressed=self.controls.pressed.primary,
            secondary_pressed=self.controls.pressed.secondary,
            secondary_held=self.controls.held.secondary,
        )

    def _remove_offset(self, reached: np.ndarray) -> np.ndarray:
        """Return where the hand's reference would be had the mode itself not moved it since its clutch closed."""
        return reached if self.offset is None else np.asarray(np.linalg.solve(self.offset, reached))

    def _move(self, reached: np.ndarray, obstacle: str, dt: float, *, held: bool, speed: float) -> np.ndarray:
        if self._filter is None:
            self._filter = EffectorFilter(self._limits, reached)
        hand = None if obstacle else self._screen.pose
        self._step_clutch(self._filter, hand, reached)
        if self._clutch.engaged and hand is not None:
            return self._filter.follow(self._compute_command(hand), reached, dt, speed)
        return self._come_to_rest(self._filter, reached, dt, held=held)

    def _step_clutch(self, target: EffectorFilter, hand: np.ndarray | None, reached: np.ndarray) -> None:
        at_rest = self._rest_pose is not None or target.at_rest
        start = reached if self._rest_pose is None else _keep(self._rest_pose, reached)
        clutch = step_clutch(self._clutch, self._squeeze, hand, start, at_rest=at_rest)
        if clutch.engaged and not self._clutch.engaged:
            target.reset(start)
        elif self._clutch.engaged and not clutch.engaged:
            self._open()
        self._clutch = clutch

    def _open(self) -> None:
        if self._clutch.engaged:
            self._rest_pose = None
        self._clutch = OPEN
        self._commanded_by = None

    def _compute_command(self, hand: np.ndarray) -> np.ndarray:
        if hand is not self._commanded_by:
            self._command = compute_relative_command(hand, self._clutch.hand, self._clutch.reference)
            self._commanded_by = hand
        return self._command

    def _come_to_rest(self, target: EffectorFilter, reached: np.ndarray, dt: float, *, held: bool) -> np.ndarray:
        if self._rest_pose is None and not target.at_rest:
            return target.brake(dt)
        if held:
            self._rest_pose = np.array(reached)
        elif self._rest_pose is None:
            self._rest_pose = np.array(_keep(target.target, reached))
        return target.follow(self._rest_pose, reached, dt)

    def _read_controls(self, obstacle: str, *, accepted: bool) -> None:
        sample = self._screen.accepted
        if obstacle or sample is None:
            self.controls.release()
        elif accepted:
            if sample.pose is None:
                self.controls.keep_trigger()
            self.controls.read(sample, engaged=self._clutch.engaged)
        else:
            self.controls.pass_on()

    def _explain(self, obstacle: str, reached: np.ndarray | None) -> str:
        if not self.squeezed or self._clutch.armed:
            return ""
        if obstacle:
            return obstacle
        if reached is None:
            return f"nothing to move with the {self._side} hand in this mode"
        if self._screen.fault:
            return f"{self._side} hand refused ({self._screen.fault}): hold it still"
        if self._screen.pose is None:
            return f"{self._side} hand not seen: bring it into view"
        return "let go, then squeeze again"


def _keep(target: np.ndarray, reached: np.ndarray) -> np.ndarray:
    """Return the target where it is as good as reached, else the reached pose."""
    return target if np.abs(target[:3, 3] - reached[:3, 3]).max() < REACHED_TOLERANCE else reached
