"""From what is known to what is to be seen: pure functions, once a snapshot and once a frame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np

from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.elements.approach import draw_approach
from handhold.render.elements.balance import draw_centres_of_mass, draw_preview_region, draw_region
from handhold.render.elements.balance_disc import DEFAULT_DISC_VIEW, DiscView, draw_balance_disc, find_disc_view
from handhold.render.elements.candidates import draw_candidates
from handhold.render.elements.contacts import draw_footsteps, draw_forces, draw_target
from handhold.render.elements.dial import draw_wheel
from handhold.render.elements.drawing import write
from handhold.render.elements.element import Element, gather
from handhold.render.elements.hand_model import draw_hand_model, draw_tether
from handhold.render.elements.hands import draw_hand_words, draw_wrist_region
from handhold.render.elements.hud import STOP_FRAME, announce_stop, draw_ages, draw_stop, draw_warnings, format_age
from handhold.render.elements.inset import HANDS, draw_inset, find_inset, find_inset_version
from handhold.render.elements.person import draw_lags, draw_person
from handhold.render.elements.robots import compute_ghost, draw_ghost, draw_preview, draw_robot, find_visible
from handhold.render.elements.screen import draw_picture
from handhold.render.elements.stage import Stage
from handhold.render.elements.strip import draw_strip
from handhold.render.elements.support import draw_support
from handhold.render.interface.settings import PicturePosition, Settings, Viewpoint
from handhold.render.interface.view_state import ViewState, find_items
from handhold.render.palette import to_linear
from handhold.render.scene import Cloud, Lines, RobotInstance, Scene, Solids
from handhold.render.snapshot import Snapshot
from handhold.render.streams import OLD_CLOUD, OLD_PICTURE, OLD_ROBOT, PictureFrame, Streams
from handhold.retarget.mode_profile import ModeHints, find_profile
from handhold.retarget.mode_report import PersonReport

PieceT = TypeVar("PieceT", Solids, Lines)

NOTHING_FADED: Mapping[Element, Element] = {}
HEADING_STEP = math.radians(0.1)

POINT_SIZE = 0.008
"""Size of a point of the cloud [m]."""

AGES_STEP = 0.5
"""How often surfaces are drawn again that only get older [s]; they are called old from as long as that."""

OVER_THE_BASE = 0.88
"""Height of the words about an old robot over its base [m]."""

OLD_TINT = to_linear((150, 150, 150), 0.85)
"""Laid over a robot that is only known as it was."""


def compose(
    snapshot: Snapshot | None,
    view: ViewState,
    streams: Streams,
    stage: Stage,
    faded: Mapping[Element, Element] = NOTHING_FADED,
) -> Scene:
    """Return all that the operator is to see.

    It is ``complete(compose_world(age_surfaces(...), ...), ...)``; who draws more often than snapshots come keeps the first
    part.

    Args:
        snapshot: The newest snapshot, or None before the first.
        view: State of the operator's interface.
        streams: What has arrived besides, and how old everything is now.
        stage: Robot and world.
        faded: What is drawn in place of solids that occlude the operator's view (``fading.fade_solids``).
    """
    disc_view = find_disc_view(view.trend, view.transform_room_to_world, view.ahead.heading)
    world = compose_world(age_surfaces(snapshot, streams.snapshot_age), view.settings, stage, disc_view)
    return complete(world, snapshot, view, streams, faded)


def age_surfaces(snapshot: Snapshot | None, age: float) -> Snapshot | None:
    """Return a snapshot whose surfaces are older by its own age [s], in steps of ``AGES_STEP``.

    What stands in the world is made for a snapshot, but while no other comes a surface must not seem as fresh as it was. It is
    the same snapshot where nothing gets older.
    """
    elapsed = count_age_steps(snapshot, age) * AGES_STEP
    if snapshot is None or not elapsed:
        return snapshot
    candidates = tuple(replace(c, age=c.age + elapsed) for c in snapshot.report.candidates)
    return replace(snapshot, report=replace(snapshot.report, candidates=candidates))


def count_age_steps(snapshot: Snapshot | None, age: float) -> int:
    """Return by how many steps what stands in the world is older than its snapshot of this age [s]."""
    if snapshot is None or not snapshot.report.candidates or not math.isfinite(age):
        return 0
    return max(0, math.floor(age / AGES_STEP))


def compose_world(
    snapshot: Snapshot | None,
    settings: Settings,
    stage: Stage,
    disc_view: DiscView = DEFAULT_DISC_VIEW,
    memory: ElementMemory | None = None,
) -> Scene:
    """Return what changes only with a snapshot, the settings or the heading: all that stands in the world or is worn.

    Args:
        snapshot: The newest snapshot, or None before the first.
        settings: The operator's choices.
        stage: Robot and world.
        disc_view: What the region at the operator's waist is drawn by.
        memory: What was drawn of earlier ones: what did not change is the same object in the next scene.
    """
    if snapshot is None or not np.isfinite(snapshot.q).all():
        return gather(stage.surroundings)
    known = memory or ElementMemory()
    known.take(snapshot)
    choices = known.reuse("settings", settings)
    joints = stage.compute_joints(snapshot.q, snapshot.gripper_closings)
    effectors = known.reuse("effectors in world", stage.compute_effectors(joints))
    inside = settings.view is Viewpoint.FIRST_PERSON
    version = find_inset_version(snapshot, settings, stage)
    inset = known.keep("inset", version, lambda: find_inset(snapshot, version, effectors, stage))
    elements: tuple[Element, ...] = (
        *stage.surroundings,
        *_draw_robots(known, snapshot, joints, stage, inside),
        *_draw_balance(known, effectors, stage),
        *_draw_hands(known, effectors, stage),
        *_draw_person(known, snapshot, effectors, stage, inside),
        *known.draw(_draw_candidates),
        *known.draw(_draw_footsteps, stage),
        *known.draw(draw_wrist_region, choices, _find_heading(joints)),
        *known.draw(draw_balance_disc, choices, known.reuse("disc sight", disc_view)),
        *known.draw(draw_strip, stage),
        *draw_inset(inset),
    )
    return gather(elements, inset)


def _draw_robots(
    known: ElementMemory, snapshot: Snapshot, joints: np.ndarray, stage: Stage, from_inside: bool
) -> Iterator[Element]:
    """Draw the robot as measured, as its reference and as the preview of a mode."""
    yield draw_robot(snapshot, joints, stage, from_inside=from_inside)
    yield from _draw_ghost(known, joints, stage, from_inside)
    yield from known.draw(_draw_preview, stage, from_inside)


def _draw_balance(known: ElementMemory, effectors: np.ndarray, stage: Stage) -> Iterator[Element]:
    """Draw the stability region now and of the coming pose, the centres of mass in it, and the contact forces."""
    yield from known.draw(draw_region)
    yield from known.draw(_draw_preview_region)
    yield from known.draw(draw_centres_of_mass)
    yield from known.draw(draw_forces, effectors, stage)


def _draw_hands(known: ElementMemory, effectors: np.ndarray, stage: Stage) -> Iterator[Element]:
    """Draw where each hand is to go, what it comes near, and what it adds where it bears."""
    for hand in HANDS:
        yield from known.draw(_draw_target, hand)
    for hand in HANDS:
        yield from known.draw(_draw_tether, hand)
    for hand in HANDS:
        yield from known.draw(draw_approach, hand)
    for hand in HANDS:
        yield from known.draw(draw_support, hand, effectors, stage)


def _draw_person(
    known: ElementMemory, snapshot: Snapshot, effectors: np.ndarray, stage: Stage, from_inside: bool
) -> Iterator[Element]:
    """Draw whom the robot follows, the same while the person does not move, and what the robot lacks."""
    person = snapshot.report.person
    skeleton = known.reuse("skeleton", None if person is None else replace(person, lags=()))
    yield from known.draw(_draw_skeleton, skeleton, from_inside)
    yield from known.draw(_draw_lags, effectors, stage)


def _draw_skeleton(_: Snapshot, person: PersonReport | None, from_inside: bool) -> tuple[Element, ...]:
    return draw_person(person, from_inside=from_inside)


def _draw_lags(snapshot: Snapshot, effectors: np.ndarray, stage: Stage) -> tuple[Element, ...]:
    return draw_lags(snapshot.report.person, effectors, stage.model)


def _find_heading(joints: np.ndarray) -> float:
    """Return the heading of the base in steps of 0.1 deg, so that what only shows it need not be drawn anew [rad]."""
    return HEADING_STEP * round(math.atan2(joints[1, 1, 0], joints[1, 0, 0]) / HEADING_STEP)


def _draw_ghost(known: ElementMemory, joints: np.ndarray, stage: Stage, from_inside: bool) -> tuple[Element, ...]:
    """Return the reference's ghost: the same while it stands still, whatever the robot does, unless other joints differ."""
    ghost = known.draw(compute_ghost, stage)
    if ghost is None:
        return ()
    visible = known.reuse("visible of ghost", find_visible(joints, ghost, stage, from_inside=from_inside))
    return known.draw(_draw_shown_ghost, ghost, visible, stage)


