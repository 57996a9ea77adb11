"""Only a holder of the key makes a seal, and only for one topic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.app.link.config import KEY_BYTES, LinkConfig, LinkError, make_key
from handhold.app.link.seal import SEAL_BYTES, Seal, derive

KEY = bytes(range(KEY_BYTES))
TOPIC = "handhold/talos/operator"


@given(message=st.binary(max_size=2000))
def test_a_sealed_message_is_opened_by_the_same_key_and_topic(message: bytes) -> None:
    assert Seal(KEY, TOPIC).open(Seal(KEY, TOPIC).close(message)) == message


@given(message=st.binary(max_size=200), index=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_message_with_a_changed_bit_is_refused(message: bytes, index: int, bit: int) -> None:
    sealed = bytearray(Seal(KEY, TOPIC).close(message))
    sealed[index % len(sealed)] ^= 1 << bit
    assert Seal(KEY, TOPIC).open(bytes(sealed)) is None


@given(garbage=st.binary(max_size=200))
def test_what_nobody_sealed_is_refused(garbage: bytes) -> None:
    assert Seal(KEY, TOPIC).open(garbage) is None


def test_the_seal_of_another_key_or_topic_is_refused() -> None:
    sealed = Seal(KEY, TOPIC).close(b"stop")
    assert Seal(make_key(), TOPIC).open(sealed) is None
    assert Seal(KEY, "handhold/talos/stop").open(sealed) is None
    assert Seal(KEY, "handhold/g1/operator").open(sealed) is None


@pytest.mark.parametrize("length", range(SEAL_BYTES + 1))
def test_a_truncated_seal_is_refused(length: int) -> None:
    assert Seal(KEY, TOPIC).open(Seal(KEY, TOPIC).close(b"")[:length]) is (b"" if length == SEAL_BYTES else None)


def test_keys_for_different_purposes_differ() -> None:
    assert derive(KEY, "transport") != derive(KEY, "seal")
    assert len(derive(KEY, "transport")) == KEY_BYTES


def test_a_key_is_new_each_time_and_is_not_printed() -> None:
    assert make_key() != make_key()
    assert repr(KEY) not in repr(LinkConfig(robot="talos", key=KEY))


@pytest.mark.parametrize("key", [b"", KEY[:-1], KEY + b"x"])
def test_a_key_of_another_length_is_refused_in_a_line(key: bytes) -> None:
    with pytest.raises(LinkError, match=f"has {KEY_BYTES} bytes, this one {len(key)}"):
        LinkConfig(robot="talos", key=key)


def test_a_seal_cannot_be_guessed() -> None:
    assert SEAL_BYTES == 16
