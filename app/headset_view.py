"""What an operator in a headset sees and has chosen: snapshots and samples go in, scenes and masked samples come out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from handhold.devices.operator_input import OperatorInput
from handhold.render.compose import complete, compose_world, count_age_steps, let_age
from handhold.render.scene import Scene
from handhold.render.settings import Settings
from handhold.render.snapshot import Snapshot
from handhold.render.stage import Stage
from handhold.render.streams import Streams
from handhold.render.view_state import ViewState, mask
from handhold.render.view_step import step
from handhold.retarget.stick_stop import StickStop, speak, step_stick_stop

STOP_KNOWN_FOR = 1.0
"""Age of a snapshot up to which the stop that it displays is the robot's [s]: frames that are drawn slowly show older ones."""


class HeadsetView:
    """Keeps the newest snapshot and the state of the operator's interface; reads no clock.

    Attributes:
        state: State of the interface.
        scene: What was composed last.
    """

    def __init__(self, stage: Stage, settings: Settings) -> None:
        """Take robot and world, and what the operator has chosen before."""
        self._stage = stage
        self.state = ViewState(settings=settings, position_eye_in_base=stage.position_eye_in_base)
        self.scene = Scene()
        self._snapshot: Snapshot | None = None
        self._measured_at = 0.0
        self._sample: OperatorInput | None = None
        self._world: _World | None = None
        self._stop = StickStop()

    def show(self, snapshot: Snapshot, now: float) -> None:
        """Note the newest snapshot, and when it was measured: now [s] where it does not tell."""
        self._snapshot = snapshot
        self._measured_at = snapshot.measured_at if math.isfinite(snapshot.measured_at) else now

    def follow(self, sample: OperatorInput, now: float) -> OperatorInput:
        """Let the interface follow the operator by a sample, at a time [s] of the clock of ``show``.

        Returns:
            What the robot is told of the sample.
        """
        dt = 0.0 if self._sample is None else max(0.0, sample.time - self._sample.time)
        self._sample = sample
        self.state = step(self.state, sample, self._snapshot, dt)
        self._stop = step_stick_stop(self._stop, sample, self._find_displayed_stop(now), dt)
        return speak(mask(sample, self.state), self._stop.word)

    def _find_displayed_stop(self, now: float) -> str | None:
        """Return the robot's stop as the operator sees it, or None where nobody knows any more."""
        known = self._snapshot is not None and now - self._measured_at <= STOP_KNOWN_FOR
        return self._snapshot.stop if known and self._snapshot is not None else None

    def name_stop_buttons(self, buttons: str) -> None:
        """Note what is pressed with both hands to stop, for people."""
        if buttons != self.state.stop_buttons:
            self.state = replace(self.state, stop_buttons=buttons)

    def compose(self, now: float) -> Scene:
        """Return all that is to be seen at a time [s].

        What stands in the world is made anew for a snapshot only (and now and then for surfaces that get old), the ages for
        every frame: a picture of a robot that is not heard of says how old it is.
        """
        streams = Streams(snapshot_age=max(0.0, now - self._measured_at))
        shown = replace(self.state, note=self.state.note or self._speak_for_unseen_hands())
        self.scene = complete(self._compose_world(streams.snapshot_age), self._snapshot, shown, streams)
        return self.scene

    def _speak_for_unseen_hands(self) -> str:
        """Return what would be written at a hand that is not tracked, where nobody could read it."""
        if self._snapshot is None or self._sample is None:
            return ""
        hands = ((self._sample.left, self._snapshot.left), (self._sample.right, self._snapshot.right))
        return "; ".join(status.waiting for hand, status in hands if hand.pose is None and status.waiting)

    def _compose_world(self, age: float) -> Scene:
        snapshot, settings = self._snapshot, self.state.settings
        steps = count_age_steps(snapshot, age)
        known = self._world
        if known is None or known.snapshot is not snapshot or (known.settings, known.steps) != (settings, steps):
            scene = compose_world(let_age(snapshot, age), settings, self._stage)
            known = self._world = _World(snapshot, settings, steps, scene)
        return known.scene


@dataclass(frozen=True, eq=False, slots=True)
class _World:
    """What was made of a snapshot and the settings, after so many steps of the surfaces' ages."""

    snapshot: Snapshot | None
    settings: Settings
    steps: int
    scene: Scene