def _draw_shown_ghost(_: Snapshot, ghost: np.ndarray, visible: np.ndarray, stage: Stage) -> tuple[Element, ...]:
    return draw_ghost(ghost, visible, stage)


def _draw_preview(snapshot: Snapshot, stage: Stage, from_inside: bool) -> tuple[Element, ...]:
    return draw_preview(snapshot.report.preview, snapshot.gripper_closings, stage, from_inside=from_inside)


def _draw_preview_region(snapshot: Snapshot) -> tuple[Element, ...]:
    return draw_preview_region(
        snapshot.report.preview.region if snapshot.report.preview is not None else snapshot.report.preview_region
    )


def _draw_target(snapshot: Snapshot, hand: str) -> tuple[Element, ...]:
    if snapshot.report.person is not None:
        return ()  # the person's hand is where the robot's is to be
    return draw_target(snapshot.left if hand == "left" else snapshot.right)


def _draw_tether(snapshot: Snapshot, hand: str) -> tuple[Element, ...]:
    if snapshot.report.person is not None:
        return ()
    return draw_tether(hand, snapshot.left if hand == "left" else snapshot.right)


def _draw_candidates(snapshot: Snapshot) -> tuple[Element, ...]:
    return draw_candidates(snapshot.report.candidates)


def _draw_footsteps(snapshot: Snapshot, stage: Stage) -> tuple[Element, ...]:
    return draw_footsteps(snapshot.report.footsteps, stage)


