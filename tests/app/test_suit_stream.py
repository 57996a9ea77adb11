"""A scripted person's samples go through a socket, as a suit's do."""

import numpy as np
import pytest

from handhold.app.lab.scenarios import suit_stream
from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.app.lab.scenarios.suit_stream import StreamSilent, SuitStream


def test_what_arrives_is_what_was_sent_each_at_once() -> None:
    now = 0.0
    stream = SuitStream(lambda: now)
    for k in range(120):
        now = k / 60.0
        sent = make_human(HumanPose(drop=0.002 * k, left_flexion=0.01 * k), now, k)
        arrived = stream.pass_on(sent)
        assert arrived is not None
        assert arrived.sequence == k
        assert arrived.time == pytest.approx(now, abs=1.1e-3)
        assert arrived.positions == pytest.approx(sent.positions, abs=1e-6)
        turned = np.abs(np.sum(arrived.orientations * sent.orientations, axis=1))
        assert turned == pytest.approx(1.0, abs=1e-6)
        assert stream.pass_on(sent) is arrived, "nothing is sent twice"


def test_a_stream_that_does_not_arrive_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = SuitStream(lambda: 0.0)
    monkeypatch.setattr(suit_stream, "TIMEOUT", 0.01)
    monkeypatch.setattr(stream._sender, "send", lambda *_: 0)
    with pytest.raises(StreamSilent, match="does a firewall"):
        stream.pass_on(make_human(HumanPose(), 0.0, 0))
