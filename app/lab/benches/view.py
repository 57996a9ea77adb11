"""``bench view``: whether the operator sees the whole interface, in every shipped world and from every view, read back.

What is to be seen is composed as in a session (``EverythingShown``), in situations that together show every element: at work
while it is told what stops, at the wheel, in its settings, stopped, and stopped at the wheel. It is drawn by the headset's own
renderer without a graphics card, plainly (``NumberedScene``), so that each pixel tells which element of the interface is seen
there. ``hidden_elements`` counts those that the world comes before, that others cover, or that no direction of gaze has in
view (``view_studio.Visibility``).

``text_contrast`` is the smallest contrast of a text to what is behind it (WCAG 2.2, 1.4.3) in these pictures: to its plate,
blended over the brightest and the darkest pixel that the finished picture has there without texts.

What is no interface (robots, ghosts, solids, the region on the floor, forces, steps) is in the pictures but not counted: one
of these may stand before the other, as things do.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from handhold.app.lab.benches.page_brace import count_actions_to_brace
from handhold.app.lab.benches.render_scene import EverythingShown
from handhold.app.lab.benches.software_context import make_software_context
from handhold.app.lab.benches.view_pictures import make_pictures
from handhold.app.lab.benches.view_studio import Studio, Visibility
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.render.interface.settings import Viewpoint
from handhold.render.meshes import COARSE_TOLERANCE, load_link_meshes
from handhold.robots.model import load_model
from handhold.robots.worlds import known_worlds

ROBOT = "talos"
MUST_CONTRAST = 4.5

Measured = tuple[Sequence[Figure], Mapping[str, Any]]
"""Figures, and what else is told of them in the JSON object."""


def run_view_bench() -> Outcome:
    """Measure all that this bench has."""
    start = time.perf_counter()
    parts = [measure() for measure in MEASURES]
    return Outcome(
        name="view",
        robot=ROBOT,
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=time.perf_counter() - start,
        fell=None,
        figures=[figure for figures, _ in parts for figure in figures],
        extra={key: value for _, more in parts for key, value in more.items()},
    )


def measure_headset() -> Measured:
    """Evaluate the headset's interface in all shipped worlds."""
    return evaluate_worlds(known_worlds())


def measure_page() -> Measured:
    """Count the operator's actions on the page up to the first braced hand."""
    with tempfile.TemporaryDirectory() as folder:
        figure, more = count_actions_to_brace(folder)
    return (figure,), more


MEASURES: tuple[Callable[[], Measured], ...] = (measure_headset, measure_page)
"""What is measured: a line each."""


def evaluate_worlds(worlds: Iterable[str]) -> Measured:
    """Evaluate every element of the headset's interface in worlds from every view, with software rendering."""
    context = make_software_context()
    model = load_model(ROBOT)
    studio, shown = Studio(ROBOT, load_link_meshes(model, tolerance=COARSE_TOLERANCE)), EverythingShown(model)
    visibilities: dict[str, Visibility] = {}
    contrasts: dict[str, float] = {}
    for world in worlds:
        for view in Viewpoint:
            evaluate_world(shown, studio, world, view, visibilities, contrasts)
    studio.close()
    context.close()
    hidden = [where for where, visibility in visibilities.items() if visibility.hidden or not visibility.in_view]
    worst = min(contrasts, key=lambda where: contrasts[where], default="")
    figures = (
        Figure("hidden_elements", float(len(hidden)), "-", must=0.0),
        Figure("elements", float(len(visibilities)), "-"),
        Figure("text_contrast", contrasts.get(worst, math.nan), "-", must=MUST_CONTRAST, larger_is_better=True),
    )
    return figures, {"hidden": hidden, "least_contrast": worst}


def evaluate_world(
    shown: EverythingShown,
    studio: Studio,
    world: str,
    view: Viewpoint,
    visibilities: dict[str, Visibility],
    contrasts: dict[str, float],
) -> None:
    """Note the best visibility of every element in every situation over directions of gaze, and the minimum text contrast."""
    for picture in make_pictures(shown, world, view):
        situation = f"{world}, {view.value}, {picture.situation}"
        found, read = studio.evaluate(picture)
        for visibility in found:
            where = f"{situation}: {visibility.element}"
            visibilities[where] = max(visibilities.get(where, visibility), visibility, key=_rank)
        for element, contrast in read.items():
            where = f"{situation}: {element}"
            contrasts[where] = min(contrast, contrasts.get(where, math.inf))


def _rank(visibility: Visibility) -> tuple[bool, bool, float]:
    return visibility.in_view, not visibility.hidden, visibility.shown
