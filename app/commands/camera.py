"""``handhold camera``: what a depth camera sees, without a robot."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from handhold.perception.cameras.depth_frame import DepthFrame
    from handhold.perception.planes.boundary import Patch
    from handhold.perception.planes.plane import PlaneImage

MAX_DEPTH = 6.0
"""Depth to which planes are looked for [m]."""

WAIT = 5.0
"""Time that a camera is waited for [s]."""


def command(
    source: Annotated[str, typer.Argument(help="live, or a recording (.db3, .bag) or depth picture (.png).")] = "live",
    intrinsics: Annotated[
        str, typer.Option(metavar="FX,FY,CX,CY[,BASELINE]", help="Of a picture: numbers, or a calibration file.")
    ] = "",
    unit: Annotated[float, typer.Option(help="Of a picture's depth [m].")] = 1e-3,
    frames: Annotated[int, typer.Option(min=1, help="How many images to look at; a recording may end before.")] = 1,
    picture: Annotated[Path | None, typer.Option(help="Write the last image with its planes to this PNG file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object an image and nothing else.")] = False,
) -> None:
    """Find the planes that a camera sees, and tell where they are; exits 0 where any image had one."""
    from handhold.app.camera.open_camera import open_camera
    from handhold.app.camera.planes_picture import draw_planes
    from handhold.perception.cameras.camera_errors import RecordingEnded
    from handhold.perception.errors import PerceptionError
    from handhold.perception.planes.boundary import find_boundaries
    from handhold.perception.planes.plane_finder import PlaneFinder

    camera = open_camera(source, intrinsics, unit)
    finder, found, looked = PlaneFinder(camera.intrinsics), False, False
    try:
        for _ in range(frames):
            frame = camera.read(WAIT)
            if frame is None:
                raise PerceptionError(f"{camera.title} gives no image: reconnect it")
            if not looked:
                # compiles, which is no part of what an image costs
                find_boundaries(finder.find(frame), MAX_DEPTH)
                looked = True
            start = time.thread_time()
            image = finder.find(frame)
            patches = find_boundaries(image, MAX_DEPTH)
            _tell(camera.title, frame, image, patches, time.thread_time() - start, json=json)
            found = found or bool(patches)
            if picture is not None:
                draw_planes(frame, image, patches, picture)
    except RecordingEnded:
        if not found:
            raise
    finally:
        camera.close()
    raise typer.Exit(0 if found else 1)


def _tell(title: str, frame: DepthFrame, image: PlaneImage, patches: tuple[Patch, ...], seconds: float, *, json: bool) -> None:
    """Print what was found in an image."""
    planes = [_describe(patch) for patch in patches]
    i = frame.intrinsics
    sigma = image.sigma * i.fx * i.baseline if i.baseline else None
    about = {"camera": title, "frame": frame.number, "time": frame.time, "sigma_px": sigma, "milliseconds": 1e3 * seconds}
    if json:
        print(json_module.dumps(about | {"planes": planes}))
        return
    noise = f"noise {sigma:.2f} px, " if sigma is not None else ""
    print(f"{title}, image {frame.number}: {len(planes)} planes, {noise}{1e3 * seconds:.1f} ms")
    for plane in planes:
        x, y, z = plane["normal"]
        print(
            f"  {plane['distance']:6.3f} m away, normal ({x:+.3f}, {y:+.3f}, {z:+.3f}), {plane['area']:6.3f} m2, "
            f"{plane['corners']} corners"
        )


def _describe(patch: Patch) -> dict[str, Any]:
    x, y = patch.boundary.T
    area = 0.5 * abs(float((x * _next(y) - y * _next(x)).sum()))
    return {
        "normal": [round(float(each), 4) for each in patch.plane.normal],
        "distance": round(patch.plane.distance, 4),
        "area": round(area, 4),
        "corners": len(patch.boundary),
        "noise_ratio": round(patch.plane.noise_ratio, 3),
    }


def _next(values: Any) -> Any:
    import numpy as np

    return np.roll(values, -1)
