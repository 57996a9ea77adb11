"""What an operator sees of refusals: whether each was reported, with a reason that is true."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.app.lab.scenarios.refusals import Situation, is_true
from handhold.app.lab.scenarios.remedies import is_switching
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

REST_SPEED = 0.01
"""Speed of the reference's centre of mass under which it is at rest [m/s]."""

LOADING_RATE = 0.02
"""Rate of a contact's force, as a part of the robot's weight, from which on it is being loaded or unloaded [1/s]: in the
whole-body mode no hand of the operator commands a foot, so that no status tells of its contact."""

UNLOADED = 0.9
"""Part of a contact's minimum force under which it is still to be loaded, or nearly unloaded [-]: a foot that has just touched
bears next to nothing for a second, while the body moves above it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What there is to say of the refusals since the last sample.

    Attributes:
        reported: The messages that told of them.
        true: Whether there were any, and the reason of each is true.
    """

    reported: tuple[str, ...]
    true: bool


class RefusalWatch:
    """Judges refusals by what was seen of the robot until then."""

    def __init__(self, model: RobotModel) -> None:
        """Watch a robot."""
        self._model = model
        self._min_forces = UNLOADED * np.array([effector.min_normal_force for effector in model.effectors])
        self._last_observed = dict.fromkeys(("stopped", "silent", "moved", "switched"), -math.inf)
        self._forces: tuple[float, np.ndarray] | None = None
        self._messages: tuple[str, ...] = ()
        self._refused = 0

    def judge(self, time: float, snapshot: Snapshot, *, silent: bool) -> Verdict | None:
        """Judge what was refused since the last sample; None where nothing was.

        Args:
            time: The time now [s].
            snapshot: What is seen.
            silent: Whether the operator's link is silent.
        """
        self._note_state(time, snapshot, silent=silent)
        verdict = None
        if snapshot.counters.refused_commands > self._refused:
            self._refused = snapshot.counters.refused_commands
            verdict = self._judge(time, snapshot)
        self._messages = snapshot.messages
        return verdict

    def _judge(self, time: float, snapshot: Snapshot) -> Verdict:
        refusals = tuple(message for message in snapshot.messages if "refused: " in message)
        reported = tuple(message for message in refusals if message not in self._messages) or refusals
        ages = {name: time - observed for name, observed in self._last_observed.items()}
        situation = Situation(model=self._model, snapshot=snapshot, **ages)
        return Verdict(reported, bool(reported) and all(is_true(message, situation) for message in reported))

    def _note_state(self, time: float, snapshot: Snapshot, *, silent: bool) -> None:
        half_way = any("half-way" in message for message in snapshot.messages)
        loads = self._note_forces(time, snapshot)
        observed = {
            "stopped": bool(snapshot.stop),
            "silent": silent,
            "moved": bool(np.linalg.norm(snapshot.reference.velocity_com_in_world) > REST_SPEED),
            "switched": is_switching(snapshot) or half_way or loads,
        }
        self._last_observed.update({name: time for name, holds in observed.items() if holds})

    def _note_forces(self, time: float, snapshot: Snapshot) -> bool:
        """Return whether what a contact of the reference bears has changed since the last sample, or is too little."""
        forces = np.linalg.norm(snapshot.reference.contact_wrenches[:, :3], axis=1)
        before, self._forces = self._forces, (time, forces)
        if np.any(snapshot.reference.contacts & (forces < self._min_forces)):
            return True
        if before is None:
            return False
        return bool(np.abs(forces - before[1]).max() > LOADING_RATE * self._model.weight * (time - before[0]))
