"""Writes recordings of people as other programs do."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from people import find_offset, rotate
from scipy.spatial.transform import Rotation

from handhold.devices.suits.joint_names import SCHEMES, find_segments
from handhold.devices.suits.skeleton import PARENTS, SEGMENT_TITLES, conjugate, multiply
from handhold.devices.tracked_human import Segment, TrackedHuman

_Y_UP = [1, 2, 0]
_NAMES = {segment: name for name, segment in SCHEMES[1].items()} | {Segment.L3: "Spine0"}
_ARMS = (Segment.LEFT_UPPER_ARM, Segment.RIGHT_UPPER_ARM)
_CONTACTS = ("LeftFoot_Heel", "LeftFoot_Toe", "RightFoot_Heel", "RightFoot_Toe")


def write_mvnx(people: Sequence[TrackedHuman], version: int, rate: float) -> str:
    """Return a recording of MVN; the right toes stand."""

    def numbers(values: np.ndarray) -> str:
        return " ".join(f"{value:.6f}" for value in np.ravel(values))

    def frame(kind: str, human: TrackedHuman) -> str:
        contacts = "<footContacts>0 0 0 1</footContacts>" if version == 4 else ""
        center = np.zeros(3) if human.position_com is None else human.position_com
        return (
            f'<frame time="0" type="{kind}"><orientation>{numbers(human.orientations[:, [3, 0, 1, 2]])}</orientation>'
            f"<position>{numbers(human.positions)}</position><jointAngle>1 2 3</jointAngle>"
            f"<centerOfMass>{numbers(center)}</centerOfMass>{contacts}</frame>"
        )

    segments = "".join(f'<segment label="{title}" id="{k + 1}"/>' for k, title in enumerate(SEGMENT_TITLES))
    defined = "".join(f'<contactDefinition label="{name}" index="{k}"/>' for k, name in enumerate(_CONTACTS))
    frames = frame("identity", people[0]) + "".join(frame("normal", human) for human in people)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<mvnx xmlns="urn:mvnx" version="{version}"><mvn version="1"/>'
        f'<subject label="A" frameRate="{rate}"><segments>{segments}</segments>'
        f"{f'<footContactDefinition>{defined}</footContactDefinition>' if version == 4 else ''}"
        f"<frames>{frames}</frames></subject></mvnx>"
    )


def write_bvh(people: Sequence[TrackedHuman], rate: float, order: str, unit: float, arms_down: float = 0.0) -> str:
    """Return a recording with y up, all 23 segments, and arms that hang by some angle in its skeleton."""
    names = {segment: name for name, segment in SCHEMES[0].items()} if arms_down == 0.0 else _NAMES
    lines: list[str] = ["HIERARCHY"]
    numbers: list[np.ndarray] = []
    _write_joint(lines, numbers, 0, people, names, order, unit, arms_down)
    rows = np.concatenate(numbers, axis=1)
    lines += ["MOTION", f"Frames: {len(people)}", f"Frame Time: {1.0 / rate:.9f}"]
    if arms_down:
        rows[:, 3:] = 0.0
    return "\n".join([*lines, *(" ".join(f"{value:.6f}" for value in row) for row in rows)]) + "\n"


def _write_joint(
    lines: list[str],
    numbers: list[np.ndarray],
    segment: int,
    people: Sequence[TrackedHuman],
    names: dict[Segment, str],
    order: str,
    unit: float,
    arms_down: float,
) -> None:
    offset = np.zeros(3) if segment == 0 else find_offset(segment)
    if arms_down and any(PARENTS[segment] in (arm, arm + 1) for arm in _ARMS):
        side = 1.0 if segment >= Segment.LEFT_SHOULDER else -1.0
        offset = np.linalg.norm(offset) * np.array([0.0, side * np.cos(arms_down), -np.sin(arms_down)])
    turned = np.array([human.orientations[segment] for human in people])
    if segment:
        turned = multiply(conjugate(np.array([human.orientations[PARENTS[segment]] for human in people])), turned)
    place = "Xposition Yposition Zposition " if segment == 0 else ""
    lines.append(f"{'JOINT' if segment else 'ROOT'} {names[Segment(segment)]}\n{{")
    lines.append("OFFSET " + " ".join(f"{value:.6f}" for value in offset[_Y_UP] / unit))
    lines.append(f"CHANNELS {6 if segment == 0 else 3} {place}{order}")
    if segment == 0:
        numbers.append(np.array([human.positions[0, _Y_UP] / unit for human in people]))
    axes = "".join(word[0] for word in order.split())
    numbers.append(Rotation.from_quat(turned[:, [*_Y_UP, 3]]).as_euler(axes, degrees=True))
    children = [child for child in range(23) if PARENTS[child] == segment]
    for child in children:
        _write_joint(lines, numbers, child, people, names, order, unit, arms_down)
    lines.append("}" if children else "End Site\n{\nOFFSET 0 1 0\n}\n}")


def write_joints(people: Sequence[TrackedHuman], names: tuple[str, ...]) -> bytes:
    """Return an array of joint positions; fingers of flat hands, palms down."""
    found = find_segments(names)
    points = np.zeros((len(people), len(names), 3))
    for segment, joint in found.items():
        points[:, joint] = [human.positions[segment] for human in people]
    for side, prefixes, hand in (
        (1.0, ("LeftHand", "L_"), Segment.LEFT_HAND),
        (-1.0, ("RightHand", "R_"), Segment.RIGHT_HAND),
    ):
        for finger, ahead in (("Index", 0.03), ("Middle", 0.0), ("Pinky", -0.04)):
            for name in (f"{prefix}{finger}1" for prefix in prefixes):
                if name in names:
                    points[:, names.index(name)] = [
                        human.positions[hand] + rotate(human.orientations[hand], np.array([ahead, side * 0.09, 0.0]))
                        for human in people
                    ]
    stream = io.BytesIO()
    np.save(stream, points.astype(np.float32))
    return stream.getvalue()
