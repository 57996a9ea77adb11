"""What hangs in the gallery: each picture's snapshot, interface and eye."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handhold.app.gallery.snapshots import make_snapshot
from handhold.app.gallery.things import (
    NECK,
    Postures,
    look_at_watch,
    look_from,
    make_cloud,
    make_modes,
    make_region,
    make_steps,
    make_surface,
    make_wheel,
    raise_hand,
)
from handhold.render.settings import PicturePlace, Settings, Viewpoint
from handhold.render.snapshot import HandStatus, Preview, Snapshot, SwitchStatus
from handhold.render.streams import Streams
from handhold.render.view_state import ViewState
from handhold.render.wheel import Page


def plain(**choices: Any) -> ViewState:
    """Return an interface with a closed wheel and without hints, unless told otherwise."""
    return ViewState(settings=Settings(**({"hints": False} | choices)), placed=True)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Shot:
    """One picture to be taken.

    Attributes:
        snapshot: What is known of the robot, or None.
        view: State of the interface; its room is placed by ``stand``.
        streams: What has arrived besides.
        eye: Pose of the eye in world, shape ``(4, 4)``; the room's origin is below it.
        left_hand: Pose of the operator's left hand in world, or None.
        right_hand: The same of the right hand.
        camera: Whether the robot's own camera is to be drawn first, for the picture.
        upright: Half the height of the picture, as the tangent of its angle.
    """

    snapshot: Snapshot | None
    view: ViewState = field(default_factory=plain)
    streams: Streams = field(default_factory=Streams)
    eye: np.ndarray
    left_hand: np.ndarray | None = None
    right_hand: np.ndarray | None = None
    camera: bool = False
    upright: float = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """A picture in the gallery.

    Attributes:
        name: Name of its file.
        title: What it shows.
        world: World the robot stands in.
        make: What makes the shot of the robot's postures.
    """

    name: str
    title: str
    world: str
    make: Callable[[Postures], Shot]


def _robot_and_ghost(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, reference_q=p.reaching)
    return Shot(snapshot=snapshot, eye=look_from(-1.1, -1.35, 1.5, target=(0.15, 0.0, 0.95)))


def _loads(p: Postures) -> Shot:
    torques = np.zeros(p.model.n)
    for name, load in (
        ("leg_right_4_joint", 0.99),
        ("leg_left_4_joint", 0.84),
        ("arm_right_2_joint", 0.9),
        ("torso_2_joint", 0.95),
    ):
        index = p.model.joint_names.index(name)
        torques[index] = load * p.model.torque_limits[index]
    snapshot = make_snapshot(p.model, joint_torques=torques, active_constraints=("leg_right_4_joint torque",))
    return Shot(snapshot=snapshot, eye=look_from(1.5, -1.35, 1.3, target=(0.0, 0.0, 0.75)))


def _safe(p: Postures) -> Shot:
    return _balance(make_snapshot(p.model, q=p.braced, region=make_region(0.112, wide=True)), np.zeros(2))


def _small(p: Postures) -> Shot:
    return _balance(make_snapshot(p.model, region=make_region(0.021)), np.array([0.075, 0.03]))


def _balance(snapshot: Snapshot, shift: np.ndarray) -> Shot:
    com = snapshot.position_com_in_world.copy()
    com[:2] += shift
    snapshot = replace(snapshot, position_com_in_world=com)
    return Shot(snapshot=snapshot, eye=look_from(0.78, -0.3, 0.86, target=(0.15, 0.03, -0.06)), upright=0.5)


def _forces(p: Postures) -> Shot:
    return Shot(
        snapshot=_push(p, make_snapshot(p.model, q=p.braced)),
        eye=look_from(-0.45, 1.7, 1.35, target=(0.25, 0.1, 0.84)),
        upright=0.6,
    )


def _push(p: Postures, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot in which the left hand bears on the wall in front."""
    forces = snapshot.contact_wrenches.copy()
    forces[p.model.effector_of_hand("left") or 0, :3] = p.effector(p.braced, "left")[:3, :3].T @ (-220.0, 60.0, 170.0)
    return replace(snapshot, contact_wrenches=forces)


