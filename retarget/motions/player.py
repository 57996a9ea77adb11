"""Plays a motion: starts, pauses, goes on and runs back, without a jump of position, velocity or acceleration."""

from __future__ import annotations

from enum import Enum

from handhold.retarget.motions.chart import ChartState
from handhold.retarget.motions.path import MotionPath
from handhold.retarget.motions.rest import BRAKING, compute_rate, compute_way


class Playing(Enum):
    """What a player does."""

    RESTING = "resting"
    STARTING = "starting"
    PLAYING = "playing"
    STOPPING = "stopping"


class Player:
    r"""Moves along a path at a rate between rest and the motion's own speed.

    The place on the path is :math:`s(t)` with :math:`\dot s = \pm r`, r from 0 to 1 and back with a continuous slope, so that
    the posture's acceleration :math:`x'' \dot s^2 + x' \ddot s` is continuous too. It stops only where the check of the motion
    has found that it may (see ``rest``), hence not always at once.

    Attributes:
        path: Where it goes.
        place: Time on the path [s].
        way: 1 while it goes on, -1 while it runs back.
        wanted: What was asked: 1 to go on, -1 to run back, 0 to stop.
        on_all: Whether it is to stop only where the robot stands on all that it stands on at the ends.
        doing: What it does.
    """

    def __init__(self, path: MotionPath) -> None:
        """Rest where the path begins."""
        self.path = path
        self.place = path.start
        self.way = self.wanted = 0
        self.on_all = False
        self.doing = Playing.RESTING
        # Time since it began to start or to stop, and where it began or will end to.
        self._since, self._mark = 0.0, path.start

    @property
    def finished(self) -> bool:
        """Whether it rests at the end of the path that it was asked to go to; at either where it was asked to stop."""
        ends = (self.path.start, self.path.end) if self.wanted == 0 else (self._find_end(self.wanted),)
        return self.doing is Playing.RESTING and self.place in ends

    def step(self, dt: float) -> ChartState:
        """Go on by ``dt`` and return the posture, with its derivatives as it is really played."""
        rate, growth = self._advance(dt)
        state = self.path.sample(self.place)
        speed, gain = self.way * rate, self.way * growth
        return ChartState(x=state.x, rate=speed * state.rate, acceleration=speed**2 * state.acceleration + gain * state.rate)

    def _advance(self, dt: float) -> tuple[float, float]:
        """Move along the path; return how fast, and how fast that grows."""
        if self.doing is Playing.RESTING:
            if self.wanted == 0 or self.place == self._find_end(self.wanted):
                return 0.0, 0.0
            self.doing, self.way, self._since, self._mark = Playing.STARTING, self.wanted, 0.0, self.place
        if self.doing is Playing.STARTING:
            return self._start(dt)
        if self.doing is Playing.PLAYING:
            return self._play(dt)
        return self._stop(dt)

    def _start(self, dt: float) -> tuple[float, float]:
        self._since += dt
        self.place = self._mark + self.way * compute_way(self._since)
        if self._since >= BRAKING:
            self.doing = Playing.PLAYING
        return compute_rate(self._since)

    def _play(self, dt: float) -> tuple[float, float]:
        goal = (
            self._find_end(self.way)
            if self.wanted == self.way
            else self.path.find_stop(self.place, self.way, on_all=self.on_all)
        )
        braking_place = goal - 0.5 * self.way * BRAKING
        beyond = self.way * (self.place + self.way * dt - braking_place)
        if beyond < 0.0:
            self.place += self.way * dt
            return 1.0, 0.0
        # It begins to brake within this step, so that it comes to rest exactly there.
        self.doing, self._mark, self._since = Playing.STOPPING, goal, beyond - dt
        return self._stop(dt)

    def _stop(self, dt: float) -> tuple[float, float]:
        self._since += dt
        left = BRAKING - self._since
        self.place = self._mark - self.way * compute_way(left)
        rate, growth = compute_rate(left)
        if left <= 0.0:
            self.doing, self.place = Playing.RESTING, self._mark
        return rate, -growth

    def _find_end(self, way: int) -> float:
        return self.path.end if way > 0 else self.path.start
