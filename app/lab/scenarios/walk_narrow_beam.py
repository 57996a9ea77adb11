"""``walk-narrow-beam``: ahead where a beam 15 cm wide and 6 cm high lies: no two feet stand on it beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_beam import WALK_BEAM
from handhold.app.lab.scenarios.walk_measures import measure_walk
from handhold.app.lab.scenarios.walk_paths import measure_footholds
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

WORLD = "walk_narrow_beam"


def measure_walk_narrow_beam(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure the walk, and what supported the soles."""
    return [measure_footholds(model, trace, load_world(WORLD)), *measure_walk(model, trace)]


WALK_NARROW_BEAM = replace(
    WALK_BEAM,
    name="walk-narrow-beam",
    title="ahead where a beam 15 cm wide and 6 cm high lies, one foot beside it",
    world=WORLD,
    measure=measure_walk_narrow_beam,
)
