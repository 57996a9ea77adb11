"""Plays a motion: starts, pauses, goes on and runs back, without a jump of position, velocity or acceleration."""

from __future__ import annotations

from enum import Enum

from handhold.retarget.motions.chart import ChartState
from handhold.retarget.motions.path import MotionPath
from handhold.retarget.motions.rest import BRAKING, compute_played_time, compute_rate


class PlayPhase(Enum):
    """What a player does."""

    AT_REST = "resting"
    STARTING = "starting"
    PLAYING = "playing"
    STOPPING = "stopping"


class Player:
    r"""Moves along a path at a rate between rest and the motion's own speed.

    The time on the path is :math:`s(t)` with :math:`\dot s = \pm r`, r from 0 to 1 and back with a continuous slope, so that
    the posture's acceleration :math:`x'' \dot s^2 + x' \ddot s` is continuous too. It stops only where the check of the motion
    has found that it may (see ``rest``), hence not always at once.

    Attributes:
        path: Where it goes.
        path_time: Time on the path [s].
        direction: 1 while it goes on, -1 while it runs back.
        desired_direction: What was asked: 1 to go on, -1 to run back, 0 to stop.
        full_support: Whether it is to stop only where all support that support at the ends.
        phase: What it does.
    """

    def __init__(self, path: MotionPath) -> None:
        """Rest where the path begins."""
        self.path = path
        self.path_time = path.start
        self.direction = self.desired_direction = 0
        self.full_support = False
        self.phase = PlayPhase.AT_REST
        # Time since it began to start or to stop, and where it began or will end to.
        self._since, self._mark = 0.0, path.start

    @property
    def finished(self) -> bool:
        """Whether it rests at the end of the path that it was asked to go to; at either where it was asked to stop."""
        ends = (self.path.start, self.path.end) if self.desired_direction == 0 else (self._find_end(self.desired_direction),)
        return self.phase is PlayPhase.AT_REST and self.path_time in ends

    def step(self, dt: float) -> ChartState:
        """Go on by ``dt`` and return the posture, with its derivatives as it is really played."""
        rate, growth = self._advance(dt)
        state = self.path.sample(self.path_time)
        speed, gain = self.direction * rate, self.direction * growth
        return ChartState(x=state.x, rate=speed * state.rate, acceleration=speed**2 * state.acceleration + gain * state.rate)

    def _advance(self, dt: float) -> tuple[float, float]:
        """Move along the path; return how fast, and how fast that grows."""
        if self.phase is PlayPhase.AT_REST:
            if self.desired_direction == 0 or self.path_time == self._find_end(self.desired_direction):
                return 0.0, 0.0
            self.phase, self.direction, self._since, self._mark = (
                PlayPhase.STARTING,
                self.desired_direction,
                0.0,
                self.path_time,
            )
        if self.phase is PlayPhase.STARTING:
            return self._start(dt)
        if self.phase is PlayPhase.PLAYING:
            return self._play(dt)
        return self._stop(dt)

    def _start(self, dt: float) -> tuple[float, float]:
        self._since += dt
        self.path_time = self._mark + self.direction * compute_played_time(self._since)
        if self._since >= BRAKING:
            self.phase = PlayPhase.PLAYING
        return compute_rate(self._since)

    def _play(self, dt: float) -> tuple[float, float]:
        goal = (
            self._find_end(self.direction)
            if self.desired_direction == self.direction
            else self.path.find_stop(self.path_time, self.direction, full_support=self.full_support)
        )
        braking_start = goal - 0.5 * self.direction * BRAKING
        beyond = self.direction * (self.path_time + self.direction * dt - braking_start)
        if beyond < 0.0:
            self.path_time += self.direction * dt
            return 1.0, 0.0
        # It begins to brake within this step, so that it comes to rest exactly there.
        self.phase, self._mark, self._since = PlayPhase.STOPPING, goal, beyond - dt
        return self._stop(dt)

    def _stop(self, dt: float) -> tuple[float, float]:
        self._since += dt
        left = BRAKING - self._since
        self.path_time = self._mark - self.direction * compute_played_time(left)
        rate, growth = compute_rate(left)
        if left <= 0.0:
            self.phase, self.path_time = PlayPhase.AT_REST, self._mark
        return rate, -growth

    def _find_end(self, direction: int) -> float:
        return self.path.end if direction > 0 else self.path.start
