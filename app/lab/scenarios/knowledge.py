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
from handhold.robots.robot import RobotState


class Knowledge:
    """Surfaces for the cycle, with the places that are proposed on them as in a session."""

    def __init__(self, told: tuple[Surface, ...], see: See | None = None, proposer: Proposer | None = None) -> None:
        """Begin with what is told.

        Args:
            told: What is known without a camera; where there is one, it has to see all.
            see: Tells what a camera has seen; None where there is none.
            proposer: Proposes places; None for none.
        """
        self._see, self._proposer = see, proposer
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
        if self._proposer is None:
            return self._seen
        if snapshot is not None:
            proposal = self._proposer.consider(replace(snapshot, measured_at=now), self._seen, now)
            self._proposal = proposal or self._proposal
        self._surroundings.update(self._sighting, now, self._proposal)
        return self._surroundings.surfaces


See = Callable[[RobotState], tuple[Surface, ...]]
"""Tells the surfaces that a camera has seen at a state of the robot; the same object until an image changes it."""


def see_by(sight: Sight, solid_poses: Callable[[], np.ndarray]) -> See:
    """See by a camera, the robot's own, in a world whose solids are where they are told to be."""
    return lambda state: sight.update(state.time, state.q, solid_poses)
