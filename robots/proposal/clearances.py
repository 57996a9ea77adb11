"""Which bodies of a humanoid could meet, without those that touch in its nominal posture."""

from __future__ import annotations

from itertools import product

from handhold.robots.description import RobotDescription, SelfCollisions
from handhold.robots.model import RobotModel
from handhold.robots.proposal.anatomy import Anatomy
from handhold.robots.proposal.source import Source
from handhold.robots.self_collision import measure_nominal_clearances

MIN_DISTANCE, INFLUENCE_DISTANCE = 0.02, 0.12

PAIRS = (
    ("left_arm", "right_arm"),
    *product(("left_arm", "right_arm"), ("torso", "head", "left_leg", "right_leg")),
    ("left_foot", "right_foot"),
    ("left_shank", "right_shank"),
    ("left_foot", "right_shank"),
    ("right_foot", "left_shank"),
    ("left_arm", "left_foot"),
    ("right_arm", "right_foot"),
)
"""Bodies of a humanoid that could meet."""


def list_bodies(source: Source, anatomy: Anatomy, chest: int) -> dict[str, tuple[str, ...]]:
    """Return the bodies of a humanoid: lists of its links that have a shape, and of its effectors.

    An arm begins at its elbow: what is above touches the chest at all times. A sole stands for a foot.

    Args:
        source: The robot.
        anatomy: Its parts.
        chest: Joint that carries the arms.
    """
    bodies: dict[str, tuple[str, ...]] = {"torso": _list_links(source, [chest, 1])}
    head = [
        joint for joint in anatomy.trunk if joint != chest and source.positions[joint, 2] > source.positions[chest, 2] + 0.05
    ]
    bodies["head"] = _list_links(source, head[-1:])
    for side, leg in zip(("left", "right"), anatomy.legs, strict=True):
        knee = source.find_middle(leg.joints)
        bodies[f"{side}_leg"] = _list_links(source, [leg.joints[max(0, knee - 1)], leg.joints[knee]])
        bodies[f"{side}_shank"] = _list_links(source, [leg.joints[knee]])
        bodies[f"{side}_foot"] = (f"{side}_foot",)
    for side, arm in zip(("left", "right"), anatomy.arms or (), strict=False):
        elbow = source.find_middle(arm.joints)
        links = _list_links(source, [*arm.joints[elbow:], *arm.beyond])
        bodies[f"{side}_arm"] = (*links, f"{side}_hand")
    return {name: links for name, links in bodies.items() if links}


def list_pairs(bodies: dict[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of bodies that could meet, of those there are."""
    return tuple(pair for pair in PAIRS if bodies.keys() >= set(pair))


def keep_apart(description: RobotDescription) -> tuple[SelfCollisions, tuple[str, ...]]:
    """Drop the pairs of a description that are too near in its nominal posture, or share a joint.

    Returns:
        What is left, and the pairs that were dropped, for people.
    """
    settings = description.self_collision
    distances = measure_nominal_clearances(RobotModel(description))
    near = {pair for pair, distance in distances.items() if not distance > settings.least_distance}
    pairs = tuple(pair for pair in settings.pairs if pair not in near)
    used = {name for pair in pairs for name in pair}
    bodies = {name: links for name, links in settings.bodies.items() if name in used}
    return settings.model_copy(update={"pairs": pairs, "bodies": bodies}), tuple(" and ".join(pair) for pair in sorted(near))


def _list_links(source: Source, joints: list[int]) -> tuple[str, ...]:
    return tuple(link for joint in dict.fromkeys(joints) for link in source.list_links(joint))
