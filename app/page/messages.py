"""The messages that a page may send, with the types of all that is in them; nothing else is read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import msgspec

MAX_MESSAGE_SIZE = 4096
"""Of what a page may send, a camera is the largest: 350 bytes."""

Name = Annotated[str, msgspec.Meta(max_length=128)]
Length = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
Pixels = Annotated[int, msgspec.Meta(ge=0, le=65536)]
Vector = tuple[Length, Length, Length]
Quaternion = tuple[float, float, float, float]


class PageMessage(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A message of viser's client, by the name of viser's class."""


class Camera(PageMessage, frozen=True, tag="ViewerCameraMessage"):
    """Where a page looks from."""

    wxyz: Quaternion
    position: Vector
    fov: Annotated[float, msgspec.Meta(gt=0.0, lt=math.pi)]
    near: Length
    far: Length
    image_height: Pixels
    image_width: Pixels
    look_at: Vector
    up_direction: Vector


class ControlUpdate(PageMessage, frozen=True, tag="GuiUpdateMessage"):
    """A slider has moved."""

    uuid: Name
    updates: dict[str, float]


class DragStart(PageMessage, frozen=True, tag="TransformControlsDragStartMessage"):
    """A gizmo was taken hold of."""

    name: Name
    owner: Annotated[str, msgspec.Meta(max_length=0)] = ""


class DragUpdate(PageMessage, frozen=True, tag="TransformControlsUpdateMessage"):
    """A gizmo was moved."""

    name: Name
    wxyz: Quaternion
    position: Vector
    owner: Annotated[str, msgspec.Meta(max_length=0)] = ""


class DragEnd(PageMessage, frozen=True, tag="TransformControlsDragEndMessage"):
    """A gizmo was let go."""

    name: Name
    owner: Annotated[str, msgspec.Meta(max_length=0)] = ""


class PageBeat(PageMessage, frozen=True, tag="HandholdBeat"):
    """The page lives: our own message, which viser never sees."""

    frame_age: Annotated[float, msgspec.Meta(ge=0.0)]
    shown: bool
    identity: Annotated[str, msgspec.Meta(min_length=16, max_length=64)]


class PageAction(PageMessage, frozen=True, tag="HandholdAction"):
    """The page's own interface asks for something, once or for as long as it says so: our own message, not viser's."""

    name: Name
    held: bool


RuledMessage = Camera | ControlUpdate | DragStart | DragUpdate | DragEnd | PageAction
AnyMessage = RuledMessage | PageBeat

_DECODER = msgspec.msgpack.Decoder(AnyMessage)
_TURNED = 1e-3
"""How far the length of a page's quaternion may be from 1: it comes from single precision."""


def decode_message(raw: bytes | str) -> AnyMessage:
    """Read a message.

    Raises:
        ValueError: It is none that a page may send, or has a number that is none or out of range.
    """
    if isinstance(raw, str):
        raise ValueError("text")
    try:
        message = _DECODER.decode(raw)
    except RecursionError:
        raise ValueError("too deep") from None
    if not all(math.isfinite(number) for number in _list_numbers(message)):
        raise ValueError("a number that is not finite")
    if isinstance(message, Camera | DragUpdate) and abs(math.hypot(*message.wxyz) - 1.0) > _TURNED:
        raise ValueError("a quaternion that is none")
    return message


def encode_message(message: AnyMessage) -> bytes:
    """Write a message anew: viser gets what was judged, and nothing that another reader would see in the same bytes."""
    return msgspec.msgpack.encode(message)


def _list_numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        yield from (number for one in value.values() for number in _list_numbers(one))
    elif isinstance(value, tuple):
        yield from (number for one in value for number in _list_numbers(one))
    elif isinstance(value, msgspec.Struct):
        yield from (number for name in value.__struct_fields__ for number in _list_numbers(getattr(value, name)))
