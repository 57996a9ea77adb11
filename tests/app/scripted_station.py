"""A station without a headset: sends one scripted reach of the right hand at 90 Hz until it is killed.

Run as a process of its own: ``python scripted_station.py ROBOT PORT DEVICE [SQUEEZE_AT]``. The hand swings back and forth
along x by 0.2 m every 2 s; it is squeezed from SQUEEZE_AT seconds after the start on (never by default).
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import pinocchio as pin

from handhold.app.link import LinkConfig, StationLink
from handhold.devices.operator_input import HandInput, OperatorInput

PERIOD = 1.0 / 90.0
"""Period of a headset's frames [s]."""


def sample(elapsed: float, sequence: int, device: str, squeeze_at: float) -> OperatorInput:
    """Return what the operator does ``elapsed`` seconds after the start."""
    x = 0.4 + 0.1 * (1.0 - math.cos(math.pi * elapsed))
    pose = pin.SE3(np.eye(3), np.array([x, -0.3, 1.0]))
    right = HandInput(pose=pose, aim=pose, squeeze=1.0 if elapsed >= squeeze_at else 0.0)
    return OperatorInput(time=time.monotonic(), sequence=sequence, device=device, right=right)


def main(robot: str, port: str, device: str, squeeze_at: str = "inf") -> None:
    """Send samples until killed."""
    start = time.monotonic()
    sequence = 0
    with StationLink(LinkConfig(robot=robot, port=int(port)), time.monotonic) as link:
        while True:
            sequence += 1
            link.send(sample(time.monotonic() - start, sequence, device, float(squeeze_at)))
            if link.newest_snapshot() is not None and sequence % 90 == 0:
                print("snapshot", flush=True)
            time.sleep(PERIOD)


if __name__ == "__main__":
    main(*sys.argv[1:])
