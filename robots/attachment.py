"""What a robot carries that its URDF does not have."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.tables import Positive, Table, Vector3


class Attachment(Table):
    """A mass that is fixed to a link: a battery, a computer, another hand, or what a scale shows beyond the URDF.

    Attributes:
        frame: Link of the URDF that carries it.
        mass: Its mass [kg].
        position: Its centre of mass in the link [m].
    """

    frame: str
    mass: Positive
    position: Vector3 = (0.0, 0.0, 0.0)

    def to_inertia(self) -> pin.Inertia:
        """Return it as a mass at a point of the link."""
        return pin.Inertia(self.mass, np.array(self.position), np.zeros((3, 3)))
