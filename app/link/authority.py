"""Messages between station and host: who drives, and stops."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from handhold.app.link.lease import Station
from handhold.devices.stop import Stop

MAX_NAME = 64
"""Maximum number of characters of a station's name."""

StationName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""What people call a station: one short line, for it is shown to operators and sent back to every station."""


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

    Raises:
        ValueError: Nothing is asked for.
    """

    kind: Stop
    number: int

    def __post_init__(self) -> None:
        if self.kind is Stop.NONE:
            raise ValueError("a stop request asks for something")


class LeaseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a station does about the lease.

    Attributes:
        act: What it does.
        name: What people call the station.
    """

    act: LeaseAct
    name: StationName


class LinkStatus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The host's report on the link, sent to every station.

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
