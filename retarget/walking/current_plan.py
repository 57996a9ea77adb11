"""The plan that a gait follows until the next one, and how often planning failed."""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.mode_report import Footstep
from handhold.retarget.walking.foothold_choice import ChosenFoothold
from handhold.retarget.walking.step_planner import StepPlan
from handhold.retarget.walking.timing import Phase
from handhold.robots.description import Walking


class CurrentPlan:
    """The latest plan with a solution, how old it is, and when the next is due.

    Attributes:
        plan: None before the first one.
        foothold: What was last chosen for the footstep to come because of the ground; None for nothing.
        failures: Programs without any solution so far; the last plan goes on meanwhile.
        failures_in_a_row: How many of them since the last with one.
        infeasible: Programs so far whose initial state had to be moved for the constraints to hold.
    """

    def __init__(self, walking: Walking) -> None:
        """Begin without a plan, the first one due at once, in the usual timing."""
        self._walking = walking
        self.plan: StepPlan | None = None
        self.foothold: ChosenFoothold | None = None
        self._age = 0.0
        self._since_attempt = math.inf
        self.failures = self.failures_in_a_row = self.infeasible = 0

    @property
    def timing(self) -> Walking:
        """How long phases last in the plan."""
        return self._walking if self.plan is None else self.plan.timing

    @property
    def feasible(self) -> bool:
        """Whether the plan holds the centre of mass without moving its state."""
        return self.plan is None or self.plan.solution.feasible

    def is_due(self, period: float, dt: float) -> bool:
        """Whether the next plan is due within a step of ``dt`` [s], where plans are made every ``period`` [s]."""
        return self._since_attempt >= period - 0.5 * dt

    def request(self) -> None:
        """Make the next plan due at once."""
        self._since_attempt = math.inf

    def forget_foothold(self) -> None:
        """Choose the next foothold without regard to the last one."""
        self.foothold = None

    def update(self, plan: StepPlan | None) -> None:
        """Follow a new plan from its beginning; the last one goes on where none was found."""
        self._since_attempt = 0.0
        if plan is None:
            self.failures += 1
            self.failures_in_a_row += 1
            return
        self.failures_in_a_row = 0
        self.infeasible += not plan.solution.feasible
        self.plan, self._age = plan, 0.0
        self.foothold = plan.chosen or self.foothold

    def find_zmp_velocity(self) -> np.ndarray:
        """Find how fast the ZMP is to move now, shape ``(2,)`` [m/s]."""
        return np.zeros(2) if self.plan is None else self.plan.find_zmp_velocity(self._age)

    def advance(self, dt: float) -> None:
        """Let time pass [s]."""
        self._age += dt
        self._since_attempt += dt

    def list_footsteps(self, phase: Phase, elapsed: float, steps_left: int | None, height: float) -> tuple[Footstep, ...]:
        """List the footsteps that are still to come, see ``StepPlan.list_steps``."""
        return () if self.plan is None else self.plan.list_steps(phase, elapsed, steps_left, height)
