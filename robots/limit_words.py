"""What people call a robot's limits: the left elbow's torque, the friction of the right hand."""

from __future__ import annotations

from handhold.robots.model import RobotModel


def spell_limit(model: RobotModel, name: str) -> str:
    """Return the name of a limit as people say it: ``left elbow torque`` of ``arm_left_4_joint torque``."""
    subject, gap, quantity = name.partition(" ")
    return f"{_call(model, subject)}{gap}{_say(quantity)}"


def describe_limit(model: RobotModel, name: str) -> str:
    """Return in words that a limit is reached: ``waist at its limit``, ``left elbow at its torque limit``.

    Args:
        model: The robot.
        name: What is limited and what of it, as constraints are named: ``torso_1_joint motion``, ``left_hand friction``.
    """
    subject, _, quantity = name.partition(" ")
    words = _call(model, subject)
    if quantity in ("", "motion"):
        return f"{words} at its limit"
    if quantity.startswith("near "):
        return f"{words} as {_say(quantity)} as it may be"
    return f"{words} as low as it may be" if quantity == "over the ground" else f"{words} at its {quantity} limit"


def _call(model: RobotModel, subject: str) -> str:
    """Return what people call a joint; anything else by its name."""
    names = dict(zip(model.joint_names, model.joint_words, strict=True))
    return names.get(subject) or _say(subject)


def _say(name: str) -> str:
    return name.replace("_", " ")
