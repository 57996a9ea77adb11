"""The process of the proposals: hears where the robot stands and what is known about it, says where hands could brace."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from handhold.app.host.surfaces import list_surfaces
from handhold.app.link.codecs import proposal_codec, sighting_codec
from handhold.app.link.observer_link import ObserverLink
from handhold.app.proposals.proposer import Proposer
from handhold.app.session.config import PERFECT, SessionConfig
from handhold.app.session.process import Stop, run_process
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.candidates.proposal import Proposal
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

IDLE = 0.02
"""Pause where there is nothing new [s]."""

NICENESS = 10
"""What is proposed is worth less than that robot, station and camera are in time."""


def run_proposals(config: SessionConfig, stop: Stop, _say: Callable[[str], None]) -> None:
    """Propose until a stop is requested.

    Raises:
        RobotError: The robot or its world cannot be had.
        AppError: The link cannot be opened.
    """
    os.nice(NICENESS)
    publishes, subscribes = ("places", proposal_codec()), {"surfaces": sighting_codec()}
    with ObserverLink[Proposal](config.link, time.monotonic, publishes, subscribes) as link:
        must_stop = stop.after(None, time.monotonic)
        # the robot comes first: while it is being loaded nothing else is
        if (snapshot := _await_snapshot(link, must_stop)) is None:
            return
        proposer = Proposer(load_model(config.robot))
        surfaces: tuple[Surface, ...] = list_surfaces(load_world(config.world)) if config.camera == PERFECT else ()
        while not must_stop():
            snapshot = link.newest_snapshot() or snapshot
            sighting = link.take("surfaces")
            surfaces = surfaces if sighting is None else sighting.surfaces
            proposal = proposer.consider(snapshot, surfaces, time.monotonic())
            if proposal is not None:
                link.send(proposal)
            time.sleep(IDLE)


def _await_snapshot(link: ObserverLink[Proposal], must_stop: Callable[[], bool]) -> Snapshot | None:
    while not must_stop():
        if (snapshot := link.newest_snapshot()) is not None:
            return snapshot
        time.sleep(IDLE)
    return None


if __name__ == "__main__":
    run_process(run_proposals)
