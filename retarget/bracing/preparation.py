"""The projection to equilibrium while another mode is still in charge, a part of it each cycle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.settling import project_stepwise
from handhold.retarget.errors import RetargetError
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference

PROGRAMS_PER_CYCLE = 1
"""Programs that are solved in a cycle [-]: 0.2 ms of its 1 ms, beside those of the mode in charge; all at once they would
take 15 to 160 ms, in which nothing is commanded and no stop is followed."""

SAME_POSTURE = 1e-9
"""Entries of two configurations that differ by less are of the same posture [m, rad]."""


class StancePreparation:
    """Prepares a stand on the standing effectors, wherever a reference has them, for the mode that takes charge there."""

    def __init__(self, model: RobotModel, solver: QpSolver, parameters: SeikoParameters | None) -> None:
        """Take what SEIKO is made of.

        Args:
            model: The robot.
            solver: Solves the programs.
            parameters: Of SEIKO; None for the defaults.
        """
        self._model, self._solver, self._parameters = model, solver, parameters
        self._standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
        self._under_way: Preparation | None = None

    def advance(self, before: Reference) -> bool:
        """Go on by a part at what the robot tracks; says whether ``finish`` costs no more time."""
        if self._under_way is None or not self._under_way.begins_at(before.q):
            self._under_way = self._begin(before.q, before)
        return self._under_way.advance()

    def finish(self, q: np.ndarray, before: Reference | None = None) -> Seiko:
        """Return SEIKO in equilibrium near a configuration, and forget what was prepared.

        Args:
            q: The configuration, shape ``(nq,)``.
            before: What the robot tracks there; None where nothing is known of its forces.

        Raises:
            NoEquilibrium: There is none within reach.
        """
        prepared, self._under_way = self._under_way, None
        if prepared is None or not prepared.begins_at(q):
            prepared = self._begin(q, before)
        return prepared.finish()

    def _begin(self, q: np.ndarray, before: Reference | None) -> Preparation:
        stance = Stance.of_reference(self._model, self._standing)
        seiko = Seiko(self._model, stance, q, self._solver, self._parameters)
        if before is not None:
            _bear_as_before(seiko, before.contact_wrenches)
        return Preparation(seiko, self._solver)


def _bear_as_before(seiko: Seiko, wrenches: np.ndarray) -> None:
    """Take over the forces of what was tracked, shape ``(effectors, 6)``, where they are feasible and the smallest are not.

    A robot that stands mostly on one foot may bear feasibly, and not by the smallest forces that balance it: those know of no
    limit. No posture has to be sought then.
    """
    if seiko.shortcomings.none:
        return
    smallest = seiko.wrenches
    seiko.wrenches = seiko.stance.stack(wrenches)
    seiko.refresh()
    if not seiko.shortcomings.none:
        seiko.wrenches = smallest
        seiko.refresh()


class Preparation:
    """Projects one posture to equilibrium, a few programs at a time."""

    def __init__(self, seiko: Seiko, solver: QpSolver) -> None:
        """Begin at the posture that SEIKO was made in."""
        self._seiko = seiko
        self._start = seiko.q.copy()
        self._steps: Iterator[None] = project_stepwise(seiko, solver)
        self._error: RetargetError | None = None
        self._over = False

    def begins_at(self, q: np.ndarray) -> bool:
        """Whether it is of the posture of a configuration, shape ``(nq,)``."""
        return bool(np.abs(q - self._start).max() <= SAME_POSTURE)

    def advance(self, programs: int = PROGRAMS_PER_CYCLE) -> bool:
        """Solve a few programs more; says whether all is done, for ``finish`` to give or to refuse at once."""
        for _ in range(programs):
            self._step()
        return self._over

    def finish(self) -> Seiko:
        """Return SEIKO, in equilibrium.

        Raises:
            NoEquilibrium: There is none within reach.
        """
        while not self._over:
            self._step()
        if self._error is not None:
            raise self._error
        return self._seiko

    def _step(self) -> None:
        if self._over:
            return
        try:
            self._over = next(self._steps, self) is self
        except RetargetError as error:
            # reported by whoever takes charge: a preparation is nobody's fault
            self._error, self._over = error, True
