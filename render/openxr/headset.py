"""The headset's frames: the newest scene drawn for both eyes, by where the head will be when they are seen.

Nothing here waits for the robot: a frame draws the scene that is there. The eyes and the hands are located after the scene
has been uploaded, just before it is drawn, so that the picture is as late as the robot and as new as the head.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from OpenGL import GL

from handhold.devices.errors import DeviceError
from handhold.devices.openxr.device import OpenXrDevice
from handhold.devices.openxr.session import Frame, OpenXrSession
from handhold.render.composition.head_scene import split_scene
from handhold.render.errors import RenderError
from handhold.render.gl.eye import Eye
from handhold.render.gl.target import Target
from handhold.render.openxr.head_picture import HeadPicture
from handhold.render.openxr.layers import make_projection_layer
from handhold.render.openxr.painter import Painter
from handhold.render.openxr.pictures import EyePictures
from handhold.render.openxr.views import LocatedView, locate_views, read_recommended_sizes
from handhold.render.scene import Scene

SIZE_CHECK_PERIOD = 90
"""Frames between two checks of the sizes that the runtime recommends: it changes them without an event."""


OnEye = Callable[[int, Target, Eye], None]
"""Told of each eye's picture (0 left, 1 right) while it can still be read."""


@dataclass(slots=True)
class FrameCount:
    """Frames counted since the headset was first opened.

    Attributes:
        waited: Frames waited for.
        drawn: Frames drawn; the others would not have been seen.
        missed: Times the headset had nothing new to show, by the times that its runtime predicted.
    """

    waited: int = 0
    drawn: int = 0
    missed: int = 0


