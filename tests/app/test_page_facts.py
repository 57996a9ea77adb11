"""What the page says of a session before it has heard of the robot."""

from __future__ import annotations

import pytest

from handhold.app.page.facts import name_surface
from handhold.robots.worlds import known_worlds, load_world

TO_LEAN_ON = {
    "fetch": "table top",
    "blocks": "high block",
    "half_wall": "wall in front",
    "steps": "hand rest",
    "table": "table top",
    "wall": "wall in front",
    "wall_behind": "wall",
    "wall_in_front": "wall",
    "workshop": "wall",
}


@pytest.mark.parametrize("world", known_worlds())
def test_what_a_hand_is_to_be_brought_to_is_near_and_not_over_the_head(world: str) -> None:
    # the ceiling, and the wall at the far end of the ramp, are out of reach
    assert name_surface(load_world(world)) == TO_LEAN_ON.get(world, "")
