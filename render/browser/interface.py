"""What is published of the robot to the page's own interface, and the views that it may ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from handhold.devices.browser.page_server import Action, PageServer
from handhold.render.browser.camera import VIEWS, PageCameras
from handhold.render.elements.person import describe_lags
from handhold.render.elements.support import NEAR_ITS_BOUND, describe_friction, describe_gain, describe_push
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_profile import find_profile
from handhold.retarget.mode_report import HandReport, Support
from handhold.robots.model import RobotModel

FOLLOW = "view:follow"
PAGE_WORDS = {
    "nobody is there: put the headset on, or open the page": "the page that drives does not answer in time: the robot holds",
    "let go, then squeeze again": "let go, then drag again",
    "release and squeeze again": "let go, then drag again",
    "let go of the squeeze": "let go of the hand",
}
"""What the robot's host says and what is said in its place where a page drives: nothing is worn or squeezed there."""
BAR_PREFIX = "stopped:"
MAX_MESSAGES = 3
WALKED_STEP = 0.05
"""How far the robot has walked is published in steps [m]: the page draws nothing of it."""


class ViewInterface:
    """Notifies the interface of a page of what the robot does, in its words."""

    def __init__(self, server: PageServer, cameras: PageCameras, model: RobotModel) -> None:
        """Offer the views."""
        self._server, self._model = server, model
        self._walk = Walk()
        for name in VIEWS:
            server.actions.add(f"view:{name}", Action(take=partial(cameras.select_view, name=name), for_all=True))
        server.actions.add(FOLLOW, Action(take=cameras.follow, for_all=True))

    def show(self, snapshot: Snapshot) -> None:
        """Publish what is new."""
        walks = find_profile(snapshot.modes, snapshot.mode).walks
        walked = self._walk.measure(snapshot.q[:2], walks=walks)
        lags = describe_lags(snapshot, self._model)
        self._server.notify("robot", describe(snapshot, walked, drives=self._server.drives, lags=lags))


class Walk:
    """How far the robot is from where it began to walk."""

    def __init__(self) -> None:
        self._start: np.ndarray | None = None

    def measure(self, position: np.ndarray, *, walks: bool) -> float:
        """Return the distance in whole steps of ``WALKED_STEP`` [m].

        Args:
            position: Of the robot in world, shape ``(2,)`` [m].
            walks: Whether it is that of a mode that walks; in every other one it is 0.
        """
        if not walks or self._start is None:
            self._start = position.copy()
        distance = float(np.linalg.norm(position - self._start))
        return WALKED_STEP * math.floor(distance / WALKED_STEP) if math.isfinite(distance) else 0.0


def describe(snapshot: Snapshot, walked: float, *, drives: bool, lags: Sequence[str] = ()) -> dict[str, Any]:
    """Return what the interface shows of a snapshot, ready for JSON.

    Args:
        snapshot: The snapshot.
        walked: How far the robot has walked [m].
        drives: Whether a page is the operator's device.
        lags: What the robot cannot follow, in words.
    """
    messages = (say_on_page(words, drives=drives) for words in (*snapshot.messages, *lags))
    return {
        "stop": snapshot.stop,
        "messages": [words for words in messages if words][:MAX_MESSAGES],
        "hands": {
            "left": _describe_hand(snapshot.left, snapshot.report.left, drives=drives),
            "right": _describe_hand(snapshot.right, snapshot.report.right, drives=drives),
        },
        "walked": round(walked, 2),
    }


def _describe_hand(status: HandStatus, report: HandReport, *, drives: bool) -> dict[str, Any]:
    return {
        "engaged": status.engaged,
        "waiting": say_on_page(status.waiting, drives=drives),
        "contact": status.contact,
        "support": None if report.support is None else _describe_support(report.support),
    }


def _describe_support(support: Support) -> dict[str, Any]:
    """Return what a brace adds, and its gauges: words, the used part of a bound in percent, and whether it is nearly all."""
    gauges = (
        (describe_push(support), support.normal_force / support.max_force),
        (describe_friction(support), support.friction_ratio),
    )
    return {
        "gain": describe_gain(support),
        "gauges": [
            {"words": words, "filled": round(100.0 * min(max(ratio, 0.0), 1.0)), "near": ratio >= NEAR_ITS_BOUND}
            for words, ratio in gauges
            if math.isfinite(ratio)
        ],
    }


def say_on_page(words: str, *, drives: bool) -> str:
    """Return words of the robot's host as they are said on a page; empty for what its bar tells.

    Args:
        words: The words.
        drives: Whether a page is the operator's device: what concerns a headset is said as it is.
    """
    if words.startswith(BAR_PREFIX):
        return ""
    for said, other in PAGE_WORDS.items() if drives else ():
        words = words.replace(said, other)
    return words
