"""A place of the robot's body where people push it."""

from __future__ import annotations

from handhold.robots.tables import Name, Table, Vector3


class TouchPoint(Table):
    """A place on the trunk at which a force of others is taken to act.

    A push between two of them is divided among both, so that they should be as far apart as a person may push: a pelvis and a
    chest at the height of the shoulders.

    Attributes:
        name: What it is called, in messages too.
        frame: Frame of the URDF it is fixed to.
        position: In that frame [m].
        compliant: Whether it gives way before the operator has said so.
    """

    name: Name
    frame: str
    position: Vector3 = (0.0, 0.0, 0.0)
    compliant: bool = False
