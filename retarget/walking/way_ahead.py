"""How much of the way ahead a robot can walk on what is known of the ground.

A robot that is told to stop still goes as far as two steps take it. So far ahead of its soles nothing may be known that they
could not stand on: a drop, a step too high, a box, a table. What is unknown is taken for ground.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.walking.entry import mean_yaw
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.ground import GroundMap

PARTS = 4
"""Parts of the way that are looked at one after the other: each may be higher or lower than the one before."""


def find_free_share(ground: GroundMap, feet: np.ndarray, height: float, velocity: WalkingVelocity, time: float) -> float:
    """Find the share of a velocity with which the soles stay on what one can stand on.

    Args:
        ground: What is known.
        feet: Poses of the soles in world, shape ``(feet, 4, 4)``.
        height: Of the ground that the robot stands on [m]; a foot may be in the air.
        velocity: Asked for.
        time: How far ahead of where the robot is it must be free [s].

    Returns:
        0 to 1 in steps of a quarter: 1 where all the way is free.
    """
    yaw = mean_yaw(feet)
    c, s = math.cos(yaw), math.sin(yaw)
    way = time * np.array([c * velocity.forward - s * velocity.sideways, s * velocity.forward + c * velocity.sideways])
    heights = [height] * len(feet)
    for part in range(1, PARTS + 1):
        for k, foot in enumerate(feet):
            place = foot[:2, 3] + part / PARTS * way
            angle = math.atan2(foot[1, 0], foot[0, 0])
            found = ground.find_height(place, angle, heights[k])
            if found is None:
                return (part - 1) / PARTS
            heights[k] = found
    return 1.0
