"""``ceiling-above`` and ``ceiling-above-offered``: the right hand pushes up on a ceiling, the left one retrieves."""

from __future__ import annotations

from handhold.app.lab.scenarios.retrieval import Brace, Retrieval, make_scenario

RETRIEVAL = Retrieval(
    world="ceiling_above",
    brace=Brace(
        side="right",
        solid="ceiling",
        outward=(0.0, 0.0, -1.0),
        point=(-0.05, 0.275, -0.05),
        through=((0.45, -0.50, 1.25),),
        away=(0.10, -0.05, -0.15),
    ),
    approach=(1.0, 0.0, 0.0),
    lean=(0.055, -0.03),
)

CEILING_ABOVE = make_scenario(
    "ceiling-above", "the right hand pushes up on a ceiling, the left one retrieves a canister", RETRIEVAL, 90.0
)

CEILING_ABOVE_OFFERED = make_scenario(
    "ceiling-above-offered",
    "the right hand pushes up where the robot proposes it, the left one retrieves a canister",
    RETRIEVAL,
    90.0,
    offered=True,
)
