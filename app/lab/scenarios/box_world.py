"""The world of ``box-handover`` at the size of a robot, and the palms that take the box there.

It is made for the arms of one robot; for another one all lengths are scaled by the length of its arms, about its shoulders.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.scenario import Disturbance
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.loading import load_motion
from handhold.retarget.whole_body.body_mapping import BodyMapping, find_mapping
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.worlds import Solid, World, load_world

WORLD, STOOL, BOX, RIM, PALMS = "handover", "stool", "box", "rim", ("left palm", "right palm")

ARM_LENGTH, SHOULDER, MASS = 0.7675, np.array([-0.068, 1.364]), 90.27
"""Of the robot that the world is made for: length of the arms [m], where the shoulders are from between the feet, x and z [m],
and mass [kg], by which that of the box is scaled."""

FEET_APART = "feet-apart"
"""The motion by which the robot sets its feet apart before the box."""

WALK_DISTANCE = 0.40
"""How far the robot walks to the box [m]; lengths are those of the robot that the world is made for."""

PALM_DISPLACEMENT = 0.60
"""How far the palms come from where they wait [m]."""

CLEARANCE = 0.08
"""How far over the palms the hands are brought with the box [m]."""

MAX_MISPLACEMENT = 0.15
"""How far from over the palms the box may be, seen from above, for them to come [m]."""

CHECK_PERIOD = 0.02
"""Time between two looks of who holds them out [s]."""

HOLD_TIME = 3.0
"""How long the box is over where the palms will be before they come [s]."""


@dataclass(frozen=True, eq=False, slots=True)
class BoxLayout:
    """Where things are, for one robot that walks ``WALK_DISTANCE`` from the origin and sets its feet apart there.

    Attributes:
        scale: Length of the robot's arms against those that the world is made for [-].
        box: The box.
        rim: What stands out of its sides at the top: hands go under it.
        goal: Where its bottom is once the palms have it: the middle of their upper sides, shape ``(3,)`` [m].
        palm_thickness: Of the palms [m].
    """

    scale: float
    box: Solid
    rim: Solid
    goal: np.ndarray
    palm_thickness: float

    @property
    def payload(self) -> float:
        """Mass of the whole box [kg]."""
        return float((self.box.mass or 0.0) + (self.rim.mass or 0.0))

    @staticmethod
    def find(model: RobotModel) -> BoxLayout:
        """Find them for a robot that can follow a person."""
        scale, world = find_scale(model), fit_world(load_world(WORLD), model, np.zeros((0, 4, 4)))
        solids = {solid.name: solid for solid in world.solids}
        palms = [solids[name] for name in PALMS]
        middle = np.mean([palm.position for palm in palms], axis=0)
        goal = middle + np.array([-scale * PALM_DISPLACEMENT, 0.0, 0.5 * palms[0].size[2]])
        return BoxLayout(scale, solids[BOX], solids[RIM], goal, palms[0].size[2])


def get_mapping(model: RobotModel) -> BodyMapping:
    """Return what of a robot follows a person (see ``two_feet_and_an_arm``)."""
    mapping = model.compute_once(find_mapping)
    assert mapping is not None, "the scenario needs a robot that follows a person"
    return mapping


def find_scale(model: RobotModel) -> float:
    """Return the length of a robot's arms against those that the world is made for [-]."""
    return min(arm.length for arm in get_mapping(model).arms) / ARM_LENGTH


def find_shoulders(model: RobotModel) -> np.ndarray:
    """Return where a standing robot's shoulders are from between its feet, x and z [m]."""
    mapping = get_mapping(model)
    return np.asarray((mapping.pelvis + mapping.waist + np.mean(mapping.shoulders, axis=0))[[0, 2]])


def find_sidestep(model: RobotModel) -> float:
    """Return how far to the left the middle between the feet is once a motion has set them apart [m].

    Raises:
        MotionFileError: There is no such motion for the robot.
        MotionUnfit: It is for another description of the robot.
        MotionRefused: The robot cannot do it.
    """
    motion, feet = load_motion(FEET_APART, model).motion, list(get_mapping(model).feet)
    before, after = (
        model.effector_poses(compute_body_state(motion.sample(time), pin.SE3.Identity()).q)[feet, 1, 3].mean()
        for time in (0.0, motion.duration)
    )
    return float(after - before)


def fit_world(world: World, model: RobotModel, _effector_poses: np.ndarray) -> World:
    """Scale a world about the robot's shoulders, and put it before where it stands in the end, its feet apart."""
    scale = find_scale(model)
    x, z = (find_shoulders(model) - scale * SHOULDER).tolist()
    offset = np.array([x + WALK_DISTANCE * scale, model.compute_once(find_sidestep), z])
    solids = (_fit(solid, scale, offset, model.mass / MASS) for solid in world.solids)
    return world.model_copy(update={"solids": tuple(solids)})


def _fit(solid: Solid, scale: float, offset: np.ndarray, mass_ratio: float) -> Solid:
    size = [scale * length for length in solid.size]
    x, y, z = (scale * np.array(solid.position) + offset).tolist()
    if solid.name == STOOL:
        # It stands on the floor, whatever its height.
        top = z + 0.5 * size[2]
        size[2], z = top, 0.5 * top
    mass = None if solid.mass is None else mass_ratio * solid.mass
    return solid.model_copy(update={"size": tuple(size), "position": (x, y, z), "mass": mass})


def hold_palms_out(model: RobotModel, _random: np.random.Generator) -> Disturbance:
    """Hold the palms out below the box once that has been over where they will be for a while."""
    layout, names = BoxLayout.find(model), [solid.name for solid in load_world(WORLD).solids]
    box, palms = names.index(BOX), [names.index(name) for name in PALMS]
    above = layout.goal + np.array([0.0, 0.0, 0.5 * layout.box.size[2] + 0.3 * CLEARANCE * layout.scale])
    since, seen, held_out = math.inf, -math.inf, False

    def disturb(body: SimulatedRobot, state: RobotState) -> None:
        nonlocal since, seen, held_out
        if held_out or state.time - seen < CHECK_PERIOD:
            return
        seen, off = state.time, body.solid_poses()[box, :3, 3] - above
        is_over = off[2] > 0.0 and float(np.linalg.norm(off[:2])) < MAX_MISPLACEMENT * layout.scale
        since = min(since, state.time) if is_over else math.inf
        held_out = state.time - since > HOLD_TIME
        for palm in palms if held_out else ():
            body.shift_solid(palm, np.array([-layout.scale * PALM_DISPLACEMENT, 0.0, 0.0]))

    return disturb
