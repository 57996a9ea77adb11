"""Values of the size of Talos's with every number random, and their comparison bit by bit."""

from __future__ import annotations

import struct
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.devices.stop import Stop
from handhold.render.snapshot import Counters, HandStatus, Snapshot
from handhold.retarget.mode_profile import ModeOffer, ModeProfile
from handhold.retarget.mode_report import Approach, ContactState, HandReport, Lag, ModeReport, PersonReport, Support, Toggle
from handhold.robots.health import RobotHealth
from handhold.robots.reference import Reference, Residuals


def bits(value: Any) -> Any:
    """Return a value that is equal exactly where the bits of two payloads are the same."""
    if is_dataclass(value):
        return tuple((field.name, bits(getattr(value, field.name))) for field in fields(value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, pin.SE3):
        return bits(np.array(value.rotation, order="C")), bits(np.array(value.translation))
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, tuple):
        return tuple(bits(item) for item in value)
    return value


def random_snapshot(seed: int, vertices: int = 6) -> Snapshot:
    """Return a snapshot of the size of Talos's, every number random."""
    random = np.random.default_rng(seed)

    def reals(*shape: int) -> np.ndarray:
        return random.standard_normal(shape)

    reference = Reference(
        time=float(reals()),
        q=reals(37),
        v=reals(36),
        joint_torques=reals(30),
        position_com_in_world=reals(3),
        velocity_com_in_world=reals(3),
        acceleration_com_in_world=reals(3),
        support_polygon=reals(vertices, 2),
        effector_poses=reals(4, 4, 4),
        effector_velocities=reals(4, 6),
        contacts=random.random(4) > 0.5,
        contact_normals=reals(4, 3),
        contact_wrenches=reals(4, 6),
        external_forces=reals(4, 3),
        residuals=Residuals(contact=float(reals())),
    )
    approach = Approach(
        pose=reals(4, 4),
        half_lengths=(float(reals()), float(reals())),
        is_round=True,
        distance=float(reals()),
        axis=reals(3),
        tilt=float(reals()),
        max_tilt=float(reals()),
        obstacle="turn the hand, 42 deg off",
    )
    support = Support(
        normal_force=float(reals()),
        desired_force=float(reals()),
        max_force=float(reals()),
        friction_ratio=float("nan"),
        margin_gain=float("inf"),
    )
    left = HandStatus(engaged=True, waiting="squeeze to move", target=reals(4, 4))
    return Snapshot(
        time=1.0,
        cycle=seed,
        robot="talos",
        mode="bracing",
        stop=Stop.NONE,
        q=reals(37),
        position_com_in_world=reals(3),
        contact_wrenches=reals(4, 6),
        reference=reference,
        left=left,
        right=replace(left, contact=ContactState.LOADED),
        messages=("squeeze again",),
        counters=Counters(refused_samples=3),
        input_age=0.01,
        health=RobotHealth(hottest="left knee", temperature=float(reals()), voltage=None, silent=("left elbow",)),
        modes=(ModeOffer(profile=ModeProfile(name="bracing", title="Bracing")),),
        report=ModeReport(
            active_constraints=("torque arm_left_4_joint", "cop left_foot"),
            toggles=(
                Toggle(name="contact", title="Move my hand", on=True),
                Toggle(name="posture", title="Move my posture", on=False),
            ),
            left=HandReport(approach=approach),
            right=HandReport(support=support),
            person=PersonReport(
                points=reals(12, 3),
                hands=reals(2, 3),
                bones=np.array([[0, 1], [1, 2]]),
                lags=(Lag(part="left hand", effector=2, point=7, distance=float(reals()), limits=("balance",)),),
                following=True,
            ),
        ),
    )
