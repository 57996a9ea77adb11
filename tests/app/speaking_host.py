"""A robot's end of the link that sends snapshots of a robot that stands, at a port named on the command line."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from link_key import KEY

from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.app.link import HostLink, LinkConfig
from handhold.robots.model import load_model

PERIOD = 0.02  # [s]

snapshot = make_snapshot(load_model("talos"))
with HostLink(LinkConfig(robot="talos", port=int(sys.argv[1]), key=KEY), time.monotonic) as link:
    while True:
        link.newest_input()
        link.send_snapshot(snapshot)
        time.sleep(PERIOD)
