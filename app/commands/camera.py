"""``handhold camera``: what a depth camera sees, without a robot."""

from __future__ import annotations

import json as json_module
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from handhold.app.camera.inspection import Inspection
    from handhold.perception.cameras.depth_camera import DepthCamera

WAIT = 5.0
"""Time that a camera is waited for [s]."""

LOOK = 0.2
"""Time that an image is waited for while one watches [s]."""


class Display(Protocol):
    """Shows what a camera sees."""

    def show(self, inspection: Inspection) -> None:
        """Show an image in place of the last one."""

    def say(self, words: str) -> None:
        """Show why no images come."""

    def close(self) -> None:
        """End."""


def command(
    source: Annotated[
        str, typer.Argument(help="live, live:SERIAL, a recording (.db3, .bag), depth picture (.png) or cloud (.ply, .xyz).")
    ] = "live",
    intrinsics: Annotated[
        str, typer.Option(metavar="FX,FY,CX,CY[,BASELINE]", help="Of a picture: numbers, or a calibration file.")
    ] = "",
    unit: Annotated[float, typer.Option(help="Of a picture's depth [m].")] = 1e-3,
    color: Annotated[Path | None, typer.Option(help="Of a depth picture: its colours, a picture aligned with it.")] = None,
    frames: Annotated[int, typer.Option(min=1, help="How many images to look at; a recording may end before.")] = 1,
    picture: Annotated[Path | None, typer.Option(help="Write the last image with its planes to this PNG file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object an image and nothing else.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C, in a window of the terminal.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Watch, and show it on a page in the browser as well.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of that page; 0 for a free one.")] = 0,
) -> None:
    """Find the planes that a camera sees, and tell where they are; exits 0 where any image had one."""
    from handhold.app.camera.cloud_inspection import CLOUDS
    from handhold.app.camera.open_camera import open_camera

    if Path(source).suffix in CLOUDS:
        raise typer.Exit(0 if _look_at_cloud(Path(source), json=json) else 1)

    def open_one() -> DepthCamera:
        return open_camera(source, intrinsics, unit, color)

    if watch or browser:
        _watch(open_one, port if browser else None)
        return
    raise typer.Exit(0 if _look(open_one(), frames, picture, json=json) else 1)


def _look(camera: DepthCamera, frames: int, picture: Path | None, *, json: bool) -> bool:
    """Look at some images, and say whether any had a plane."""
    from handhold.app.camera.inspection import Inspector
    from handhold.app.camera.planes_picture import draw_planes
    from handhold.perception.cameras.camera_errors import RecordingEnded
    from handhold.perception.errors import PerceptionError

    inspector, found = Inspector(camera), False
    try:
        for _ in range(frames):
            frame = camera.read(WAIT)
            if frame is None:
                raise PerceptionError(f"{camera.title} gives no image: reconnect it")
            inspection = inspector.inspect(frame)
            _print(inspection.to_record(), inspection.summarize(), json=json)
            found = found or bool(inspection.patches)
            if picture is not None:
                draw_planes(frame, inspection.image, inspection.patches, picture)
    except RecordingEnded:
        if not found:
            raise
    finally:
        camera.close()
    return found


def _look_at_cloud(file: Path, *, json: bool) -> bool:
    """Tell the planes in a file of points, and whether there are any."""
    from handhold.app.camera.cloud_inspection import inspect_cloud

    record = inspect_cloud(file)
    summary = (
        f"{record['camera']}: {len(record['planes'])} planes in {record['points']} points, {record['milliseconds']:.1f} ms"
    )
    _print(record, summary, json=json)
    return bool(record["planes"])


def _watch(open_one: Callable[[], DepthCamera], page_port: int | None) -> None:
    """Show images until Ctrl-C; a recording begins anew when it ends, a camera that is lost is looked for."""
    from handhold.app.camera.inspection import Inspector
    from handhold.app.camera.inspection_table import InspectionTable
    from handhold.perception.cameras.reconnecting import ReconnectingCamera

    camera = ReconnectingCamera(open_one, time.monotonic, time.sleep)
    displays: list[Display] = []
    try:
        if page_port is not None:
            from handhold.app.camera.inspection_page import InspectionPage

            page = InspectionPage(page_port)
            displays.append(page)
            print(f"ready: open {page.address} (Ctrl-C ends)", flush=True)
        displays.append(InspectionTable())
        inspector = Inspector(camera)
        while True:
            frame = camera.read(LOOK)
            inspection = None if frame is None else inspector.inspect(frame)
            for display in displays:
                if inspection is not None:
                    display.show(inspection)
                elif not camera.status.connected:
                    display.say(camera.status.words)
    except KeyboardInterrupt:
        pass
    finally:
        for display in displays:
            display.close()
        camera.close()


def _print(record: dict[str, Any], summary: str, *, json: bool) -> None:
    """Print what was found."""
    if json:
        print(json_module.dumps(record))
        return
    print(summary)
    for plane in record["planes"]:
        x, y, z = plane["normal"]
        print(
            f"  {plane['distance']:6.3f} m away, normal ({x:+.3f}, {y:+.3f}, {z:+.3f}), {plane['area']:6.3f} m2, "
            f"{plane['corners']} corners"
        )
