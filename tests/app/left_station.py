"""A station whose operator quits from the headset's menu soon after he has put it on."""

from __future__ import annotations

from typing import Any

import xr

from handhold.app.session.process import run_process
from handhold.app.station.program import run_station

FRAMES = 20  # frames until the operator quits

waited: list[Any] = []
wait_frame = xr.raw_functions.xrWaitFrame


def wait_and_quit(session: Any, info: Any, state: Any) -> Any:
    """Wait for a frame; one of them is the last that the operator wants to see."""
    waited.append(state)
    if len(waited) == FRAMES:
        xr.raw_functions.xrRequestExitSession(session)
    return wait_frame(session, info, state)


xr.raw_functions.xrWaitFrame = wait_and_quit
run_process(run_station)
