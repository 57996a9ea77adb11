"""``walk-misled``: the surface map is wrong: the ground is lower, then higher than it tells; the feet must find out."""

from __future__ import annotations

from handhold.app.scenarios.scenario import Scenario
from handhold.app.scenarios.walk_plot import plot_walk
from handhold.app.scenarios.walk_uneven import measure_walk_uneven, script_walk_uneven
from handhold.app.scenarios.walks import disturb_gently, walks

WALK_MISLED = Scenario(
    name="walk-misled",
    title="ground 3 cm lower, then 3 cm higher than the surface map tells",
    world="walk_misled",
    mapped="walk_misled_map",
    duration=90.0,
    script=script_walk_uneven,
    measure=measure_walk_uneven,
    needs=(walks,),
    disturb=disturb_gently,
    draw=plot_walk,
)
