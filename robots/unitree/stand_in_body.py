"""A robot that stands in for a real one: somebody else's model of it in MuJoCo, with motors that are not ideal.

Nothing of it comes from our own description: masses, joints and limits are those of the file, so that what drives it meets
another robot than the one it reckons with.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from handhold.robots.errors import DescriptionError
from handhold.robots.estimation.inertial import InertialNoise
from handhold.robots.simulation.inertial_unit import InertialUnit
from handhold.robots.unitree.motor_link import MotorReading
from handhold.robots.unitree.stand_in_link import MotorCommand

TIMESTEP = 1e-3
"""Step of the physics [s]."""

AMBIENT = 30.0
"""Temperature of motors, which do not warm up [degrees Celsius]."""

HOIST, HOIST_DAMPING = (2e4, 500.0), (500.0, 50.0)
"""Stiffness and damping of the hoist that holds its base: [N/m, Nm/rad], [Ns/m, Nms/rad]."""

SOLES, FISTS = "ankle_roll", "hand"
"""Words in the names of the bodies that touch things; all others pass through each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotorFlaws:
    """What is not ideal about the motors of a robot that stands in.

    Attributes:
        bandwidth: Of the torques, which follow to first order [Hz].
        delay: Until a command is there [s].
        friction: Coulomb friction of every joint, as a part of its largest torque [-].
        rotor_inertia: Of every joint, as a part of its largest torque [s^2/rad].
        velocity_noise: Standard deviation of measured velocities [rad/s].
        encoder_step: Resolution of measured positions [rad].
        torque_error: Part by which all torques are less than they are said to be [-].
    """

    bandwidth: float = 60.0
    delay: float = 2e-3
    friction: float = 0.01
    rotor_inertia: float = 5e-4
    velocity_noise: float = 0.005
    encoder_step: float = 2.0 * math.pi / 2**16
    torque_error: float = 0.0


_BASE = 6


