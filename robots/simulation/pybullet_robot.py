"""A robot simulated by PyBullet."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin
import pybullet as bullet
from numba import njit

from handhold.robots.contact_kind import ContactKind
from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.robot import COMMAND_TIMEOUT, CONTROL_PERIOD, JointCommand, RobotState
from handhold.robots.simulation.actuation import (
    compute_damping_gains,
    compute_damping_torques,
    compute_motor_torques,
    take_closings,
)
from handhold.robots.simulation.fingers import Fingers, separate_fingers
from handhold.robots.simulation.links import build_links, count_steps, find_link
from handhold.robots.simulation.links_urdf import write_urdf
from handhold.robots.simulation.mechanics import AS_MODELLED, Mechanics
from handhold.robots.simulation.pushes import SensedPushes
from handhold.robots.simulation.pybullet_world import add_floor, add_solids
from handhold.robots.simulation.tools import hold_tools
from handhold.robots.worlds import World, shift_solid

_BASE = -1

# Hands and ball feet have pads [N/m], [Ns/m]. A hand that is as hard as the wall bounces off it every other millisecond when
# the torques change at all, and creeps.
_PAD_STIFFNESS, _PAD_DAMPING = 1e5, 300.0


class PybulletRobot:
    """A robot in PyBullet (see ``SimulatedRobot``).

    Friction coefficients multiply in Bullet: the robot's are 1, so that those of the world count. The contact wrenches are
    those of the last time step, none right after ``reset``.

    Attributes:
        description: What the robot is.
        model: Its kinematics and dynamics.
        world: What is around it.
        timestep: Step of the physics [s].
        period: Control period at which it is driven [s].
        is_truthful: What it measures is its state as it is.
    """

    period, is_truthful = CONTROL_PERIOD, True

    def __init__(self, model: RobotModel, world: World, *, timestep: float = 1e-3, mechanics: Mechanics = AS_MODELLED) -> None:
        self.description = model.description
        self.model = model
        self.world = world
        self.timestep = timestep
        self._damping = compute_damping_gains(model, timestep)
        self._folder = tempfile.TemporaryDirectory(prefix="handhold-")
        self._fingers = Fingers.build(model, world)
        links = separate_fingers(hold_tools(build_links(model, mechanics), model, world), self._fingers)
        self._urdf = write_urdf(links, Path(self._folder.name))
        self._friction = [link.friction for link in links[1:]]
        self._client: int = bullet.connect(bullet.DIRECT)
        self._effector_links = np.array(model.effector_joints) - 2
        self._on_base = bool(np.any(self._effector_links == _BASE))
        self._can_touch_movable = any(solid.mass is not None for solid in world.solids)
        self._joints = list(range(model.n))
        self._finger_joints = list(range(model.n, len(links) - 1))
        self.reset(model.q_nominal)

    def reset(self, q: np.ndarray) -> RobotState:
        """Put robot and world back to time 0 with the robot at rest in configuration ``q``, shape ``(nq,)``."""
        self._build()
        base = pin.XYZQUATToSE3(q[:7]) * pin.XYZQUATToSE3(self._inertia_to_base)
        bullet.resetBasePositionAndOrientation(
            self._robot, base.translation, pin.Quaternion(base.rotation).coeffs(), physicsClientId=self._client
        )
        for joint in self._joints:
            bullet.resetJointState(self._robot, joint, q[7 + joint], 0.0, physicsClientId=self._client)
        for joint, stroke in zip(self._finger_joints, self._fingers.strokes.tolist(), strict=True):
            bullet.resetJointState(self._robot, joint, stroke, 0.0, physicsClientId=self._client)
        self._closings = np.ones(len(self.description.grippers))
        self._open = np.ones(len(self._fingers.hands), dtype=np.bool_)
        self._choose_contacts(~self._open)
        self._steps = 0
        self._wait_for_commands()
        self._torques = np.zeros(self.model.n)
        self._pushes: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._solid_pushes: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._sensed_pushes = SensedPushes(self.model)
        self._joint_motion: tuple[np.ndarray, np.ndarray] | None = None
        return self.read()

    def _build(self) -> None:
        """Make everything anew: a matter of 20 ms, and nothing of the past (contact caches) is left."""
        client = self._client
        bullet.resetSimulation(physicsClientId=client)
        bullet.setGravity(0.0, 0.0, -GRAVITY, physicsClientId=client)
        bullet.setPhysicsEngineParameter(
            fixedTimeStep=self.timestep, numSubSteps=0, deterministicOverlappingPairs=1, physicsClientId=client
        )
        self._floor = add_floor(client, self.world.floor)
        self._solids = add_solids(client, self.world)
        self._robot = _load_robot(client, self._urdf, self.model, self._friction)
        information = bullet.getDynamicsInfo(self._robot, _BASE, physicsClientId=client)
        # Bullet's base is the frame of the principal inertia at the centre of mass, ours the link's.
        self._inertia_to_base = np.array([*information[3], *information[4]])

    @property
    def truth(self) -> RobotState:
        """Its state as it is: the same as is read."""
        return self.read()

    def read(self) -> RobotState:
        """Return the present state."""
        q, v = np.empty(self.model.nq), np.empty(self.model.nv)
        q[7:], v[6:] = self._read_joints()
        self._read_base(q, v)
        wrenches = self._read_wrenches()
        closings, forces = self._fingers.measure(self._closings, *self._read_fingers())
        for array in (q, v, wrenches, closings, forces):
            array.flags.writeable = False
        return RobotState(
            time=self._steps * self.timestep,
            q=q,
            v=v,
            joint_torques=self._torques,
            contact_wrenches=wrenches,
            gripper_closings=closings,
            gripper_forces=forces,
        )

    def _read_fingers(self) -> tuple[np.ndarray, np.ndarray]:
        if not self._finger_joints:
            return np.zeros(0), np.zeros(0)
        states = bullet.getJointStates(self._robot, self._finger_joints, physicsClientId=self._client)
        return np.array([s[0] for s in states]), np.array([s[1] for s in states])

    def _read_base(self, q: np.ndarray, v: np.ndarray) -> None:
        position, quaternion = bullet.getBasePositionAndOrientation(self._robot, physicsClientId=self._client)
        linear, angular = bullet.getBaseVelocity(self._robot, physicsClientId=self._client)
        _convert_base(np.array([*position, *quaternion, *linear, *angular]), self._inertia_to_base, q, v)

    def _read_joints(self) -> tuple[np.ndarray, np.ndarray]:
        """Read the joints once a time step: ``read`` and ``send`` share what they found."""
        if self._joint_motion is None:
            states = bullet.getJointStates(self._robot, self._joints, physicsClientId=self._client)
            self._joint_motion = np.array([s[0] for s in states]), np.array([s[1] for s in states])
        return self._joint_motion

    def _read_wrenches(self) -> np.ndarray:
        wrenches = np.zeros((len(self._effector_links), 6))
        links, contacts = self._list_contacts()
        if links:
            _add_contact_wrenches(np.array(links), np.array(contacts), self._effector_links, self.effector_poses(), wrenches)
        if self._sensed_pushes:
            self._sensed_pushes.add_to(wrenches, self.effector_poses()[:, :3, :3])
        return wrenches

    def _list_contacts(self) -> tuple[list[int], list[tuple[float, ...]]]:
        """List the links that touch something, and where and how as ``_add_contact_wrenches`` has it.

        Of what Bullet lists for one body alone it turns the normals so that they point towards that body, but not the
        friction: of what can be moved, which comes first in a pair, friction would have the wrong sign.
        """
        if not self._can_touch_movable:
            contacts = bullet.getContactPoints(self._robot, physicsClientId=self._client)
            return [c[3] for c in contacts], [(*c[5], *c[7], c[9], c[10], *c[11], c[12], *c[13]) for c in contacts]
        links, rows = [], []
        for c in bullet.getContactPoints(physicsClientId=self._client):
            if self._robot in c[1:3]:
                sign, link, point = (1.0, c[3], c[5]) if c[1] == self._robot else (-1.0, c[4], c[6])
                links.append(link)
                rows.append((*point, *(sign * n for n in c[7]), c[9], sign * c[10], *c[11], sign * c[12], *c[13]))
        return links, rows

    def send(self, command: JointCommand) -> np.ndarray:
        """Set the torques of the next control period and return them, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: The command has a NaN or an infinity in it; the torques stay as they were.
        """
        positions, velocities = self._read_joints()
        torques = compute_motor_torques(command, positions, velocities, self.model.motor_torques)
        self._closings = take_closings(command, self._closings)
        self._apply(torques)
        self._wait_for_commands()
        return torques

    def _apply(self, torques: np.ndarray) -> None:
        torques.flags.writeable = False
        self._torques = torques

    def _wait_for_commands(self) -> None:
        self._commanded_until = self._steps + round(COMMAND_TIMEOUT / self.timestep)

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s], a multiple of the time step, under the last command sent, then damped.

        Raises:
            TimeStepMismatch: ``dt`` is no multiple of the time step.
        """
        torques = self._torques.tolist()
        for _ in range(count_steps(dt, self.timestep)):
            if self._steps >= self._commanded_until:
                self._apply(compute_damping_torques(self._damping, self._read_joints()[1], self.model.motor_torques))
                torques = self._torques.tolist()
            # Bullet forgets torques and forces with every step.
            bullet.setJointMotorControlArray(
                self._robot, self._joints, bullet.TORQUE_CONTROL, forces=torques, physicsClientId=self._client
            )
            self._drive_fingers()
            for link, force, point in self._pushes:
                bullet.applyExternalForce(self._robot, link, force, point, bullet.WORLD_FRAME, physicsClientId=self._client)
            for solid, force, point in self._solid_pushes:
                bullet.applyExternalForce(solid, _BASE, force, point, bullet.WORLD_FRAME, physicsClientId=self._client)
            bullet.stepSimulation(physicsClientId=self._client)
            self._steps += 1
            self._joint_motion = None
        self._pushes.clear()
        self._solid_pushes.clear()
        self._sensed_pushes.end_period()

    def _drive_fingers(self) -> None:
        if not self._finger_joints:
            return
        x, v = self._read_fingers()
        forces = self._fingers.compute_forces(self._closings, x, v).tolist()
        bullet.setJointMotorControlArray(
            self._robot, self._finger_joints, bullet.TORQUE_CONTROL, forces=forces, physicsClientId=self._client
        )
        self._choose_contacts(self._fingers.find_open_grippers(x))

    def _choose_contacts(self, is_open: np.ndarray) -> None:
        """Let the fingers of open grippers touch what is there, and the tips of closed ones."""
        if (is_open == self._open).all():
            return
        bodies = [solid.body for solid in self._solids]
        fixed = [body for body, solid in zip(bodies, self.world.solids, strict=True) if solid.mass is None]
        for k in np.flatnonzero(is_open != self._open).tolist():
            tip = int(self._effector_links[self._fingers.hands[k]])
            self._touch(tip, [self._floor, *bodies], touches=not is_open[k])
            for finger in np.array(self._finger_joints)[self._fingers.grippers == k].tolist():
                self._touch(finger, [self._floor, *fixed], touches=bool(is_open[k]))
        self._open = is_open

    def _touch(self, link: int, bodies: list[int], *, touches: bool) -> None:
        for body in bodies:
            bullet.setCollisionFilterPair(self._robot, body, link, _BASE, int(touches), physicsClientId=self._client)

    def push(self, force: np.ndarray, frame: str) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a frame's origin during the next ``advance``.

        Raises:
            FrameNotFound: The URDF has no such frame.
        """
        link, placement = find_link(self.model, frame)
        self._pushes.append((link - 1, np.array(force), self._link_pose(link - 1).act(placement.translation)))
        self._sensed_pushes.add(force, link, placement)

    def _link_pose(self, link: int) -> pin.SE3:
        if link == _BASE:
            q, v = np.empty(self.model.nq), np.empty(self.model.nv)
            self._read_base(q, v)
            return pin.XYZQUATToSE3(q[:7])
        state = bullet.getLinkState(self._robot, link, physicsClientId=self._client)
        return pin.XYZQUATToSE3(np.array([*state[4], *state[5]]))

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a movable solid's middle during the next ``advance``."""
        solid = self._solids[index]
        self._solid_pushes.append((solid.body, np.array(force), solid.measure_pose(self._client)[:3, 3]))

    def effector_poses(self) -> np.ndarray:
        """Return the poses of the contact frames in world by the engine's own kinematics, shape ``(effectors, 4, 4)``."""
        links = self._effector_links.tolist()
        if self._on_base:
            # Bullet does not count its base among the links.
            poses = np.array([pin.SE3ToXYZQUAT(self._link_pose(link)) for link in links])
        else:
            states = bullet.getLinkStates(self._robot, links, physicsClientId=self._client)
            poses = np.array([(*state[4], *state[5]) for state in states])
        return _place(poses, self.model.effector_placements)

    def solid_poses(self) -> np.ndarray:
        """Return the present poses of the world's solids, shape ``(solids, 4, 4)``."""
        return np.array([solid.measure_pose(self._client) for solid in self._solids]).reshape(-1, 4, 4)

    def shift_solid(self, index: int, displacement: np.ndarray) -> None:
        """Shift a fixed solid of the world at once, by a displacement in world, shape ``(3,)`` [m]; ``world`` says so."""
        body, client = self._solids[index].body, self._client
        position, orientation = bullet.getBasePositionAndOrientation(body, physicsClientId=client)
        bullet.resetBasePositionAndOrientation(body, np.add(position, displacement), orientation, physicsClientId=client)
        self.world = shift_solid(self.world, index, displacement)

    def close(self) -> None:
        """End the connection to the engine and remove its files."""
        if bullet.isConnected(physicsClientId=self._client):
            bullet.disconnect(physicsClientId=self._client)
        self._folder.cleanup()


