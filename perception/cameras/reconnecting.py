"""A camera that may be unplugged and connected again."""

from __future__ import annotations

from collections.abc import Callable

from handhold.perception.cameras.camera_errors import CameraLost
from handhold.perception.cameras.depth_camera import CameraStatus, DepthCamera
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.errors import PerceptionError

RETRY_PERIOD = 1.0
"""Time between two attempts to open a camera [s]: looking for devices takes the library a tenth of that."""


class ReconnectingCamera:
    """Opens a camera, and opens it anew whenever it is lost.

    Args:
        open_camera: Opens it; whatever it raises is tried again later, but for the first time.
        clock: Any clock that only goes forwards [s].
        sleep: Waits for a time [s].

    Attributes:
        status: How the camera is.

    Raises:
        PerceptionError: It cannot be opened the first time.
    """

    def __init__(
        self, open_camera: Callable[[], DepthCamera], clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._open_camera, self._clock, self._sleep = open_camera, clock, sleep
        self._camera: DepthCamera | None = open_camera()
        self._title, self._intrinsics = self._camera.title, self._camera.intrinsics
        self._attempted = clock()
        self._is_closed = False
        self.status = self._describe()

    @property
    def title(self) -> str:
        """Name for people of the camera, or of the one that was there last."""
        return self._title

    @property
    def intrinsics(self) -> Intrinsics:
        """Of the depth images of the camera, or of the one that was there last."""
        return self._intrinsics

    def read(self, timeout: float) -> DepthFrame | None:
        """Return the newest frame, or None where none comes within a time [s], as when the camera is not there.

        Raises:
            CameraLost: It is closed.
        """
        if self._is_closed:
            raise CameraLost(self._title, "it is closed")
        camera = self._camera or self._reopen(timeout)
        if camera is None:
            return None
        try:
            return camera.read(timeout)
        except PerceptionError as error:
            self._camera = None
            camera.close()
            self._attempted = self._clock()
            self.status = CameraStatus(False, str(error))
            return None

    def close(self) -> None:
        """Let go of the camera."""
        self._is_closed = True
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _reopen(self, timeout: float) -> DepthCamera | None:
        """Open the camera if it is time to, or will be within a time; else wait that long and return None."""
        wait = self._attempted + RETRY_PERIOD - self._clock()
        if wait > 0.0:
            self._sleep(min(wait, timeout))
        if wait > timeout:
            return None
        self._attempted = self._clock()
        try:
            self._camera = self._open_camera()
        except PerceptionError as error:
            self.status = CameraStatus(False, str(error))
            return None
        self._title, self._intrinsics = self._camera.title, self._camera.intrinsics
        self.status = self._describe()
        return self._camera

    def _describe(self) -> CameraStatus:
        i = self._intrinsics
        return CameraStatus(True, f"{self._title}, {i.width} x {i.height} pixels")
