"""``handhold camera``: what a depth camera sees, without a robot."""

from __future__ import annotations

import json as json_module
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from handhold.app.errors import AppError

if TYPE_CHECKING:
    from handhold.app.camera.inspection import Inspection
    from handhold.perception.cameras.depth_camera import DepthCamera

WAIT = 5.0
"""Time that a camera is waited for [s]."""

LOOK = 0.2
"""Time that an image is waited for while one watches [s]."""

DEFAULT_UNIT = 1e-3
"""Unit of depth in pictures of most cameras [m]."""


class OptionMeaningless(AppError):
    """An option is given that means nothing with the others.

    Attributes:
        option: Which.
    """

    def __init__(self, option: str, reason: str) -> None:
        self.option = option
        super().__init__(f"{option} means nothing {reason}; leave it out")


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
    unit: Annotated[float, typer.Option(help="Of a picture's depth [m].")] = DEFAULT_UNIT,
    color: Annotated[Path | None, typer.Option(help="Of a depth picture: its colours, a picture aligned with it.")] = None,
    frames: Annotated[int, typer.Option(min=1, help="How many images to look at; a recording may end before.")] = 1,
    picture: Annotated[Path | None, typer.Option(help="Write the last image with its planes to this PNG file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object an image and nothing else.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C, in a window of the terminal.")] = False,
    browser: Annotated[bool, typer.Option("--browser", help="Watch, and show it on a page in the browser as well.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of that page; 0 for a free one.")] = 0,
) -> None:
    """Find the planes that a camera sees, and tell where they are; exits 0 where any image had one, and after a watch."""
    from handhold.app.camera.cloud_inspection import CLOUDS
    from handhold.app.camera.open_camera import PICTURES, open_camera

    kind, watching = Path(source).suffix.lower(), watch or browser
    if picture is not None:
        _check_picture(picture)
    of_picture = {"--intrinsics": bool(intrinsics), "--unit": unit != DEFAULT_UNIT, "--color": color is not None}
    _refuse("but for a depth picture", of_picture if kind not in PICTURES else {})
    of_some = {"--frames": frames != 1, "--picture": picture is not None}
    _refuse("where one watches", of_some if watching else {})
    _refuse("without --browser", {"--port": port != 0 and not browser})
    if kind in CLOUDS:
        _refuse("for a cloud", of_some | {"--watch": watch, "--browser": browser})
        raise typer.Exit(0 if _look_at_cloud(Path(source), json=json) else 1)

    def open_one() -> DepthCamera:
        return open_camera(source, intrinsics, unit, color, is_paced=watching)

    if watching:
        _watch(open_one, port if browser else None, json=json)
        return
    raise typer.Exit(0 if _look(open_one(), frames, picture, json=json) else 1)


def _check_picture(file: Path) -> None:
    """Check where a picture is to be written before anything is looked at.

    Raises:
        AppError: It is no PNG file, or there is no such folder.
    """
    if file.suffix.lower() != ".png":
        raise AppError(f"--picture {file}: a PNG file is written; give a name that ends in .png")
    if not file.parent.is_dir():
        raise AppError(f"--picture {file}: there is no folder {file.parent}; make it first")


def _refuse(reason: str, given: dict[str, bool]) -> None:
    """Raise for the first option that is given though it means nothing.

    Raises:
        OptionMeaningless: There is one.
    """
    for option, is_given in given.items():
        if is_given:
            raise OptionMeaningless(option, reason)


def _look(camera: DepthCamera, frames: int, picture: Path | None, *, json: bool) -> bool:
    """Look at some images, and say whether any had a plane."""
    from handhold.app.camera.inspection import Inspector
    from handhold.app.camera.planes_picture import draw_planes
    from handhold.perception.cameras.camera_errors import RecordingEnded
    from handhold.perception.errors import PerceptionError

    found = False
    with closing(camera):
        inspector = Inspector(camera, time.thread_time)
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
    return found


def _look_at_cloud(file: Path, *, json: bool) -> bool:
    """Tell the planes in a file of points, and whether there are any."""
    from handhold.app.camera.cloud_inspection import inspect_cloud

    inspection = inspect_cloud(file, time.monotonic)
    _print(inspection.to_record(), inspection.summarize(), json=json)
    return bool(inspection.surfaces)


def _watch(open_one: Callable[[], DepthCamera], page_port: int | None, *, json: bool) -> None:
    """Show images until Ctrl-C; a recording begins anew when it ends, a camera that is lost is looked for."""
    from handhold.app.camera.inspection import Inspector
    from handhold.perception.cameras.reconnecting import ReconnectingCamera

    with ExitStack() as opened:
        try:
            camera = opened.enter_context(closing(ReconnectingCamera(open_one, time.monotonic, time.sleep)))
            displays = _open_displays(opened, page_port, json=json)
            inspector = Inspector(camera, time.thread_time)
            while True:
                frame = camera.read(LOOK)
                inspection = None if frame is None else inspector.inspect(frame)
                for display in displays:
                    if inspection is not None:
                        display.show(inspection)
                    elif not camera.status.connected:
                        display.say(camera.status.words)
        except KeyboardInterrupt:
            return


def _open_displays(opened: ExitStack, page_port: int | None, *, json: bool) -> list[Display]:
    """Open what shows a camera: the terminal, and a page where a port for it is given."""
    displays: list[Display] = []
    if page_port is not None:
        from handhold.app.camera.inspection_page import InspectionPage

        page = opened.enter_context(closing(InspectionPage(page_port)))
        displays.append(page)
        print(f"ready: open {page.address} (Ctrl-C ends)", file=sys.stderr if json else sys.stdout, flush=True)
    if json:
        return [*displays, JsonDisplay()]
    from handhold.app.camera.inspection_table import InspectionTable

    return [*displays, opened.enter_context(closing(InspectionTable()))]


class JsonDisplay:
    """Prints an object an image."""

    def show(self, inspection: Inspection) -> None:
        """Print an image."""
        print(json_module.dumps(inspection.to_record()), flush=True)

    def say(self, words: str) -> None:
        """Tell on stderr why no images come."""
        print(words, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing is open."""


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
