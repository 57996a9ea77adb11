"""A robot's limbs: the hands that an operator moves, and the joints of each limb."""

from __future__ import annotations

from typing import Literal

from handhold.robots.model import RobotModel

Side = Literal["left", "right"]


def find_hands(model: RobotModel) -> dict[Side, int]:
    """Find the effectors that the operator's hands move."""
    sides: tuple[Side, ...] = ("left", "right")
    found = ((side, model.effector_of_hand(side)) for side in sides)
    return {side: effector for side, effector in found if effector is not None}


def choose_hand(model: RobotModel) -> tuple[Side, int]:
    """Choose a hand for what one hand can do, and its effector: the left one where there is one."""
    return next(iter(find_hands(model).items()))


def list_limb(model: RobotModel, effector: int) -> list[int]:
    """List the joints that only one effector's limb has, the one at the trunk first.

    They are those behind the last joint whose parent is shared with another limb; what the last one carries besides, fingers,
    is no limb.
    """
    pinocchio = model.pinocchio
    joints = [int(joint) for joint in pinocchio.supports[model.effector_joints[effector]]]
    branching = [i for i, joint in enumerate(joints[:-1]) if len(pinocchio.children[joint]) > 1 or joint <= 1]
    return joints[max(branching, default=-1) + 1 :]


def count_leg_joints(model: RobotModel) -> dict[str, int]:
    """Return how many joints carry each sole that the robot stands on, by the effector's name."""
    effectors = enumerate(model.effectors)
    soles = {e: effector.name for e, effector in effectors if effector.standing and effector.half_lengths is not None}
    return {name: len(list_limb(model, e)) for e, name in soles.items()}
