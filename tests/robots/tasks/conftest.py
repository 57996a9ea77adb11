"""A robot somewhere, and parts of a program that are laid out by themselves."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model

STEP = 1e-6  # [rad, m] of the central differences


class Somewhere:
    """Talos in a random posture on both feet and a hand, with random wrenches."""

    def __init__(self) -> None:
        self.model = load_model("talos")
        self.random = np.random.default_rng(7)
        self.q = pin.integrate(self.model.pinocchio, self.model.q_nominal, 0.2 * self.random.normal(size=self.model.nv))
        self.configuration = self.q
        self.direction = self.random.normal(size=self.model.nv)
        self.kinematics = EffectorKinematics(self.model, with_trunk=True)
        self.kinematics.update(self.q)
        self.stance = Stance(self.model, (0, 1, 2), inset=0.0)
        self.wrenches = 50.0 * self.random.normal(size=self.stance.size)
        self.size = self.model.nv + self.stance.size

    def rate(self, measure):
        """How fast something changes along the direction, by central differences."""
        values = []
        for step in (STEP, -STEP):
            self.configuration = pin.integrate(self.model.pinocchio, self.q, step * self.direction)
            self.kinematics.update(self.configuration)
            values.append(np.array(measure()))
        self.kinematics.update(self.q)
        return (values[0] - values[1]) / (2.0 * STEP)

    def lay(self, part):
        """Lay out a task or a limit by itself, and fill it."""
        count, bounds = part.row_count, ([0.0], [0.0]) if hasattr(part, "soft") else ([0.0],)
        part.lay(np.zeros((count, self.size)), *(np.repeat(bound, count) for bound in bounds))
        part.fill()
        return part

    def follow(self, part):
        """How fast the rows of a part say that something changes along the direction."""
        return part.rows[:, : self.model.nv] @ self.direction


@pytest.fixture(scope="module")
def here():
    return Somewhere()
