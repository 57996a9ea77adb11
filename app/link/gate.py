"""Which of the authenticated messages the host takes: fresh, in order, of this session, and of the station that drives."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from handhold.app.link.authority import LeaseAct, LeaseRequest, LinkStatus, Refusal, StopRequest
from handhold.app.link.clock_bound import ClockBound
from handhold.app.link.lease import Lease, Station
from handhold.app.link.messages import Stamp
from handhold.app.link.replay_window import ReplayWindow
from handhold.devices.stop import Stop

LATE_AFTER = 0.05
"""Age of a message on arrival [s] from which on it is refused: a robot must not follow an operator who sees it so late.

As old as samples may be before the robot slows down (``retarget/engagement/presence.py``): a link that is later than that
all the time is no link, while one that is late for a moment is only slow.
"""

MAX_PEERS = 64
"""Runs of stations that are remembered; of one that is forgotten everything is too late."""

REPORT_TIME = 4.0
"""Time for which a refusal is reported after the last message that was refused [s]."""

REPORTED_REFUSALS = (Refusal.LATE, Refusal.FORGED, Refusal.REPLAYED, Refusal.UNREADABLE)
"""Refusals that are reported to the operator; a station that is not acquainted or does not drive (yet) is nobody's fault."""


@dataclass(eq=False, slots=True)
class _Peer:
    """What is known of one run of a station."""

    clock: ClockBound = field(default_factory=ClockBound)
    samples: int = 0
    stops: ReplayWindow = field(default_factory=ReplayWindow)
    leases: ReplayWindow = field(default_factory=ReplayWindow)
    stop_number: int = 0


class Gate:
    """The host's gate; pure: it is given the time, and knows of no network.

    Attributes:
        lease: Who drives.
        refused: How many messages were refused, by why.
    """

    def __init__(self, run: int) -> None:
        """Open the gate of a host's run."""
        self.lease = Lease()
        self.refused: Counter[Refusal] = Counter()
        self._run = run
        self._peers: OrderedDict[int, _Peer] = OrderedDict()
        self._last: dict[Refusal, float] = {}
        self._lateness = 0.0

    def refuse(self, reason: Refusal, now: float) -> None:
        """Count a message that is refused at time ``now`` [s]."""
        self.refused[reason] += 1
        self._last[reason] = now

    def admit_sample(self, stamp: Stamp, now: float) -> float | None:
        """Judge a sample of an operator.

        Args:
            stamp: Stamp of an authenticated message.
            now: Clock of the host when it arrived [s].

        Returns:
            The earliest time at which it can have been sent, by the host's clock [s]; None where it is refused.
        """
        peer = self._find(stamp.run)
        if stamp.sequence <= peer.samples:
            self.refuse(Refusal.REPLAYED, now)
            return None
        peer.samples = stamp.sequence
        return self._judge_driver(stamp, peer, now)

    def admit_stop(self, stamp: Stamp, request: StopRequest, now: float) -> bool:
        """Judge a stop or a resume; says whether it has to be followed.

        A stop of any station counts, however late; a resume only one of the station that drives, in time.
        """
        peer = self._find(stamp.run)
        if not peer.stops.take(stamp.sequence):
            self.refuse(Refusal.REPLAYED, now)
            return False
        new, peer.stop_number = request.number > peer.stop_number, max(peer.stop_number, request.number)
        return new and (request.kind is not Stop.RESUME or self._judge_driver(stamp, peer, now) is not None)

    def admit_lease(self, stamp: Stamp, request: LeaseRequest, now: float) -> bool:
        """Follow what a station does about the lease; says whether the robot has to stop for it."""
        peer = self._find(stamp.run)
        if not peer.leases.take(stamp.sequence):
            self.refuse(Refusal.REPLAYED, now)
            return False
        if request.act is LeaseAct.RELEASE:
            self.lease.release(stamp.run)
            return False
        if self._judge_time(stamp, peer, now) is None:
            return False
        station = Station(stamp.run, request.name)
        if request.act is LeaseAct.TAKE_OVER:
            return self.lease.take_over(station, now)
        if request.act is LeaseAct.HAND_OVER:
            return self.lease.hand_over(stamp.run, now)
        self.lease.ask(station, now)
        return False

    def report(self, now: float) -> LinkStatus:
        """Return what every station is to know."""
        self.lease.expire(now)
        received = {run: peer.stop_number for run, peer in self._peers.items() if peer.stop_number}
        return LinkStatus(self.lease.driver, self.lease.applicant, received, dict(self.refused))

    def describe(self, now: float) -> tuple[str, ...]:
        """Return what the operator should know of the link, in words."""
        messages = [
            self._describe(reason) for reason in REPORTED_REFUSALS if now - self._last.get(reason, -math.inf) < REPORT_TIME
        ]
        if self.lease.applicant is not None:
            messages.append(f"{self.lease.applicant.name} asks to drive: hand over, or go on")
        return tuple(messages)

    def _judge_driver(self, stamp: Stamp, peer: _Peer, now: float) -> float | None:
        sent = self._judge_time(stamp, peer, now)
        if sent is None:
            return None
        if not self.lease.renew(stamp.run, now):
            self.refuse(Refusal.NOT_DRIVING, now)
            return None
        return sent

    def _judge_time(self, stamp: Stamp, peer: _Peer, now: float) -> float | None:
        """Return the earliest time at which a message can have been sent [s]; None, and counted, where that is too old."""
        if stamp.heard.run != self._run:
            self.refuse(Refusal.UNACQUAINTED, now)
            return None
        sent = peer.clock.earliest(stamp.time, stamp.heard, now)
        if now - sent > LATE_AFTER:
            self._lateness = now - sent
            self.refuse(Refusal.LATE, now)
            return None
        return sent

    def _find(self, run: int) -> _Peer:
        peer = self._peers.setdefault(run, _Peer())
        self._peers.move_to_end(run)
        if len(self._peers) > MAX_PEERS:
            self._peers.popitem(last=False)
        return peer

    def _describe(self, reason: Refusal) -> str:
        if reason is Refusal.LATE:
            # in tens, so that it is one message and not a new one with every sample
            if math.isinf(self._lateness):
                return "commands of before this machine slept are refused"
            late = 10.0 * round(100.0 * self._lateness)
            return f"commands arrive {late:.0f} ms late and are refused; at most {1e3 * LATE_AFTER:.0f} ms will do"
        return f"the robot's host refuses messages {reason}: someone else sends to this robot"
