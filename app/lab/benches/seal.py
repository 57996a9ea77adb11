"""``bench seal``: what it costs that every message is authenticated, at both ends."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

import numpy as np
import pinocchio as pin

from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.app.link.inbox import Inbox
from handhold.app.link.messages import Codec, PayloadT, Stamp, operator_codec, snapshot_codec
from handhold.app.link.seal import Seal
from handhold.app.session.commit import current_commit
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.robots.model import load_model

MESSAGES = 5000

MAX_COST = 20.0 / 60.0
"""Kernels that authenticating a message may take at either end: 20 us where a kernel takes 60 us."""


def run_seal_bench() -> Outcome:
    """Time seals of samples and snapshots: made, and checked with the run and the number of their message."""
    start = time.monotonic()
    model, kernel = load_model("talos"), KernelClock()
    hand = HandInput(pose=pin.SE3.Identity(), aim=pin.SE3.Identity(), stick=np.zeros(2))
    sample = OperatorInput(time=1.0, sequence=1, device="bench", head=pin.SE3.Identity(), left=hand, right=hand)
    timings = {
        "sample": time_messages(operator_codec(), lambda: sample, kernel),
        "snapshot": time_messages(snapshot_codec(), lambda: make_snapshot(model), kernel),
    }
    unit = 1e3 * kernel.microseconds
    figures = [
        Figure(f"{end}_{name}", float(np.median(times)) / unit, "-", must=MAX_COST)
        for name, stages in timings.items()
        for end, times in stages.items()
    ]
    return Outcome(
        name="seal",
        robot=model.description.name,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=time.monotonic() - start,
        fell=None,
        figures=[*figures, Figure("kernel", kernel.microseconds, "us")],
    )


def time_messages(codec: Codec[PayloadT], make: Callable[[], PayloadT], kernel: KernelClock) -> dict[str, list[int]]:
    """Return the times in which messages were sealed and checked [ns], by ``"seal"`` and ``"check"``."""
    seal, inbox, stopwatch, payload = Seal(secrets.token_bytes(32), "bench"), Inbox(), Stopwatch(), make()
    for number in range(1, MESSAGES + 1):
        message = codec.encode(payload, Stamp(run=1, sequence=number, time=1e-3 * number))
        stopwatch.start()
        sealed = seal.close(message)
        stopwatch.mark("seal")
        envelope = inbox.open("bench", sealed, seal, codec)
        stopwatch.mark("check")
        assert envelope is not None, "a message of its own was refused"
        if number % 10 == 0:
            kernel.tick()
    return stopwatch.stages
