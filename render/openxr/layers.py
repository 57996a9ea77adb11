"""What a frame hands to the OpenXR runtime: the eyes' pictures, and a screen that is fixed to the head."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from handhold.devices.openxr.session import OpenXrSession
from handhold.render.gl.eye import FAR, NEAR, FieldOfView
from handhold.render.openxr.pictures import Picture
from handhold.render.openxr.views import LocatedView


def make_projection_layer(
    session: OpenXrSession, pictures: Sequence[Picture], views: Sequence[LocatedView], *, see_through: bool = False
) -> Any:
    """Make the layer of what both eyes see around them.

    Args:
        session: The session.
        pictures: What was drawn for the left and the right eye. By their depths, where they have some, the runtime shifts
            what is near further than what is far when the head has moved on.
        views: Where each eye was taken to be.
        see_through: Whether the pictures' alpha tells where the real room is to be seen; their colours are multiplied by it.

    Returns:
        The runtime's structure.
    """
    import xr

    projected = []
    for picture, view in zip(pictures, views, strict=True):
        depth = _describe_depth(picture)
        projected.append(
            xr.CompositionLayerProjectionView(
                pose=view.raw.pose,
                fov=view.raw.fov,
                sub_image=picture.color.sub_image,
                next=None if depth is None else ctypes.cast(ctypes.pointer(depth), ctypes.c_void_p),
            )
        )
        projected[-1].depth = depth  # C's pointer does not keep it
    flags = xr.CompositionLayerFlags.BLEND_TEXTURE_SOURCE_ALPHA_BIT if see_through else xr.CompositionLayerFlags.NONE
    layer = xr.CompositionLayerProjection(layer_flags=flags, space=session.space, views=projected)
    layer.projected = projected
    return layer


def _describe_depth(picture: Picture) -> Any:
    import xr

    if picture.depth is None:
        return None
    return xr.CompositionLayerDepthInfoKHR(
        sub_image=picture.depth.sub_image, min_depth=0.0, max_depth=1.0, near_z=NEAR, far_z=FAR
    )


def make_head_layer(session: OpenXrSession, picture: Picture, field_of_view: FieldOfView, distance: float) -> Any:
    """Make the layer of a screen that is fixed to the head and lies over everything else.

    The runtime places it when it shows the frame, so that it does not shake however late the frame is.

    Args:
        session: The session.
        picture: What is on the screen, its colours multiplied by its alpha.
        field_of_view: Its edges, seen from between the eyes.
        distance: How far away the eyes see it [m].

    Returns:
        The runtime's structure.
    """
    import xr

    left, right, up, down = field_of_view
    middle = xr.Vector3f(distance * (left + right) / 2, distance * (down + up) / 2, -distance)
    return xr.CompositionLayerQuad(
        layer_flags=xr.CompositionLayerFlags.BLEND_TEXTURE_SOURCE_ALPHA_BIT,
        space=session.view_space,
        sub_image=picture.color.sub_image,
        pose=xr.Posef(xr.Quaternionf(0.0, 0.0, 0.0, 1.0), middle),
        size=xr.Extent2Df(distance * (right - left), distance * (up - down)),
    )
