"""All scenarios: a new one is a file and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handhold.app.errors import AppError
from handhold.app.lab.scenarios.box_handover import BOX_HANDOVER
from handhold.app.lab.scenarios.brace_hand import BRACE_HAND
from handhold.app.lab.scenarios.brace_moved import BRACE_MOVED
from handhold.app.lab.scenarios.brace_offered import BRACE_OFFERED
from handhold.app.lab.scenarios.camera_losses import BRACE_DARK, BRACE_FROZEN, BRACE_PASSED, BRACE_UNPLUGGED
from handhold.app.lab.scenarios.carry_two_arms import CARRY_TWO_ARMS
from handhold.app.lab.scenarios.carry_walking import CARRY_WALKING
from handhold.app.lab.scenarios.ceiling_above import CEILING_ABOVE, CEILING_ABOVE_OFFERED
from handhold.app.lab.scenarios.ceiling_above import RETRIEVAL as CEILING_ABOVE_RETRIEVAL
from handhold.app.lab.scenarios.climb import CLIMB_0, CLIMB_1
from handhold.app.lab.scenarios.dock import DOCK
from handhold.app.lab.scenarios.far_reach import FAR_REACH
from handhold.app.lab.scenarios.fast_hands import FAST_HANDS
from handhold.app.lab.scenarios.fetch import FETCH
from handhold.app.lab.scenarios.first_tour import FIRST_TOUR
from handhold.app.lab.scenarios.fuzz import FUZZ
from handhold.app.lab.scenarios.guided import GUIDED
from handhold.app.lab.scenarios.guided_object import GUIDED_OBJECT
from handhold.app.lab.scenarios.human_motion import HUMAN_MOTION
from handhold.app.lab.scenarios.jumps import JUMPS
from handhold.app.lab.scenarios.lean_on_wall import LEAN_ON_WALL
from handhold.app.lab.scenarios.mode_changes import MODE_CHANGES
from handhold.app.lab.scenarios.pulled import PULLED_HAND
from handhold.app.lab.scenarios.push import PUSH
from handhold.app.lab.scenarios.retrieval import Retrieval
from handhold.app.lab.scenarios.scenario import Scenario
from handhold.app.lab.scenarios.shove import SHOVE
from handhold.app.lab.scenarios.shoved_object import SHOVED_OBJECT
from handhold.app.lab.scenarios.suit_losses import SUIT_LOSSES
from handhold.app.lab.scenarios.switch_foot import SWITCH_FOOT
from handhold.app.lab.scenarios.three_points import THREE_POINTS
from handhold.app.lab.scenarios.uneven import UNEVEN
from handhold.app.lab.scenarios.untouched import UNTOUCHED
from handhold.app.lab.scenarios.walk_beam import WALK_BEAM
from handhold.app.lab.scenarios.walk_edge import WALK_EDGE
from handhold.app.lab.scenarios.walk_latency import WALK_LATENCY
from handhold.app.lab.scenarios.walk_narrow_beam import WALK_NARROW_BEAM
from handhold.app.lab.scenarios.walk_push import WALK_PUSH
from handhold.app.lab.scenarios.walk_ramp import WALK_RAMP
from handhold.app.lab.scenarios.walk_square import WALK_SQUARE
from handhold.app.lab.scenarios.walk_stairs_down import WALK_STAIRS_DOWN
from handhold.app.lab.scenarios.walk_stones import WALK_STONES
from handhold.app.lab.scenarios.walk_stop import WALK_STOP
from handhold.app.lab.scenarios.walk_stop_and_go import WALK_STOP_AND_GO
from handhold.app.lab.scenarios.walk_straight import WALK_STRAIGHT
from handhold.app.lab.scenarios.walk_turn import WALK_TURN
from handhold.app.lab.scenarios.walk_uneven import WALK_UNEVEN
from handhold.app.lab.scenarios.walk_wrong_map import WALK_WRONG_MAP
from handhold.app.lab.scenarios.wall_behind import RETRIEVAL as WALL_BEHIND_RETRIEVAL
from handhold.app.lab.scenarios.wall_behind import WALL_BEHIND, WALL_BEHIND_OFFERED
from handhold.app.lab.scenarios.wall_in_front import RETRIEVAL as WALL_IN_FRONT_RETRIEVAL
from handhold.app.lab.scenarios.wall_in_front import WALL_IN_FRONT, WALL_IN_FRONT_OFFERED
from handhold.app.lab.scenarios.wander import WANDER

SCENARIOS: tuple[Scenario, ...] = (
    FAR_REACH,
    FIRST_TOUR,
    PUSH,
    SWITCH_FOOT,
    BRACE_HAND,
    BRACE_OFFERED,
    BRACE_UNPLUGGED,
    BRACE_FROZEN,
    BRACE_DARK,
    BRACE_PASSED,
    BRACE_MOVED,
    JUMPS,
    UNEVEN,
    FAST_HANDS,
    FUZZ,
    WANDER,
    MODE_CHANGES,
    HUMAN_MOTION,
    CLIMB_0,
    CLIMB_1,
    SUIT_LOSSES,
    THREE_POINTS,
    LEAN_ON_WALL,
    FETCH,
    BOX_HANDOVER,
    CARRY_WALKING,
    GUIDED,
    PULLED_HAND,
    SHOVE,
    UNTOUCHED,
    CARRY_TWO_ARMS,
    DOCK,
    GUIDED_OBJECT,
    SHOVED_OBJECT,
    WALL_IN_FRONT,
    WALL_IN_FRONT_OFFERED,
    CEILING_ABOVE,
    CEILING_ABOVE_OFFERED,
    WALL_BEHIND,
    WALL_BEHIND_OFFERED,
    WALK_STRAIGHT,
    WALK_TURN,
    WALK_STOP,
    WALK_SQUARE,
    WALK_PUSH,
    WALK_UNEVEN,
    WALK_WRONG_MAP,
    WALK_EDGE,
    WALK_STOP_AND_GO,
    WALK_LATENCY,
    WALK_STAIRS_DOWN,
    WALK_BEAM,
    WALK_NARROW_BEAM,
    WALK_STONES,
    WALK_RAMP,
)

RETRIEVALS: Mapping[str, Retrieval] = {
    WALL_IN_FRONT.name: WALL_IN_FRONT_RETRIEVAL,
    CEILING_ABOVE.name: CEILING_ABOVE_RETRIEVAL,
    WALL_BEHIND.name: WALL_BEHIND_RETRIEVAL,
}
"""The retrievals among them, which can be played with and without retargeting."""

SEEN_RETRIEVALS = (WALL_IN_FRONT_OFFERED, CEILING_ABOVE_OFFERED, WALL_BEHIND_OFFERED)
"""The same retrievals as scenarios in which the operator takes a place that is proposed."""

ALL_RETRIEVALS = "retrievals"
"""What stands for all of them."""


class UnknownScenario(AppError):
    """A scenario is asked for that there is not."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no scenario '{name}'; take one of {', '.join(scenario.name for scenario in SCENARIOS)}")


