"""A station without a headset: swings the right hand at 90 Hz until it is killed.

Run as a process of its own: ``python scripted_station.py ROBOT PORT DEVICE [SQUEEZED_UNTIL [SQUEEZED_FROM]]``. The hand goes
back and forth along x by 0.2 m every 2 s. Counted from the first snapshot of the robot [s], it is squeezed until
SQUEEZED_UNTIL and again from SQUEEZED_FROM on (by default never).
"""

from __future__ import annotations

import math
import os
import sys
import time

from handhold.app.lab.safety.rig import PERIOD, swing_hand
from handhold.app.link import LinkConfig, StationLink
from handhold.app.session.priority import STATION_NICENESS, ask_for_priority
from handhold.devices.operator_input import OperatorInput


def main(robot: str, port: str, device: str, squeezed_until: str = "-inf", squeezed_from: str = "inf") -> None:
    """Send samples until killed."""
    ask_for_priority(STATION_NICENESS)  # as a station does
    until, again = float(squeezed_until), float(squeezed_from)
    start = math.inf
    sequence = 0
    with StationLink(
        LinkConfig(robot=robot, port=int(port), key=bytes.fromhex(os.environ["HANDHOLD_TEST_KEY"])), time.monotonic
    ) as link:
        while True:
            now = time.monotonic()
            if link.newest_snapshot() is not None and start == math.inf:
                start = now
                print("snapshot", flush=True)
            elapsed = now - start if start < math.inf else -1e-3
            right = swing_hand(elapsed, squeezed=elapsed < until or elapsed >= again)
            link.send(OperatorInput(time=now, sequence=sequence, device=device, right=right))
            sequence += 1
            time.sleep(PERIOD)


if __name__ == "__main__":
    main(*sys.argv[1:])
