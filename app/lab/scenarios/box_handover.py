"""``box-handover``: the robot walks to a box, squats, picks it up with both hands, and hands it over to two palms.

The experiment of [Penco2019]_: it walks by the sticks, sets its feet apart by a motion, and does the rest by a suit, whose
stream comes over UDP. The hands go under the box's rim and lift it; it is put on two palms that somebody holds out, and the
robot walks back. The box hangs from the rim: one that lies on two hands tips over them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.box_grasp import STANDING, find_grasp, plan_lifting
from handhold.app.lab.scenarios.box_operator import SPEEDS, make_box_operator, walk_backwards
from handhold.app.lab.scenarios.box_person import Act
from handhold.app.lab.scenarios.box_world import (
    BOX,
    FEET_APART,
    HOLD_TIME,
    PALMS,
    WALK_DISTANCE,
    WORLD,
    BoxLayout,
    fit_world,
    hold_palms_out,
)
from handhold.app.lab.scenarios.following import measure_following
from handhold.app.lab.scenarios.human_motion import two_feet_and_an_arm
from handhold.app.lab.scenarios.measures import measure_reference
from handhold.app.lab.scenarios.needs import hand, motion
from handhold.app.lab.scenarios.scenario import Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walks import walks
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

MAX_DELIVERY_ERROR = 0.05
"""How far the box may be from the middle of the palms in the end [m]."""

RETURN_DISTANCE = 0.30
"""How far the robot walks back in the end [m]."""

RETREAT_DISTANCE = 0.18
"""How far the hands are drawn back from the palms in the end [m]."""

WAIT_TIME = SPEEDS[1] * (HOLD_TIME + 1.0)
"""How long the robot waits for the palms [s]: even the fastest person waits for longer than they take."""

MAX_TILT = np.radians(10.0)
"""Tilt within which the box lies on the palms [rad]."""

MIN_LIFT = 0.10
"""How far the box is lifted at least [m]."""


def script_handover(model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator."""
    goal = BoxLayout.find(model).scale * (WALK_DISTANCE - RETURN_DISTANCE)
    return make_box_operator(model, plan_acts(model, random), walk_backwards(model, goal), random)


def plan_acts(model: RobotModel, random: np.random.Generator) -> list[Act]:
    """Plan what the person does: lift the box, lower it on the palms once they are there, draw the hands back."""
    grasp = find_grasp(model, random)
    away = grasp.put_down - BoxLayout.find(model).scale * np.array([RETREAT_DISTANCE, 0.0, 0.0])
    return [
        *plan_lifting(grasp),
        Act(trunk=STANDING, middle=grasp.over, duration=WAIT_TIME),
        Act(trunk=STANDING, middle=grasp.put_down, duration=3.0),
        Act(trunk=STANDING, middle=away, duration=2.5),
        Act(trunk=STANDING, hangs=True, duration=2.0),
    ]


def measure_handover(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure where the box is in the end, how far it was lifted, and the robot."""
    layout, torque = BoxLayout.find(model), np.abs(np.array(trace.torques)) / model.motor_torques
    return [
        *measure_delivery(layout, np.array(trace.solids)),
        Figure("payload", layout.payload, "kg", larger_is_better=True),
        *(Figure(name, trace.notes[name], "-", must=0.0) for name in ("acts_left", "stages_left")),
        *measure_reference(trace),
        Figure("torque_ratio", float(torque.max()), "-", must=1.0 + 1e-9),
        *measure_following(model, trace),
    ]


def measure_delivery(layout: BoxLayout, poses: np.ndarray) -> list[Figure]:
    """Measure how far from lying on the middle of the palms the box is in the end, its tilt, and how far it was lifted.

    Args:
        layout: The world at the robot's size.
        poses: Of all solids over time, shape ``(times, solids, 4, 4)``.
    """
    names = [solid.name for solid in load_world(WORLD).solids]
    box, palms = poses[:, names.index(BOX)], poses[-1, [names.index(name) for name in PALMS]]
    goal = palms[:, :3, 3].mean(axis=0) + np.array([0.0, 0.0, 0.5 * (layout.palm_thickness + layout.box.size[2])])
    tilt = float(np.arccos(np.clip(box[-1, 2, 2], -1.0, 1.0)))
    lifted, must = float((box[:, 2, 3] - box[0, 2, 3]).max()), layout.scale * MIN_LIFT
    return [
        Figure("delivery_error", float(np.linalg.norm(box[-1, :3, 3] - goal)), "m", must=MAX_DELIVERY_ERROR),
        Figure("tilt", tilt, "rad", must=float(MAX_TILT)),
        Figure("lifted", lifted, "m", must=must, larger_is_better=True),
    ]


BOX_HANDOVER = Scenario(
    name="box-handover",
    title="the robot walks to a box, squats, picks it up with both hands, and hands it over",
    world=WORLD,
    duration=120.0,
    script=script_handover,
    measure=measure_handover,
    needs=(walks, two_feet_and_an_arm, hand("left"), hand("right"), motion(FEET_APART)),
    # The robot knows nothing of the box and of who takes it: the operator sees them.
    mapped="flat",
    fit=fit_world,
    disturb=hold_palms_out,
)