class StandInBody:
    """The physics of a robot that stands in, motor by motor.

    Attributes:
        time: Since it began [s].
        joint_names: Of its motors, in the maker's order.
        hoisted: Part of the hoist that holds its base where it began, 0 to 1 [-].
    """

    def __init__(
        self, file: Path, posture: Mapping[str, float], random: np.random.Generator, flaws: MotorFlaws | None = None
    ) -> None:
        """Put a robot on the ground.

        Args:
            file: Model in MuJoCo's format, with one free base and hinges in the order of the motors.
            posture: Joint positions in the beginning, by name [rad]; of joints not named 0.
            random: Biases and noise.
            flaws: Of its motors.

        Raises:
            DescriptionError: The file cannot be read, or has a joint without a largest torque.
        """
        self._flaws, self._random = flaws or MotorFlaws(), random
        try:
            self._model = mujoco.MjModel.from_xml_path(str(file))
        except ValueError as error:
            problem = str(error).splitlines()[0]
            raise DescriptionError(str(file), "", problem, "take a MuJoCo model of the robot") from None
        model = self._model
        hinges = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
        self.joint_names = tuple(model.joint(j).name for j in hinges)
        self._positions, self._dofs = model.jnt_qposadr[hinges], model.jnt_dofadr[hinges]
        self._limits = model.jnt_actfrcrange[hinges, 1].copy()
        if not (hinges and (self._limits > 0.0).all()):
            limp = next((self.joint_names[k] for k in np.flatnonzero(self._limits <= 0.0)), "any joint")
            problem = f"no actuatorfrcrange of {limp}, which is what its motor can give"
            raise DescriptionError(str(file), "", problem, "take a model with hinges that have one")
        self._prepare()
        self._data = mujoco.MjData(model)
        self._stand(posture)
        self.hoisted, self._hung_at = 1.0, self._find_base()
        self._unit = InertialUnit(self._find_base(), InertialNoise(), random)
        self._torques = np.zeros(len(hinges))
        self._commands: deque[tuple[float, MotorCommand]] = deque()
        self._sample = self._unit.measure(0.0, self._find_base(), TIMESTEP)

    @property
    def time(self) -> float:  # noqa: D102
        return float(self._data.time)

    @property
    def base_height(self) -> float:
        """Height of its base above the ground [m]."""
        return float(self._data.qpos[2])

    @property
    def mass(self) -> float:
        """All it weighs [kg]."""
        return float(self._model.body_mass.sum())

    @property
    def joint_positions(self) -> np.ndarray:
        """Where its joints truly are, shape ``(n,)`` [rad]."""
        return np.asarray(self._data.qpos[self._positions])

    def _prepare(self) -> None:
        """Give the joints friction and rotors, and let soles and hands alone touch things."""
        model, flaws = self._model, self._flaws
        model.opt.timestep = TIMESTEP
        model.dof_frictionloss[self._dofs] = flaws.friction * self._limits
        model.dof_armature[self._dofs] = flaws.rotor_inertia * self._limits
        for geom in range(model.ngeom):
            name = model.body(model.geom_bodyid[geom]).name
            touches = model.geom_bodyid[geom] == 0 or SOLES in name or FISTS in name
            if not touches:
                model.geom_contype[geom] = model.geom_conaffinity[geom] = 0

    def _stand(self, posture: Mapping[str, float]) -> None:
        """Put it into a posture, with its lowest sole on the ground."""
        data, model = self._data, self._model
        data.qpos[self._positions] = [posture.get(name, 0.0) for name in self.joint_names]
        data.qpos[2] = 0.0
        mujoco.mj_forward(model, data)
        soles = [g for g in range(model.ngeom) if SOLES in model.body(model.geom_bodyid[g]).name and model.geom_contype[g]]
        spheres = [g for g in soles if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE]
        data.qpos[2] = -min((float(data.geom_xpos[g, 2] - model.geom_size[g, 0]) for g in spheres), default=0.0)
        mujoco.mj_forward(model, data)

    def command(self, command: MotorCommand) -> None:
        """Take a command, which is there after the delay."""
        self._commands.append((self.time + self._flaws.delay, command))

    def obey(self, command: MotorCommand) -> None:
        """Do at once what the robot itself asks of its motors, whatever has been commanded."""
        self._commands.clear()
        self._commands.append((self.time, command))

    def advance(self, duration: float) -> None:
        """Go on for a time, a multiple of the physics' step [s]."""
        for _ in range(round(duration / TIMESTEP)):
            self._data.qfrc_applied[self._dofs] = self._follow()
            self._data.qfrc_applied[:_BASE] = self._pull_up() if self.hoisted > 0.0 else 0.0
            mujoco.mj_step(self._model, self._data)
            self._sample = self._unit.measure(self.time, self._find_base(), TIMESTEP)

    def _pull_up(self) -> np.ndarray:
        """Return with what the hoist holds the base: force in world, moment in its axes, shape ``(6,)`` [N, Nm]."""
        here, velocity = self._find_base(), self._data.qvel[:_BASE]
        shift = self._hung_at[:3, 3] - here[:3, 3]
        turn = pin.log3(here[:3, :3].T @ self._hung_at[:3, :3])
        pull = np.concatenate([HOIST[0] * shift, HOIST[1] * turn])
        return np.asarray(self.hoisted * (pull - np.repeat(HOIST_DAMPING, 3) * velocity))

    def _follow(self) -> np.ndarray:
        """Return the torques of the motors, which follow those of the command that is there."""
        while len(self._commands) > 1 and self._commands[1][0] <= self.time:
            self._commands.popleft()
        asked = np.zeros(len(self._limits))
        if self._commands and self._commands[0][0] <= self.time:
            command, data = self._commands[0][1], self._data
            asked = command.torques + command.stiffness * (command.positions - data.qpos[self._positions])
            asked = asked + command.damping * (command.velocities - data.qvel[self._dofs])
        gain = -math.expm1(-2.0 * math.pi * self._flaws.bandwidth * TIMESTEP)
        self._torques = self._torques + gain * (np.clip(asked, -self._limits, self._limits) - self._torques)
        return np.asarray((1.0 - self._flaws.torque_error) * self._torques)

    def read(self) -> MotorReading:
        """Return what its sensors have of it now."""
        flaws, data = self._flaws, self._data
        positions = flaws.encoder_step * np.round(data.qpos[self._positions] / flaws.encoder_step)
        velocities = data.qvel[self._dofs] + self._random.normal(0.0, flaws.velocity_noise, len(self._dofs))
        return MotorReading(
            positions=positions,
            velocities=velocities,
            torques=self._torques.copy(),
            temperatures=np.full(len(self._dofs), AMBIENT),
            angular_velocity=self._sample.angular_velocity,
            specific_force=self._sample.specific_force,
            quaternion=data.qpos[[4, 5, 6, 3]].copy(),
        )

    def _find_base(self) -> np.ndarray:
        pose, rotation = np.eye(4), np.zeros(9)
        mujoco.mju_quat2Mat(rotation, self._data.qpos[3:7])
        pose[:3, :3], pose[:3, 3] = rotation.reshape(3, 3), self._data.qpos[:3]
        return pose
