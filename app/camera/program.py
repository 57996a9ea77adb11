"""The camera process: frames, planes and map, beside the control loop, which never waits for it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace

from handhold.app.camera.mapper import Mapper
from handhold.app.camera.mounting_store import MountingStore
from handhold.app.camera.mounting_upkeep import MountingUpkeep
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.sources import RATE, FrameSource, open_sources
from handhold.app.link.codecs import sighting_codec, truth_codec
from handhold.app.link.observer_link import ObserverLink
from handhold.app.link.view_link import ViewSender
from handhold.app.link.world_truth import WorldTruth
from handhold.app.session.config import SessionConfig
from handhold.app.session.process import Stop, run_process
from handhold.perception.cameras.color_picture import ColorPicture, make_color_picture
from handhold.perception.cameras.point_cloud import MAX_POINTS, PointCloud, merge_clouds
from handhold.perception.mapping.surface_map import SurfaceMap
from handhold.perception.sighting import Sighting, choose_surfaces, say_left_out
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel, load_model

CLOUD_AGE = 2.0
"""Age, before the newest one, from which on a camera's points are left out [s]."""

_JITTER = 0.05
"""How much sooner than its period a frame may come [s]: cameras are not that exact."""

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
    rig = CameraRig(open_sources(config, model, time.monotonic), model, MountingStore(config.robot))
    publishes, subscribes = ("surfaces", sighting_codec()), {"truth": truth_codec()}
    with ObserverLink[Sighting](config.link, time.monotonic, publishes, subscribes) as link, _open_views(config) as views:
        # the session's time is the host's, which is longer in starting
        must_stop = stop.after(None, time.monotonic)
        for source in rig.sources:
            say(f"camera: {source.title} sees {source.intrinsics.width} x {source.intrinsics.height} pixels")
        try:
            while not must_stop():
                snapshot, truth = link.newest_snapshot(), link.take("truth")
                if snapshot is not None:
                    rig.follow(snapshot, truth)
                sighting = rig.see()
                if sighting is not None:
                    link.send(sighting)
                if views is not None:
                    _send_views(rig, views, seen=sighting is not None)
                if sighting is None:
                    time.sleep(IDLE)
        finally:
            for source in rig.sources:
                source.close()


def _send_views(rig: CameraRig, views: ViewSender, *, seen: bool) -> None:
    """Send what there is to look at: a cloud after a frame that was looked at, and every picture."""
    if seen and (cloud := rig.make_cloud()) is not None:
        views.send(cloud)
    if (picture := rig.take_picture()) is not None:
        views.send_picture(picture)


def _open_views(config: SessionConfig) -> AbstractContextManager[ViewSender | None]:
    return nullcontext() if config.view_link is None else closing(ViewSender(config.view_link, time.monotonic))


class CameraRig:
    """The cameras of a robot, which share one map.

    Attributes:
        sources: Where their frames come from.
    """

    def __init__(self, sources: tuple[FrameSource, ...], model: RobotModel, mountings: MountingStore) -> None:
        """Know nothing yet.

        Args:
            sources: Where frames come from.
            model: The robot that carries the cameras.
            mountings: Where its cameras really sit, as far as that was found and accepted.

        Raises:
            MountingsUnreadable: A file of mountings is damaged.
        """
        self.sources = sources
        surface_map, max_points = SurfaceMap(), MAX_POINTS // max(1, len(sources))
        self._mappers = [
            Mapper(
                RobotShapes(model, source.camera), source.intrinsics, surface_map, number, model=model, max_points=max_points
            )
            for number, source in enumerate(sources)
        ]
        self._mountings = MountingUpkeep(mountings, self._mappers)
        self._picture: ColorPicture | None = None
        self._next_looks = [-math.inf] * len(sources)
        self._truth: WorldTruth | None = None
        self._newest: Sighting | None = None

    def follow(self, snapshot: Snapshot, truth: WorldTruth | None) -> None:
        """Note where the robot is thought to be, and where it and the solids of a simulated world are if that is told anew."""
        self._truth = self._truth if truth is None else truth
        for source, mapper in zip(self.sources, self._mappers, strict=True):
            mapper.note(snapshot.measured_at, snapshot.q)
            source.follow(snapshot.measured_at, snapshot.q, self._truth)

    def see(self) -> Sighting | None:
        """Take the frames that have come, and return what is known after them; None where none has."""
        seen = None
        for number, (source, mapper) in enumerate(zip(self.sources, self._mappers, strict=True)):
            frame = source.take()
            if frame is None:
                continue
            if number == 0:
                self._picture = make_color_picture(frame)
            if self._is_due(number, frame.time) and mapper.see(frame):
                seen = source, mapper, frame
        if seen is None:
            return self._tell_loss()
        source, mapper, frame = seen
        self._mountings.update(frame.time)
        # the map is that of all cameras
        surfaces, left_out = choose_surfaces(mapper.list_surfaces(frame.time))
        message = self._find_loss() or self._mountings.message or say_left_out(left_out)
        self._newest = Sighting(time=frame.time, camera=source.title, surfaces=surfaces, left_out=left_out, message=message)
        return self._newest

    def _find_loss(self) -> str:
        """Find what is wrong with a camera, in words; empty for nothing."""
        return next((source.message for source in self.sources if source.message), "")

    def _tell_loss(self) -> Sighting | None:
        """Return the newest sighting with what has gone wrong since; None where nothing has."""
        loss = self._find_loss()
        if self._newest is None or not loss or loss == self._newest.message:
            return None
        self._newest = replace(self._newest, message=loss)
        return self._newest

    def _is_due(self, number: int, time: float) -> bool:
        """Whether a camera's frame of a time [s] is looked at, and not only shown."""
        if time < self._next_looks[number] - _JITTER:
            return False
        self._next_looks[number] = time + len(self.sources) / RATE
        return True

    def take_picture(self) -> ColorPicture | None:
        """Return the newest picture of the first camera since the last call, or None: on one screen there is room for one."""
        picture, self._picture = self._picture, None
        return picture

    def make_cloud(self) -> PointCloud | None:
        """Return the points that all cameras have seen lately, each with its newest frame; None where there are none."""
        made = [mapper.make_cloud() for mapper in self._mappers]
        clouds = [cloud for cloud in made if cloud is not None]
        newest = max((cloud.time for cloud in clouds), default=0.0)
        recent = [cloud for cloud in clouds if newest - cloud.time < CLOUD_AGE]
        return merge_clouds(recent) if recent else None


if __name__ == "__main__":
    run_process(run_camera)
