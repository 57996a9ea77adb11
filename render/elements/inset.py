"""The robot from the side of its brace, in a small picture: from behind it, the gap of a hand to a surface is not seen."""

from __future__ import annotations

import math

import numpy as np

from handhold.render import palette
from handhold.render.elements.approach import is_near
from handhold.render.elements.drawing import close_ring, face_origin, write
from handhold.render.elements.element import Element
from handhold.render.elements.hand_side import find_outer_side
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings, Viewpoint
from handhold.render.look_at import look_at
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Inset, Lines
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import Approach, ContactState, HandReport

SCREEN_AT = np.array([0.88, 0.5, -0.42])
"""Middle of the picture before the head as it faced [m]: to the left of the robot, as the strip is to its right."""

WIDTH, HEIGHT = 0.4, 0.3
"""Size of the picture [m]: 21 deg wide."""

DISTANCE, ABOVE, TANGENT = 1.25, 0.3, 0.55
"""How far from what it looks at the eye stands and how far over it [m], and half the width that it sees, as a tangent."""

CHEST = 0.25
"""Height of the robot's chest over its base [m], which is seen with the hand."""

RATE = 10.0
"""How often the picture is drawn [Hz]: an eye's picture costs as much, and it is for seeing a gap close."""

HANDS = ("left", "right")

IN_CONTACT = frozenset({ContactState.TOUCHING, ContactState.LOADING, ContactState.LOADED, ContactState.UNLOADING})
"""States of a contact in which it is shown."""

TEXT = 0.024
UP = np.array([0.0, 0.0, 1.0])


def find_inset_version(snapshot: Snapshot, settings: Settings, stage: Stage) -> int | None:
    """Return what the picture is drawn anew with: the hand that is shown, and the time in steps; None where none is shown.

    One is shown in the third person, of a hand that comes near a surface or is in contact.

    Args:
        snapshot: What is known of the robot.
        settings: The operator's choices.
        stage: The robot.
    """
    if settings.view is not Viewpoint.THIRD_PERSON:
        return None
    shown = [hand for hand in HANDS if _is_shown(snapshot, hand, stage)]
    # what a hand is being moved to comes before the contact of another one
    hand = next((hand for hand in shown if getattr(snapshot, hand).engaged), shown[0] if shown else None)
    return None if hand is None else len(HANDS) * math.floor(RATE * snapshot.time) + HANDS.index(hand)


def _is_shown(snapshot: Snapshot, hand: str, stage: Stage) -> bool:
    status: HandStatus = getattr(snapshot, hand)
    in_contact = status.contact in IN_CONTACT and stage.find_effector(status.effector) is not None
    return in_contact or _find_approach(snapshot, hand) is not None


def _find_approach(snapshot: Snapshot, hand: str) -> Approach | None:
    """Return what a hand comes near to, where that is known and shown."""
    status: HandStatus = getattr(snapshot, hand)
    report: HandReport = getattr(snapshot.report, hand)
    approach = report.approach
    near = approach is not None and is_near(status, approach) and bool(np.isfinite(approach.pose).all())
    return approach if near else None


def find_inset(snapshot: Snapshot, version: int | None, effectors: np.ndarray, stage: Stage) -> Inset | None:
    """Return the picture from the side on which a hand comes near a surface or is in contact, or None.

    Args:
        snapshot: What is known of the robot.
        version: What ``find_inset_version`` says of it.
        effectors: Poses of the effectors in world, shape ``(effectors, 4, 4)``.
        stage: The robot and what is around it.
    """
    if version is None:
        return None
    hand = HANDS[version % len(HANDS)]
    status: HandStatus = getattr(snapshot, hand)
    approach = _find_approach(snapshot, hand)
    if approach is not None:
        point, normal = approach.pose[:3, 3], approach.pose[:3, 2]
    else:
        effector = stage.model.effector_index(status.effector)
        point, normal = effectors[effector, :3, 3].astype(float), snapshot.reference.contact_normals[effector]
    eye = _place_eye(point, normal, np.array(find_outer_side(snapshot, hand)), snapshot, stage)
    return Inset(eye=eye, tangent=TANGENT, version=version, transform=_TRANSFORM, anchor=Anchor.AHEAD)


def _place_eye(point: np.ndarray, normal: np.ndarray, outer: np.ndarray, snapshot: Snapshot, stage: Stage) -> np.ndarray:
    """Return the pose of an eye that looks along the surface, from where nothing hides the hand, shape ``(4, 4)``."""
    along = np.array([-normal[1], normal[0], 0.0])
    length = float(np.sqrt(along @ along))
    if length < 0.3:  # a table: beside it
        along, length = outer, 1.0
    along = along / length
    # of both directions along a wall the one to the hand's own side, along one at the robot's side the one from ahead
    ahead = np.array([outer[1], -outer[0], 0.0])
    ahead *= 1.0 if float(ahead @ (point - snapshot.q[:3])) > 0.0 else -1.0
    preferred = along if float(along @ (outer + 0.3 * ahead)) >= 0.0 else -along
    target = 0.5 * (point + snapshot.q[:3] + CHEST * UP)
    eyes = target + ABOVE * UP + DISTANCE * np.array([preferred, -preferred, outer, ahead])
    hidden = stage.obstacles.find_between(eyes, point[None], 0.1).any(axis=(1, 2))
    return look_at(eyes[int(hidden.argmin())], target)


def draw_inset(inset: Inset | None) -> tuple[Element, ...]:
    """Return the frame of the picture, and what it is; nothing without one. They are always the same objects."""
    return () if inset is None else _FRAME


def _make_transform() -> np.ndarray:
    """Return pose times size of the screen, which faces who looks from the origin, shape ``(4, 4)``, float32."""
    transform = np.eye(4, dtype=np.float32)
    transform[:3, :3] = face_origin(SCREEN_AT) * (WIDTH, HEIGHT, 1.0)
    transform[:3, 3] = SCREEN_AT
    return transform


def _make_frame() -> tuple[Element, ...]:
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) @ _TRANSFORM[:3, :2].T + SCREEN_AT
    colors = np.repeat(to_linear(palette.PLATE)[None], 4, axis=0)
    rotation = (_TRANSFORM[:3, :3] / np.array([WIDTH, HEIGHT, 1.0])).astype(np.float32)
    above = SCREEN_AT + (0.5 * HEIGHT + 0.9 * TEXT) * rotation[:, 1]
    return (
        Lines(ends=close_ring(corners), colors=colors, width=0.008, anchor=Anchor.AHEAD),
        write("from the side", above, height=TEXT, anchor=Anchor.AHEAD, rotation=rotation),
    )


_TRANSFORM = _make_transform()
_FRAME = _make_frame()
