"""``handhold station``: a second station of a session that runs on this machine."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    robot: Annotated[str | None, typer.Option(help="Robot of the session to join; by default the session begun last.")] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of this station's page (this machine only).")] = 8081,
    device: Annotated[str, typer.Option(help="auto (a headset where there is one), openxr or browser.")] = "browser",
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Take the robot from whoever drives it: it stops, and you resume it.")
    ] = False,
) -> None:
    """Join a session that 'handhold run' has started: watch, stop, ask to drive, or take the robot over.

    One station drives; the others see the robot and can stop it.
    """
    import msgspec

    from handhold.app.session.process import say
    from handhold.app.session.processes import STATION, supervise
    from handhold.app.session.session_file import default_session_folder, find_session
    from handhold.app.station.console import UnknownDevice, known_devices

    if device not in known_devices():
        raise UnknownDevice(device)
    session = find_session(default_session_folder(), robot)
    config = msgspec.structs.replace(session, page_port=port, device=device, joins=True, take_over=take_over, duration=None)
    raise typer.Exit(supervise(config, say, (STATION,)))
