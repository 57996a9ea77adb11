"""The suit that the operator wears besides the device: which one, and what becomes of the session when it fails."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from people import make_human
from recording_files import write_mvnx

from handhold.app.link.messages import Stamp, operator_codec
from handhold.app.station.program import StationLoop
from handhold.app.station.worn_suit import HOLDING, REOPENING, HeadsetNeeded, UnknownSuit, WornSuit, check_wearer, make_suit
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.devices.suits.mvn_sender import MvnEncoder, MvnSender, UdpSink
from handhold.devices.suits.mvn_sockets import UdpSource
from handhold.devices.suits.suit_errors import RecordingUnreadable, SuitMissing
from handhold.devices.suits.xsens_mvn import MvnSuit

HERE = "127.0.0.1"


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class FailingSuit:
    """A suit that fails when it is told to."""

    name = "failing"

    def __init__(self):
        self.fails, self.opened = False, 0

    def open(self):
        if self.fails:
            raise SuitMissing("switched off; switch it on")
        self.opened += 1

    def read(self):
        if self.fails:
            raise SuitMissing("switched off; switch it on")
        return make_human(0.0)

    def close(self):
        pass


def test_suits_are_known_by_name(tmp_path):
    assert make_suit("none", time.monotonic) is None
    assert make_suit("headset", time.monotonic) is None
    assert make_suit("mvn", time.monotonic).name == "mvn"
    assert make_suit("mvn:127.0.0.2:9764", time.monotonic).title == "UDP 0.0.0.0:9764"
    file = tmp_path / "someone.mvnx"
    file.write_text(write_mvnx([make_human(0.01 * k, k) for k in range(5)], 4, 60.0))
    clock = Clock()
    recorded = make_suit(str(file), clock)
    recorded.open()
    begin = recorded.read()
    clock.now = HOLDING - 0.1
    held = recorded.read()
    assert np.array_equal(held.positions, begin.positions)
    assert held.sequence > begin.sequence


@pytest.mark.parametrize("name", ["", "xsens", "mvn:studio", "mvn:127.0.0.2:many", "mvn:127.0.0.2:0", "/nowhere/at/all.mvnx"])
def test_others_are_refused_with_what_there_is(name):
    with pytest.raises(UnknownSuit, match="take none, headset"):
        make_suit(name, time.monotonic)


@pytest.mark.parametrize("device", ["browser", "replay"])
def test_the_wearer_of_a_headset_needs_a_headset(device):
    check_wearer("headset", "openxr")
    check_wearer("mvn", device)
    with pytest.raises(HeadsetNeeded, match=f"driven by '{device}'; connect one"):
        check_wearer("headset", device)


def test_a_file_without_a_person_is_refused(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("no person")
    with pytest.raises(RecordingUnreadable, match=r"notes\.txt"):
        make_suit(str(file), time.monotonic)


def test_a_suit_that_fails_is_opened_again_and_said():
    clock, suit = Clock(), FailingSuit()
    worn = WornSuit(suit, clock)
    worn.open()
    assert worn.read() is not None
    suit.fails = True
    assert worn.read() is None
    assert worn.message == "suit: switched off; switch it on"
    suit.fails = False
    assert worn.read() is None
    clock.now += REOPENING
    assert worn.read() is not None
    assert (worn.message, suit.opened) == ("", 2)


def test_the_station_sends_what_the_suit_streams():
    source = UdpSource(HERE, 0)
    worn = WornSuit(MvnSuit(source, clock=time.monotonic), time.monotonic)
    worn.open()
    sender = MvnSender(UdpSink(HERE, source.port), MvnEncoder())
    sent = []
    console = SimpleNamespace(paced=True, read=lambda _take: OperatorInput(time=time.monotonic(), sequence=len(sent)))
    link = SimpleNamespace(send=sent.append, pulses=lambda: (), newest_snapshot=lambda: None)
    page = SimpleNamespace(stop=SimpleNamespace(read=lambda _now: Stop.NONE))
    loop = StationLoop(console, page, link, lambda: None, None, worn)

    def has_arrived():
        sender.send(make_human(0.01 * len(sent)), 0.01 * len(sent))
        return any(sample.human is not None for sample in sent)

    loop.run(has_arrived)
    worn.close()
    sender.close()
    human = next(sample.human for sample in sent if sample.human is not None)
    travelled = operator_codec().decode(operator_codec().encode(sent[-1], Stamp(run=1, sequence=1, time=0.0))).payload
    assert np.array_equal(travelled.human.positions, sent[-1].human.positions)
    assert human.tracked.all()