def _candidates(p: Postures) -> Shot:
    candidates = (make_surface("left", 0.35, 0.042, chosen=True), make_surface("right", -0.25, 0.017))
    snapshot = make_snapshot(p.model, candidates=candidates, left=_held(p, "left"), right=_held(p, "right"))
    return Shot(snapshot=snapshot, eye=look_from(-0.5, 0.8, 1.7, target=(0.6, 0.07, 1.12)))


def _brace(p: Postures) -> Shot:
    preview = Preview(title="Brace with the left hand", q=p.braced, feasible=True, region=make_region(0.12, wide=True))
    snapshot = make_snapshot(
        p.model, preview=preview, region=make_region(0.07), candidates=(make_surface("left", 0.35, 0.05, chosen=True),)
    )
    return Shot(snapshot=snapshot, eye=look_from(-0.55, 1.5, 1.55, target=(0.25, 0.15, 0.8)), upright=0.6)


def _coming_region(p: Postures) -> Shot:
    coming = Preview(title="Brace with the left hand", q=p.braced, feasible=True, region=make_region(0.12, wide=True))
    return _balance(make_snapshot(p.model, preview=coming, region=make_region(0.07)), np.zeros(2))


def _infeasible(p: Postures) -> Shot:
    preview = Preview(title="Walking", q=p.stepping, feasible=False, reason="the left hand is loaded: unload it first")
    return Shot(
        snapshot=make_snapshot(p.model, q=p.braced, preview=preview),
        eye=look_from(-1.1, 1.2, 1.7, target=(0.15, 0.05, 1.2)),
        upright=0.66,
    )


def _footsteps(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, mode="walking", footsteps=make_steps())
    return Shot(snapshot=snapshot, eye=look_from(1.75, 0.6, 1.35, target=(0.33, 0.0, 0.71)), upright=0.7)


def _cloud(p: Postures) -> Shot:
    streams = Streams(cloud=make_cloud("table"), cloud_age=0.06, picture_age=0.04)
    return Shot(
        snapshot=make_snapshot(p.model, reference_q=p.reaching),
        view=plain(),
        streams=streams,
        eye=look_from(-0.95, -1.0, 1.7, target=(0.6, -0.68, 1.02)),
        camera=True,
        upright=0.62,
    )


def _first_person(p: Postures) -> Shot:
    streams = Streams(picture_age=0.04)
    view = plain(view=Viewpoint.FIRST_PERSON, picture=PicturePlace.OFF)
    return Shot(
        snapshot=make_snapshot(p.model, q=p.reaching),
        view=view,
        streams=streams,
        eye=look_from(*p.eye, target=(0.75, 0.1, 0.8)),
    )


def _head_locked(p: Postures) -> Shot:
    view = plain(view=Viewpoint.FIRST_PERSON, picture=PicturePlace.HEAD)
    eye = look_from(*p.eye, target=(0.75, 0.1, 0.9))
    streams = Streams(picture_age=0.74)
    return Shot(snapshot=make_snapshot(p.model, q=p.reaching), view=view, streams=streams, eye=eye, camera=True, upright=0.6)


def _wheel(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes(), preview=Preview(title="Walking", q=p.stepping, feasible=True))
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MODES, 1)), eye=NECK, upright=0.68)


def _refused(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    note = "Motions: a hand is loaded"
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MODES, 2), note=note), eye=NECK)


def _settings(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.SETTINGS, 3)), eye=NECK)


def _hints(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, region=make_region(0.045), modes=make_modes())
    eye = look_from(-1.5, -0.35, 1.65, target=(0.0, -0.2, 1.05))
    return Shot(
        snapshot=snapshot,
        view=plain(hints=True),
        eye=eye,
        left_hand=look_at_watch(eye, 0.45, 0.18, -0.1),
        right_hand=raise_hand(eye, 0.36, -0.12, -0.28),
        upright=0.62,
    )


def _over_the_shoulder(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, reference_q=p.reaching, region=make_region(0.064))
    view = plain(view=Viewpoint.SHOULDER)
    return Shot(snapshot=snapshot, view=view, eye=look_from(-0.5, -0.38, 1.75, target=(0.8, -0.12, 0.95)), upright=0.62)


def _move(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MOVE, 0), vignette=0.8), eye=NECK, upright=0.62)


