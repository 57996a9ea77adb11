"""The screenshots of the gallery: each picture's snapshot, interface and eye."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.gallery.parts import (
    AHEAD,
    NECK,
    Postures,
    find_room,
    look_from,
    make_cloud,
    make_modes,
    make_person,
    make_region,
    make_steps,
    make_surface,
    make_wheel,
    raise_hand,
    raise_wrist,
)
from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.devices.stop import Stop
from handhold.render.interface.margin_trend import MarginTrend
from handhold.render.interface.placement import place_wheel
from handhold.render.interface.settings import PicturePosition, Settings, Viewpoint
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.wheel import Page, Wheel
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.render.streams import Streams
from handhold.retarget.bracing.contacts.approach import KnownSurfaces, find_approach
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import ContactState, HandReport, ModeReport, Preview, Support, Toggle
from handhold.retarget.whole_body.mode import WholeBodyMode
from handhold.robots.worlds import load_world


def plain(**choices: Any) -> ViewState:
    """Return an interface with a closed wheel and without hints, unless told otherwise, of who looks at both hands."""
    both = frozenset({"left", "right"})
    return ViewState(settings=Settings(**({"hints": False} | choices)), placed=True, looked_at=both)


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
class Screenshot:
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
    view = plain(balance_disc=False)
    return Shot(snapshot=snapshot, view=view, eye=look_from(0.78, -0.3, 0.86, target=(0.15, 0.03, -0.06)), upright=0.5)


def _forces(p: Postures) -> Shot:
    return Shot(
        snapshot=_push(p, make_snapshot(p.model, q=p.braced)),
        eye=look_from(-0.45, 1.7, 1.35, target=(0.25, 0.1, 0.84)),
        upright=0.6,
    )


def _push(p: Postures, snapshot: Snapshot) -> Snapshot:
    """Return a snapshot in which the left hand is in contact with the wall in front."""
    forces = snapshot.contact_wrenches.copy()
    forces[p.model.effector_of_hand("left") or 0, :3] = p.effector(p.braced, "left")[:3, :3].T @ (-220.0, 60.0, 170.0)
    return replace(snapshot, contact_wrenches=forces)


def _near_the_wall(p: Postures) -> Shot:
    return _come_near(p, p.near_the_wall)


def _askew_at_the_wall(p: Postures) -> Shot:
    return _come_near(p, p.askew_at_the_wall)


def _come_near(p: Postures, q: np.ndarray) -> Shot:
    """Return a shot from the third person of a left hand that the operator brings to the wall in front."""
    hand = p.model.effector_of_hand("left") or 0
    pose = p.effector(q, "left")
    known = KnownSurfaces(list_surfaces(load_world("wall")))
    approach = find_approach(p.model.effectors[hand], pose, known, choose_contact_making(p.model, hand))
    left = HandStatus(engaged=True, waiting="", target=pose, effector="left_hand")
    report = ModeReport(region=make_region(0.058), left=HandReport(approach=approach))
    snapshot = make_snapshot(p.model, q=q, report=report, modes=make_modes(), left=left)
    return Shot(snapshot=snapshot, eye=look_from(-0.75, 1.35, 1.6, target=(0.42, 0.2, 1.02)), upright=0.45)


def _supporting_hand(p: Postures) -> Shot:
    support = Support(normal_force=75.0, desired_force=74.0, max_force=200.0, friction_ratio=0.68, margin_gain=0.043)
    pose = p.effector(p.braced, "left")
    left = replace(_held(p, "left"), target=pose, effector="left_hand", contact=ContactState.LOADED)
    report = ModeReport(region=make_region(0.112, wide=True), left=HandReport(support=support))
    snapshot = make_snapshot(p.model, q=p.braced, report=report, modes=make_modes(), left=left)
    return Shot(snapshot=_push(p, snapshot), eye=look_from(-1.25, 1.0, 1.68, target=(0.45, 0.25, 1.1)), upright=0.5)


def _disc(p: Postures) -> Shot:
    times = np.arange(0.0, 5.0, 0.1)
    margins = 0.034 + 0.012 * (4.9 - times)
    snapshot = make_snapshot(p.model, q=p.braced, region=make_region(0.034, wide=True), modes=make_modes())
    eye = look_from(-0.85, 0.0, 2.35, target=(-0.32, -0.50, 1.74))
    view = replace(plain(wrist_region=False), trend=MarginTrend(tuple(times.tolist()), tuple(margins.tolist())))
    return Shot(snapshot=_push(p, snapshot), view=view, eye=eye, upright=0.85)


def _candidates(p: Postures) -> Shot:
    candidates = (make_surface("left", 0.35, 0.042, chosen=True), make_surface("right", -0.25, 0.017))
    snapshot = make_snapshot(p.model, candidates=candidates, left=_held(p, "left"), right=_held(p, "right"))
    return Shot(snapshot=snapshot, eye=look_from(-0.5, 0.8, 1.7, target=(0.6, 0.07, 1.12)))


def _inset(p: Postures) -> Shot:
    return replace(_near_the_wall(p), eye=look_from(*NECK[:3, 3].tolist(), target=(0.3, 0.0, 1.5)), upright=0.62)


def _brace(p: Postures) -> Shot:
    preview = Preview(title="Brace with the left hand", q=p.braced, feasible=True, region=make_region(0.12, wide=True))
    snapshot = make_snapshot(
        p.model, preview=preview, region=make_region(0.07), candidates=(make_surface("left", 0.35, 0.05, chosen=True),)
    )
    return Shot(snapshot=snapshot, eye=look_from(-0.55, 1.5, 1.55, target=(0.25, 0.15, 0.8)), upright=0.6)


def _preview_region(p: Postures) -> Shot:
    upcoming = Preview(title="Brace with the left hand", q=p.braced, feasible=True, region=make_region(0.12, wide=True))
    return _balance(make_snapshot(p.model, preview=upcoming, region=make_region(0.07)), np.zeros(2))


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


def _far_away(p: Postures) -> Shot:
    x, y = 37.0, -12.0
    q = p.model.q_nominal.copy()
    q[:2] += (x, y)
    steps = tuple(replace(step, pose=_shift(step.pose, x, y)) for step in make_steps())
    snapshot = make_snapshot(p.model, q=q, mode="walking", footsteps=steps, modes=make_modes())
    return Shot(snapshot=snapshot, eye=look_from(x - 1.5, y - 1.7, 1.7, target=(x + 0.8, y + 0.3, 0.62)), upright=0.55)


def _shift(pose: np.ndarray, x: float, y: float) -> np.ndarray:
    shifted = pose.copy()
    shifted[:2, 3] += (x, y)
    return shifted


def _person(p: Postures) -> Shot:
    person = make_person(p.model, p.bending, (0.17, 0.14, 0.06))
    modes = (ModeOffer(profile=WholeBodyMode.profile),)
    hand = HandStatus(engaged=True, waiting="", target=p.effector(p.bending, "left"), effector="left_hand")
    snapshot = make_snapshot(p.model, q=p.bending, mode="whole-body", modes=modes, person=person, left=hand)
    return Shot(snapshot=snapshot, eye=look_from(-0.75, 1.45, 1.8, target=(0.2, 0.05, 1.1)), upright=0.5)


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
    view = plain(view=Viewpoint.FIRST_PERSON, picture=PicturePosition.OFF)
    return Shot(
        snapshot=make_snapshot(p.model, q=p.reaching),
        view=view,
        streams=streams,
        eye=look_from(*p.eye, target=(0.75, 0.1, 0.8)),
    )


def _head_locked(p: Postures) -> Shot:
    view = plain(view=Viewpoint.FIRST_PERSON, picture=PicturePosition.HEAD)
    eye = look_from(*p.eye, target=(0.75, 0.1, 0.9))
    streams = Streams(picture_age=0.74)
    return Shot(snapshot=make_snapshot(p.model, q=p.reaching), view=view, streams=streams, eye=eye, camera=True, upright=0.6)


def _wheel(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes(), preview=Preview(title="Walking", q=p.stepping, feasible=True))
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MODES, 2)), eye=AHEAD, upright=0.68)


def _behind_the_wall(p: Postures) -> Shot:
    """Return what is seen by one who has walked behind the wall at the robot's side, and opens the wheel there."""
    eye = look_from(-1.05, -1.35, 1.75, target=(0.25, -0.1, 1.15))
    _, head = find_room(eye)
    wheel = Wheel(hand="right", page=Page.MODES, pointed=1, pose=place_wheel(head))
    return Shot(
        snapshot=make_snapshot(p.model, q=p.braced, region=make_region(0.07, wide=True), modes=make_modes()),
        view=replace(plain(hints=True), wheel=wheel),
        eye=eye,
        left_hand=raise_wrist(eye, 0.5, 0.2, -0.2),
        right_hand=raise_hand(eye, 0.45, -0.3, -0.26),
        upright=0.66,
    )


