"""A link that is late by the same time all along: nothing moves, whatever the operator does."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from handhold.app.lab.safety.delay_relay import late_network
from handhold.app.lab.safety.rig import RigOperator, measure_displacement, operator_of, read_cycles, robot_host, wait_for
from handhold.app.session.config import SessionConfig, find_free_port

LATENESSES = (0.06, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.0)
"""What the link is late by [s]."""

REPORT_TRIES = 100
"""Tenths of a second within which the operator is notified why nothing moves: the slowest link's round trip takes 4 s."""

SQUEEZES = 3
"""How often the operator tries at each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LateLinkReport:
    """What became of a late link.

    Attributes:
        links: Links tested.
        engaged: Cycles in which a hand was engaged.
        moved: Largest displacement of a reference while the link was late [m].
        notified: Links whose operator was notified that commands are late.
        driven: Displacement of a reference over the same relay without delay, by which the experiment is known to work [m].
    """

    links: int
    engaged: int
    moved: float
    notified: int
    driven: float


def try_late_links(latenesses: tuple[float, ...] = LATENESSES) -> LateLinkReport:
    """Let an operator squeeze and reach over links that are late there, late back, and both, from their beginning on."""
    with tempfile.TemporaryDirectory(prefix="handhold-") as folder:
        config = SessionConfig(link_port=find_free_port(), log_folder=folder)
        with robot_host(config):
            notified = sum(_reach(config, *delays) for delays in _list_delays(latenesses))
            end = time.monotonic()
            _drive(config)
        records = read_cycles(config)
    late = [record for record in records if record.host_time < end]
    return LateLinkReport(
        links=3 * len(latenesses),
        engaged=sum(any(record.engaged) for record in late),
        moved=measure_displacement(late),
        notified=notified,
        driven=measure_displacement(records[len(late) :]),
    )


def _list_delays(latenesses: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    for late in latenesses:
        yield from ((late, 0.0), (0.0, late), (late, late))


def _reach(config: SessionConfig, to_host: float, from_host: float) -> bool:
    """Squeeze again and again over a late link; says whether the operator was notified why nothing moves."""
    port = find_free_port()
    link = replace(config.link, port=port)
    with late_network(port, config.link_port) as network:
        network.delay(to_host, from_host)
        with operator_of(link, f"late {to_host} {from_host}") as operator:
            wait_for("the late station sees the robot", lambda: operator.snapshot is not None)
            for _ in range(SQUEEZES):
                operator.squeezed = True
                operator.wait_samples(60)
                operator.squeezed = False
                operator.wait_samples(10)
            # the word comes over the same late link: it takes a round trip
            for _ in range(REPORT_TRIES):
                if _is_notified(operator):
                    return True
                operator.wait_samples(9)
            return False


def _is_notified(operator: RigOperator) -> bool:
    return operator.snapshot is not None and any("late" in message for message in operator.snapshot.messages)


def _drive(config: SessionConfig) -> None:
    """Reach over the same relay without delay."""
    port = find_free_port()
    with late_network(port, config.link_port), operator_of(replace(config.link, port=port), "prompt") as operator:
        operator.engage()
        operator.wait_samples(60)
        operator.release()
