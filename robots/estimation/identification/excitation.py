"""What a joint is asked to do so that its drive shows what it is like: a function of time."""

from __future__ import annotations

from typing import Protocol

from handhold.robots.joint_target import JointTarget


class Excitation(Protocol):
    """It begins and ends where the joint is held, at rest.

    Attributes:
        duration: How long it takes [s].
    """

    duration: float

    def at(self, time: float) -> JointTarget:
        """Return what the joint is to do at a time from 0 to ``duration`` [s]; before and after it is held."""
        ...
