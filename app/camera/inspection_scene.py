"""What a camera sees, as a scene: points, planes in colours of their own, the picture, and the camera itself."""

from __future__ import annotations

import numpy as np

from handhold.app.camera.inspection import Inspection, compute_area
from handhold.app.camera.planes_picture import choose_color
from handhold.perception.cameras.color_picture import make_color_picture
from handhold.perception.cameras.point_cloud import MAX_POINTS, make_point_cloud
from handhold.perception.planes.boundary import Patch
from handhold.render.elements.drawing import make_outline, write
from handhold.render.palette import MEASURED, PLATE, to_linear
from handhold.render.scene import Cloud, Label, Lines, Picture, Scene

CAMERA_POSE = np.array([[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 1.2], [0.0, 0.0, 0.0, 1.0]])
"""Optical axes in the scene: the camera looks along x, level, from 1.2 m; how it is really held is not known."""

POINT_SIZE = 0.008
"""Size of a point [m]."""

LINE_WIDTH = 0.012
"""Width of the boundaries [m]."""

FRUSTUM = 0.25
"""Length of the camera's field of view as it is drawn [m]."""

SCREEN_WIDTH = 0.8
"""Width of the colour picture, which stands beside the camera [m]."""

SCREEN_AT = (0.9, 1.2, 1.5)
"""Its middle [m]."""

TEXT_HEIGHT = 0.05
"""Height of a line [m]."""


def make_scene(inspection: Inspection, version: int) -> Scene:
    """Make the scene of an image.

    Args:
        inspection: The image and its planes.
        version: Number of the image: another one has other points and another picture.
    """
    cloud = make_point_cloud(inspection.frame, CAMERA_POSE, MAX_POINTS)
    outlines = [_outline(patch, number) for number, patch in enumerate(inspection.patches)]
    return Scene(
        lines=(*outlines, _draw_frustum(inspection)),
        labels=tuple(_label(patch) for patch in inspection.patches),
        pictures=_draw_picture(inspection, version),
        cloud=Cloud(positions=cloud.positions, colors=cloud.colors, size=POINT_SIZE, version=version),
    )


def _to_scene(points: np.ndarray) -> np.ndarray:
    """Return points of the camera's optical axes in the scene, shape ``(..., 3)`` [m]."""
    return np.asarray(points @ CAMERA_POSE[:3, :3].T + CAMERA_POSE[:3, 3])


def _outline(patch: Patch, number: int) -> Lines:
    color = to_linear(choose_color(number))
    rings = [
        make_outline(_to_scene(patch.pose[:3, 3] + polygon @ patch.pose[:3, :2].T), LINE_WIDTH, color)
        for polygon in (patch.boundary, *patch.holes)
    ]
    return Lines(
        ends=np.concatenate([ring.ends for ring in rings]),
        colors=np.concatenate([ring.colors for ring in rings]),
        width=LINE_WIDTH,
    )


def _label(patch: Patch) -> Label:
    words = f"{patch.plane.distance:.3f} m, {compute_area(patch):.2f} m2"
    return write(words, _to_scene(patch.pose[:3, 3]), height=TEXT_HEIGHT, plate=to_linear(PLATE, 0.85))


def _draw_frustum(inspection: Inspection) -> Lines:
    """Draw the camera's field of view, to where it would be ``FRUSTUM`` deep."""
    i = inspection.frame.intrinsics
    columns, rows = np.array([0.0, i.width, i.width, 0.0]), np.array([0.0, 0.0, i.height, i.height])
    rays = FRUSTUM * np.column_stack([(columns - i.cx) / i.fx, (rows - i.cy) / i.fy, np.ones(4)])
    corners, eye = _to_scene(rays), _to_scene(np.zeros((1, 3)))
    ends = [*zip(corners, np.roll(corners, -1, axis=0), strict=True), *((eye[0], corner) for corner in corners)]
    return Lines(ends=np.array(ends), colors=np.tile(to_linear(MEASURED), (len(ends), 1)), width=0.5 * LINE_WIDTH)


def _draw_picture(inspection: Inspection, version: int) -> tuple[Picture, ...]:
    picture = make_color_picture(inspection.frame)
    if picture is None:
        return ()
    transform = np.eye(4)
    # as the camera looks: x along its rows, y up, z to whoever stands behind it
    transform[:3, :3] = CAMERA_POSE[:3, :3] * (1.0, -1.0, -1.0)
    transform[:3, 3] = SCREEN_AT
    transform[:3, 0] *= SCREEN_WIDTH
    transform[:3, 1] *= SCREEN_WIDTH * picture.image.shape[0] / picture.image.shape[1]
    return (Picture(image=picture.image, version=version, transform=transform),)
