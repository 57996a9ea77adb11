"""A control cycle of five numbers: deterministic, with a state of its own, and quick."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from random_values import random_snapshot

from handhold.app.host.cycle import Headline
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.robots.reference import Reference
from handhold.robots.robot import JointCommand, RobotState

JOINTS = 30


def small_state(seed: int) -> RobotState:
    random = np.random.default_rng(seed)
    return RobotState(
        time=seed * 1e-3,
        q=random.standard_normal(37),
        v=random.standard_normal(36),
        joint_torques=random.standard_normal(JOINTS),
        contact_wrenches=random.standard_normal((4, 6)),
    )


class SmallCycle:
    """Follows the measured joints with a filter whose speed the operator's squeeze and the sample's age set."""

    def __init__(self, state: RobotState) -> None:
        self.filtered = state.q.copy()
        self.snapshot = random_snapshot(0)
        self.cycle = 0

    def step(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> tuple[JointCommand, Snapshot]:
        return self.advance(operator_input, robot_state, surfaces, dt), self.report()

    @property
    def reference(self) -> Reference:
        return self.snapshot.reference

    @property
    def headline(self) -> Headline:
        return Headline(self.snapshot.mode, self.snapshot.stop, self.snapshot.left.engaged, self.snapshot.right.engaged)

    def report(self) -> Snapshot:
        return self.snapshot

    def advance(
        self, operator_input: OperatorInput, robot_state: RobotState, surfaces: tuple[Surface, ...], dt: float
    ) -> JointCommand:
        speed = 1.0 + operator_input.right.squeeze - operator_input.age + sum(surface.area for surface in surfaces)
        self.filtered = self.filtered + dt * speed * (robot_state.q - self.filtered)
        self.cycle += 1
        polygon = np.arange(2.0 * (3 + self.cycle % 4)).reshape(-1, 2)
        reference = replace(self.snapshot.reference, q=self.filtered, support_polygon=polygon, time=robot_state.time)
        nothing = np.zeros(JOINTS)
        self.snapshot = replace(self.snapshot, reference=reference, cycle=self.cycle)
        return JointCommand(
            time=robot_state.time,
            positions=self.filtered[7:],
            velocities=nothing,
            torques=np.sin(self.filtered[7:]),
            stiffness=nothing,
            damping=nothing,
        )
