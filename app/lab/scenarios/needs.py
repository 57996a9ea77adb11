"""What scenarios need of a robot, and how they name its parts: by the operator's hand, by side, by what it stands on."""

from __future__ import annotations

import numpy as np

from handhold.app.lab.authoring.one_foot import describe_one_foot_lack
from handhold.app.lab.scenarios.scenario import Need
from handhold.app.limbs import Side, find_hands
from handhold.retarget.motions.errors import MotionFileError, MotionUnfit
from handhold.retarget.motions.loading import load_motion
from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import RobotModel


def hand(side: Side) -> Need:
    """Need an effector that an operator's hand moves."""

    def lacks(model: RobotModel) -> str:
        if model.effector_of_hand(side) is None:
            return f'a {side} hand (an effector with hand = "{side}")'
        return ""

    return lacks


def any_hand(model: RobotModel) -> str:
    """Need an effector that either of the operator's hands moves."""
    return "" if find_hands(model) else 'a hand (an effector with hand = "left" or "right")'


def touch_points(model: RobotModel) -> str:
    """Need a robot that tells where people push its body."""
    return "" if model.touch_points else "places where people push its body ([[touch_points]])"


def two_palms(model: RobotModel) -> str:
    """Need two hands that are flat: effectors with a plane contact."""
    hands = find_hands(model).values()
    flat = [hand for hand in hands if model.effectors[hand].contact is ContactKind.PLANE]
    return "" if len(flat) == 2 else 'a left and a right hand that are flat (contact = "plane")'


def palm(side: Side) -> Need:
    """Need a hand that is flat: an effector with a plane contact."""

    def lacks(model: RobotModel) -> str:
        index = model.effector_of_hand(side)
        flat = index is not None and model.effectors[index].contact is ContactKind.PLANE
        return "" if flat else f'a {side} hand that is flat (contact = "plane")'

    return lacks


def gripper(side: Side) -> Need:
    """Need a gripper at the effector that an operator's hand moves."""

    def lacks(model: RobotModel) -> str:
        index = model.effector_of_hand(side)
        at = [each.hand for each in model.description.grippers]
        return (
            "" if index is not None and model.effectors[index].name in at else f"a gripper at its {side} hand ([[grippers]])"
        )

    return lacks


def has_cameras(model: RobotModel) -> str:
    """Need a robot that sees."""
    return "" if model.description.cameras else "a camera ([[cameras]])"


def motion(name: str) -> Need:
    """Need a motion that the robot can do."""

    def lacks(model: RobotModel) -> str:
        try:
            load_motion(name, model)
        except (MotionFileError, MotionUnfit) as error:
            return f"a motion {name} ({error})"
        return ""

    return lacks


def has_base_height(height: float) -> Need:
    """Need a robot whose base stands at a height [m] or above."""

    def lacks(model: RobotModel) -> str:
        return "" if float(model.q_nominal[2]) >= height else f"a robot whose base stands {height:g} m high"

    return lacks


def feet_on_both_sides(model: RobotModel) -> str:
    """Need a foot at the left and one at the right."""
    poses = model.effector_poses(model.q_nominal)
    if all(find_feet(model, poses, side) for side in ("left", "right")):
        return ""
    return "a foot on each side (effectors with standing = true)"


def balances_on_each_foot(model: RobotModel) -> str:
    """Need two feet of which each can support the robot alone."""
    lack = describe_one_foot_lack(model)
    return f"feet that carry it one at a time ({lack})" if lack else ""


def find_feet(model: RobotModel, effector_poses: np.ndarray, side: Side) -> tuple[int, ...]:
    """Find the effectors of a side that the robot stands on, the front one first.

    Args:
        model: Robot.
        effector_poses: Poses of all effectors in world, shape ``(effectors, 4, 4)``; the robot looks along x.
        side: Left (y above that of the middle of all feet) or right.
    """
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing]
    if not feet:
        return ()
    middle = float(effector_poses[feet, 1, 3].mean())
    sign = 1.0 if side == "left" else -1.0
    of_side = [i for i in feet if sign * (effector_poses[i, 1, 3] - middle) > 0.0]
    return tuple(sorted(of_side, key=lambda i: -effector_poses[i, 0, 3]))


def list_standing(model: RobotModel) -> list[int]:
    """List the effectors that the robot starts standing on."""
    return [i for i, effector in enumerate(model.effectors) if effector.standing]
