"""What is to be known of a proposed description: what was guessed, and what it is without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from handhold.robots.description import MIN_LEG_JOINTS, RobotDescription
from handhold.robots.proposal.findings import Findings
from handhold.robots.proposal.posture import Posture

MAX_TILT = 0.02
"""Tilt of a sole in the nominal posture from which it is reported [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A sentence about a key of a description.

    Attributes:
        key: Top-level key, such as ``"effectors"``.
        text: The sentence.
        warning: Whether a person should look at it: the robot can do less than others, or a guess may be wrong.
    """

    key: str
    text: str
    warning: bool = False


def list_remarks(
    description: RobotDescription, findings: Findings, posture: Posture, near: tuple[str, ...]
) -> tuple[Remark, ...]:
    """List what is to be known of a proposed description.

    Args:
        description: The description.
        findings: What was found in the URDF.
        posture: The nominal posture.
        near: Pairs of bodies that are not kept apart, because they touch in the nominal posture.
    """
    return (
        *_remark_on_anatomy(findings),
        *_remark_on_contacts(description, findings),
        *_remark_on_limits(findings),
        *_remark_on_posture(posture),
        *_remark_on_pairs(near),
        *_remark_on_walking(description, findings),
    )


def _remark_on_anatomy(findings: Findings) -> Iterator[Remark]:
    anatomy = findings.anatomy
    yield Remark(key="license", text="fill in the licence of the URDF and its meshes (an SPDX name)")
    if anatomy.named_otherwise:
        text = "the names of the legs' joints call left what the feet's shape says is right: their names were taken"
        yield Remark(key="base_rpy", text=text, warning=True)
    if anatomy.arms is None:
        yield Remark(key="effectors", text="no arms were found: it stands and walks, and cannot brace", warning=True)
    if findings.source.bare:
        text = "the URDF has no collision shapes: visual ones were taken for soles, hands and distances"
        yield Remark(key="effectors", text=text, warning=True)


def _remark_on_contacts(description: RobotDescription, findings: Findings) -> Iterator[Remark]:
    sole = findings.soles[0]
    length, width = (2e3 * half for half in sole.half_lengths)
    yield Remark(
        key="effectors",
        text=f"soles: the largest rectangle, {length:.0f} x {width:.0f} mm, within what is {1e3 * sole.flatness:.0f} mm above "
        "a foot's lowest point",
    )
    if sole.half_lengths[0] * sole.half_lengths[1] < 0.5 * sole.shadow[0] * sole.shadow[1]:
        text = "the soles are less than half of the feet seen from above: look at the picture of 'handhold robot check'"
        yield Remark(key="effectors", text=text, warning=True)
    if any(hand.weak for hand in findings.hands):
        text = "the wrists are too weak for a hand that bears a tenth of the weight: it braces with a sphere about the wrist"
        yield Remark(key="effectors", text=text, warning=True)
    if description.effectors:
        yield Remark(key="effectors", text="friction and normal forces are guesses, from the weight")
    if not description.cameras:
        yield Remark(key="cameras", text="no frame of a camera was found: planes are proposed by none", warning=True)


def _remark_on_limits(findings: Findings) -> Iterator[Remark]:
    limits = findings.limits
    if limits.fingers:
        yield Remark(key="locked_joints", text=f"fingers and toes are held fixed: {_join(limits.fingers)}")
    if limits.endless:
        text = f"joints without limits of position, or about several axes, are held fixed: {_join(limits.endless)}"
        yield Remark(key="locked_joints", text=text, warning=True)
    if limits.velocities:
        text = f"the URDF has no usable velocity limit of {_join(tuple(limits.velocities))}: guessed"
        yield Remark(key="velocity_limits", text=text, warning=True)
    if limits.torques:
        text = f"the URDF has no usable torque limit of {_join(tuple(limits.torques))}: guessed from the weight"
        yield Remark(key="torque_limits", text=text, warning=True)


def _remark_on_posture(posture: Posture) -> Iterator[Remark]:
    if posture.sole_error > MAX_TILT:
        text = (
            f"the soles are not level in the nominal posture ({posture.sole_error:.2f} rad): the ankles' limits are too narrow"
        )
        yield Remark(key="posture", text=text, warning=True)


def _remark_on_pairs(near: tuple[str, ...]) -> Iterator[Remark]:
    if near:
        text = f"not kept apart, because they are too near in the nominal posture: {_join(near, 4)}"
        yield Remark(key="self_collision", text=text, warning=True)


def _remark_on_walking(description: RobotDescription, findings: Findings) -> Iterator[Remark]:
    if description.walking is not None:
        yield Remark(key="walking", text="scaled from robots that walk by the length of the legs")
        return
    count = min(len(leg.joints) for leg in findings.anatomy.legs)
    text = f"a leg has {count} joints, and walking needs {MIN_LEG_JOINTS} to put a foot level anywhere: it does not walk"
    yield Remark(key="walking", text=text, warning=True)


def _join(names: tuple[str, ...], limit: int = 6) -> str:
    """Return a list of names, cut short."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
