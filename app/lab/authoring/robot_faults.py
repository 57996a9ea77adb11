"""What a robot's description names that its URDF does not have: all of it at once, where loading stops at the first."""

from __future__ import annotations

from collections.abc import Iterator

from handhold.robots.description import RobotDescription
from handhold.robots.errors import DescriptionError, FrameNotFound, RobotError, closest
from handhold.robots.urdf import build_full_model

_OWN_TABLES = ("posture", "velocity_limits", "torque_limits")


def list_faults(description: RobotDescription) -> list[RobotError]:
    """List every frame, link and joint of a description that is not in its URDF.

    Raises:
        DescriptionError: There is no such URDF, or it cannot be read.
    """
    full = build_full_model(description.model_file(), description.base_rpy, description.mounted)
    frames, joints = tuple(frame.name for frame in full.frames), tuple(full.names)[2:]
    return [
        *(
            FrameNotFound(name, known, f"{description.source}: {key}")
            for key, name, known in _list_frames(description, frames)
            if name not in known
        ),
        *_list_joint_faults(description, joints),
    ]


def _list_frames(description: RobotDescription, frames: tuple[str, ...]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the key of each frame that is named, its name, and what there is of that kind."""
    for index, effector in enumerate(description.effectors):
        yield f"effectors.{index}.frame", effector.frame, frames
    for index, camera in enumerate(description.cameras):
        yield f"cameras.{index}.frame", camera.frame, frames
    yield from (("trunk", name, frames) for name in description.trunk)
    parts = (*frames, *(effector.name for effector in description.effectors))
    for body, names in description.self_collision.bodies.items():
        yield from ((f"self_collision.bodies.{body}", name, parts) for name in names)


def _list_joint_faults(description: RobotDescription, joints: tuple[str, ...]) -> Iterator[RobotError]:
    for table in ("locked_joints", *_OWN_TABLES):
        for name in getattr(description, table):
            near = f"did you mean one of: {', '.join(closest(name, joints))}?"
            if name not in joints:
                yield DescriptionError(description.source, f"{table}.{name}", "no such joint", near)
            elif table in _OWN_TABLES and name in description.locked_joints:
                remedy = "leave it out here, or in locked_joints"
                yield DescriptionError(description.source, f"{table}.{name}", "the joint is locked", remedy)
