"""What people call a robot's joints: the waist, the left elbow."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from handhold.robots.description import Effector

PARTS = {
    "hip": "hip",
    "knee": "knee",
    "ankle": "ankle",
    "shoulder": "shoulder",
    "elbow": "elbow",
    "forearm": "forearm",
    "wrist": "wrist",
    "waist": "waist",
    "torso": "waist",
    "spine": "waist",
    "neck": "neck",
    "head": "neck",
}
"""Parts of a body by what joints' names say of them."""

TRUNK = frozenset({"waist", "neck"})
"""Parts there is one of."""

FOOT_CHAIN, HAND_CHAIN = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")
BEGINS, ENDS = 0.3, 0.7
"""Where the first part of a limb ends and its last one begins, along its length [-]: three joints of a shoulder end at a
quarter of it, knees and elbows are in the middle, ankles and wrists begin at three quarters."""

_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def name_joints(
    model: pin.Model, effectors: Sequence[Effector], joints: Sequence[int], placements: np.ndarray
) -> tuple[str, ...]:
    """Return what people call the actuated joints, in order: ``waist``, ``left elbow``.

    A part that a joint's own name tells is believed. Any other joint is called by where it is in the tree: one that carries
    one effector by its position along the limb, one that carries several is the waist. What is left keeps its name.

    Args:
        model: The robot, free flyer first.
        effectors: What it stands and braces on.
        joints: Pinocchio's ids of the joints that carry them.
        placements: Contact frames in the frames of those joints, shape ``(effectors, 4, 4)``.
    """
    chains = [[j for j in model.supports[joint].tolist() if j > 1] for joint in joints]
    moved_effectors = {j: [e for e, chain in enumerate(chains) if j in chain] for j in range(2, model.njoints)}
    words = []
    for joint in range(2, model.njoints):
        part, moved = _read_part(model.names[joint]), moved_effectors[joint]
        if len(moved) == 1 and part not in TRUNK:
            limb = [j for j in chains[moved[0]] if moved_effectors[j] == moved]
            part = part or _find_part(model, effectors[moved[0]], limb, limb.index(joint), placements[moved[0]])
            part = f"{_find_side(effectors[moved[0]])} {part}".strip()
        words.append(part or ("waist" if len(moved) > 1 else _spell(model.names[joint])))
    return tuple(words)


def _read_part(name: str) -> str:
    """Return the part of the body that a joint's name tells, or nothing."""
    return next((PARTS[word.lower()] for word in _LETTERS.findall(name) if word.lower() in PARTS), "")


def _find_side(effector: Effector) -> str:
    """Return which limb an effector ends, by its own name: ``left`` of ``left_foot``, nothing of ``hand``."""
    return " ".join(effector.name.split("_")[:-1])


def _find_part(model: pin.Model, effector: Effector, limb: list[int], limb_index: int, placement: np.ndarray) -> str:
    """Return the part of the body at a joint of a limb, by how far along its length it is."""
    steps = [float(np.linalg.norm(model.jointPlacements[joint].translation)) for joint in limb[1:]]
    along = np.cumsum([0.0, *steps, float(np.linalg.norm(placement[:3, 3]))])
    ratio = along[limb_index] / max(float(along[-1]), 1e-9)
    first, middle, last = FOOT_CHAIN if effector.is_foot else HAND_CHAIN
    return first if ratio < BEGINS else middle if ratio < ENDS else last


def _spell(name: str) -> str:
    return name.replace("_", " ").removesuffix(" joint")
