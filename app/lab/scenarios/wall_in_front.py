"""``wall-in-front`` and ``wall-in-front-offered``: the right hand braces on a pitched wall, the left one retrieves."""

from __future__ import annotations

from handhold.app.lab.scenarios.retrieval import Brace, Retrieval, make_scenario

RETRIEVAL = Retrieval(
    world="wall_in_front",
    brace=Brace(
        side="right",
        solid="wall",
        outward=(-1.0, 0.0, 0.0),
        point=(-0.05, 0.18, 0.0),
        through=((0.36, -0.52, 1.15),),
        away=(-0.12, 0.0, 0.05),
    ),
    approach=(1.0, 0.0, 0.0),
    lean=(0.14, -0.12),
)

WALL_IN_FRONT = make_scenario(
    "wall-in-front", "the right hand braces on a pitched wall, the left one retrieves a canister", RETRIEVAL, 90.0
)

WALL_IN_FRONT_OFFERED = make_scenario(
    "wall-in-front-offered",
    "the right hand braces where the robot proposes it, the left one retrieves a canister",
    RETRIEVAL,
    90.0,
    offered=True,
)
