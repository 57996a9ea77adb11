"""Unitree's H1: 19 motors in the twenty slots of a Go2's messages."""

from __future__ import annotations

from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.unitree.makers_robot import MakersRobot, MessageKind, make_health_limits

CELLS = 16
"""Cells of its battery in series: 67.2 V when it is full (its data sheet)."""

_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")

H1 = MakersRobot(
    messages=MessageKind.GO2,
    motors=(
        "right_hip_roll_joint",
        "right_hip_pitch_joint",
        "right_knee_joint",
        "left_hip_roll_joint",
        "left_hip_pitch_joint",
        "left_knee_joint",
        "torso_joint",
        "left_hip_yaw_joint",
        "right_hip_yaw_joint",
        None,
        "left_ankle_joint",
        "right_ankle_joint",
        *(f"{side}_{name}_joint" for side in ("right", "left") for name in _ARM),
    ),
    unit=UnitMount(joint="torso_joint", position=(-0.04452, -0.01891, 0.27756)),
    health=make_health_limits(CELLS),
    full=4.0 * CELLS,
)
"""Order of the motors: unitree_sdk2, ``example/h1``; the unit: ``imu_link`` of the maker's URDF. The temperatures are G1's."""
