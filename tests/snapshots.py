"""Snapshots made by hand, for viewers to show: those of the gallery, changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.lab.gallery.snapshots import make_reference, make_snapshot
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

__all__ = ["make_reference", "make_snapshot", "move_joints", "with_report"]


def move_joints(model: RobotModel, q: np.ndarray, changes: dict[str, float]) -> np.ndarray:
    """Return ``q`` with some joints turned by so much [rad]."""
    moved = q.copy()
    for name, change in changes.items():
        moved[7 + model.joint_names.index(name)] += change
    return moved


def with_report(snapshot: Snapshot, **changes: object) -> Snapshot:
    """Return a snapshot in which the mode reports something else, by the names of the report's attributes."""
    return replace(snapshot, report=replace(snapshot.report, **changes))  # type: ignore[arg-type]
