"""Keeps to the interface of the makers' library for raw trackers, as far as it is used: a station and seventeen sensors.

The person stands in the pose N, facing north-west by his own sensors' earth; then, once somebody makes the file that
``STAND_IN_BEND`` names, the trunk leans ahead by 0.5 rad and the left forearm is lifted to the front by 1 rad.
"""

# ruff: noqa: N802 - the names are the library's

from __future__ import annotations

import math
import os
import threading
import time
from pathlib import Path
from typing import Any

FACING = 2.2
LEAN, LIFT = 0.5, 1.0

Quaternion = tuple[float, float, float, float]


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Multiply quaternions (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def turn(axis: int, angle: float) -> Quaternion:
    """Return the turn about x (0), y (1) or z (2)."""
    parts = [math.cos(angle / 2.0), 0.0, 0.0, 0.0]
    parts[axis + 1] = math.sin(angle / 2.0)
    return (parts[0], parts[1], parts[2], parts[3])


class _List(list[Any]):
    def size(self) -> int:
        return len(self)


class _Identity:
    def __init__(self, name: str) -> None:
        self.name = name

    def isWirelessMaster(self) -> bool:
        return self.name == "STATION"

    def toXsString(self) -> str:
        return self.name


class _Port:
    def deviceId(self) -> _Identity:
        return _Identity("STATION")

    def portName(self) -> str:
        return "ttyUSB0"

    def baudrate(self) -> int:
        return 2_000_000


class XsCallback:
    """What is subclassed to hear of packets."""


class _Packet:
    def __init__(self, counter: int, quaternion: Quaternion) -> None:
        self.counter, self.quaternion = counter, quaternion

    def containsOrientation(self) -> bool:
        return self.counter % 7 != 3

    def orientationQuaternion(self) -> Quaternion:
        return self.quaternion

    def packetCounter(self) -> int:
        return self.counter


class _Sensor:
    def __init__(self, number: int) -> None:
        self.number = number
        self.handlers: list[Any] = []

    def deviceId(self) -> _Identity:
        return _Identity(f"00B4{self.number:04d}")

    def addCallbackHandler(self, handler: Any) -> None:
        self.handlers.append(handler)

    def orientation(self, bent: bool) -> Quaternion:
        """Return how it is turned: facing, what the person does, and how it is mounted (pelvis: z backwards)."""
        mounted = turn(1, -math.pi / 2.0) if self.number == 0 else multiply(turn(0, 0.3 * self.number), turn(2, 1.7))
        moved = turn(1, 0.0)
        if bent and self.number not in (9, 10, 11, 12, 13, 14):
            moved = turn(1, LEAN)
        if bent and self.number in (5, 6):
            moved = multiply(moved, turn(1, -LIFT))
        return multiply(turn(2, FACING), multiply(moved, mounted))


class _Station:
    def __init__(self) -> None:
        self.sensors = _List(_Sensor(number) for number in range(17))
        self.radio = True
        self.running = False

    def gotoConfig(self) -> bool:
        return True

    def supportedUpdateRates(self) -> list[int]:
        return [40, 60, 80, 100]

    def setUpdateRate(self, rate: int) -> bool:
        return rate in self.supportedUpdateRates()

    def isRadioEnabled(self) -> bool:
        return self.radio

    def disableRadio(self) -> bool:
        self.radio = False
        return True

    def enableRadio(self, channel: int) -> bool:
        self.radio = not self.radio and 11 <= channel <= 25
        return self.radio

    def childCount(self) -> int:
        return len(self.sensors)

    def children(self) -> _List:
        return self.sensors

    def gotoMeasurement(self) -> bool:
        self.running = True
        threading.Thread(target=self._measure, daemon=True).start()
        return True

    def _measure(self) -> None:
        bend, counter = Path(os.environ["STAND_IN_BEND"]), 0
        while self.running:
            bent = bend.exists()
            for sensor in self.sensors:
                for handler in sensor.handlers:
                    handler.onLiveDataAvailable(sensor, _Packet(counter, sensor.orientation(bent)))
            counter += 1
            time.sleep(0.01)


class _Control:
    def __init__(self) -> None:
        self.station = _Station()

    def openPort(self, name: str, baudrate: int) -> bool:
        return name == "ttyUSB0" and baudrate == 2_000_000

    def device(self, identity: _Identity) -> _Station:
        return self.station

    def close(self) -> None:
        self.station.running = False


def XsControl_construct() -> _Control:
    """Make what all else comes from."""
    return _Control()


def XsScanner_scanPorts() -> _List:
    """Look for stations."""
    return _List([] if "STAND_IN_IS_ALONE" in os.environ else [_Port()])
