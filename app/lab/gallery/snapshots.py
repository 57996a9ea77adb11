"""Snapshots made by hand, for viewers to show."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pinocchio as pin

from handhold.render.snapshot import Counters, HandStatus, Snapshot
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import ModeReport
from handhold.retarget.motions.mode import MotionMode
from handhold.retarget.walking.mode import WalkingMode
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference

REPORTED = frozenset(field.name for field in fields(ModeReport)) - {"left", "right"}
"""What a mode reports that a snapshot has no attribute of the same name for."""


def make_reference(model: RobotModel, q: np.ndarray) -> Reference:
    """Return a reference that stands still in configuration ``q``, on the feet."""
    poses = model.effector_poses(q)
    standing = np.array([effector.standing for effector in model.effectors])
    count = len(model.effectors)
    return Reference(
        time=0.0,
        q=q,
        v=np.zeros(model.nv),
        joint_torques=np.zeros(model.n),
        position_com_in_world=compute_com(model, q),
        velocity_com_in_world=np.zeros(3),
        acceleration_com_in_world=np.zeros(3),
        support_polygon=make_support_polygon(model, poses),
        effector_poses=poses,
        effector_velocities=np.zeros((count, 6)),
        contacts=standing,
        contact_normals=np.tile([0.0, 0.0, 1.0], (count, 1)),
        contact_wrenches=make_wrenches(model),
    )


def make_snapshot(
    model: RobotModel, q: np.ndarray | None = None, reference_q: np.ndarray | None = None, **changes: object
) -> Snapshot:
    """Return a snapshot of the robot in ``q`` asked to be in ``reference_q``; both are nominal unless given.

    Args:
        model: The robot.
        q: Its configuration.
        reference_q: Configuration of the reference.
        changes: Attributes of the snapshot, or of the mode's report, by name.
    """
    reported = {name: changes.pop(name) for name in REPORTED if name in changes}
    q = model.q_nominal if q is None else q
    reference = make_reference(model, q if reference_q is None else reference_q)
    hands = {hand: reference.effector_poses[model.effector_of_hand(hand) or 0] for hand in ("left", "right")}
    values: dict[str, object] = {
        "time": 1.0,
        "cycle": 100,
        "robot": model.description.name,
        "mode": "bracing",
        "stop": "",
        "q": q,
        "position_com_in_world": compute_com(model, q),
        "contact_wrenches": make_wrenches(model),
        "reference": reference,
        "left": HandStatus(engaged=True, waiting="", target=hands["left"]),
        "right": HandStatus(engaged=False, waiting="squeeze to move", target=hands["right"]),
        "messages": (),
        "counters": Counters(),
        "input_age": 0.01,
        "modes": tuple(ModeOffer(profile=mode.profile) for mode in (BracingMode, WalkingMode, MotionMode)),
        "report": ModeReport(**reported),  # type: ignore[arg-type]
    }
    return Snapshot(**(values | changes))  # type: ignore[arg-type]


def compute_com(model: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return the centre of mass in world [m]."""
    return pin.centerOfMass(model.pinocchio, model.pinocchio.createData(), q).copy()


def make_wrenches(model: RobotModel) -> np.ndarray:
    """Return contact wrenches that support the robot's weight, the left foot the larger part."""
    wrenches = np.zeros((len(model.effectors), 6))
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing]
    wrenches[feet[0], :3] = (15.0, -20.0, 0.6 * model.weight)
    wrenches[feet[1], :3] = (-15.0, 20.0, 0.4 * model.weight)
    return wrenches


def make_support_polygon(model: RobotModel, poses: np.ndarray) -> np.ndarray:
    """Return the rectangle around the soles, counter-clockwise, shape ``(4, 2)`` [m]."""
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing]
    reach = np.max([model.effectors[i].half_lengths or (0.0, 0.0) for i in feet], axis=0)
    low = poses[feet, :2, 3].min(axis=0) - reach
    high = poses[feet, :2, 3].max(axis=0) + reach
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])])
