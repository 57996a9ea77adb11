"""One robot of several copies of a URDF, mounted on a common stand."""

from __future__ import annotations

from collections.abc import Sequence

import pinocchio as pin

Mounts = Sequence[tuple[str, pin.SE3]]
"""Of each copy what comes before its names, and where its root link is in the stand."""

STAND = "stand"
"""Name of the link that the copies are mounted on: the robot's base."""


def mount_models(arm: pin.Model, mounts: Mounts) -> pin.Model:
    """Return a model with a free flyer that carries the stand, and on it the copies one after the other.

    Args:
        arm: What is mounted, its root link fixed to the universe.
        mounts: Where.
    """
    robot = pin.Model()
    base = robot.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    robot.addJointFrame(base, 0)
    robot.addBodyFrame(STAND, base, pin.SE3.Identity(), robot.getFrameId("root_joint"))
    for prefix, placement in mounts:
        robot = pin.appendModel(robot, _rename(arm, prefix), robot.getFrameId(STAND), placement)
    return robot


def mount_geometry(robot: pin.Model, shapes: pin.GeometryModel, arm: pin.Model, mounts: Mounts) -> pin.GeometryModel:
    """Return the shapes of all copies, on the joints and frames of the robot that they make.

    Args:
        robot: The robot (see ``mount_models``).
        shapes: Of one of them.
        arm: Its model, root link fixed to the universe.
        mounts: Where they are mounted.
    """
    mounted = pin.GeometryModel()
    for prefix, placement in mounts:
        for shape in shapes.geometryObjects:
            copy = shape.copy()
            copy.name = prefix + shape.name
            copy.parentFrame = robot.getFrameId(prefix + arm.frames[shape.parentFrame].name, pin.FrameType.BODY)
            if shape.parentJoint == 0:
                copy.parentJoint, copy.placement = 1, placement * shape.placement
            else:
                copy.parentJoint = robot.getJointId(prefix + arm.names[shape.parentJoint])
            mounted.addGeometryObject(copy)
    return mounted


def _rename(arm: pin.Model, prefix: str) -> pin.Model:
    """Return a copy of a model whose names begin with a prefix."""
    copy = arm.copy()
    for joint in range(1, copy.njoints):
        copy.names[joint] = prefix + copy.names[joint]
    for frame in copy.frames:
        if frame.type != pin.FrameType.FIXED_JOINT or frame.name != arm.frames[0].name:
            frame.name = prefix + frame.name
    return copy
