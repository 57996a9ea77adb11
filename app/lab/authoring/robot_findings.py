"""What a person should know of a robot's description before it is used: each in one line, with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handhold.app.lab.authoring.one_foot import describe_one_foot_lack
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.limbs import count_leg_joints
from handhold.robots.description import MIN_LEG_JOINTS
from handhold.robots.model import RobotModel
from handhold.robots.self_collision import Clearance

UNKNOWN_LICENSE = "NOASSERTION"
"""What a description says of a licence that nobody has filled in: SPDX's own word."""

NEAR_BODIES = 0.01
"""How much more than the minimum distance two bodies keep that are reported to be near [m]."""

_MAX_NAMES = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a robot.

    Attributes:
        text: What it is and its remedy, in one line.
        error: Whether the robot cannot be used with it; otherwise a person should look at it.
    """

    text: str
    error: bool = False


def list_lacks(model: RobotModel) -> tuple[Finding, ...]:
    """List what a person should look at in a description: what it is without, short legs and moving fingers."""
    return (
        *_find_lacks(model),
        *_find_short_legs(model),
        *_find_one_foot(model),
        *_find_moving_fingers(model),
    )


def list_near_pairs(model: RobotModel, clearances: Sequence[Clearance]) -> Iterator[Finding]:
    """List the pairs of bodies that are too near each other, or nearly, in the nominal posture."""
    min_distance = model.description.self_collision.least_distance
    for clearance in clearances:
        if clearance.distance < min_distance + NEAR_BODIES:
            yield Finding(
                f"{clearance} in the nominal posture: {1e3 * clearance.distance:.0f} mm, and least_distance is "
                f"{1e3 * min_distance:.0f} mm; open the posture, or leave links that are neighbours out of their bodies",
                error=clearance.distance <= min_distance,
            )


def join_names(names: Sequence[str]) -> str:
    """Return a list of names for a line, cut short."""
    shown = ", ".join(names[:_MAX_NAMES])
    return shown if len(names) <= _MAX_NAMES else f"{shown} and {len(names) - _MAX_NAMES} more"


def _find_lacks(model: RobotModel) -> Iterator[Finding]:
    description = model.description
    if description.license == UNKNOWN_LICENSE:
        yield Finding("the licence is not known; fill in license, that of the URDF and its meshes (an SPDX name)")
    if any_hand(model):
        yield Finding('no hand: it stands and cannot reach or brace; give an effector hand = "left" or "right"')
    if not description.self_collision.pairs:
        yield Finding("no bodies are kept apart: its arms may go through it; give self_collision bodies and pairs")
    if not description.cameras:
        yield Finding("no camera: nothing proposes planes to brace on; give one under [[cameras]]")
    if description.walking is None and not description.is_fixed:
        joints = count_leg_joints(model).values()
        can_walk = len(joints) == 2 and min(joints) >= MIN_LEG_JOINTS
        needs = f"that takes two soles on legs of {MIN_LEG_JOINTS} joints, and no key mends it"
        yield Finding(f"it does not walk; {'give it a [walking] table' if can_walk else needs}")


def _find_short_legs(model: RobotModel) -> Iterator[Finding]:
    counts = count_leg_joints(model)
    short = {name: count for name, count in counts.items() if count < MIN_LEG_JOINTS}
    if len(counts) > 1 and short:
        yield Finding(
            f"{join_names(list(short))} on legs of {min(short.values())} joints: contacts of both soles depend on each other, "
            f"and a foot cannot be put level anywhere; that takes {MIN_LEG_JOINTS}"
        )


def _find_one_foot(model: RobotModel) -> Iterator[Finding]:
    if not model.description.is_fixed and (lack := describe_one_foot_lack(model)):
        yield Finding(f"it cannot lift a foot: {lack}; look at the soles, or at the limits of the hips and ankles")


def _find_moving_fingers(model: RobotModel) -> Iterator[Finding]:
    pinocchio = model.pinocchio
    limbs = {int(joint) for carrier in model.effector_joints for joint in pinocchio.supports[carrier]}
    hands = [model.effector_joints[i] for i, effector in enumerate(model.effectors) if effector.hand]
    behind = dict.fromkeys(int(joint) for hand in hands for joint in pinocchio.subtrees[hand])
    fingers = [pinocchio.names[joint] for joint in behind if joint not in limbs]
    if fingers:
        yield Finding(f"fingers move that nothing commands: {join_names(fingers)}; hold them fixed in [locked_joints]")
