"""Who drives: one station holds the robot's lease, and another gets it only by a deliberate act that stops the robot first."""

from __future__ import annotations

from dataclasses import dataclass

LEASE_TIME = 1.0
"""Silence of the station that drives after which the lease is free [s]. The robot holds from 80 ms on."""

APPLICATION_TIME = 30.0
"""Time for which another station's application is valid [s]: its operator, and the one who drives, talk about it."""


@dataclass(frozen=True, slots=True)
class Station:
    """A station that asks for the robot.

    Attributes:
        run: Random number of its run.
        name: What people call it.
    """

    run: int
    name: str


class Lease:
    """The robot's lease.

    Attributes:
        driver: The station that drives, or None.
        applicant: The station that asked last while another drives, or None.
    """

    def __init__(self) -> None:
        self.driver: Station | None = None
        self.applicant: Station | None = None
        self._renewed = self._applied = 0.0

    def expire(self, now: float) -> None:
        """Release the lease of a silent driver, and forget who applied long ago (``now`` [s])."""
        if self.driver is not None and now - self._renewed > LEASE_TIME:
            self.driver = None
        if self.applicant is not None and now - self._applied > APPLICATION_TIME:
            self.applicant = None

    def ask(self, station: Station, now: float) -> None:
        """Give the lease to a station where it is free; note that it asks where it is not."""
        self.expire(now)
        if self.driver is None or self.driver.run == station.run:
            self._grant(station, now)
        else:
            self.applicant, self._applied = station, now

    def take_over(self, station: Station, now: float) -> bool:
        """Give the lease to a station whoever has it; says whether another drove, so that the robot must stop."""
        self.expire(now)
        stops = self.driver is not None and self.driver.run != station.run
        self._grant(station, now)
        return stops

    def hand_over(self, run: int, now: float) -> bool:
        """Let the station that drives give the lease to the one that asks; says whether the robot must stop for it."""
        self.expire(now)
        if not self.is_driver(run) or self.applicant is None:
            return False
        self._grant(self.applicant, now)
        return True

    def release(self, run: int) -> None:
        """Release the lease of the station that drives, or withdraw the application of one that applies."""
        if self.is_driver(run):
            self.driver = None
        if self.applicant is not None and self.applicant.run == run:
            self.applicant = None

    def renew(self, run: int, now: float) -> bool:
        """Note a sample of a station; says whether it drives."""
        self.expire(now)
        if self.is_driver(run):
            self._renewed = now
            return True
        return False

    def is_driver(self, run: int) -> bool:
        """Whether a station drives."""
        return self.driver is not None and self.driver.run == run

    def _grant(self, station: Station, now: float) -> None:
        if self.applicant is not None and self.applicant.run == station.run:
            self.applicant = None
        self.driver, self._renewed = station, now
