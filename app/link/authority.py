"""What station and host tell each other of who drives and of stops."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from handhold.app.link.lease import Station

MAX_NAME = 64
"""Most characters of a station's name."""

StationName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""What people call a station: one short line, for it is shown to operators and sent back to every station."""


class Stop(StrEnum):
    """What a stop request asks for, as ``OperatorInput.stop``."""

    HOLD = "hold"
    RESUME = "resume"
    DAMP = "damp"


class LeaseAct(StrEnum):
    """What a station does about the lease."""

    ASK = "ask"
    TAKE_OVER = "take over"
    HAND_OVER = "hand over"
    RELEASE = "release"


class Refusal(StrEnum):
    """Why the host refuses a message, in words for people."""

    FORGED = "not authenticated by this session's key"
    UNREADABLE = "unreadable"
    REPLAYED = "sent before"
    UNACQUAINTED = "of a station that has not heard of this host yet"
    LATE = "too late"
    NOT_DRIVING = "of a station that does not drive"


class StopRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stop or a resume, in a channel that nothing else overwrites.

    Attributes:
        kind: What is asked for.
        number: Number of the request, from 1 on; it keeps its number while it is sent again.
    """

    kind: Stop
    number: int


class LeaseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a station does about the lease.

    Attributes:
        act: What it does.
        name: What people call the station.
    """

    act: LeaseAct
    name: StationName


class LinkStatus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the host tells every station of the link.

    Attributes:
        driver: The station that drives, or None.
        applicant: A station that asks to drive while another does, or None.
        received: Number of the last stop request received of each station's run that has sent some lately.
        refused: How many messages were refused, by why.
    """

    driver: Station | None = None
    applicant: Station | None = None
    received: dict[int, int] = {}
    refused: dict[Refusal, int] = {}
