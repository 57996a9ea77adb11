"""The nominal posture of a robot as a picture: from two sides, and its soles from below."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.errors import AppError
from handhold.app.lab.authoring.robot_drawing import (
    HAND,
    JOINT,
    LIMIT,
    SOLE,
    Posture,
    View,
    draw_com,
    draw_effectors,
    draw_facets,
    draw_joints,
    pose_robot,
)
from handhold.app.lab.authoring.robot_posture import NEAR_LIMIT
from handhold.app.lab.scenarios.needs import list_standing
from handhold.robots.model import RobotModel

SIDE = View("from its right side", right=0, up=2, toward=(0.0, -1.0, 0.0))
FRONT = View("from the front", right=1, up=2, toward=(1.0, 0.0, 0.0))
BELOW = View("what it stands on, from below", right=1, up=0, toward=(0.0, 0.0, -1.0))

_HEIGHT = 7.0  # of the panels [inch]
_MARGIN, _LABELS = 0.06, 0.25  # room around the robot, and for labels beside it, as parts of its height [-]
_LINE = 0.032  # height of a label's line, as a part of a panel's [-]
_MIN_WIDTH, _MAX_WIDTH = 0.35, 1.2  # of the panel from below, as parts of its height [-]

Label = tuple[str, np.ndarray, str]
"""A text, the point on the paper that it names, shape ``(2,)`` [m], and its colour."""


class NotDrawn(AppError):
    """A picture cannot be written to a file of that name."""

    def __init__(self, file: Path) -> None:
        self.file = file
        super().__init__(f"{file} is no name of a picture: give one that ends in .png")


def check_picture_file(file: Path) -> None:
    """Check the name of a picture before the work that it shows.

    Raises:
        NotDrawn: It does not end in ``.png``, or is a folder.
    """
    if file.suffix != ".png" or file.is_dir():
        raise NotDrawn(file)


def draw_robot(model: RobotModel, file: Path) -> None:
    """Draw the nominal posture into a PNG file."""
    from matplotlib.figure import Figure as Canvas

    posture = pose_robot(model)
    standing = list_standing(model)
    feet = [model.effector_joints[i] for i in standing]
    views = (SIDE, FRONT, BELOW) if standing else (SIDE, FRONT)
    spans = [_find_span(view, posture) for view in views]
    widths = [(high[0] - low[0]) / (high[1] - low[1]) for low, high in spans]
    canvas = Canvas(figsize=(_HEIGHT * sum(widths) + 2.0, _HEIGHT + 1.6), layout="constrained")
    panels = canvas.subplots(1, len(views), width_ratios=widths)
    for axes, view, (low, high) in zip(panels, views, spans, strict=True):
        _frame(axes, view, low, high)
        draw_facets(axes, view, posture.facets.of_joints(feet) if view is BELOW else posture.facets)
        draw_effectors(axes, view, posture, standing if view is BELOW else list(range(len(model.effectors))))
        draw_com(axes, view, posture)
        if view is not BELOW:
            draw_joints(axes, view, posture)
            _write_labels(axes, view, posture)
    canvas.suptitle(f"{model.description.title} in its nominal posture", fontsize=15)
    canvas.legend(handles=list(_list_keys()), loc="outside lower center", ncols=6, frameon=False, fontsize=11)
    file.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(file, dpi=100, metadata={"Software": None})


def _find_span(view: View, posture: Posture) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower left and the upper right corner of a panel [m]."""
    margin = _MARGIN * posture.height
    if view is not BELOW:
        points = view.project(posture.points)
        aside = np.array([margin + _LABELS * posture.height, margin])
        return points.min(axis=0) - aside, points.max(axis=0) + aside
    feet = view.project(posture.effectors[list_standing(posture.model), :3, 3])
    longest = max((max(e.half_lengths or (e.radius,)) for e in posture.model.effectors if e.standing), default=0.0)
    low, high = feet.min(axis=0) - longest - margin, feet.max(axis=0) + longest + margin
    width, height = high - low
    extent = np.array([max(width, _MIN_WIDTH * height), max(height, width / _MAX_WIDTH)])
    return 0.5 * (low + high - extent), 0.5 * (low + high + extent)


def _frame(axes: Any, view: View, low: np.ndarray, high: np.ndarray) -> None:
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")
    axes.set_title(view.title, fontsize=12)
    axes.set_xlabel(f"{'xyz'[view.right]} [m]")
    axes.set_ylabel(f"{'xyz'[view.up]} [m]")
    axes.grid(color="#e8ebee", lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if view is not BELOW:
        axes.axhline(0.0, color="#9aa5b1", lw=1.2, zorder=0)


def _write_labels(axes: Any, view: View, posture: Posture) -> None:
    """Write names beside the robot, each on the side of what it names."""
    points = view.project(posture.points)
    (left, _), (right, _) = points.min(axis=0), points.max(axis=0)
    labels = sorted(_list_labels(view, posture), key=lambda label: float(label[1][1]))
    middle, gap = 0.5 * (left + right), _MARGIN * posture.height
    _write_column(axes, [label for label in labels if label[1][0] < middle], left - gap, "right")
    _write_column(axes, [label for label in labels if label[1][0] >= middle], right + gap, "left")


def _list_labels(view: View, posture: Posture) -> Iterator[Label]:
    for effector, pose in zip(posture.model.effectors, posture.effectors, strict=True):
        yield effector.name, view.project(pose[:3, 3]), HAND if effector.hand else SOLE
    for name in posture.near:
        yield name, view.project(posture.joints[posture.model.joint_names.index(name)]), LIMIT


def _write_column(axes: Any, labels: list[Label], x: float, towards: str) -> None:
    """Write labels one above the other, each with a line to what it names."""
    bottom, top = axes.get_ylim()
    # The first one is above the line of the ground.
    step, height = _LINE * (top - bottom), 0.0
    for text, point, colour in labels:
        height = max(height + step, float(point[1]))
        line = {"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.7, "shrinkA": 1.0, "shrinkB": 0.0}
        axes.annotate(text, point, (x, height), color=colour, fontsize=10, va="center", ha=towards, zorder=10, arrowprops=line)


def _list_keys() -> Iterator[Any]:
    """Yield what the colours and signs mean."""
    from matplotlib.lines import Line2D

    yield Line2D([], [], color=SOLE, lw=4, label="sole, or ball of a foot")
    yield Line2D([], [], color=HAND, marker="o", mfc=f"{HAND}40", mew=2, ms=10, lw=0, label="hand that braces")
    yield Line2D([], [], color=HAND, marker=">", lw=1.8, label="contact normal (z); x red, y green")
    yield Line2D([], [], color=JOINT, marker="o", ms=4, lw=0, label="joint")
    yield Line2D([], [], color=LIMIT, marker="o", ms=6, lw=0, label=f"joint within {1e2 * NEAR_LIMIT:.0f} % of a limit")
    yield Line2D([], [], color="black", marker="o", mfc="white", lw=0.9, ls=(0, (4, 3)), label="centre of mass")
