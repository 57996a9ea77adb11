"""Messages that no operator's page sends: forged attributes, values that are none, other kinds of messages, mutated bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import viser

from handhold.devices.browser.page_server import PageServer

NOT_A_NUMBER = (math.nan, math.inf, -math.inf)
TURN = [1.0, 0.0, 0.0, 0.0]
GIZMO = "/hands/left"


def forge_attributes(server: viser.ViserServer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield messages, with what each tries, that set what is not a page's to set of the controls that are there."""
    for uuid, control in list(server.gui._gui_input_handle_from_uuid.items()):
        for updates in _list_updates():
            yield f"set {updates} of '{control.label}'", {"type": "GuiUpdateMessage", "uuid": uuid, "updates": updates}
        yield f"hold '{control.label}'", {"type": "GuiButtonHoldMessage", "uuid": uuid, "frequency": 10.0}


def _list_updates() -> Iterator[dict[str, Any]]:
    for name in ("disabled", "_disabled", "visible", "label", "update_cb", "sync_cb", "removed", "is_button", "props", "uuid"):
        yield {name: None if name.endswith("cb") else name not in {"visible"}}
    yield from (
        {"min": -1e9},
        {"max": 1e9},
        {"step": 0.0},
        {"__class__": "x"},
        {"hold_cbs_from_freq": {}},
        {},
        {"order": -1e9},
    )
    yield {"value": True, "disabled": True}
    yield from ({"value": value} for value in (*NOT_A_NUMBER, 1e9, -1.0, "nan", None, [0.5], True, b"0"))


