"""What an operator sees in a world from a view: pictures that together show every element of the interface."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from handhold.app.lab.benches.render_scene import EverythingShown
from handhold.app.lab.gallery.parts import make_modes, make_steps, raise_hand, raise_wrist
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import OperatorSample
from handhold.devices.stop import Stop
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.wheel import Page
from handhold.render.scene import Scene
from handhold.render.snapshot import Snapshot

PIXELS = 400
"""Width and height of a picture: a line of small text is three pixels high."""
WIDE = FieldOfView(left=-1.4, right=1.4, up=1.4, down=-1.4)
"""What an operator takes in who moves the eyes: 109 deg."""
GAZES = {0.0: (0.4, 0.26, -0.38), 0.7: (0.5, 0.42, -0.3)}
"""How far down the head looks [rad], ahead and at what is done, and where the hands are meanwhile: before the head, to its
sides and above it [m]. Who cannot see past a hand moves it."""
REFUSAL = "let go of both squeezes first"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Picture:
    """One picture that is drawn.

    Attributes:
        situation: What the operator does, for people.
        gaze: How far down the head looks [rad].
        scene: What is to be seen.
        eye: Who sees it.
    """

    situation: str
    gaze: float
    scene: Scene
    eye: Eye


def make_pictures(shown: EverythingShown, world: str, view: Viewpoint) -> Iterator[Picture]:
    """Yield what is seen in a world from a view in every situation, in every direction of gaze."""
    shown.enter(world, Settings(view=view))
    snapshot = shown.make_snapshot(0)
    snapshot = replace(snapshot, modes=make_modes(), report=replace(snapshot.report, footsteps=make_steps()))
    for situation, known, state in _list_situations(shown, snapshot):
        scene = shown.compose(known, state, 0)
        for gaze in GAZES:
            yield Picture(situation=situation, gaze=gaze, scene=scene, eye=_make_eye(shown.make_sample(0), gaze))


def _list_situations(shown: EverythingShown, snapshot: Snapshot) -> tuple[tuple[str, Snapshot, ViewState], ...]:
    at_work = shown.follow(shown.make_sample(0), snapshot)
    opened = shown.follow(_press_menu(shown.make_sample(1)), snapshot)
    assert opened.wheel is not None
    choosing = replace(opened, wheel=replace(opened.wheel, pointed=2))
    settings = replace(opened, wheel=replace(opened.wheel, page=Page.SETTINGS, pointed=3), note=REFUSAL)
    stopped = replace(snapshot, stop=Stop.HOLD)
    return (
        ("at work", snapshot, replace(at_work, note=REFUSAL, announcing=1.0)),
        ("at the wheel", snapshot, choosing),
        ("in the settings", snapshot, settings),
        ("stopped", stopped, at_work),
        ("stopped, at the wheel", stopped, choosing),
    )


def _press_menu(sample: OperatorSample) -> OperatorSample:
    return replace(sample, left=replace(sample.left, buttons=Buttons(menu=True)))


def _make_eye(sample: OperatorSample, gaze: float) -> Eye:
    """Return an eye that looks so far down from where the head is, before it both hands, the left one as one reads a watch."""
    assert sample.head is not None
    level = sample.head.homogeneous
    c, s = math.cos(gaze), math.sin(gaze)
    head = level.copy()
    head[:3, :3] = level[:3, :3] @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    forward, side, up = GAZES[gaze]
    left, right = raise_wrist(level, forward, side, up), raise_hand(level, forward, -side, up)
    return Eye(view=head, field_of_view=WIDE, width=PIXELS, height=PIXELS, head=head, left_hand=left, right_hand=right)
