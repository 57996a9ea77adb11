"""What SEIKO has found, as the controller tracks it."""

from __future__ import annotations

from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference, Residuals


def make_reference(model: RobotModel, seiko: Seiko, time: float) -> Reference:
    """Return the reference that a SEIKO stands for at a time [s]."""
    count = len(model.effectors)
    kinematics = seiko.kinematics
    pushed = bool(seiko.external.pushed)
    return Reference(
        time=time,
        q=seiko.q,
        v=seiko.v,
        joint_torques=seiko.joint_torques,
        position_com_in_world=kinematics.position_com_in_world.copy(),
        velocity_com_in_world=seiko.velocity_com,
        acceleration_com_in_world=seiko.acceleration_com,
        support_polygon=seiko.balance.vertices,
        effector_poses=kinematics.poses.copy(),
        effector_velocities=kinematics.jacobians @ seiko.v,
        contacts=seiko.stance.contact_flags(count),
        contact_normals=seiko.terms.normals.copy(),
        contact_wrenches=seiko.stance.unstack(seiko.wrenches, count),
        external_forces=seiko.acting_forces.spread(len(model.touched_joints)) if pushed else None,
        grasp=seiko.stance.grasp,
        load=seiko.load,
        zmp_shift=seiko.pressure_shift if pushed else None,
        residuals=Residuals(contact=seiko.contact_error, equilibrium=seiko.equilibrium_error, torque=seiko.torque_overshoot),
    )
