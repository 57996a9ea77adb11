"""Bracing mode: hands and centre of mass under the operator, everything else under SEIKO."""

from __future__ import annotations

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.parameters import SeikoParameters
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.seiko_step import SeikoTargets
from handhold.retarget.command import OperatorCommand
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_support_polygon
from handhold.robots.qp import QpSolver
from handhold.robots.reference import Reference, Residuals
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""SEIKO's own period [s]: as the authors' robot; the controller goes on from its velocity in between."""

COM_SPEED = 0.05
"""Speed of the centre of mass at full deflection of a stick [m/s]."""

TURNING_SPEED = 0.2
"""Turning rate of the base at full deflection of a stick [rad/s]."""

BRAKING_TIME, RELEASING_TIME = 0.05, 0.2
"""Times in which a hold comes to brake fully and in which it lets go again, so that no joint's speed steps [s]."""

REST_SPEED = 1e-3
"""Joint speed under which a holding reference counts as at rest and is frozen [rad/s]."""


class BracingMode:
    """Drives SEIKO at its own period and tells the controller what it found."""

    name = "bracing"
    title = "Bracing"

    def __init__(
        self, model: RobotModel, solver: QpSolver, *, parameters: SeikoParameters | None = None, period: float = PERIOD
    ) -> None:
        self._model = model
        self._solver = solver
        self._parameters = parameters
        self._period = period
        self._measured = EffectorKinematics(model)
        self._pending = 0.0
        # How hard the reference is held back now, 0 to 1.
        self._braking = 1.0
        self.failures = 0
        self.failures_in_a_row = 0
        self.active: tuple[str, ...] = ()

    def enter(self, state: RobotState) -> Reference:
        """Stand on the standing effectors where they are measured, at the nearest feasible equilibrium.

        Raises:
            NoEquilibrium: The robot does not stand over its feet.
        """
        model = self._model
        self._measured.update(state.q)
        standing = [i for i, effector in enumerate(model.effectors) if effector.standing]
        self._stance = Stance(model, standing, inset=model.description.margins.reference)
        self.seiko = Seiko(model, self._stance, state.q, self._solver, self._parameters)
        self.seiko.settle()
        self._support_polygon = compute_support_polygon(
            model, self._stance, self._measured.poses, model.description.margins.controller
        )
        self._pending = 0.0
        self._reference = self._describe(state.time)
        return self._reference

    def update(
        self, command: OperatorCommand, state: RobotState, _surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Step SEIKO when its period is up; the reference in between is the last one."""
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._reference
        elapsed, self._pending = self._pending, 0.0
        change = elapsed / BRAKING_TIME if hold else -elapsed / RELEASING_TIME
        self._braking = min(1.0, max(0.0, self._braking + change))
        if hold and np.abs(self.seiko.v).max() < REST_SPEED:
            self.seiko.stand_still()
            self.failures_in_a_row = 0
        else:
            return self.follow(self._choose_targets(command, hold=hold), state, elapsed)
        self._reference = self._describe(state.time)
        return self._reference

    def follow(self, targets: SeikoTargets, state: RobotState, dt: float) -> Reference:
        """Take one step of SEIKO towards targets from where the robot really stands, and return its reference."""
        self._measured.update(state.q)
        self.seiko.follow_contacts(self._measured.poses, state.q[7:], dt)
        step = self.seiko.step(targets, dt)
        self.failures += not step.solved
        self.failures_in_a_row = 0 if step.solved else self.failures_in_a_row + 1
        self.active = step.active
        self._reference = self._describe(state.time)
        return self._reference

    def _choose_targets(self, command: OperatorCommand, *, hold: bool) -> SeikoTargets:
        poses = self.seiko.kinematics.poses.copy()
        velocity = np.full(3, np.nan)
        if hold:
            # Coming to rest within what balance allows: the centre of mass is asked to stop, not made to.
            velocity[:] = 0.0
            return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, rest=self._braking)
        for hand, wanted in (("left", command.left), ("right", command.right)):
            effector = self._model.effector_of_hand(hand)
            if effector is not None:
                poses[effector] = wanted.target
        pushed = np.abs(command.com_velocity) > 0.0
        velocity[pushed] = COM_SPEED * command.com_velocity[pushed]
        turning = TURNING_SPEED * command.yaw_rate if command.yaw_rate != 0.0 else float("nan")
        return SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, yaw_rate=turning, rest=self._braking)

    def _describe(self, time: float) -> Reference:
        seiko, model = self.seiko, self._model
        count = len(model.effectors)
        kinematics = seiko.kinematics
        normals = np.zeros((count, 3))
        normals[:, 2] = 1.0
        return Reference(
            time=time,
            q=seiko.q,
            v=seiko.v,
            joint_torques=seiko.joint_torques,
            position_com_in_world=kinematics.position_com_in_world.copy(),
            velocity_com_in_world=seiko.velocity_com,
            acceleration_com_in_world=seiko.acceleration_com,
            support_polygon=self._support_polygon,
            effector_poses=kinematics.poses.copy(),
            effector_velocities=kinematics.jacobians @ seiko.v,
            contacts=self._stance.contact_flags(count),
            contact_normals=normals,
            contact_wrenches=self._stance.unstack(seiko.wrenches, count),
            residuals=Residuals(
                contact=seiko.contact_error, equilibrium=seiko.equilibrium_error, torque=seiko.torque_overshoot
            ),
        )
