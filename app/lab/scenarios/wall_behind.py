"""``wall-behind`` and ``wall-behind-offered``: on uneven footholds, one hand pushes back on a wall, one retrieves."""

from __future__ import annotations

from functools import partial

from handhold.app.host.footholds import find_posture_on_footholds
from handhold.app.lab.scenarios.retrieval import Brace, Retrieval, make_scenario

WORLD = "wall_behind"

RETRIEVAL = Retrieval(
    world=WORLD,
    brace=Brace(
        side="right",
        solid="wall",
        outward=(1.0, 0.0, 0.0),
        point=(0.05, 0.30, 0.40),
        through=((0.10, -0.80, 1.05),),
        away=(0.12, -0.10, 0.0),
    ),
    approach=(-0.588, 0.809, 0.0),
    lean=(-0.16, -0.05),
)

WALL_BEHIND = make_scenario(
    "wall-behind",
    "on uneven footholds the right hand pushes back on a wall, the left one retrieves a canister behind",
    RETRIEVAL,
    90.0,
    start=partial(find_posture_on_footholds, WORLD),
)

WALL_BEHIND_OFFERED = make_scenario(
    "wall-behind-offered",
    "on uneven footholds the right hand pushes back where the robot proposes it, the left one retrieves a canister behind",
    RETRIEVAL,
    90.0,
    start=partial(find_posture_on_footholds, WORLD),
    offered=True,
)
