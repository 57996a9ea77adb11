"""Which plan a gait follows next: how many footsteps are still to come, and whether they are quicker than usual."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from handhold.retarget.walking.parameters import GaitParameters
from handhold.retarget.walking.step_planner import GaitState, StepPlan, StepPlanner
from handhold.retarget.walking.timing import Phase
from handhold.robots.description import Walking


class PlanChoice:
    """Chooses among the plans of a step planner."""

    def __init__(self, walking: Walking, planner: StepPlanner, parameters: GaitParameters) -> None:
        """Take over the planner.

        Args:
            walking: How the robot walks.
            planner: Finds the plan for a number of footsteps.
            parameters: What a plan has to keep.
        """
        self._walking, self._planner, self._parameters = walking, planner, parameters

    def choose(self, gait_state: GaitState, timing: Walking, *, stop: bool) -> StepPlan | None:
        """Return the plan of the first count of footsteps that holds the centre of mass and ends with feet level.

        Where no count does in the usual time, quicker footsteps are tried. Where there is none at all the walk ends when it
        would have, unless another count leaves clearly less undone.

        Args:
            gait_state: Where the gait is, with the footsteps still to come by the last plan.
            timing: How long phases last in that one.
            stop: Whether the robot is asked to stand.

        Returns:
            The plan; None where no program has a solution.
        """
        moments = [replace(gait_state, steps_left=count) for count in self._list_counts(gait_state, timing, stop=stop)]
        plans = []
        for shorten, candidate in product((False, True), moments):
            plan = self._planner.plan(candidate, timing, shorten=shorten)
            if plan is not None and plan.solution.feasible and plan.ends_level(self._parameters.level):
                return plan
            plans += [] if plan is None else [plan]
        return min(plans, key=lambda plan: self._rate(plan, gait_state.steps_left), default=None)

    def _list_counts(self, gait_state: GaitState, timing: Walking, *, stop: bool) -> tuple[int | None, ...]:
        """List how many footsteps may still come, None for any number: the preferred one first."""
        left = gait_state.steps_left
        if gait_state.phase in (Phase.STANDING, Phase.ENDING) or gait_state.waits:
            return (left,)
        if not stop:
            return tuple(dict.fromkeys((None, left, 2))) if left is not None else (None,)
        if left is not None:
            return tuple(dict.fromkeys((left, 2, None)))
        late = (
            gait_state.phase is Phase.SINGLE and gait_state.elapsed > self._parameters.decision_phase * timing.single_support
        )
        brisk = self._parameters.brisk * self._walking.longest_step
        fast = abs(gait_state.velocity.forward) * self._walking.step_duration > brisk
        return (2, None) if late or fast else (1, 2, None)

    def _rate(self, plan: StepPlan, steps_left: int | None) -> float:
        """Return what a plan leaves undone [m], and something for an end that is another than before."""
        return plan.residue + (self._parameters.steady if plan.steps_left != steps_left else 0.0)
