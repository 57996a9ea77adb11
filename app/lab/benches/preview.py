"""``bench preview``: how often the preview of a contact switch is right, and what it costs."""

from __future__ import annotations

import os

from handhold.app.lab.benches.preview_agreement import compute_preview_agreement
from handhold.app.lab.figures import Outcome

STANCES = 200
"""Number of random stances."""

SEED = 0


def run_preview_bench(robot: str) -> Outcome:
    """Compare previews with what then happens, on a robot by name or file and on all cores.

    Raises:
        RobotError: The robot cannot be had.
        RobotUnfit: It has no hand.
    """
    return compute_preview_agreement(robot, STANCES, SEED, os.cpu_count() or 1)
