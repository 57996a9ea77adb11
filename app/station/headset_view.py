"""What an operator in a headset sees and has chosen: snapshots and samples go in, scenes and masked samples come out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from handhold.devices.control_names import HandsControlNames
from handhold.devices.display import Display
from handhold.devices.operator_input import OperatorInput
from handhold.devices.operator_sample import OperatorSample
from handhold.devices.stop import Stop
from handhold.render.composition.compose import NOTHING_FADED, age_surfaces, complete, compose_world, count_age_steps
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.composition.fading import begin_fading, fade_solids, find_watched_points, step_fading
from handhold.render.composition.see_through import is_see_through, show_over_room
from handhold.render.elements.balance_disc import DiscView, find_disc_view
from handhold.render.elements.element import Element
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState, mask, update
from handhold.render.interface.view_step import step
from handhold.render.scene import Scene
from handhold.render.snapshot import Snapshot
from handhold.render.streams import NO_VIEWS, CameraViews
from handhold.retarget.engagement.clutch import RELEASE_BELOW
from handhold.retarget.engagement.stick_stop import StickStop, StopChoice, set_stop, step_stick_stop

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
        self._stages = (stage, stage.without_surroundings())
        self.state = ViewState(settings=settings, position_eye_in_base=stage.position_eye_in_base, obstacles=stage.obstacles)
        self.scene = Scene()
        self._snapshot: Snapshot | None = None
        self._measured_at = 0.0
        self._views = NO_VIEWS
        self._sample: OperatorSample | None = None
        self._world: _World | None = None
        self._memory, self._interface_memory = ElementMemory(), ElementMemory()
        self._stop = StickStop()
        self._fading = begin_fading(stage.obstacles.count)

    def show(self, snapshot: Snapshot, now: float) -> None:
        """Note the newest snapshot, and when it was measured: now [s] where that is not reported."""
        self._snapshot = snapshot
        self._measured_at = snapshot.measured_at if math.isfinite(snapshot.measured_at) else now

    def show_views(self, views: CameraViews) -> None:
        """Note what the robot's cameras see."""
        self._views = views

    def follow(self, sample: OperatorSample, now: float) -> OperatorInput:
        """Let the interface follow the operator by a sample, at a time [s] of the clock of ``show``.

        Returns:
            What is sent to the robot of the sample.
        """
        dt = 0.0 if self._sample is None else max(0.0, sample.time - self._sample.time)
        self._sample = sample
        self.state = step(self.state, sample, self._snapshot, dt)
        choice = StopChoice(command=self.state.stop, click_resumes=self.state.controls.may_resume)
        self._stop = step_stick_stop(self._stop, sample, self._find_displayed_stop(now), dt, choice)
        return set_stop(mask(sample, self.state), self._stop.command)

    def _find_displayed_stop(self, now: float) -> Stop | None:
        """Return the robot's stop as the operator sees it, or None where nobody knows any more."""
        known = self._snapshot is not None and now - self._measured_at <= STOP_KNOWN_FOR
        return self._snapshot.stop if known and self._snapshot is not None else None

    def note_display(self, display: Display) -> None:
        """Note what the scene is shown on."""
        if display is not self.state.display:
            self.state = replace(self.state, display=display)

    @property
    def _shows_room(self) -> bool:
        return is_see_through(self.state.display, passthrough=self.state.settings.passthrough)

    def name_controls(self, controls: HandsControlNames) -> None:
        """Note what the controls are called that are bound to the hands."""
        if controls is not self.state.controls:
            self.state = replace(self.state, controls=controls)

    def compose(self, now: float) -> Scene:
        """Return all that is to be seen at a time [s].

        What stands in the world is made anew for a snapshot only (and now and then for surfaces that get old), the ages for
        every frame: a picture of a robot that is not heard of says how old it is.
        """
        streams = self._views.to_streams(max(0.0, now - self._measured_at), now)
        shown = update(self.state, note=self._compose_note())
        faded, world = self._fade_solids(now), self._compose_world(streams.snapshot_age)
        self.scene = complete(world, self._snapshot, shown, streams, faded, self._interface_memory)
        if self._shows_room:
            self.scene = show_over_room(self.scene, self.state.display)
        return self.scene

    def _fade_solids(self, now: float) -> Mapping[Element, Element]:
        """Let solids fade that come between the operator's eye and the robot, by where the head is in the newest sample."""
        stage, snapshot = self._stages[self._shows_room], self._snapshot
        head = None if self._sample is None else self._sample.head
        if snapshot is None or head is None or not stage.solids or not self.state.placed:
            return NOTHING_FADED
        room = self.state.transform_room_to_world
        eye = room[:3, :3] @ head.translation + room[:3, 3]
        points = find_watched_points(snapshot, stage.model, self.state.settings.view, stage.position_eye_in_base)
        self._fading = step_fading(self._fading, stage.obstacles, eye, points, now)
        return fade_solids(self._fading, stage.solids)

    def _compose_note(self) -> str:
        """Return what is said before the eyes: what was refused or ignored, and why hands do not move the robot.

        Of a hand that is not seen it is said beside anything else: nobody who looks there reads it.
        """
        answer = self.state.note or self.state.ignored.words
        unseen, squeezed = self._explain_hands()
        return "\n".join(line for line in (answer, "; ".join(unseen if answer else (*unseen, *squeezed))) if line)

    def _explain_hands(self) -> tuple[list[str], list[str]]:
        """Return why hands that are not seen, and others that are squeezed, do not move the robot."""
        snapshot, sample = self._snapshot, self._sample
        if snapshot is None or sample is None or snapshot.stop:
            return [], []
        hands = ((sample.left, snapshot.left.waiting), (sample.right, snapshot.right.waiting))
        unseen = dict.fromkeys(reason for hand, reason in hands if hand.pose is None and reason not in snapshot.messages)
        squeezed = dict.fromkeys(
            reason
            for hand, reason in hands
            if hand.pose is not None and not hand.squeeze <= RELEASE_BELOW and reason not in (*snapshot.messages, *unseen)
        )
        return list(filter(None, unseen)), list(filter(None, squeezed))

    def _compose_world(self, age: float) -> Scene:
        snapshot, state = self._snapshot, self.state
        choices = state.settings, self._shows_room, count_age_steps(snapshot, age)
        disc_view = find_disc_view(state.trend, state.transform_room_to_world, state.ahead.heading)
        known = self._world
        if known is None or known.snapshot is not snapshot or known.choices != choices or known.disc_view != disc_view:
            scene = compose_world(
                age_surfaces(snapshot, age), state.settings, self._stages[self._shows_room], disc_view, self._memory
            )
            known = self._world = _World(snapshot, choices, disc_view, scene)
        return known.scene


@dataclass(frozen=True, eq=False, slots=True)
class _World:
    """What was made of a snapshot, the settings, whether the room is seen, steps of the surfaces' ages, and the sight."""

    snapshot: Snapshot | None
    choices: tuple[Settings, bool, int]
    disc_view: DiscView
    scene: Scene
