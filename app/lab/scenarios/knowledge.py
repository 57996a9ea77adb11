"""What a robot in a scenario knows of its surroundings, in lockstep, with places to brace where they are proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from handhold.app.camera.sight import Sight
from handhold.app.host.surroundings import Surroundings
from handhold.app.proposals.proposer import Proposer
from handhold.perception.sighting import Sighting
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.candidates.proposal import Proposal
from handhold.robots.robot import RobotState, SimulatedRobot

LOOK_PERIOD = 0.1
"""How often a robot that is told what is around it looks where that is from where it thinks it is [s]."""


class Knowledge:
    """Surfaces for the cycle, with the places that are proposed on them as in a session."""

    def __init__(
        self,
        told: tuple[Surface, ...],
        see: See | None = None,
        proposer: Proposer | None = None,
        find_true: Callable[[], np.ndarray] | None = None,
    ) -> None:
        """Begin with what is told.

        Args:
            told: What is known without a camera; where there is one, it has to see all.
            see: Tells what a camera has seen; None where there is none.
            proposer: Proposes places; None for none.
            find_true: Finds where the robot is, shape ``(nq,)``, where that drifts from where it thinks it is: what is told
                is then seen from there. None where it does not.
        """
        self._see, self._proposer, self._find_true = see, proposer, find_true
        self._next_look = 0.0
        self._seen = told if see is None else ()
        self._surroundings = Surroundings(self._seen, has_camera=see is not None)
        self._sighting: Sighting | None = None
        self._proposal: Proposal | None = None

    def update(self, state: RobotState, snapshot: Snapshot | None) -> tuple[Surface, ...]:
        """Return what is known at a state, after the cycle that a snapshot is of."""
        now = state.time
        if self._see is not None:
            before, self._seen = self._seen, self._see(state)
            if self._seen is not before:
                self._sighting = Sighting(time=now, camera="", surfaces=self._seen)
        elif self._find_true is not None and now >= self._next_look:
            self._next_look = now + LOOK_PERIOD
            self._surroundings.follow_drift(state.q, self._find_true())
            self._seen = self._surroundings.surfaces
        if self._proposer is None:
            return self._seen
        if snapshot is not None:
            proposal = self._proposer.consider(replace(snapshot, measured_at=now), self._seen, now)
            self._proposal = proposal or self._proposal
        self._surroundings.update(self._sighting, now, self._proposal)
        return self._surroundings.surfaces


See = Callable[[RobotState], tuple[Surface, ...]]
"""Tells the surfaces that a camera has seen at a state of the robot; the same object until an image changes it."""


def see_by(sight: Sight, body: SimulatedRobot) -> See:
    """See by the cameras of a robot, from where it truly is, in its world."""
    if body.is_truthful:
        return lambda state: sight.update(state.time, state.q, state.q, body.solid_poses)
    return lambda state: sight.update(state.time, state.q, body.truth.q, body.solid_poses)
