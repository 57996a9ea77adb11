"""Which stability-aware retargetings are switched on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Retargeting:
    """What may change the operator's commands for the sake of stability; with neither they stay as they are [McCrory2024]_.

    Attributes:
        contact: A hand that comes near a surface is moved along it to where the region grows (eq. 14).
        posture: A posture in which the joints' torques limit the region is moved to where the margin grows (eq. 15).
    """

    contact: bool = False
    posture: bool = False


NOMINAL = Retargeting()
"""Neither."""
