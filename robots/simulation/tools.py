"""Tools in a robot's hands as the physics engines build them: shapes and masses on the links that hold them."""

from __future__ import annotations

from collections.abc import Sequence

import pinocchio as pin

from handhold.robots.errors import HandNotFound
from handhold.robots.model import RobotModel
from handhold.robots.simulation.links import Link, Shape
from handhold.robots.worlds import World


def hold_tools(links: Sequence[Link], model: RobotModel, world: World) -> tuple[Link, ...]:
    """Return a robot's links with the tools of a world in its hands: what touches a tool touches its hand.

    Raises:
        HandNotFound: A tool is for a hand that the robot does not have.
    """
    holding = list(links)
    for tool in world.tools:
        hand = model.effector_of_hand(tool.hand)
        if hand is None:
            raise HandNotFound(model.description.source, tool.hand, f"to hold the tool '{tool.name}' of {world.source}")
        link = int(model.effector_joints[hand]) - 1
        placement = pin.SE3(model.effector_placements[hand]) * tool.to_se3()
        half_size = tuple(0.5 * length for length in tool.size)
        shape = Shape(kind="box", size=half_size, placement=placement, effector=hand)
        holding[link] = holding[link].holding(shape, placement.act(pin.Inertia.FromBox(tool.mass, *tool.size)))
    return tuple(holding)
