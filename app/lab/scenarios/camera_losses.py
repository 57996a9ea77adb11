"""``brace-unplugged``, ``-frozen``, ``-dark`` and ``-passed``: what the robot's cameras see is lost while a hand braces.

Without a camera (``--camera perfect``) nothing is lost: they are played with ``--camera sim``. Who passes does so in the
images only: a column with a round front, half a metre away, which covers a quarter of the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from handhold.app.camera.sight import FrameFault
from handhold.app.host.surroundings import AGING_PERIOD
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.brace_offered import BRACE_OFFERED, measure_brace, script_brace
from handhold.app.lab.scenarios.needs import has_cameras
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.score import wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.perception.cameras.depth_frame import DepthFrame
from handhold.retarget.bracing.candidates.brace_site import MAX_AGE
from handhold.robots.model import RobotModel

LOST_AT = 17.0
"""Time by the robot's clock from which on nothing is seen [s]: the hand has come to bear before."""

BLIND_FOR = 6.0
"""How long the hand goes on bearing then [s]."""

IN_FLIGHT = 1.0
"""Time in which what was exposed before still arrives, is looked at and proposed [s]."""

PASSING = 3.0
"""Time in which a person passes from one side of the picture to the other [s]."""

WIDTH, NEAREST, ROUND = 0.25, 0.5, 0.15
"""Part of the picture's width that the person covers [-], how near he is, and how much further his sides are [m]."""


def unplug() -> FrameFault:
    """No frame arrives any more."""
    return lambda frame, time: None if time >= LOST_AT else frame


def freeze() -> FrameFault:
    """The same frame arrives again and again."""
    kept: list[DepthFrame] = []

    def fault(frame: DepthFrame, time: float) -> DepthFrame:
        if time >= LOST_AT and not kept:
            kept.append(frame)
        return kept[0] if kept else frame

    return fault


def darken() -> FrameFault:
    """Frames arrive in which no depth is known."""
    return lambda frame, time: replace(frame, depth=np.zeros_like(frame.depth)) if time >= LOST_AT else frame


def pass_by() -> FrameFault:
    """Someone passes close before the camera."""

    def fault(frame: DepthFrame, time: float) -> DepthFrame:
        gone = (time - LOST_AT) / PASSING
        if not 0.0 <= gone <= 1.0:
            return frame
        columns = (np.arange(frame.depth.shape[1]) / frame.depth.shape[1] - gone) / (0.5 * WIDTH)
        covered = np.abs(columns) < 1.0
        depth = frame.depth.copy()
        depth[:, covered] = np.round((NEAREST + ROUND * columns[covered] ** 2) / frame.unit).astype(depth.dtype)
        return replace(frame, depth=depth)

    return fault


def measure_loss(model: RobotModel, trace: Trace, *, blind: bool) -> Sequence[Figure]:
    """Measure the brace, and what was offered of what could not be seen any more."""
    times, offers = np.array(trace.times), np.array([len(places) for places in trace.offers])
    before = offers[(times > LOST_AT - IN_FLIGHT) & (times < LOST_AT)]
    late = (times > LOST_AT + MAX_AGE + AGING_PERIOD + IN_FLIGHT) & (times < LOST_AT + BLIND_FOR)
    figures = [
        *measure_brace(model, trace),
        Figure("offers_before", float(before.max(initial=0)), "-", must=1.0, larger_is_better=True),
    ]
    return [*figures, Figure("stale_offers", float(offers[late].max(initial=0)), "-", must=0.0)] if blind else figures


def _make(name: str, what: str, make_frame_fault: Callable[[], FrameFault], *, blind: bool = True) -> Scenario:
    return replace(
        BRACE_OFFERED,
        name=name,
        title=f"{what} while a hand braces where it was proposed",
        script=partial(script_brace, stay=wait_till(LOST_AT + BLIND_FOR)),
        measure=partial(measure_loss, blind=blind),
        needs=(*BRACE_OFFERED.needs, has_cameras),
        make_frame_fault=make_frame_fault,
        must_see=True,
    )


BRACE_UNPLUGGED = _make("brace-unplugged", "all cameras are unplugged", unplug)
BRACE_FROZEN = _make("brace-frozen", "the cameras' pictures freeze", freeze)
BRACE_DARK = _make("brace-dark", "the lights go out, so that no depth is seen,", darken)
BRACE_PASSED = _make("brace-passed", "someone passes before the cameras", pass_by, blind=False)
