"""``handhold suit``: a recording that is sent, and what is told of what arrives; errors in one line."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from people import make_human
from recording_files import write_mvnx

from handhold.app.main import run
from handhold.devices.suits.mvn_playback import MvnPlayback, Network
from handhold.devices.suits.mvn_protocol import decode_datagram
from handhold.devices.suits.mvn_sender import MvnEncoder, UdpSink
from handhold.devices.suits.recording import Recording

RATE = 100.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "wave.mvnx"
    written.write_text(write_mvnx([make_human(k / RATE) for k in range(50)], 4, RATE))
    return written


def find_free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("options", [[], ["--tcp"]])
def test_what_is_sent_is_what_arrives(file: Path, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    port = str(find_free_port())
    words = ["suit", "watch", "--port", port, "--duration", "60", *options]
    program = f"import sys; from handhold.app.main import run; sys.exit(run({words!r}))"
    watching = subprocess.Popen([sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert watching.stdout is not None
    assert watching.stdout.readline().startswith("ready: ")
    assert run(["suit", "send", str(file), "--port", port, "--loss", "0.3", "--jitter", "0.01", *options]) == 0
    lines = iter(watching.stdout.readline, "")
    told = next(line for line in lines if "wave" in line)
    watching.terminate()
    watching.wait()
    assert "character 0 'wave'" in told
    assert "23 of 23 segments" in told
    sent = capsys.readouterr().out.splitlines()
    assert sent[0].startswith("wave.mvnx: 0.5 s at 100 Hz, 23 of 23 segments")
    assert sent[1].startswith("50 frames in ")


def test_nothing_that_arrives_is_told_and_exits_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suit", "watch", "--port", "0", "--duration", "0.05", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["rate"], report["age"], report["segments"]) == (0.0, None, 0)


def test_errors_are_one_line_with_the_code_of_their_family(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file.parent / "a.txt").write_text("hello")
    port = str(find_free_port())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", int(port)))
        codes = [
            run(["suit", "send", str(file.parent / "a.txt")]),
            run(["suit", "send", str(file.parent / "nothing")]),
            run(["suit", "send", str(file), "--rate", "0"]),
            run(["suit", "send", str(file), "--tcp", "--port", port]),
            run(["suit", "watch", "--port", port]),
            run(["suit", "watch", "--connect", "--port", port]),
            run(["suit", "send", str(file), "--loss", "2"]),
        ]
    assert codes == [4, 9, 8, 4, 4, 4, 2]
    lines = capsys.readouterr().err.splitlines()
    assert len([line for line in lines if line.startswith("handhold: ")]) == 6


class Sink:
    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def send(self, data: bytes) -> None:
        self.taken.append(data)

    def close(self) -> None:
        pass


def test_a_playback_keeps_its_times_and_makes_its_network_bad_as_asked() -> None:
    people = [make_human(k / RATE) for k in range(200)]
    recording = Recording(
        title="a",
        rate=RATE,
        positions=np.array([human.positions for human in people]),
        orientations=np.array([human.orientations for human in people]),
        tracked=np.ones(23, dtype=bool),
    )
    moment = [5.0]

    def sleep(duration: float) -> None:
        moment[0] += max(duration, 1e-4)

    sink = Sink()
    network = Network(loss=0.5, jitter=0.02)
    playback = MvnPlayback(recording, sink, MvnEncoder(), speed=2.0, network=network, random=np.random.default_rng(0))
    playback.play(lambda: moment[0], sleep)
    assert moment[0] - 5.0 == pytest.approx(199 / (2.0 * RATE), abs=0.025)
    assert playback.sent == len(sink.taken)
    assert playback.lost == pytest.approx(playback.sent, rel=0.25)
    samples = [decode_datagram(data).header.sample for data in sink.taken]
    assert samples != sorted(samples)
    assert max(np.abs(np.array(samples) - np.sort(samples))) <= 8


def test_datagrams_for_nobody_are_no_error() -> None:
    sink = UdpSink("127.0.0.1", find_free_port())
    for _ in range(20):
        sink.send(b"hello")
    sink.close()