class NoSequence(AppError):
    """A sequence is asked for of a scenario that has none of that number, or none is of one that has several."""

    def __init__(self, name: str, known: Sequence[int]) -> None:
        self.name, self.known = name, tuple(known)
        numbers = " or ".join(str(number) for number in known)
        super().__init__(f"{name} needs --sequence {numbers}" if known else f"{name} has no sequences; leave --sequence out")


def spell_name(name: str, sequence: int | None) -> str:
    """Return the name of a scenario by that of its family and a number, such as ``climb-0``; other names as they are.

    Raises:
        NoSequence: A family has not that number, or none is told; or the scenario is of no family.
    """
    known = [
        int(end) for each in SCENARIOS for family, _, end in (each.name.rpartition("-"),) if family == name and end.isdigit()
    ]
    if sequence in known:
        return f"{name}-{sequence}"
    if sequence is None and not known:
        return name
    raise NoSequence(name, known)


def list_retrievals(name: str) -> tuple[str, ...]:
    """Return the names of the scenarios that are studied together under a name."""
    return tuple(RETRIEVALS) if name == ALL_RETRIEVALS else (name,)


def find_scenario(name: str) -> Scenario:
    """Return a scenario by its name.

    Raises:
        UnknownScenario: There is no such scenario.
    """
    for scenario in SCENARIOS:
        if scenario.name == name:
            return scenario
    raise UnknownScenario(name)


def list_scenarios(name: str, *, seen: bool) -> tuple[Scenario, ...]:
    """Return the scenario of a name, or those that ``ALL_RETRIEVALS`` stands for.

    Args:
        name: The name.
        seen: Whether cameras see the world: of retrievals those are meant then in which nothing is known in advance.

    Raises:
        UnknownScenario: There is no such scenario.
    """
    if name != ALL_RETRIEVALS:
        return (find_scenario(name),)
    return SEEN_RETRIEVALS if seen else tuple(find_scenario(each) for each in RETRIEVALS)
