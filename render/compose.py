"""From what is known to what is to be seen: pure functions, once a snapshot and once a frame."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from handhold.render import palette
from handhold.render.elements.balance import draw_centres_of_mass, draw_coming_region, draw_region
from handhold.render.elements.candidates import draw_candidates
from handhold.render.elements.contacts import draw_footsteps, draw_forces, draw_target
from handhold.render.elements.dial import draw_wheel
from handhold.render.elements.drawing import write
from handhold.render.elements.element import Element, gather
from handhold.render.elements.hands import draw_hand_words, draw_wrist_region
from handhold.render.elements.hud import draw_ages, draw_mode, draw_stop, draw_warnings, tell_time
from handhold.render.elements.robots import draw_ghost, draw_preview, draw_robot
from handhold.render.elements.screen import draw_picture
from handhold.render.palette import to_linear
from handhold.render.scene import Cloud, RobotLook, Scene
from handhold.render.settings import Settings, Viewpoint
from handhold.render.snapshot import Snapshot
from handhold.render.stage import Stage
from handhold.render.streams import OLD_CLOUD, OLD_ROBOT, Streams
from handhold.render.view_state import ViewState, find_items

POINT_SIZE = 0.008
"""Size of a point of the cloud [m]."""

AGES_STEP = 0.5
"""How often surfaces are drawn again that only get older [s]; they are called old from as long as that."""

OVER_THE_BASE = 0.88
"""Height of the words about an old robot over its base [m]."""

OLD_TINT = to_linear((150, 150, 150), 0.85)
"""Laid over a robot that is only known as it was."""


def compose(snapshot: Snapshot | None, view: ViewState, streams: Streams, stage: Stage) -> Scene:
    """Return all that the operator is to see.

    It is ``complete(compose_world(let_age(...), ...), ...)``; whoever draws more often than snapshots come keeps the first
    part.

    Args:
        snapshot: The newest snapshot, or None before the first.
        view: State of the operator's interface.
        streams: What has arrived besides, and how old everything is now.
        stage: Robot and world.
    """
    return complete(compose_world(let_age(snapshot, streams.snapshot_age), view.settings, stage), snapshot, view, streams)


def let_age(snapshot: Snapshot | None, age: float) -> Snapshot | None:
    """Return a snapshot whose surfaces are older by its own age [s], in steps of ``AGES_STEP``.

    What stands in the world is made for a snapshot, but while no other comes a surface must not seem as fresh as it was. It is
    the same snapshot where nothing gets older.
    """
    elapsed = count_age_steps(snapshot, age) * AGES_STEP
    if snapshot is None or not elapsed:
        return snapshot
    return replace(snapshot, candidates=tuple(replace(c, age=c.age + elapsed) for c in snapshot.candidates))


def count_age_steps(snapshot: Snapshot | None, age: float) -> int:
    """Return by how many steps what stands in the world is older than its snapshot of this age [s]."""
    if snapshot is None or not snapshot.candidates or not math.isfinite(age):
        return 0
    return max(0, math.floor(age / AGES_STEP))


def compose_world(snapshot: Snapshot | None, settings: Settings, stage: Stage) -> Scene:
    """Return what changes only with a snapshot or the settings: everything that stands in the world or is worn.

    Args:
        snapshot: The newest snapshot, or None before the first.
        settings: The operator's choices.
        stage: Robot and world.
    """
    if snapshot is None or not np.isfinite(snapshot.q).all():
        return gather(stage.surroundings)
    joints = stage.compute_joints(snapshot.q)
    effectors = stage.compute_effectors(joints)
    inside = settings.view is Viewpoint.FIRST_PERSON
    preview = snapshot.preview
    elements: tuple[Element, ...] = (
        *stage.surroundings,
        draw_robot(snapshot, joints, stage, from_inside=inside),
        *draw_ghost(snapshot, joints, stage, from_inside=inside),
        *draw_preview(preview, stage),
        *draw_region(snapshot),
        *draw_coming_region(preview.region if preview is not None else snapshot.coming_region),
        *draw_centres_of_mass(snapshot),
        *draw_forces(snapshot, effectors, stage),
        *draw_target(snapshot.left),
        *draw_target(snapshot.right),
        *draw_candidates(snapshot.candidates),
        *draw_footsteps(snapshot.footsteps, stage),
        *draw_wrist_region(snapshot, settings),
        *draw_mode(snapshot),
    )
    return gather(elements)


def complete(world: Scene, snapshot: Snapshot | None, view: ViewState, streams: Streams) -> Scene:
    """Return a scene with what changes from frame to frame: ages, the wheel, warnings, cloud, picture, the room's place.

    Args:
        world: What ``compose_world`` made of the snapshot.
        snapshot: The snapshot it was made of.
        view: State of the operator's interface.
        streams: What has arrived besides, and how old everything is now.
    """
    own = gather(_draw_interface(snapshot, view, streams))
    late = snapshot is not None and not streams.snapshot_age <= OLD_ROBOT
    return Scene(
        robots=tuple(_make_old(look) for look in world.robots) if late else world.robots,
        solids=world.solids + own.solids,
        lines=world.lines + own.lines,
        fills=world.fills + own.fills,
        labels=world.labels + own.labels,
        pictures=own.pictures,
        cloud=_make_cloud(streams) if view.settings.cloud else None,
        background=world.background,
        transform_room_to_world=view.transform_room_to_world,
        vignette=view.vignette,
    )


def _draw_interface(snapshot: Snapshot | None, view: ViewState, streams: Streams) -> tuple[Element, ...]:
    room, wheel = view.transform_room_to_world, view.wheel
    elements: list[Element] = [*draw_ages(snapshot, streams), *draw_picture(streams, view.settings.picture, room)]
    if wheel is not None:
        elements.extend(draw_wheel(wheel, find_items(view, snapshot), room, view.note))
    mode, stop = (snapshot.mode, snapshot.stop) if snapshot is not None else ("", "")
    for hand in ("left", "right"):
        status = getattr(snapshot, hand) if snapshot is not None else None
        elements.extend(draw_hand_words(hand, status, view.settings, mode, stop, wheel, view.stop_buttons))
    elements.extend(draw_stop(stop, view.stop_buttons))
    if snapshot is not None:
        elements.extend(draw_warnings(snapshot, "" if wheel is not None else view.note))
        elements.extend(_draw_old_robot(snapshot, streams))
    return tuple(elements)


def _draw_old_robot(snapshot: Snapshot, streams: Streams) -> tuple[Element, ...]:
    """Return the age of a robot that is only known as it was, over its head."""
    if streams.snapshot_age <= OLD_ROBOT or not np.isfinite(snapshot.q[:3]).all():
        return ()
    x, y, z = snapshot.q[:3].tolist()
    words = f"as it was {tell_time(streams.snapshot_age)} ago"
    return (write(words, (x, y, z + OVER_THE_BASE), height=0.06, plate=to_linear(palette.ALARM, 0.95)),)


def _make_old(look: RobotLook) -> RobotLook:
    """Return a robot greyed out."""
    return replace(look, tints=np.repeat(OLD_TINT[None], len(look.tints), axis=0))


def _make_cloud(streams: Streams) -> Cloud | None:
    frame = streams.cloud
    if frame is None:
        return None
    # An old cloud thins out as well as being called old.
    size = POINT_SIZE if streams.cloud_age <= OLD_CLOUD else 0.5 * POINT_SIZE
    return Cloud(positions=frame.positions, colors=frame.colors, size=size, version=frame.version)
