"""The motors of this maker's robots, in the order of its protocol."""

from __future__ import annotations

from collections.abc import Mapping

from handhold.robots.model import RobotModel
from handhold.robots.unitree.errors import UnknownMotors

_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")

MOTORS: Mapping[str, tuple[str, ...]] = {
    "g1": (
        *(f"{side}_{name}_joint" for side in ("left", "right") for name in _LEG),
        *(f"{name}_joint" for name in _WAIST),
        *(f"{side}_{name}_joint" for side in ("left", "right") for name in _ARM),
    )
}
"""Names of the joints of each robot that can be driven, in the order of the motors."""


def check_motors(model: RobotModel) -> None:
    """Check that the joints of a robot are the motors of one that this maker's protocol drives, in their order.

    Raises:
        UnknownMotors: They are not.
    """
    if tuple(model.joint_names) not in MOTORS.values():
        raise UnknownMotors(model.description.source, tuple(MOTORS))