def _refused(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    note = "Motions: a hand is loaded"
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MODES, 3), note=note), eye=AHEAD, upright=0.66)


def _settings(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    return Shot(snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.SETTINGS, 3)), eye=AHEAD)


def _hints(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, region=make_region(0.045), modes=make_modes())
    eye = look_from(-1.5, -0.35, 1.65, target=(0.0, -0.2, 1.05))
    return Shot(
        snapshot=snapshot,
        view=plain(hints=True),
        eye=eye,
        left_hand=raise_wrist(eye, 0.45, 0.18, -0.1),
        right_hand=raise_hand(eye, 0.36, -0.12, -0.28),
        upright=0.62,
    )


def _over_the_shoulder(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, reference_q=p.reaching, region=make_region(0.064))
    view = plain(view=Viewpoint.SHOULDER)
    return Shot(snapshot=snapshot, view=view, eye=look_from(-0.41, -0.3, 2.0, target=(0.6, -0.1, 0.95)), upright=0.62)


def _move(p: Postures) -> Shot:
    snapshot = make_snapshot(p.model, modes=make_modes())
    return Shot(
        snapshot=snapshot, view=replace(plain(), wheel=make_wheel(Page.MOVE, 0), vignette=0.8), eye=AHEAD, upright=0.62
    )


