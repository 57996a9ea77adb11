"""What the drives of a robot are like, from all that was recorded of its joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from handhold.robots.estimation.identification.dynamics_rows import DynamicsRows, make_rows
from handhold.robots.estimation.identification.found_drive import FoundDrive
from handhold.robots.estimation.identification.friction import fit_friction
from handhold.robots.estimation.identification.joint_record import JointRecord
from handhold.robots.estimation.identification.rotor_inertia import fit_rotor_inertias
from handhold.robots.estimation.identification.torque_response import fit_torque_response
from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.model import RobotModel


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class JointRecords:
    """Of one joint.

    Attributes:
        travel: Of its slow travel.
        steps: Of its torque's steps.
        swing: Of its swing.
    """

    travel: JointRecord
    steps: JointRecord
    swing: JointRecord


def find_drives(
    model: RobotModel, records: Mapping[int, JointRecords], posture: np.ndarray, mount: UnitMount
) -> Iterator[FoundDrive]:
    """Find the drives of joints that moved, by their indices.

    Rotors are told from links by all that has moved: the more joints of a limb, the better.

    Args:
        model: The robot as it is described.
        records: Of each joint that moved.
        posture: Where the robot was held, shape ``(n,)`` [rad].
        mount: Where its inertial unit is.
    """
    rows: dict[int, tuple[DynamicsRows, ...]] = {
        joint: (make_rows(model, each.travel, mount), make_rows(model, each.swing, mount)) for joint, each in records.items()
    }
    inertias = fit_rotor_inertias(model, rows, posture) if rows else {}
    for joint, each in records.items():
        yield FoundDrive(
            joint=model.joint_names[joint],
            friction=fit_friction(each.travel),
            response=fit_torque_response(each.steps),
            rotor_inertia=inertias[joint],
        )
