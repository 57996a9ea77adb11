"""The codecs of the link's own topics."""

from __future__ import annotations

from handhold.app.link.authority import LeaseRequest, LinkStatus, StopRequest
from handhold.app.link.messages import Codec

MAX_BYTES = 1 << 12
"""Messages of station and host on stops and on the lease take 0.2 kB."""


def stop_codec() -> Codec[StopRequest]:
    """Return the codec of stops and resumes."""
    return Codec(StopRequest, MAX_BYTES)


def lease_codec() -> Codec[LeaseRequest]:
    """Return the codec of what stations do about the lease."""
    return Codec(LeaseRequest, MAX_BYTES)


def status_codec() -> Codec[LinkStatus]:
    """Return the codec of the host's reports on the link."""
    return Codec(LinkStatus, MAX_BYTES)
