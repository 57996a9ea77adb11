"""The codecs of the link's own topics."""

from __future__ import annotations

from handhold.app.link.authority import LeaseRequest, LinkStatus, StopRequest
from handhold.app.link.messages import Codec, MessageError
from handhold.app.link.pictures.encoded_picture import MAX_PICTURE_BYTES, EncodedPicture
from handhold.app.link.world_truth import WorldTruth
from handhold.perception.brace_place import find_place_fault
from handhold.perception.cameras.point_cloud import PointCloud
from handhold.perception.sighting import MAX_CORNERS, MAX_SURFACES, Sighting
from handhold.perception.surface import find_fault
from handhold.retarget.bracing.candidates.proposal import MAX_PLACES, Proposal

MAX_BYTES = 1 << 12
"""Messages of station and host on stops and on the lease take 0.2 kB."""


MAX_SIGHTING_BYTES = 1 << 18
"""As many surfaces with as many corners as are told take 150 kB."""

MAX_CLOUD_BYTES = 1 << 20
"""30,000 points take 0.45 MB."""

MAX_TRUTH_BYTES = 1 << 16
"""500 solids."""

MAX_PROPOSAL_BYTES = 1 << 16
"""Sixteen places with regions of 64 corners each take 20 kB."""

MAX_WORDS = 200
"""Letters of what a camera says in words at most."""


def stop_codec() -> Codec[StopRequest]:
    """Return the codec of stops and resumes."""
    return Codec(StopRequest, MAX_BYTES)


def lease_codec() -> Codec[LeaseRequest]:
    """Return the codec of what stations do about the lease."""
    return Codec(LeaseRequest, MAX_BYTES)


def status_codec() -> Codec[LinkStatus]:
    """Return the codec of the host's reports on the link."""
    return Codec(LinkStatus, MAX_BYTES)


def sighting_codec() -> Codec[Sighting]:
    """Return the codec of what cameras see."""
    return Codec(Sighting, MAX_SIGHTING_BYTES)


def proposal_codec() -> Codec[Proposal]:
    """Return the codec of places where hands could brace."""
    return Codec(Proposal, MAX_PROPOSAL_BYTES)


def cloud_codec() -> Codec[PointCloud]:
    """Return the codec of the points that cameras see."""
    return Codec(PointCloud, MAX_CLOUD_BYTES)


def picture_codec() -> Codec[EncodedPicture]:
    """Return the codec of the colour pictures of a camera."""
    return Codec(EncodedPicture, MAX_PICTURE_BYTES)


def truth_codec() -> Codec[WorldTruth]:
    """Return the codec of where a simulated robot and the solids of its world are."""
    return Codec(WorldTruth, MAX_TRUTH_BYTES)


def check_sighting(sighting: Sighting) -> None:
    """Check what a camera says before anybody uses it.

    Raises:
        MessageError: It has too many surfaces or words, or a surface that is none.
    """
    if len(sighting.surfaces) > MAX_SURFACES or any(len(surface.boundary) > MAX_CORNERS for surface in sighting.surfaces):
        raise MessageError("a sighting has more surfaces or corners than are taken")
    if max(len(sighting.camera), len(sighting.message)) > MAX_WORDS:
        raise MessageError("a sighting has more words than are taken")
    if fault := next((fault for fault in map(find_fault, sighting.surfaces) if fault), ""):
        raise MessageError(fault)


def check_proposal(proposal: Proposal) -> None:
    """Check what is said of places to brace before anybody uses it.

    Raises:
        MessageError: It has too many places or words, or a place that is none.
    """
    if len(proposal.places) > MAX_PLACES or any(len(place.limit) > MAX_WORDS for place in proposal.places):
        raise MessageError("a proposal has more places or words than are taken")
    if fault := next((fault for fault in map(find_place_fault, proposal.places) if fault), ""):
        raise MessageError(fault)
