"""A scripted person's samples go through a socket, as a suit's do."""

import gc
import weakref

import numpy as np
import pytest

from handhold.app.lab.scenarios import suit_stream
from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.app.lab.scenarios.suit_stream import StreamSilent, SuitStream
from handhold.devices.suits.mvn_sockets import UdpSource


def test_what_arrives_is_what_was_sent_each_at_once() -> None:
    now = 0.0
    stream = SuitStream(lambda: now)
    for k in range(120):
        now = k / 60.0
        sent = make_human(HumanPose(drop=0.002 * k, left_flexion=0.01 * k), now, k)
        arrived = stream.pass_on(sent)
        assert arrived.sequence == k
        assert arrived.time == pytest.approx(now, abs=1.1e-3)
        assert arrived.positions == pytest.approx(sent.positions, abs=1e-6)
        turned = np.abs(np.sum(arrived.orientations * sent.orientations, axis=1))
        assert turned == pytest.approx(1.0, abs=1e-6)
        assert stream.pass_on(sent) is arrived, "nothing is sent twice"


class Owner:
    """Holds a stream that asks it for the time, as an operator does."""

    def __init__(self) -> None:
        self.time = 0.0
        self.stream = SuitStream(lambda: self.time)


def test_the_sockets_go_with_whoever_holds_the_stream() -> None:
    owner = Owner()
    source, gone = owner.stream._suit._source, weakref.ref(owner)
    assert isinstance(source, UdpSource)
    assert source._socket is not None
    del owner
    gc.collect()
    assert gone() is None
    assert source._socket is None


def test_a_stream_that_does_not_arrive_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = SuitStream(lambda: 0.0)
    monkeypatch.setattr(suit_stream, "TIMEOUT", 0.01)
    monkeypatch.setattr(stream._sender, "send", lambda *_: 0)
    with pytest.raises(StreamSilent, match="does a firewall"):
        stream.pass_on(make_human(HumanPose(), 0.0, 0))