def complete(
    world: Scene,
    snapshot: Snapshot | None,
    view: ViewState,
    streams: Streams,
    faded: Mapping[Element, Element] = NOTHING_FADED,
    memory: ElementMemory | None = None,
) -> Scene:
    """Return a scene with what changes from frame to frame: ages, the wheel, warnings, cloud, picture, the room's pose.

    Args:
        world: What ``compose_world`` made of the snapshot.
        snapshot: The snapshot it was made of.
        view: State of the operator's interface.
        streams: What has arrived besides, and how old everything is now.
        faded: What is drawn in place of solids that occlude the operator's view (``fading.fade_solids``).
        memory: What was drawn of the interface before, in a memory of its own.
    """
    own = gather(_draw_interface(snapshot, view, streams, memory or ElementMemory()))
    late = snapshot is not None and not streams.snapshot_age <= OLD_ROBOT
    return Scene(
        robots=tuple(_make_old(instance) for instance in world.robots) if late else world.robots,
        solids=_swap(world.solids, faded) + own.solids,
        lines=_swap(world.lines, faded) + own.lines,
        fills=world.fills + own.fills,
        labels=world.labels + own.labels,
        pictures=own.pictures,
        cloud=_make_cloud(streams) if view.settings.cloud else None,
        ground=world.ground,
        inset=world.inset,
        background=world.background,
        transform_room_to_world=view.transform_room_to_world,
        transform_ahead_to_room=view.ahead.place_in_room(),
        vignette=view.vignette,
    )


def _swap(elements: tuple[PieceT, ...], others: Mapping[Element, Element]) -> tuple[PieceT, ...]:
    """Return elements, some of them replaced by others of their kind."""
    return tuple(cast(PieceT, others.get(element, element)) for element in elements) if others else elements


