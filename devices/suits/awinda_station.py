"""The makers' library for Xsens' raw trackers, in a process of its own: it brings threads and an older NumPy along.

This module imports nothing of ours, so that the process has as little as may be. The library is ``xsensdeviceapi``, part of
the MT Software Suite; it is on no package index.
"""

from __future__ import annotations

import importlib
import math
import time
from multiprocessing.connection import Connection
from typing import Any

LIBRARY = "xsensdeviceapi"
MISSING, FAILED, SENSORS, TURN = "missing", "failed", "sensors", "turn"
"""What the first word of a message may be: no library; no station or sensor; which sensors there are; how one is turned."""

CONNECT_TIME = 10.0
"""Time that sensors have to connect by radio [s]."""


def run_station(pipe: Connection, channel: int, rate: int, wanted: int, library: str = LIBRARY) -> None:
    """Send what the sensors of an Awinda station tell, until the pipe is closed.

    Messages are tuples: ``("sensors", (identity, ...))`` once, then ``("turn", identity, counter, (w, x, y, z))``; or
    ``("missing", reason)`` or ``("failed", reason)``, after which nothing comes.

    Args:
        pipe: Where messages go; what comes by it, or its end, ends the process.
        channel: Radio channel, 11 to 25.
        rate: Samples a second [Hz]; the nearest one that the station supports.
        wanted: Sensors to wait for.
        library: Name of the library's module.
    """
    try:
        api = importlib.import_module(library)
    except ImportError as error:
        pipe.send((MISSING, str(error)))
        return
    control = api.XsControl_construct()
    try:
        master = _open_master(api, control, channel, rate)
        sensors = _wait_for_sensors(master, wanted)
        # a handler that nobody holds is collected, and the library calls into nowhere
        handlers = [_make_handler(api, pipe) for _ in sensors]
        for sensor, handler in zip(sensors, handlers, strict=True):
            sensor.addCallbackHandler(handler)
        pipe.send((SENSORS, tuple(_identify(sensor) for sensor in sensors)))
        if not master.gotoMeasurement():
            raise RuntimeError("the station does not start to measure")
        pipe.poll(None)
    except (RuntimeError, OSError, EOFError) as error:
        _tell(pipe, (FAILED, str(error)))
    finally:
        control.close()


def _open_master(api: Any, control: Any, channel: int, rate: int) -> Any:
    ports = api.XsScanner_scanPorts()
    found = [ports[index] for index in range(ports.size())]
    port = next((each for each in found if each.deviceId().isWirelessMaster()), None)
    if port is None:
        raise RuntimeError("no Awinda station or dongle is connected")
    if not control.openPort(port.portName(), port.baudrate()):
        raise RuntimeError(f"port {port.portName()} cannot be opened; close MVN and MT Manager")
    master = control.device(port.deviceId())
    if not master.gotoConfig():
        raise RuntimeError("the station cannot be set up")
    supported = list(master.supportedUpdateRates())
    if supported and not master.setUpdateRate(min(supported, key=lambda each: abs(each - rate))):
        raise RuntimeError(f"the station does not take a rate of {rate} Hz")
    if master.isRadioEnabled():
        master.disableRadio()
    if not master.enableRadio(channel):
        raise RuntimeError(f"radio channel {channel} cannot be used; take another one of 11 to 25")
    return master


def _wait_for_sensors(master: Any, wanted: int) -> list[Any]:
    end = time.monotonic() + CONNECT_TIME
    while (count := master.childCount()) < wanted and time.monotonic() < end:
        time.sleep(0.05)
    if count == 0:
        raise RuntimeError("no sensor connects by radio; switch them on, and shake them")
    children = master.children()
    return [children[index] for index in range(children.size())]


def _identify(sensor: Any) -> str:
    return str(sensor.deviceId().toXsString())


def _make_handler(api: Any, pipe: Connection) -> Any:
    class Handler(api.XsCallback):
        """Sends each packet's orientation; called by a thread of the library's."""

        def onLiveDataAvailable(self, sensor: Any, packet: Any) -> None:  # noqa: N802 - the library's name
            """Take a packet."""
            if packet.containsOrientation():
                turned = tuple(float(value) for value in packet.orientationQuaternion())
                if all(math.isfinite(value) for value in turned):
                    _tell(pipe, (TURN, _identify(sensor), int(packet.packetCounter()), turned))

    return Handler()


def _tell(pipe: Connection, message: tuple[Any, ...]) -> None:
    try:
        pipe.send(message)
    except (BrokenPipeError, OSError):
        # whoever read is gone; the main thread sees the same
        return
