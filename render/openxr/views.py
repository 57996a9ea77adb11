"""Where the eyes of a headset are and what they see of the world, by its OpenXR session."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pinocchio as pin

from handhold.devices.openxr.poses import convert_pose_from_openxr
from handhold.devices.openxr.session import OpenXrSession
from handhold.render.gl.eye import FieldOfView

EYES = 2
VALID = 0b11  # orientation and position of the views


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class LocatedView:
    """One eye at the time a frame will be seen.

    Attributes:
        pose: Its pose in the session's space, with Handhold's axes (x is where it looks).
        field_of_view: Edges of what it sees.
        raw: The runtime's own structure, for the layer.
    """

    pose: pin.SE3
    field_of_view: FieldOfView
    raw: Any


def read_recommended_sizes(session: OpenXrSession) -> tuple[tuple[int, int], ...]:
    """Return the size of picture that the runtime recommends for each eye now: width and height in pixels.

    Raises:
        RuntimeLost: The runtime is gone.
    """
    import xr

    with session.losing():
        views = xr.enumerate_view_configuration_views(
            session.instance, session.system_id, xr.ViewConfigurationType.PRIMARY_STEREO
        )
    return tuple((int(view.recommended_image_rect_width), int(view.recommended_image_rect_height)) for view in views)


def locate_views(session: OpenXrSession, time: int) -> tuple[LocatedView, ...]:
    """Locate both eyes.

    Args:
        session: A session that runs.
        time: When the frame will be seen, by the runtime's clock [ns].

    Returns:
        Left and right eye; nothing where the head is not found at all. Unlike hands, a head that is guessed will do: a picture
        that stands still in front of a moving head is worse.

    Raises:
        RuntimeLost: The runtime is gone.
    """
    import xr

    info = xr.ViewLocateInfo(xr.ViewConfigurationType.PRIMARY_STEREO, time, session.space)
    with session.losing():
        state, views = xr.locate_views(session.handle, info)
    if int(state.view_state_flags) & VALID != VALID:
        return ()
    return tuple(_convert(view) for view in views)


def _convert(view: Any) -> LocatedView:
    position, orientation, fov = view.pose.position, view.pose.orientation, view.fov
    pose = convert_pose_from_openxr(
        (position.x, position.y, position.z), (orientation.x, orientation.y, orientation.z, orientation.w)
    )
    angles = (fov.angle_left, fov.angle_right, fov.angle_up, fov.angle_down)
    return LocatedView(pose=pose, field_of_view=FieldOfView(*map(math.tan, angles)), raw=view)