@dataclass(frozen=True, eq=False, slots=True)
class _InterfaceInput:
    """Inputs that the interface is drawn of, besides ages."""

    snapshot: Snapshot | None
    view: ViewState


def _draw_interface(snapshot: Snapshot | None, view: ViewState, streams: Streams, known: ElementMemory) -> Iterator[Element]:
    known.take(_InterfaceInput(snapshot, view))
    frame, old = streams.picture, 0.0 if streams.picture_age <= OLD_PICTURE else streams.picture_age
    yield from draw_ages(snapshot, streams)
    yield from known.draw(_draw_picture, frame, old, view.settings.picture, view.transform_room_to_world)
    yield from known.draw(_draw_wheel)
    yield from known.draw(_draw_hand, "left", snapshot is None or snapshot.left.commands)
    yield from known.draw(_draw_hand, "right", snapshot is None or snapshot.right.commands)
    yield from known.draw(_draw_stop)
    yield from known.draw(_draw_warnings)
    if snapshot is not None:
        yield from _draw_old_robot(snapshot, streams)


def _draw_picture(
    _: _InterfaceInput, frame: PictureFrame | None, old: float, position: PicturePosition, room: np.ndarray
) -> tuple[Element, ...]:
    return draw_picture(Streams(picture=frame, picture_age=old), position, room)


def _draw_wheel(inputs: _InterfaceInput) -> tuple[Element, ...]:
    view, wheel = inputs.view, inputs.view.wheel
    if wheel is None:
        return ()
    items = find_items(view, inputs.snapshot)
    return draw_wheel(wheel, items, view.transform_room_to_world, view.note, view.controls.of(wheel.hand))


def _draw_hand(inputs: _InterfaceInput, hand: str, commands: bool) -> tuple[Element, ...]:
    snapshot, view = inputs.snapshot, inputs.view
    status = getattr(snapshot, hand) if snapshot is not None else None
    hints = find_profile(snapshot.modes, snapshot.mode).hints if snapshot is not None else ModeHints()
    stop = snapshot.stop if snapshot is not None else Stop.NONE
    looked_at = hand in view.looked_at
    words = draw_hand_words(
        hand, status, view.settings, hints, stop, view.wheel, view.controls, looked_at=looked_at, commands=commands
    )
    return (
        *words,
        *draw_hand_model(hand, held=view.controls.of(hand).held, engaged=status is not None and status.engaged),
    )


def _draw_stop(inputs: _InterfaceInput) -> tuple[Element, ...]:
    stop, view = Stop.NONE if inputs.snapshot is None else inputs.snapshot.stop, inputs.view
    if view.wheel is not None:
        # Its top item says what stops, or how to go on, and stands where the words would.
        return (STOP_FRAME,) if stop else ()
    return draw_stop(stop, view.controls) if stop or not view.announcing else announce_stop(view.controls)


def _draw_warnings(inputs: _InterfaceInput) -> tuple[Element, ...]:
    if inputs.snapshot is None:
        return ()
    return draw_warnings(inputs.snapshot, "" if inputs.view.wheel is not None else inputs.view.note)


def _draw_old_robot(snapshot: Snapshot, streams: Streams) -> tuple[Element, ...]:
    """Return the age of a robot that is only known as it was, over its head."""
    if streams.snapshot_age <= OLD_ROBOT or not np.isfinite(snapshot.q[:3]).all():
        return ()
    x, y, z = snapshot.q[:3].tolist()
    words = f"as it was {format_age(streams.snapshot_age)} ago"
    return (write(words, (x, y, z + OVER_THE_BASE), height=0.06, plate=to_linear(palette.ALARM, 0.95)),)


def _make_old(instance: RobotInstance) -> RobotInstance:
    """Return a robot greyed out."""
    return replace(instance, tints=np.repeat(OLD_TINT[None], len(instance.tints), axis=0))


def _make_cloud(streams: Streams) -> Cloud | None:
    frame = streams.cloud
    if frame is None:
        return None
    # An old cloud thins out as well as being called old.
    size = POINT_SIZE if streams.cloud_age <= OLD_CLOUD else 0.5 * POINT_SIZE
    return Cloud(positions=frame.positions, colors=frame.colors, size=size, version=frame.version)
