"""Cameras of a proposed description, by the names and the axes of the URDF's frames."""

from __future__ import annotations

import re

import pinocchio as pin

from handhold.robots.description import Camera
from handhold.robots.proposal.source import Source

_OPTICAL = re.compile(r"(?i)optical")
_PREFERRED = (re.compile(r"(?i)rgb|color|depth"), re.compile(r"(?i)camera|left"))
_AHEAD = 0.5
"""Minimum cosine of the angle between where a camera looks and where the robot does [-]."""


def find_camera(source: Source) -> Camera | None:
    """Find the optical frame of a camera that looks ahead, or down ahead; None where there is none."""
    data = source.model.createData()
    pin.framesForwardKinematics(source.model, data, source.q)
    found = []
    for index, frame in enumerate(source.model.frames):
        axes = data.oMf[index].rotation
        upright = axes[2, 1] < 0.0 and abs(axes[1, 2]) < _AHEAD
        if frame.type == pin.FrameType.BODY and _OPTICAL.search(frame.name) and axes[0, 2] > 0.0 and upright:
            found.append(frame.name)
    if not found:
        return None
    best = min(found, key=lambda name: [pattern.search(name) is None for pattern in _PREFERRED])
    return Camera(name="head", frame=best)