def _stopped(p: Postures) -> Shot:
    return Shot(snapshot=make_snapshot(p.model, stop="hold", messages=("stopped by the operator",)), eye=NECK, upright=0.62)


def _old(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, reference_q=p.reaching, messages=("no word from the robot: check that its host runs",))
    return Shot(snapshot=snapshot, streams=Streams(snapshot_age=5.2), eye=NECK, upright=0.62)


def _everything(p: Postures) -> Shot:
    torques = np.zeros(p.model.n)
    torques[p.model.joint_names.index("arm_left_4_joint")] = p.model.torque_limits[
        p.model.joint_names.index("arm_left_4_joint")
    ]
    snapshot = make_snapshot(
        p.model,
        q=p.braced,
        reference_q=p.braced_reaching,
        region=make_region(0.063, wide=True),
        candidates=(make_surface("right", -0.35, 0.021),),
        joint_torques=torques,
        messages=("the right hand is out of reach",),
        active_constraints=("arm_left_4_joint torque",),
        modes=make_modes(),
        switches=(SwitchStatus(name="posture", title="Move my posture for balance", on=True),),
        right=HandStatus(engaged=True, waiting="", target=p.effector(p.braced_reaching, "right")),
    )
    eye = look_from(-0.95, 1.0, 1.8, target=(0.25, 0.05, 0.82))
    return Shot(
        snapshot=_push(p, snapshot),
        streams=Streams(cloud=make_cloud("wall"), cloud_age=0.08, picture_age=0.05),
        eye=eye,
        left_hand=look_at_watch(eye, 0.45, 0.22, -0.14),
        right_hand=raise_hand(eye, 0.45, -0.2, -0.34),
        upright=0.62,
    )


def _held(p: Postures, hand: str) -> HandStatus:
    return HandStatus(engaged=False, waiting="squeeze to move", target=p.effector(p.model.q_nominal, hand))


EXHIBITS = (
    Exhibit(name="whole", title="Braced on a wall, reaching for more", world="flat", make=_everything),
    Exhibit(
        name="robot",
        title="The robot as measured, and its reference as a ghost",
        world="flat",
        make=_robot_and_ghost,
    ),
    Exhibit(name="loads", title="Joints near a limit, and what limits the reference", world="flat", make=_loads),
    Exhibit(name="region", title="Stability region and margin, safe", world="flat", make=_safe),
    Exhibit(name="region-small", title="The margin is small: another colour, and what limits it", world="flat", make=_small),
    Exhibit(name="forces", title="Contact forces, of the feet and of a hand on a wall", world="wall", make=_forces),
    Exhibit(name="candidates", title="Surfaces to brace on, with what they are worth", world="wall", make=_candidates),
    Exhibit(name="brace", title="The coming pose of a brace, and the region it would have", world="wall", make=_brace),
    Exhibit(
        name="brace-region", title="The region now, and dashed the one of the coming pose", world="flat", make=_coming_region
    ),
    Exhibit(name="infeasible", title="A mode that cannot be entered, and why", world="wall", make=_infeasible),
    Exhibit(name="footsteps", title="Steps ahead", world="flat", make=_footsteps),
    Exhibit(name="cloud", title="What the camera sees: cloud and screen", world="flat", make=_cloud),
    Exhibit(name="shoulder", title="Over the shoulder", world="table", make=_over_the_shoulder),
    Exhibit(name="first-person", title="First person", world="table", make=_first_person),
    Exhibit(name="head-locked", title="The camera's picture before the eyes, late", world="table", make=_head_locked),
    Exhibit(name="wheel", title="The mode wheel, with the coming pose of what is pointed at", world="flat", make=_wheel),
    Exhibit(name="wheel-refused", title="A mode that is refused", world="flat", make=_refused),
    Exhibit(name="settings", title="Settings on the wheel", world="flat", make=_settings),
    Exhibit(name="move", title="Moving the room, with a vignette against sickness", world="flat", make=_move),
    Exhibit(name="hands", title="Controls named at the controllers; the region on the wrist", world="flat", make=_hints),
    Exhibit(name="stopped", title="Stopped", world="flat", make=_stopped),
    Exhibit(name="old", title="No word from the robot for five seconds", world="flat", make=_old),
)
"""All pictures, in the gallery's order."""
