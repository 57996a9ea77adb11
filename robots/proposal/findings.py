"""All that was found in the URDF of a humanoid."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.robots.proposal.anatomy import Anatomy
from handhold.robots.proposal.hands import HandContact
from handhold.robots.proposal.limits import Limits
from handhold.robots.proposal.soles import Sole
from handhold.robots.proposal.source import Source


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Findings:
    """All that was found in a URDF.

    Attributes:
        source: The robot, its base turned.
        anatomy: Its parts.
        soles: Left and right sole.
        hands: What was found of its hands.
        limits: Limits of its joints.
    """

    source: Source
    anatomy: Anatomy
    soles: tuple[Sole, Sole]
    hands: tuple[HandContact, ...]
    limits: Limits