@njit(cache=True)
def _to_rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion xyzw."""
    x, y, z, w = quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@njit(cache=True)
def _place(poses: np.ndarray, placements: np.ndarray) -> np.ndarray:
    """Return the poses (position, quaternion xyzw) of links times placements in them, homogeneous."""
    placed = np.zeros(placements.shape)
    for k in range(poses.shape[0]):
        rotation = _to_rotation(poses[k, 3:])
        for i in range(3):
            placed[k, i, 3] = poses[k, i]
            for j in range(4):
                for m in range(3):
                    placed[k, i, j] += rotation[i, m] * placements[k, m, j]
        placed[k, 3, 3] = 1.0
    return placed


@njit(cache=True)
def _convert_base(base: np.ndarray, inertia_to_base: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
    """Convert the motion of Bullet's base (frame of its inertia, velocities in world axes) to Pinocchio's.

    Args:
        base: Position, quaternion xyzw, linear and angular velocity of the inertia's frame in world, shape ``(13,)``.
        inertia_to_base: Position and quaternion of that frame in the base's, shape ``(7,)``.
        q: Configuration to fill in, shape ``(nq,)``.
        v: Velocity to fill in, shape ``(nv,)``.
    """
    ax, ay, az, aw = base[3], base[4], base[5], base[6]
    bx, by, bz, bw = -inertia_to_base[3], -inertia_to_base[4], -inertia_to_base[5], inertia_to_base[6]
    q[3] = aw * bx + ax * bw + ay * bz - az * by
    q[4] = aw * by - ax * bz + ay * bw + az * bx
    q[5] = aw * bz + ax * by - ay * bx + az * bw
    q[6] = aw * bw - ax * bx - ay * by - az * bz
    rotation = _to_rotation(q[3:7])
    arm = np.zeros(3)
    for i in range(3):
        for j in range(3):
            arm[i] -= rotation[i, j] * inertia_to_base[j]
    linear = base[7:10] + np.cross(base[10:13], arm)
    for i in range(3):
        q[i] = base[i] + arm[i]
        v[i] = rotation[0, i] * linear[0] + rotation[1, i] * linear[1] + rotation[2, i] * linear[2]
        v[3 + i] = rotation[0, i] * base[10] + rotation[1, i] * base[11] + rotation[2, i] * base[12]


@njit(cache=True)
def _add_contact_wrenches(
    links: np.ndarray, contacts: np.ndarray, effector_links: np.ndarray, poses: np.ndarray, wrenches: np.ndarray
) -> None:
    """Add up the forces of contact points at the contact frames.

    Args:
        links: Link of the robot that each point is on, shape ``(k,)``.
        contacts: Point, normal towards the robot, normal force, then twice a friction force and its direction, ``(k, 15)``.
        effector_links: Link that carries each effector, shape ``(effectors,)``.
        poses: Poses of the contact frames in world, shape ``(effectors, 4, 4)``.
        wrenches: Wrenches to add to, shape ``(effectors, 6)``.
    """
    for k in range(links.shape[0]):
        effector = -1
        nearest = np.inf
        for e in range(effector_links.shape[0]):
            # Two effectors on one link: Bullet does not tell its shapes apart, so the nearer one it is.
            distance = np.sum((contacts[k, :3] - poses[e, :3, 3]) ** 2)
            if effector_links[e] == links[k] and distance < nearest:
                effector, nearest = e, distance
        if effector < 0:
            continue
        c = contacts[k]
        force = c[6] * c[3:6] + c[7] * c[8:11] + c[11] * c[12:15]
        moment = np.cross(c[:3] - poses[effector, :3, 3], force)
        for i in range(3):
            for j in range(3):
                # The pose is contact frame to world: its transpose takes the wrench into the contact frame.
                wrenches[effector, i] += poses[effector, j, i] * force[j]
                wrenches[effector, 3 + i] += poses[effector, j, i] * moment[j]


def _load_robot(client: int, urdf: Path, model: RobotModel, friction: list[float]) -> int:
    flags = bullet.URDF_USE_INERTIA_FROM_FILE | bullet.URDF_MAINTAIN_LINK_ORDER
    robot: int = bullet.loadURDF(str(urdf), flags=flags, useFixedBase=model.description.is_fixed, physicsClientId=client)
    joints = list(range(len(friction)))
    for link in (_BASE, *joints):
        bullet.changeDynamics(
            robot,
            link,
            lateralFriction=1.0,
            linearDamping=0.0,
            angularDamping=0.0,
            jointDamping=0.0,
            physicsClientId=client,
        )
    for joint, effector in zip(model.effector_joints, model.effectors, strict=True):
        if effector.contact is ContactKind.PLANE:
            # Friction that is a speed held at zero lets a foot turn by half a degree a minute with no moment on it at all.
            bullet.changeDynamics(robot, joint - 2, frictionAnchor=1, physicsClientId=client)
        if effector.contact is ContactKind.POINT:
            bullet.changeDynamics(
                robot,
                joint - 2,
                contactStiffness=_PAD_STIFFNESS,
                contactDamping=_PAD_DAMPING,
                physicsClientId=client,
            )
    # Every joint begins with a motor that holds it still, as hard as one likes: as hard as Coulomb friction does.
    bullet.setJointMotorControlArray(robot, joints, bullet.VELOCITY_CONTROL, forces=friction, physicsClientId=client)
    return robot
