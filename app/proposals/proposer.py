"""When places to brace are looked for, and for which posture."""

from __future__ import annotations

import numpy as np

from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.proposal import Proposal, propose
from handhold.retarget.bracing.candidates.search import CandidateSearch
from handhold.retarget.bracing.mode import BracingMode
from handhold.robots.contact import Stance
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference

PERIOD = 1.0
"""Time from one search to the next [s]: each takes 100 to 1700 kernels, 740 in the median."""


class Proposer:
    """Searches now and then while the robot braces."""

    def __init__(self, model: RobotModel) -> None:
        """Make what a search needs."""
        self._model = model
        self._search = CandidateSearch(model)
        self._next = 0.0

    def consider(self, snapshot: Snapshot, surfaces: tuple[Surface, ...], now: float) -> Proposal | None:
        """Propose places for the posture of a snapshot; None where none are of use now.

        Args:
            snapshot: The newest one.
            surfaces: What is known of the surroundings.
            now: Clock of the host [s].
        """
        if now < self._next or snapshot.mode != BracingMode.profile.name or not surfaces:
            return None
        self._next = now + PERIOD
        posture = read_posture(self._model, snapshot.reference)
        return propose(self._search, snapshot.measured_at, posture, surfaces)


def read_posture(model: RobotModel, reference: Reference) -> HeldPosture:
    """Return how the robot stands by its reference."""
    contacts = np.flatnonzero(reference.contacts).tolist()
    stance = Stance.of_reference(model, contacts, {effector: reference.contact_normals[effector] for effector in contacts})
    return HeldPosture(
        q=reference.q,
        effectors=stance.effectors,
        contact_poses=reference.effector_poses,
        normals=reference.contact_normals,
        min_forces=np.array([effector.min_normal_force for effector in model.effectors]),
        position_com=reference.position_com_in_world[:2],
    )