def forge_actions(server: PageServer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield messages that ask for what the page's own interface does not offer, or not so."""
    table = server.actions.table
    for name, action in sorted(table.items()):
        yield f"'{name}', held or not the other way", _ask(name, not action.held)
        for other in (name.upper(), f"{name} ", f"{name}\0", name[:-1], f"{name}:{name}"):
            yield f"{other!r} for '{name}'", _ask(other, action.held)
        yield f"'{name}' and more", {**_ask(name, action.held), "value": 1.0}
    for name in (
        "",
        "x" * 129,
        "stop",
        "stop:",
        "mode:none",
        "session:talos:../wall",
        "session::",
        "drive:grant:0",
        "__class__",
        "take",
    ):
        for held in (False, True):
            yield f"'{name[:30]}'", _ask(name, held)
    wrong: tuple[object, ...] = (1, None, "true", math.nan)
    for one in wrong:
        yield f"held {one}", _ask("stop:hold", one)


def _ask(name: str, held: Any) -> dict[str, Any]:
    return {"type": "HandholdAction", "name": name, "held": held}


def forge_poses() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield messages that put a gizmo or a camera where nothing can be."""
    bad = [[value, 0.0, 1.0] for value in (*NOT_A_NUMBER, 1e5, "x", None)]
    for position in [*bad, [0.0, 0.0], [0.0] * 4, []]:
        yield f"gizmo at {position}", _drag(GIZMO, TURN, position)
        yield (
            f"camera at {position}",
            {**_camera(), "position": position} if position != bad[3] else _drag("/x", TURN, position),
        )
    for wxyz in ([math.nan] * 4, [0.0] * 4, [2.0, 0.0, 0.0, 0.0], [1e300] * 4, [1.0], "x"):
        yield f"gizmo turned by {wxyz}", _drag(GIZMO, wxyz, [0.4, 0.3, 1.0])
        yield f"camera turned by {wxyz}", {**_camera(), "wxyz": wxyz}
    yield "gizmo of another owner", {**_drag(GIZMO, TURN, [0.4, 0.3, 1.0]), "owner": "1"}
    yield "a robot's link as a gizmo", _drag("/robot", TURN, [0.0, 0.0, 1.0])
    yield "a pixel too many", {**_camera(), "image_width": 10**9}


def _drag(name: str, wxyz: Any, position: Any) -> dict[str, Any]:
    return {"type": "TransformControlsUpdateMessage", "name": name, "wxyz": wxyz, "position": position, "owner": ""}


def _camera() -> dict[str, Any]:
    from handhold.app.lab.safety.raw_page import make_camera

    return make_camera((1.0, 0.0, 1.0))


def forge_kinds(server: viser.ViserServer) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield one message of every kind that viser knows and a page must not send, and of kinds that nobody knows."""
    from viser._messages import Message

    uuid = next(iter(server.gui._gui_input_handle_from_uuid))
    allowed = {
        "ViewerCameraMessage",
        "GuiUpdateMessage",
        "TransformControlsUpdateMessage",
        "TransformControlsDragStartMessage",
        "TransformControlsDragEndMessage",
    }
    for kind in sorted({one.__name__ for one in Message.get_subclasses()} - allowed):
        yield kind, {"type": kind}
        yield f"{kind} with a name", {"type": kind, "uuid": uuid, "name": GIZMO, "owner": ""}
    for kind in ("", "Message", "handholdbeat", "GuiUpdateMessage\0"):
        yield f"kind '{kind}'", {"type": kind, "uuid": uuid, "updates": {"value": True}}
    yield "an upload", _upload(uuid)
    for age in (-1.0, math.nan, math.inf):
        yield f"a frame {age} s ago", {"type": "HandholdBeat", "frame_age": age, "shown": True, "identity": "0" * 32}
    yield "a page without a name", {"type": "HandholdBeat", "frame_age": 0.0, "shown": True, "identity": ""}
    yield "an unknown control", {"type": "GuiUpdateMessage", "uuid": "0", "updates": {"value": True}}
    yield "an unknown command", {"type": "CommandTriggerMessage", "uuid": "0"}


def _upload(uuid: str) -> dict[str, Any]:
    return {
        "type": "FileTransferStartUpload",
        "source_component_uuid": uuid,
        "transfer_uuid": "1",
        "filename": "../x",
        "mime_type": "text/plain",
        "part_count": 1,
        "size_bytes": 1,
    }


def forge_twice(server: viser.ViserServer) -> Iterator[tuple[str, bytes]]:
    """Yield bytes that one reader takes for a message that is admitted, and another one for something else."""
    slider = next(u for u, h in server.gui._gui_input_handle_from_uuid.items() if isinstance(h, viser.GuiSliderHandle))
    pairs: dict[str, list[tuple[str, object]]] = {
        "two kinds": [("type", "ViewerCameraMessage"), ("type", "ShareUrlRequest")],
        "two kinds, the other way": [("type", "ShareUrlRequest"), ("type", "HandholdBeat")],
        "two values": [
            ("type", "GuiUpdateMessage"),
            ("uuid", slider),
            ("updates", {"value": 0.5}),
            ("updates", {"min": -9.0}),
        ],
        "two names": [("type", "HandholdAction"), ("name", "stop:hold"), ("name", "x"), ("held", False)],
    }
    for name, items in pairs.items():
        body = b"".join(msgspec.msgpack.encode(key) + msgspec.msgpack.encode(value) for key, value in items)
        yield name, bytes([0x80 | len(items)]) + body
    yield from (("nothing", b""), ("no map", b"\x93\x01\x02\x03"), ("deep", b"\x91" * 2000 + b"\x01"), ("cut", b"\x81\xa4ty"))
    deep = msgspec.msgpack.encode("a") + b"\x91" * 3000 + b"\x01"
    yield "deep field", b"\x82" + deep + msgspec.msgpack.encode("type") + msgspec.msgpack.encode("HandholdBeat")


def mutate(raw: bytes, random: np.random.Generator) -> bytes:
    """Change, insert or take out a few bytes of a message."""
    changed = bytearray(raw)
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(len(changed)))
        kind = random.integers(3)
        if kind == 0:
            changed[at] = int(random.integers(256))
        elif kind == 1:
            changed.insert(at, int(random.integers(256)))
        elif len(changed) > 1:
            del changed[at]
    return bytes(changed)
