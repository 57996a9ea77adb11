"""Xsens' raw trackers (MTw Awinda) without MVN: up to 17 sensors' orientations, by the makers' library."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

import numpy as np

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.awinda_station import FAILED, LIBRARY, MISSING, SENSORS, TURN, run_station
from handhold.devices.suits.body_model import DEFAULT_HEIGHT, make_offsets, place_segments
from handhold.devices.suits.sensor_calibration import SensorCalibration
from handhold.devices.suits.skeleton import ROTATION_TOLERANCE
from handhold.devices.suits.suit_errors import SuitMissing
from handhold.devices.tracked_human import Segment, TrackedHuman

START_TIMEOUT = 30.0
"""Time that library, station and sensors have altogether [s]."""

HELD = 120
"""Newest samples of a sensor that are kept for the calibration: 2 s at 60 Hz."""

MAX_MESSAGES = 512
QUALITY = 0.5
"""How far such a sample is trusted: sensors tell no places, those are reckoned from a body of average proportions."""


class AwindaSuit:
    """Suit of raw trackers (see ``Suit``); gives samples once it is calibrated.

    The wearer does not move through the room: his pelvis stays above its origin, his lower foot on the ground.

    Attributes:
        name: ``"awinda"``.
        sensors: Identities of the sensors that are there, once it is open.
    """

    name = "awinda"

    def __init__(
        self,
        places: Mapping[str, Segment],
        *,
        clock: Callable[[], float],
        channel: int = 11,
        rate: int = 60,
        height: float = DEFAULT_HEIGHT,
        library: str = LIBRARY,
    ) -> None:
        """Remember who wears what.

        Args:
            places: Segment that each sensor is worn on, by the sensor's identity.
            clock: The monotonic clock [s].
            channel: Radio channel, 11 to 25.
            rate: Samples a second [Hz].
            height: Of the person [m].
            library: Name of the makers' module; another one in tests.
        """
        self.sensors: tuple[str, ...] = ()
        self._places = dict(places)
        self._clock = clock
        self._options = (channel, rate, len(self._places), library)
        self._height, self._offsets = height, make_offsets(height)
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def open(self) -> None:
        """Start the library in a process of its own, and wait for the sensors.

        Raises:
            SuitMissing: The library, a station or the sensors are missing.
        """
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=run_station, args=(other, *self._options), daemon=True)
        self._process.start()
        other.close()
        self._held: dict[Segment, deque[np.ndarray]] = {}
        self._calibration: SensorCalibration | None = None
        self._newest: TrackedHuman | None = None
        self._runs = self._count = 0
        self._opened = self._clock()
        try:
            self._wait_for_sensors(self._pipe)
        except SuitMissing:
            self.close()
            raise

    def _wait_for_sensors(self, pipe: Connection) -> None:
        try:
            message: tuple[Any, ...] = (
                pipe.recv() if pipe.poll(START_TIMEOUT) else (FAILED, f"nothing was heard for {START_TIMEOUT:.0f} s")
            )
        except (EOFError, OSError):
            message = (FAILED, "their library's process ended")
        if message[0] == MISSING:
            raise SuitMissing(
                f"the makers' library for raw trackers is missing ({message[1]}): install the xsensdeviceapi wheel from the "
                "folder of their MT Software Suite; it is on no package index"
            )
        if message[0] != SENSORS:
            raise SuitMissing(f"the sensors cannot be read: {message[1]}")
        self.sensors = tuple(str(each) for each in message[1])

    def calibrate(self) -> None:
        """Take the last 2 s for a pose with hanging arms, palms inwards; another run of the suit begins.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            SuitMissing: A sensor is missing, or moved.
        """
        self._receive()
        self._calibration = SensorCalibration({segment: np.array(held) for segment, held in self._held.items()})
        self._runs, self._count, self._newest = self._runs + 1, 0, None

    def read(self) -> TrackedHuman | None:
        """Return the newest sample, without waiting for one; None before the calibration.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
            SuitMissing: The sensors are gone.
        """
        if self._receive() and self._calibration is not None:
            turned = self._calibration.turn({segment: held[-1] for segment, held in self._held.items()})
            self._newest = TrackedHuman(
                time=self._clock(),
                sequence=self._count,
                suit=f"{self.name} {self._opened:.6f} run {self._runs}",
                positions=place_segments(turned, self._offsets, self._height),
                orientations=turned,
                tracked=np.ones(len(Segment), dtype=bool),
                quality=QUALITY,
            )
            self._count += 1
        return self._newest

    def _receive(self) -> bool:
        """Take what sensors have told, and say whether there was any."""
        if self._pipe is None:
            raise DeviceNotOpen(self.name)
        is_new = False
        try:
            for _ in range(MAX_MESSAGES):
                if not self._pipe.poll():
                    break
                message = self._pipe.recv()
                if message[0] == FAILED:
                    raise SuitMissing(f"the sensors are gone: {message[1]}")
                is_new |= message[0] == TURN and self._take(message[1], np.array(message[3]))
        except (EOFError, OSError):
            raise SuitMissing("the sensors are gone: the process of their library ended; open the suit again") from None
        return is_new

    def _take(self, sensor: str, turned: np.ndarray) -> bool:
        length = float(np.linalg.norm(turned))
        segment = self._places.get(sensor)
        if segment is None or turned.shape != (4,) or not abs(length - 1.0) <= ROTATION_TOLERANCE:
            return False
        self._held.setdefault(segment, deque(maxlen=HELD)).append(turned[[1, 2, 3, 0]] / length)
        return True

    def close(self) -> None:
        """End the library's process."""
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.join(2.0)
            if self._process.is_alive():
                self._process.terminate()
                self._process.join()
            with contextlib.suppress(ValueError):
                self._process.close()
        self._pipe = self._process = None
