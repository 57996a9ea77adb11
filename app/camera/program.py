"""The camera process: frames, planes and map, beside the control loop, which never waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from handhold.app.camera.mapper import Mapper
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.sources import FrameSource, open_source
from handhold.app.link.codecs import sighting_codec, solid_codec
from handhold.app.link.observer_link import ObserverLink
from handhold.app.session.config import SessionConfig
from handhold.app.session.process import Stop, run_process
from handhold.perception.sighting import Sighting, choose_surfaces
from handhold.robots.model import load_model

IDLE = 0.005
"""Pause where there is nothing new [s]."""


def run_camera(config: SessionConfig, stop: Stop, say: Callable[[str], None]) -> None:
    """See until a stop is requested.

    Raises:
        RobotError: The robot or its world cannot be had.
        PerceptionError: The camera cannot be opened.
        AppError: The robot has no camera, or the link cannot be opened.
    """
    model = load_model(config.robot)
    source = open_source(config, model, time.monotonic)
    mapper = Mapper(RobotShapes(model), source.intrinsics)
    says, hears = ("surfaces", sighting_codec()), {"solids": solid_codec()}
    with ObserverLink[Sighting](config.link, time.monotonic, says, hears) as link:
        # the session's time is the host's, which is longer in starting
        must_stop = stop.after(None, time.monotonic)
        say(f"camera: {source.title} sees {source.intrinsics.width} x {source.intrinsics.height} pixels")
        try:
            while not must_stop():
                if not _see(source, mapper, link):
                    time.sleep(IDLE)
        finally:
            source.close()


def _see(source: FrameSource, mapper: Mapper, link: ObserverLink[Sighting]) -> bool:
    """Take what is new and send what is seen; returns whether there was an image."""
    snapshot = link.newest_snapshot()
    if snapshot is not None:
        mapper.note(snapshot.measured_at, snapshot.q)
        source.follow(snapshot.measured_at, snapshot.q, link.take("solids"))
    frame = source.take()
    if frame is None or not mapper.see(frame):
        return False
    surfaces, left_out = choose_surfaces(mapper.list_surfaces(frame.time))
    sighting = Sighting(time=frame.time, camera=source.title, surfaces=surfaces, left_out=left_out, message=source.message)
    link.send(sighting)
    return True


if __name__ == "__main__":
    run_process(run_camera)
