"""Where a motion's feet will land, and whether the ground that is known there is as high as the motion has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.motion import Motion
from handhold.robots.model import RobotModel
from handhold.robots.polygon import are_inside

MAX_HEIGHT_ERROR = 0.02
"""How much higher or lower than planned the ground may be where a foot lands [m]: a foot is put down 3 cm further at most."""

MIN_NORMAL_Z = float(np.cos(np.deg2rad(8.0)))
"""Least z of the normal of what a foot stands on [-]."""

SEARCH_HEIGHT = 0.5
"""Surfaces this far above or below a foot are something else: a table, the floor under a platform [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Landing:
    """A foot that comes down.

    Attributes:
        effector: Its name.
        position: Middle of its sole in the motion frame, shape ``(3,)`` [m].
    """

    effector: str
    position: np.ndarray


def list_landings(motion: Motion, model: RobotModel) -> tuple[Landing, ...]:
    """List where feet come down in a motion."""
    landings = []
    for contact in motion.contacts:
        effector = model.effector_index(contact.effector)
        if contact.start > 0.0 and model.effectors[effector].is_foot:
            q = compute_body_state(motion.sample(contact.start), pin.SE3.Identity()).q
            landings.append(Landing(effector=contact.effector, position=model.effector_poses(q)[effector, :3, 3]))
    return tuple(landings)


def find_wrong_ground(landings: tuple[Landing, ...], frame: pin.SE3, surfaces: tuple[Surface, ...]) -> str:
    """Find a landing for which the ground is known to be wrong, in words; empty where there is none, or nothing is known.

    Args:
        landings: Where feet come down.
        frame: Motion frame in world.
        surfaces: What is known of the surroundings.
    """
    for landing in landings:
        position = frame.act(landing.position)
        heights = [height for height in _list_heights(position, surfaces) if abs(height - position[2]) < SEARCH_HEIGHT]
        if not heights:
            continue
        offset = max(heights) - float(position[2])
        if abs(offset) > MAX_HEIGHT_ERROR:
            name, word = landing.effector.replace("_", " "), "higher" if offset > 0.0 else "lower"
            return f"the ground where the {name} lands is {1e2 * abs(offset):.0f} cm {word} than the motion has it"
    return ""


def _list_heights(position: np.ndarray, surfaces: tuple[Surface, ...]) -> list[float]:
    """Return the heights of the level surfaces over and under a position [m]."""
    heights = []
    for surface in surfaces:
        normal, origin = surface.pose[:3, 2], surface.pose[:3, 3]
        if normal[2] < MIN_NORMAL_Z:
            continue
        height = float(origin[2] - (position - origin)[:2] @ normal[:2] / normal[2])
        local = (np.array([*position[:2], height]) - origin) @ surface.pose[:3, :2]
        if are_inside(local[None], surface.boundary)[0]:
            heights.append(height)
    return heights
