"""Phrases of scores: what takes several steps and comes again and again."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.score import (
    Step,
    Vector,
    contact_is,
    effector_is,
    move,
    press,
    push_stick,
    release,
    select_next,
    squeeze,
    wait,
    wait_until,
)
from handhold.app.limbs import Side
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.contacts.effector_choice import list_effectors
from handhold.retarget.bracing.mode import COM_SPEED
from handhold.retarget.engagement.sticks import DEAD_ZONE
from handhold.robots.model import RobotModel

SWITCHING = 20.0
"""Longest time that an approach, a loading or an unloading may take [s]."""

CONTACT_TIMEOUT = 0.5
"""Time within which the snapshot shows a contact as loaded [s]."""

REACTION = 0.2
"""Time an operator takes to see that a contact is free, before his clutch closes [s]."""

DWELL_TIME = 0.4
"""Time a hand is held at rest before its clutch opens: what it commands is nearly reached [s]."""

REST_SPEED = 5e-3
"""Speed under which an effector goes no further [m/s]."""

REST_TIMEOUT = 6.0
"""Longest time that an effector may follow after the hand that commands it is at rest [s]."""


_JUST_OFF = 1.01 * DEAD_ZONE / np.sqrt(2.0)
"""Deflection of a stick to the right and forward that asks for next to no motion [-]."""


def take(model: RobotModel, side: Side, effector: int, *, instead_of: int | None = None) -> tuple[Step, ...]:
    """Take an effector under a side's command, in place of the one it commands (its first one at the start)."""
    order = list_effectors(model, side).effectors
    before = 0 if instead_of is None else order.index(instead_of)
    presses = (order.index(effector) - before) % len(order)
    chosen = effector_is(side, model.effectors[effector].name)
    return (*(select_next(side) for _ in range(presses)), *((chosen,) if presses else ()))


def load(side: Side) -> tuple[Step, ...]:
    """Let the effector under a side's command go on until it touches, and is loaded."""
    return press(side, "primary"), contact_is(side, "loaded", SWITCHING)


def unload(side: Side) -> tuple[Step, ...]:
    """Take the load off the contact under a side's command, until it is free; one that was lost is missed at once."""
    return (
        contact_is(side, "loaded", CONTACT_TIMEOUT),
        press(side, "primary"),
        contact_is(side, "free", SWITCHING),
        wait(REACTION),
    )


def drag_hand(
    side: Side, *displacements: Vector, speed: float = 0.1, turn: Vector = (0.0, 0.0, 0.0), following: int | None = None
) -> tuple[Step, ...]:
    """Close the clutch, move along some displacements, turning on the first, and open the clutch again.

    With ``following`` it is not opened before that effector, which follows more slowly than the hand, goes no further.
    """
    turns = (turn, *((0.0, 0.0, 0.0) for _ in displacements[1:]))
    moves = (move(side, displacement, speed, turn) for displacement, turn in zip(displacements, turns, strict=True))
    arrival = () if following is None else (is_at_rest(following),)
    return squeeze(side), *moves, wait(DWELL_TIME), *arrival, release(side), wait(DWELL_TIME)


def lean(forward: float, left: float) -> Step:
    """Displace the centre of mass [m] with the left stick, then hold it there: the stick is left just off its middle.

    A stick that is released leaves the centre of mass to the retargeting.
    """
    length = float(np.hypot(forward, left))
    return push_stick("left", -left / length, forward / length, length / COM_SPEED, then=(_JUST_OFF, _JUST_OFF))


def is_at_rest(effector: int) -> Step:
    """Wait until an effector comes to rest in the reference."""

    def holds(snapshot: Snapshot) -> bool:
        velocity = snapshot.reference.effector_velocities[effector, :3]
        return bool(np.linalg.norm(velocity) < REST_SPEED)

    return wait_until(f"effector {effector} at rest", holds, REST_TIMEOUT)


def compute_turn_to_face(pose: np.ndarray, normal: Vector) -> Vector:
    """Compute the shortest turn that brings a contact frame's z axis onto a surface's outward normal.

    Args:
        pose: Pose of the contact frame in world, shape ``(4, 4)``.
        normal: Unit vector in world.

    Returns:
        Rotation vector in world axes [rad].
    """
    turn = pin.Quaternion.FromTwoVectors(pose[:3, 2].copy(), np.array(normal))
    x, y, z = pin.log3(turn.toRotationMatrix()).tolist()
    return x, y, z
