"""What a station takes of its host: authentic messages, in order, of the present run."""

from __future__ import annotations

from handhold.app.link.authority import LinkStatus
from handhold.app.link.codecs import status_codec
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Stamp, event_codec
from handhold.app.link.seal import Seal
from handhold.devices.device import HapticPulse

KEY = bytes(32)
SEAL = Seal(KEY, "status")
CODEC = status_codec()


def message(run: int, sequence: int, seal: Seal = SEAL) -> bytes:
    return seal.close(CODEC.encode(LinkStatus(), Stamp(run, sequence, 0.0)))


def takes(inbox: Inbox, data: bytes, topic: str = "status") -> bool:
    return inbox.open(topic, data, SEAL, CODEC) is not None


def test_messages_in_order_are_taken_and_the_others_counted() -> None:
    inbox = Inbox()
    assert [takes(inbox, message(1, sequence)) for sequence in (1, 2, 2, 1, 5, 3, 6)] == [
        True, True, False, False, True, False, True,
    ]  # fmt: skip
    assert inbox.refused == 3


def test_topics_are_counted_apart() -> None:
    inbox = Inbox()
    assert takes(inbox, message(1, 9))
    assert takes(inbox, message(1, 3), topic="event")


def test_a_forged_or_unreadable_message_is_refused() -> None:
    inbox = Inbox()
    assert not takes(inbox, message(1, 1, Seal(bytes(31) + b"x", "status")))
    assert not takes(inbox, SEAL.close(b"nonsense"))
    assert not takes(inbox, b"")
    assert inbox.refused == 3


def test_a_new_run_of_the_host_is_followed_and_the_old_one_never_again() -> None:
    inbox = Inbox()
    assert takes(inbox, message(1, 100))
    assert takes(inbox, message(2, 1))
    assert not takes(inbox, message(1, 101))
    assert takes(inbox, message(2, 2))
    assert takes(inbox, message(3, 1))
    assert not takes(inbox, message(2, 3))
    assert not takes(inbox, message(1, 102))


def test_a_payload_that_cannot_be_read_is_counted() -> None:
    inbox = Inbox()
    pulses = event_codec()
    envelope = pulses.unwrap(pulses.encode(HapticPulse(hand="left", amplitude=1.0, duration=0.1), Stamp(1, 1, 0.0)))
    assert inbox.read(envelope, pulses) == HapticPulse(hand="left", amplitude=1.0, duration=0.1)
    assert inbox.read(CODEC.unwrap(CODEC.encode(LinkStatus(), Stamp(1, 1, 0.0))), pulses) is None
    assert inbox.refused == 1


def test_payloads_that_cannot_be_read_are_counted_one_by_one() -> None:
    inbox, pulses = Inbox(), event_codec()
    for count in (1, 2):
        assert inbox.read(CODEC.unwrap(CODEC.encode(LinkStatus(), Stamp(1, 1, 0.0))), pulses) is None
        assert inbox.refused == count
