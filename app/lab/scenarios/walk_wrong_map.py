"""``walk-wrong-map``: the surface map is wrong: the ground is lower, then higher than it tells; the feet must find out."""

from __future__ import annotations

from dataclasses import replace

from handhold.app.lab.scenarios.walk_uneven import WALK_UNEVEN

WALK_WRONG_MAP = replace(
    WALK_UNEVEN,
    name="walk-wrong-map",
    title="ground 3 cm lower, then 3 cm higher than the surface map tells",
    world="walk_wrong_map",
    mapped="walk_wrong_map_known",
)
