"""Unitree's G1 with 29 motors."""

from __future__ import annotations

from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.unitree.makers_robot import MakersRobot, MessageKind, make_health_limits

CELLS = 13
"""Cells of its battery in series: 46.8 V, 54.6 V when it is full (its manual)."""

_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_WAIST = ("waist_yaw", "waist_roll", "waist_pitch")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")

G1 = MakersRobot(
    messages=MessageKind.HUMANOID,
    motors=(
        *(f"{side}_{name}_joint" for side in ("left", "right") for name in _LEG),
        *(f"{name}_joint" for name in _WAIST),
        *(f"{side}_{name}_joint" for side in ("left", "right") for name in _ARM),
    ),
    unit=UnitMount(position=(0.04525, 0.0, -0.08339)),
    health=make_health_limits(CELLS),
    full=4.0 * CELLS,
)
"""The unit: ``imu_in_pelvis`` of the maker's URDF, 9 cm from its base's origin."""