class Headset:
    """The frame loop of a device's session, pumped by whoever reads the device.

    Attributes:
        count: Frames so far.
    """

    def __init__(
        self,
        device: OpenXrDevice,
        painter: Painter,
        head_painter: Painter,
        find_scene: Callable[[], Scene | None],
        on_eye: OnEye | None = None,
    ) -> None:
        """Take the parts.

        Args:
            device: The device; its session may be opened, lost and opened again.
            painter: Draws what is around the operator, in the session's OpenGL context.
            head_painter: Draws what is fixed to the head.
            find_scene: Asked in each frame for a scene to be shown; None for the last one.
            on_eye: Told of each eye's picture.
        """
        self._device = device
        self._painter = painter
        self._head_picture = HeadPicture(head_painter)
        self._find_scene = find_scene
        self._on_eye = on_eye
        self._pictures: EyePictures | None = None
        self._session: OpenXrSession | None = None
        self._views: tuple[LocatedView, ...] = ()
        self._last: Frame | None = None
        self._see_through = False
        self.count = FrameCount()

    def pump(self, timeout: float | None = None) -> bool:
        """Wait for the headset's next frame, draw it and hand it over.

        Call it before each ``read`` of the device, in the same thread: it paces both at the headset's rate.

        Args:
            timeout: How long to wait [s]; where no frame has come by then nothing is drawn, and a later call goes on waiting.

        Returns:
            Whether it waited; otherwise (the session is headless or does not run) the caller paces itself.

        Raises:
            DeviceNotOpen: The device has no session.
            RuntimeLost: The runtime is gone.
            RenderError: The runtime has nothing that can be drawn into.
        """
        session = self._device.session
        self._follow(session)
        if not session.wants_frames:
            return False
        frame = session.wait_frame(timeout)
        if frame is None:
            return True
        self._count_frame(session, frame)
        scene = self._find_scene()
        try:
            self._show(session, frame, scene)
        except (DeviceError, RenderError):
            # The textures go with the session, and must not do so while they are being drawn into: Mesa crashes.
            GL.glFinish()
            raise
        return True

    def _show(self, session: OpenXrSession, frame: Frame, scene: Scene | None) -> None:
        session.begin_frame()
        if scene is not None:
            self._upload(scene)
        layers = self._draw(session, frame) if frame.should_render else ()
        session.end_frame(frame, layers, see_through=self._see_through)

    def close(self) -> None:
        """Free the pictures of a session that is over; neither its views nor its frames are of use to the next."""
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None
        self._head_picture.close()
        self._session, self._views, self._last = None, (), None

    def _follow(self, session: OpenXrSession) -> None:
        """Begin anew with a session that is not the last one."""
        if session is not self._session:
            self.close()
            self._session = session

    def _count_frame(self, session: OpenXrSession, frame: Frame) -> None:
        """Count a frame, and those that the headset had to do without since the last one."""
        self.count.waited += 1
        # A runtime may call every second or third frame the next one of an application that is slow.
        rate = session.state.refresh_rate
        period = 1e9 / rate if rate > 0.0 else frame.period
        if self._last is not None and period > 0:
            self.count.missed += max(0, round((frame.display_time - self._last.display_time) / period) - 1)
        self._last = frame

    def _upload(self, scene: Scene) -> None:
        self._see_through = scene.see_through
        around, at_head = split_scene(scene)
        self._painter.load(around)
        self._head_picture.load(at_head)

    def _draw(self, session: OpenXrSession, frame: Frame) -> Sequence[Any]:
        """Draw all pictures of a frame and return its layers; there are none before the head is found."""
        pictures = self._prepare_pictures(session)
        if self._views:
            self._head_picture.draw(session, _measure_density(self._views[0], pictures.sizes[0]))
        with contextlib.ExitStack() as lent:
            # The runtime may keep its textures for a while: only when they are there is the head looked for.
            targets = [lent.enter_context(picture.lend()) for picture in pictures.eyes]
            self._views = locate_views(session, frame.display_time) or self._views
            if not self._views:
                return ()
            eyes = self._place_eyes(pictures, self._device.locate_hands(frame.display_time))
            for number, (target, eye) in enumerate(zip(targets, eyes, strict=True)):
                self._draw_eye(number, target, eye)
        self.count.drawn += 1
        return (
            make_projection_layer(session, pictures.eyes, self._views, see_through=self._see_through),
            *self._head_picture.layers,
        )

    def _prepare_pictures(self, session: OpenXrSession) -> EyePictures:
        """Return the pictures of this session, made anew for other sizes."""
        pictures = self._pictures
        if pictures is None or self._sizes_changed(pictures):
            if pictures is not None:
                pictures.close()
                self._pictures = None
            pictures = self._pictures = EyePictures(session)
        pictures.update_hidden()
        return pictures

    def _sizes_changed(self, pictures: EyePictures) -> bool:
        due = self.count.waited % SIZE_CHECK_PERIOD == 0
        return due and read_recommended_sizes(pictures.session) != pictures.sizes

    def _place_eyes(self, pictures: EyePictures, hands: dict[str, pin.SE3 | None]) -> list[Eye]:
        """Return both eyes in the operator's room."""
        # a headset's eyes are turned from its middle to both sides alike
        head = self._device.to_operator_space(pin.SE3.Interpolate(self._views[0].pose, self._views[1].pose, 0.5))
        return [
            Eye(
                view=_as_matrix(self._device.to_operator_space(view.pose)),
                field_of_view=view.field_of_view,
                width=width,
                height=height,
                head=_as_matrix(head),
                left_hand=None if hands["left"] is None else _as_matrix(hands["left"]),
                right_hand=None if hands["right"] is None else _as_matrix(hands["right"]),
                hidden=hidden,
            )
            for view, (width, height), hidden in zip(self._views, pictures.sizes, pictures.hidden, strict=True)
        ]

    def _draw_eye(self, number: int, target: Target, eye: Eye) -> None:
        self._painter.draw(target, eye)
        if self._on_eye is not None:
            self._on_eye(number, target, eye)


def _as_matrix(pose: pin.SE3) -> np.ndarray:
    return np.asarray(pose.homogeneous)


def _measure_density(view: LocatedView, size: tuple[int, int]) -> float:
    """Return the pixels that an eye's picture has for each unit of the tangent."""
    return size[0] / (view.field_of_view.right - view.field_of_view.left)