def _stopped(p: Postures) -> Shot:
    return Shot(snapshot=make_snapshot(p.model, stop=Stop.HOLD, messages=("stopped by the operator",)), eye=NECK, upright=0.62)


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
        toggles=(Toggle(name="posture", title="Move my posture for balance", on=True),),
        right=HandStatus(engaged=True, waiting="", target=p.effector(p.braced_reaching, "right")),
    )
    eye = look_from(-0.95, 1.0, 1.8, target=(0.25, 0.05, 0.82))
    return Shot(
        snapshot=_push(p, snapshot),
        streams=Streams(cloud=make_cloud("wall"), cloud_age=0.08, picture_age=0.05),
        eye=eye,
        left_hand=raise_wrist(eye, 0.45, 0.22, -0.14),
        right_hand=raise_hand(eye, 0.45, -0.2, -0.34),
        upright=0.62,
    )


def _held(p: Postures, hand: str) -> HandStatus:
    return HandStatus(engaged=False, waiting="squeeze to move", target=p.effector(p.model.q_nominal, hand))


SCREENSHOTS = (
    Screenshot(name="whole", title="Braced on a wall, reaching for more", world="flat", make=_everything),
    Screenshot(
        name="robot",
        title="The robot as measured, and its reference as a ghost",
        world="flat",
        make=_robot_and_ghost,
    ),
    Screenshot(name="loads", title="Joints near a limit, and what limits the reference", world="flat", make=_loads),
    Screenshot(name="region", title="Stability region and margin, safe", world="flat", make=_safe),
    Screenshot(
        name="region-small", title="The margin is small: another colour, and what limits it", world="flat", make=_small
    ),
    Screenshot(name="forces", title="Contact forces, of the feet and of a hand on a wall", world="wall", make=_forces),
    Screenshot(
        name="approach", title="A hand near a wall: how far it is, and what would touch", world="wall", make=_near_the_wall
    ),
    Screenshot(name="approach-askew", title="A hand that must be turned first", world="wall", make=_askew_at_the_wall),
    Screenshot(
        name="support",
        title="A hand that bears: what it adds, how hard it pushes, its friction",
        world="wall",
        make=_supporting_hand,
    ),
    Screenshot(name="disc", title="The region at the waist, and how its margin goes", world="wall", make=_disc),
    Screenshot(name="candidates", title="Surfaces to brace on, with what they are worth", world="wall", make=_candidates),
    Screenshot(name="inset", title="A brace from the side, in the third person", world="wall", make=_inset),
    Screenshot(name="brace", title="The coming pose of a brace, and the region it would have", world="wall", make=_brace),
    Screenshot(
        name="brace-region", title="The region now, and dashed the one of the coming pose", world="flat", make=_preview_region
    ),
    Screenshot(name="infeasible", title="A mode that cannot be entered, and why", world="wall", make=_infeasible),
    Screenshot(name="footsteps", title="Steps ahead", world="flat", make=_footsteps),
    Screenshot(name="floor", title="Walking on a floor without an end", world="flat", make=_far_away),
    Screenshot(
        name="person", title="The person whom the robot follows, and a hand that it cannot follow", world="flat", make=_person
    ),
    Screenshot(name="cloud", title="What the camera sees: cloud and screen", world="flat", make=_cloud),
    Screenshot(name="shoulder", title="Over the shoulder", world="table", make=_over_the_shoulder),
    Screenshot(name="first-person", title="First person", world="table", make=_first_person),
    Screenshot(name="head-locked", title="The camera's picture before the eyes, late", world="table", make=_head_locked),
    Screenshot(name="wheel", title="The mode wheel, with the coming pose of what is pointed at", world="flat", make=_wheel),
    Screenshot(
        name="wall",
        title="A wall between the operator and the robot is seen through, and hides neither the wheel nor words at the hands",
        world="wall",
        make=_behind_the_wall,
    ),
    Screenshot(name="wheel-refused", title="A mode that is refused", world="flat", make=_refused),
    Screenshot(name="settings", title="Settings on the wheel", world="flat", make=_settings),
    Screenshot(name="move", title="Moving the room, with a vignette against sickness", world="flat", make=_move),
    Screenshot(name="hands", title="Controls named at the controllers; the region on the wrist", world="flat", make=_hints),
    Screenshot(name="stopped", title="Stopped", world="flat", make=_stopped),
    Screenshot(name="old", title="No word from the robot for five seconds", world="flat", make=_old),
)
"""All pictures, in the gallery's order."""
