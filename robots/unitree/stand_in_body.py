"""A robot that stands in for a real one: somebody else's model of it in MuJoCo, with motors that are not ideal.

Nothing of it comes from our own description: masses, joints and limits are those of the file, so that what drives it meets
another robot than the one it reckons with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin

from handhold.robots.errors import DescriptionError
from handhold.robots.estimation.inertial import InertialNoise
from handhold.robots.model import RobotModel
from handhold.robots.robot import JointCommand
from handhold.robots.simulation.inertial_unit import InertialUnit
from handhold.robots.simulation.mujoco_world import SOLID, to_wxyz
from handhold.robots.unitree.errors import UnevenGround
from handhold.robots.unitree.motor_heat import MotorHeat, StandInHealth
from handhold.robots.unitree.motor_reading import MotorReading
from handhold.robots.unitree.stand_in_file import TIMESTEP, find_shapes, load_stand_in
from handhold.robots.unitree.stand_in_model import StandInModel
from handhold.robots.unitree.stand_in_motors import MotorFlaws, Motors
from handhold.robots.worlds import World

HOIST, HOIST_DAMPING = (2e4, 500.0), (500.0, 50.0)
"""Stiffness and damping of the hoist that holds its base: [N/m, Nm/rad], [Ns/m, Nms/rad]."""

LEVEL = 0.01
"""How far its soles may be from one height in the beginning [m]."""

_BASE = 6


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Stand:
    """How a robot stands in the beginning.

    Attributes:
        joints: Joint positions by name [rad]; of joints not named 0.
        x: Where its base is in world [m].
        y: Likewise [m].
        heading: About the vertical [rad].
        ground: Height of the ground under its soles [m].
        hung: How high its soles hang above it [m]; 0 where its hoist lets it down once it is commanded.
    """

    joints: Mapping[str, float]
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    ground: float = 0.0
    hung: float = 0.0

    @classmethod
    def of(cls, model: RobotModel, q: np.ndarray) -> Stand:
        """Return how a robot stands in a configuration of ours, shape ``(nq,)``.

        Raises:
            UnevenGround: Its soles are not at one height.
        """
        heights = [float(pose[2, 3]) for pose, e in zip(model.effector_poses(q), model.effectors, strict=True) if e.standing]
        if max(heights) - min(heights) > LEVEL:
            raise UnevenGround(max(heights) - min(heights))
        heading = float(pin.rpy.matrixToRpy(pin.XYZQUATToSE3(q[:7]).rotation)[2])
        joints = dict(zip(model.joint_names, q[7:].tolist(), strict=True))
        return cls(joints=joints, x=float(q[0]), y=float(q[1]), heading=heading, ground=min(heights))


class StandInBody:
    """The physics of a robot that stands in, motor by motor.

    Attributes:
        robot: What the protocol has of the robot.
        joint_names: Of its motors, in the order of the file.
        motors: What they do.
        heat: How warm they are.
        voltage: Of their supply [V].
        hoisted: Part of the hoist that holds its base where it began, 0 to 1 [-].
        hangs: Whether its hoist never lets it down.
    """

    def __init__(
        self,
        source: StandInModel,
        stand: Stand,
        world: World,
        random: np.random.Generator,
        flaws: MotorFlaws | None = None,
        health: StandInHealth | None = None,
    ) -> None:
        """Put a robot on the ground.

        Args:
            source: What stands in.
            stand: How it stands in the beginning.
            world: What is around it; a floor of the file's own does not count.
            random: Biases and noise.
            flaws: Of its motors.
            health: How warm they are, and their supply.

        Raises:
            DescriptionError: The file cannot be read, or has a joint without a largest torque, or not one that is to be hot.
        """
        self.robot = source.robot
        self._model = model = load_stand_in(source, world)
        hinges = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
        self.joint_names = tuple(model.joint(j).name for j in hinges)
        self._positions, self._dofs = model.jnt_qposadr[hinges], model.jnt_dofadr[hinges]
        limits = model.jnt_actfrcrange[hinges, 1].copy()
        if not (hinges and (limits > 0.0).all()):
            limp = next((self.joint_names[k] for k in np.flatnonzero(limits <= 0.0)), "any joint")
            problem = f"no actuatorfrcrange of {limp}, which is what its motor can give"
            raise DescriptionError(str(source.file), "", problem, "take a model with hinges that have one")
        self._base = int(model.jnt_bodyid[np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)[0]])
        self.motors = Motors(limits, flaws or MotorFlaws(), random)
        model.dof_frictionloss[self._dofs] = self.motors.flaws.friction * limits
        model.dof_armature[self._dofs] = self.motors.flaws.rotor_inertia * limits
        health = health or StandInHealth()
        self.heat = MotorHeat(self.joint_names, health.hot)
        self.voltage = source.robot.full if health.voltage is None else health.voltage
        self._mount, self._soles = source.robot.unit, find_shapes(model, source.soles)
        self._data = mujoco.MjData(model)
        # How hard friction can be follows from what each joint moves, rotors included: without them a light ankle crept up to
        # 1.3 rad/s under what was to be Coulomb friction.
        mujoco.mj_setConst(model, self._data)
        self._stand(stand)
        self.hoisted, self._hung_at = 1.0, self.find_pose(self._base)
        self.hangs = stand.hung > 0.0
        self._unit = InertialUnit(self._find_unit(), InertialNoise(), random)
        self._sample = self._unit.measure(0.0, self._find_unit(), TIMESTEP)

    @property
    def time(self) -> float:
        """Since it began [s]."""
        return float(self._data.time)

    @property
    def base_height(self) -> float:
        """Height of its base above the world's origin [m]."""
        return float(self._data.qpos[2])

    @property
    def base_position(self) -> np.ndarray:
        """Position of its base seen from above, in world, shape ``(2,)`` [m]."""
        return self._data.qpos[:2].copy()

    @property
    def mass(self) -> float:
        """All it weighs [kg]."""
        return float(self._model.body_subtreemass[self._base])

    @property
    def q(self) -> np.ndarray:
        """Where it truly is: base in world, quaternion xyzw, joints, shape ``(7 + n,)``."""
        qpos = self._data.qpos
        return np.concatenate([qpos[:3], qpos[[4, 5, 6, 3]], qpos[self._positions]])

    @property
    def v(self) -> np.ndarray:
        """Its true velocity: of the base in the base's frame, and of the joints, shape ``(6 + n,)``."""
        velocity = self._data.qvel
        linear = self.find_pose(self._base)[:3, :3].T @ velocity[:3]
        return np.concatenate([linear, velocity[3:_BASE], velocity[self._dofs]])

    @property
    def joint_positions(self) -> np.ndarray:
        """Where its joints truly are, shape ``(n,)`` [rad]."""
        return np.asarray(self._data.qpos[self._positions])

    def _stand(self, stand: Stand) -> None:
        """Put it into a posture, with its lowest sole on the ground, or above it."""
        data, model = self._data, self._model
        data.qpos[self._positions] = [stand.joints.get(name, 0.0) for name in self.joint_names]
        data.qpos[:3] = stand.x, stand.y, 0.0
        data.qpos[3:7] = to_wxyz(pin.rpy.rpyToMatrix(0.0, 0.0, stand.heading))
        mujoco.mj_forward(model, data)
        spheres = [g for g in self._soles if model.geom_contype[g] and model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE]
        lowest = min((float(data.geom_xpos[g, 2] - model.geom_size[g, 0]) for g in spheres), default=0.0)
        data.qpos[2] = stand.ground + stand.hung - lowest
        mujoco.mj_forward(model, data)

    def raise_hoist(self, height: float) -> None:
        """Raise where the hoist holds its base [m]."""
        self._hung_at = self._hung_at.copy()
        self._hung_at[2, 3] += height

    def hang_up(self) -> None:
        """Let the hoist hold its base where it is now, for good."""
        self.hoisted, self.hangs, self._hung_at = 1.0, True, self._find_base()

    def command(self, command: JointCommand) -> None:
        """Take a command, which is there after the delay."""
        self.motors.command(command, self.time)

    def obey(self, command: JointCommand) -> None:
        """Do at once what the robot itself asks of its motors, whatever has been commanded."""
        self.motors.obey(command, self.time)

    def advance(self, duration: float) -> None:
        """Go on for a time, a multiple of the physics' step [s]; what pushes it does so for that time."""
        data = self._data
        for _ in range(round(duration / TIMESTEP)):
            q, v = data.qpos[self._positions], data.qvel[self._dofs]
            data.qfrc_applied[self._dofs] = self.motors.follow(q, v, self.time, TIMESTEP)
            data.qfrc_applied[:_BASE] = self._pull_up() if self.hoisted > 0.0 else 0.0
            mujoco.mj_step(self._model, data)
        # A unit tells what has turned and pushed it since it told last. Its rate in the last step alone was off by 70 mrad/s
        # while drives that are commanded every other step shook the robot: the estimate of its attitude by 3 degrees.
        self._sample = self._unit.measure(self.time, self._find_unit(), duration)
        self.heat.advance(self.motors.told / self.motors.limits, duration)
        data.xfrc_applied[:] = 0.0

    def push(self, force: np.ndarray, joint: str, point: np.ndarray) -> None:
        """Push with a force in world, shape ``(3,)`` [N], at a point of a joint's body until it has been advanced.

        Args:
            force: In world axes.
            joint: Name of the joint; empty for the base.
            point: In the body's frame, shape ``(3,)`` [m].
        """
        body = self.find_body(joint)
        arm = self.find_pose(body)[:3, :3] @ (point - self._model.body_ipos[body])
        self._data.xfrc_applied[body] += np.concatenate([force, np.cross(arm, force)])

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Push a solid of the world with a force in world, shape ``(3,)`` [N], until it has been advanced."""
        self._data.xfrc_applied[self._model.body(f"{SOLID}{index}").id, :3] += force

    def shift_solid(self, displacement: np.ndarray, index: int) -> None:
        """Shift a fixed solid of the world at once, shape ``(3,)`` [m]."""
        self._model.body(f"{SOLID}{index}").pos += displacement

    def find_body(self, joint: str) -> int:
        """Return the body that a joint moves; the base for an empty name."""
        return int(self._model.joint(joint).bodyid[0]) if joint else self._base

    def find_pose(self, body: int) -> np.ndarray:
        """Return the pose of a body in world as of the last step, shape ``(4, 4)``."""
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = self._data.xmat[body].reshape(3, 3), self._data.xpos[body]
        return pose

    def find_solid_poses(self, count: int) -> np.ndarray:
        """Return the poses of the world's solids, shape ``(count, 4, 4)``."""
        return np.array([self.find_pose(self._model.body(f"{SOLID}{i}").id) for i in range(count)]).reshape(-1, 4, 4)

    def measure_wrench(self, body: int, frame: np.ndarray) -> np.ndarray:
        """Measure what touches a body, and what is fixed to it, exerts on it.

        Args:
            body: The body.
            frame: Pose of a frame in world, shape ``(4, 4)``.

        Returns:
            Wrench at the frame's origin along its axes, shape ``(6,)`` [N, Nm].
        """
        model, data = self._model, self._data
        total, local = np.zeros(6), np.zeros(6)
        for k in range(data.ncon):
            contact = data.contact[k]
            touched = [model.body_weldid[model.geom_bodyid[geom]] == body for geom in (contact.geom1, contact.geom2)]
            if contact.efc_address < 0 or not any(touched):
                continue
            mujoco.mj_contactForce(model, data, k, local)
            # MuJoCo's force is what the first geom exerts on the second.
            force = (1.0 if touched[1] else -1.0) * contact.frame.reshape(3, 3).T @ local[:3]
            total += np.concatenate([force, np.cross(contact.pos - frame[:3, 3], force)])
        return np.concatenate([frame[:3, :3].T @ total[:3], frame[:3, :3].T @ total[3:]])

    def _pull_up(self) -> np.ndarray:
        """Return with what the hoist holds the base: force in world, moment in its axes, shape ``(6,)`` [N, Nm]."""
        here, velocity = self._find_base(), self._data.qvel[:_BASE]
        shift = self._hung_at[:3, 3] - here[:3, 3]
        turn = pin.log3(here[:3, :3].T @ self._hung_at[:3, :3])
        pull = np.concatenate([HOIST[0] * shift, HOIST[1] * turn])
        return np.asarray(self.hoisted * (pull - np.repeat(HOIST_DAMPING, 3) * velocity))

    def read(self) -> MotorReading:
        """Return what its sensors have of it now."""
        data = self._data
        positions, velocities = self.motors.encode(data.qpos[self._positions], data.qvel[self._dofs])
        return MotorReading(
            time=self.time,
            positions=positions,
            velocities=velocities,
            torques=self.motors.told.copy(),
            temperatures=self.heat.temperatures.copy(),
            voltages=np.full(len(self._dofs), self.voltage),
            angular_velocity=self._sample.angular_velocity,
            specific_force=self._sample.specific_force,
            quaternion=pin.Quaternion(self._find_unit()[:3, :3]).coeffs(),
        )

    def _find_base(self) -> np.ndarray:
        """Return the pose of the base now; bodies' poses are those from before the last step."""
        pose, rotation = np.eye(4), np.zeros(9)
        mujoco.mju_quat2Mat(rotation, self._data.qpos[3:7])
        pose[:3, :3], pose[:3, 3] = rotation.reshape(3, 3), self._data.qpos[:3]
        return pose

    def _find_unit(self) -> np.ndarray:
        """Return the pose of its inertial unit now."""
        joint = self._mount.joint
        angle = float(self._data.qpos[self._model.joint(joint).qposadr[0]]) if joint else 0.0
        return self._find_base() @ self._mount.place(angle)
