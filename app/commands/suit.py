"""``handhold suit``: motion capture suits without a robot: what arrives of one, and one that a recording plays."""

from __future__ import annotations

import json as json_module
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handhold.app.errors import AppError

if TYPE_CHECKING:
    from handhold.devices.suits.stream_report import StreamReport
    from handhold.devices.suits.xsens_mvn import MvnSuit

PORT = 9763
"""Port that MVN sends to unless told otherwise."""

LOOK = 0.004
"""Time between two looks at what has arrived [s]."""

command = typer.Typer(
    no_args_is_help=True, help="Motion capture suits: watch what arrives of one, or send a recording as one."
)


class RateMeaningless(AppError):
    """A number is given that nothing can be played with."""


@command.callback()
def _group() -> None:
    """Motion capture suits: watch what arrives of one, or send a recording as one."""


@command.command(short_help="Send a recording as MVN would stream it.")
def send(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .mvnx or .bvh file, or joint positions (.npy, .npz).")],
    address: Annotated[str, typer.Option(help="Where to send to.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to send to.")] = PORT,
    tcp: Annotated[bool, typer.Option("--tcp", help="Connect over TCP, in place of UDP.")] = False,
    rate: Annotated[float, typer.Option(help="How fast to play it: 1 for as fast as it was recorded.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Begin again at its end, until Ctrl-C.")] = False,
    loss: Annotated[float, typer.Option(min=0.0, max=1.0, help="Share of the datagrams to lose.")] = 0.0,
    jitter: Annotated[float, typer.Option(min=0.0, max=10.0, help="Delay datagrams by up to so much [s].")] = 0.0,
    character: Annotated[int, typer.Option(min=0, max=255, help="Number of the character to send as.")] = 0,
    frame_rate: Annotated[float | None, typer.Option(help="Of joint positions, which do not tell it [Hz].")] = None,
    unit: Annotated[float | None, typer.Option(help="Of .bvh and joint positions [m]; found by itself otherwise.")] = None,
) -> None:
    """Play a recording of a person over MVN's protocol, to whatever reads that: Handhold or another program."""
    import numpy as np

    from handhold.devices.suits.mvn_playback import MvnPlayback, Network
    from handhold.devices.suits.mvn_sender import MvnEncoder, TcpSink, UdpSink
    from handhold.devices.suits.open_recording import open_recording

    for option, number in (("--rate", rate), ("--frame-rate", frame_rate), ("--unit", unit)):
        if number is not None and not 1e-4 <= number <= 1e4:
            raise RateMeaningless(f"{option} {number:g} can play nothing; take one of 0.0001 to 10000")
    recording = open_recording(file, rate=frame_rate, unit=unit)
    with closing(TcpSink(address, port) if tcp else UdpSink(address, port)) as sink:
        encoder = MvnEncoder(character=character, name=file.stem[:60])
        random = np.random.default_rng(0)
        playback = MvnPlayback(recording, sink, encoder, speed=rate, network=Network(loss, jitter), random=random)
        tracked, where = int(recording.tracked.sum()), f"{'TCP' if tcp else 'UDP'} {address}:{port}"
        print(
            f"{file.name}: {recording.duration:.1f} s at {recording.rate:g} Hz, {tracked} of 23 segments, to {where}",
            flush=True,
        )
        with suppress(KeyboardInterrupt):
            playback.play(time.monotonic, time.sleep, loops=loop)
    lost = f", {playback.lost} lost on purpose" if playback.lost else ""
    print(f"{playback.frames} frames in {playback.sent} datagrams{lost}")


@command.command(short_help="Tell what arrives of a suit.")
def watch(
    address: Annotated[str, typer.Option(help="Address of this machine to listen on; 0.0.0.0 for all of them.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for a free one.")] = PORT,
    tcp: Annotated[bool, typer.Option("--tcp", help="Wait for a connection over TCP, in place of UDP.")] = False,
    connect: Annotated[bool, typer.Option("--connect", help="Connect over TCP to --address, in place of listening.")] = False,
    sender: Annotated[str, typer.Option(help="Address that all must come from; any where none is given.")] = "",
    character: Annotated[int | None, typer.Option(min=0, max=255, help="The one that counts; else the first.")] = None,
    unit: Annotated[float | None, typer.Option(help="Of positions [m]: 1 or 0.01; found by itself otherwise.")] = None,
    duration: Annotated[float | None, typer.Option(min=0.0, help="How long to watch [s]; until Ctrl-C otherwise.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a second and nothing else.")] = False,
) -> None:
    """Listen for MVN's stream, and tell each second what arrives; with --duration, exits 0 only where a sample did."""
    from handhold.devices.suits.mvn_sockets import TcpSource, UdpSource
    from handhold.devices.suits.xsens_mvn import MvnSuit

    over_tcp = tcp or connect
    source = TcpSource(address, port, sender, connects=connect) if over_tcp else UdpSource(address, port, sender)
    suit = MvnSuit(source, clock=time.monotonic, character=character, unit=unit)
    suit.open()
    with closing(suit):
        if not json:
            print(f"ready: {suit.title} (Ctrl-C ends)", flush=True)
        try:
            _watch(suit, duration, json=json)
        except KeyboardInterrupt:
            return
        if suit.samples == 0:
            raise typer.Exit(1)


def _watch(suit: MvnSuit, duration: float | None, *, json: bool) -> None:
    """Tell each second what has arrived, for so long."""
    from handhold.devices.suits.stream_report import StreamWatch

    start = time.monotonic()
    watching, told = StreamWatch(suit, start), start
    while True:
        suit.read()
        now = time.monotonic()
        is_over = duration is not None and now - start >= duration
        if is_over or now - told >= 1.0:
            told = now
            _print(watching.report(now), json=json)
        if is_over:
            return
        time.sleep(LOOK)


def _print(report: StreamReport, *, json: bool) -> None:
    print(json_module.dumps(report.to_record()) if json else report.summarize(), flush=True)
