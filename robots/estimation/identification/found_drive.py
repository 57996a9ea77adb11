"""What has been found of the drive of one joint."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.robots.estimation.identification.friction import Friction
from handhold.robots.estimation.identification.torque_response import TorqueResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDrive:
    """Of one joint.

    Attributes:
        joint: Its name.
        friction: Of the joint.
        response: Of its torque to commands.
        rotor_inertia: Reflected to the joint [kg m^2]; None where it cannot be told from that of its links.
    """

    joint: str
    friction: Friction
    response: TorqueResponse
    rotor_inertia: float | None
