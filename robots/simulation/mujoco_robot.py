"""A robot simulated by MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import pinocchio as pin
from numba import njit

from handhold.robots.model import RobotModel
from handhold.robots.robot import COMMAND_TIMEOUT, CONTROL_PERIOD, JointCommand, RobotState
from handhold.robots.simulation.actuation import (
    compute_damping_gains,
    compute_damping_torques,
    compute_motor_torques,
    take_closings,
)
from handhold.robots.simulation.fingers import Fingers, separate_fingers
from handhold.robots.simulation.links import Link, Shape, build_links, count_steps, find_link
from handhold.robots.simulation.mechanics import AS_MODELLED, Mechanics
from handhold.robots.simulation.mujoco_world import (
    CLOSED_FINGER,
    CONTACT_SOLREF,
    GEOM_TYPES,
    ROBOT,
    SOLID,
    add_world,
    pad,
    set_physics,
    to_wxyz,
)
from handhold.robots.simulation.pushes import SensedPushes
from handhold.robots.simulation.tools import hold_tools
from handhold.robots.worlds import World, shift_solid


class MujocoRobot:
    """A robot in MuJoCo (see ``SimulatedRobot``).

    The contact wrenches are those of the last time step; right after ``reset`` those without any motor torque.

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
        self._fingers = Fingers.build(model, world)
        links = separate_fingers(hold_tools(build_links(model, mechanics), model, world), self._fingers)
        self._mujoco = _build_spec(model, links, world, timestep).compile()
        self._data = mujoco.MjData(self._mujoco)
        self._present_data = mujoco.MjData(self._mujoco)
        self._steps = self._commanded_until = 0
        self._torques = np.zeros(model.n)
        self._pushed, self._sensed_pushes = False, SensedPushes(model)
        self._take_views(links)
        self.reset(model.q_nominal)

    def _take_views(self, links: Sequence[Link]) -> None:
        """Take the views and index arrays the control period uses: taking them costs as much as using them."""
        physics, data = self._mujoco, self._data
        joints = [physics.joint(name).id for name in self.model.joint_names]
        self._q_addresses = physics.jnt_qposadr[joints].astype(np.int64)
        self._v_addresses = physics.jnt_dofadr[joints].astype(np.int64)
        sites = [physics.site(f"effector {i}").id for i in range(len(self.model.effectors))]
        self._sites = np.array(sites, dtype=np.int64)
        self._geom_effectors = np.full(physics.ngeom, -1)
        for link in links:
            for number, shape in enumerate(link.shapes):
                self._geom_effectors[physics.geom(_name_shape(link, number)).id] = shape.effector
        fingers = [physics.joint(link.name).id for link in self._fingers.links]
        self._finger_q, self._finger_v = physics.jnt_qposadr[fingers], physics.jnt_dofadr[fingers]
        bodies = [physics.body(link.name).id for link in self._fingers.links]
        of_fingers = [np.flatnonzero(physics.geom_bodyid == body) for body in bodies]
        self._finger_geoms = np.concatenate(of_fingers) if of_fingers else np.zeros(0, dtype=np.int64)
        self._geom_grippers = np.repeat(self._fingers.grippers, [len(geoms) for geoms in of_fingers])
        self._tips = np.array([physics.geom(f"effector {hand}").id for hand in self._fingers.hands], dtype=np.int64)
        self._links = [physics.body(name).id for name in (self.model.pinocchio.names[1], *self.model.joint_names)]
        self._qpos, self._qvel = data.qpos, data.qvel
        self._site_positions, self._site_rotations = data.site_xpos, data.site_xmat

    def reset(self, q: np.ndarray) -> RobotState:
        """Put robot and world back to time 0 with the robot at rest in configuration ``q``, shape ``(nq,)``."""
        mujoco.mj_resetData(self._mujoco, self._data)
        self._place_base(q)
        self._qpos[self._q_addresses] = q[7:]
        self._torques = np.zeros(self.model.n)
        self._closings = np.ones(len(self.description.grippers))
        if self._fingers.links:
            self._qpos[self._finger_q] = self._fingers.strokes
            self._open = np.ones(len(self._fingers.hands), dtype=np.bool_)
            self._choose_contacts(~self._open)
        self._pushed = False
        self._sensed_pushes.forget()
        self._steps = 0
        self._wait_for_commands()
        mujoco.mj_forward(self._mujoco, self._data)
        return self.read()

    def _place_base(self, q: np.ndarray) -> None:
        """Put the base where a configuration has it; one that is bolted down is a part of the world."""
        if self.description.is_fixed:
            base = self._links[0]
            self._mujoco.body_pos[base], self._mujoco.body_quat[base] = q[:3], q[[6, 3, 4, 5]]
            self._fixed_base = q[:7].copy()
        else:
            self._qpos[:3], self._qpos[3:7] = q[:3], q[[6, 3, 4, 5]]

    @property
    def truth(self) -> RobotState:
        """Its state as it is: the same as is read."""
        return self.read()

    def read(self) -> RobotState:
        """Return the present state."""
        q, v = self._read_motion()
        wrenches = np.zeros((len(self._sites), 6))
        if self._data.ncon:
            contact = self._data.contact
            _add_contact_wrenches(
                contact.geom,
                contact.pos,
                contact.frame,
                contact.efc_address,
                self._data.efc_force,
                self._geom_effectors,
                self._sites,
                self._site_positions,
                self._site_rotations,
                wrenches,
            )
        if self._sensed_pushes:
            self._sensed_pushes.add_to(wrenches, self._site_rotations.reshape(-1, 3, 3))
        closings, forces = self._fingers.measure(self._closings, self._qpos[self._finger_q], self._qvel[self._finger_v])
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

    def _read_motion(self) -> tuple[np.ndarray, np.ndarray]:
        if self.description.is_fixed:
            return (
                np.concatenate([self._fixed_base, self._qpos[self._q_addresses]]),
                np.concatenate([np.zeros(6), self._qvel[self._v_addresses]]),
            )
        q, v = np.empty(self.model.nq), np.empty(self.model.nv)
        _read_motion(self._qpos, self._qvel, self._q_addresses, self._v_addresses, q, v)
        return q, v

    def send(self, command: JointCommand) -> np.ndarray:
        """Set the torques of the next control period and return them, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: The command has a NaN or an infinity in it; the torques stay as they were.
        """
        q, v = self._qpos[self._q_addresses], self._qvel[self._v_addresses]
        torques = compute_motor_torques(command, q, v, self.model.motor_torques)
        self._closings = take_closings(command, self._closings)
        self._apply(torques)
        self._wait_for_commands()
        return torques

    def _apply(self, torques: np.ndarray) -> None:
        torques.flags.writeable = False
        self._data.qfrc_applied[self._v_addresses] = torques
        self._torques = torques

    def _wait_for_commands(self) -> None:
        self._commanded_until = self._steps + round(COMMAND_TIMEOUT / self.timestep)

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s], a multiple of the time step, under the last command sent, then damped.

        Raises:
            TimeStepMismatch: ``dt`` is no multiple of the time step.
        """
        steps = count_steps(dt, self.timestep)
        commanded = min(steps, max(0, self._commanded_until - self._steps))
        self._step(commanded)
        for _ in range(steps - commanded):
            self._apply(compute_damping_torques(self._damping, self._qvel[self._v_addresses], self.model.motor_torques))
            self._step(1)
        self._steps += steps
        self._sensed_pushes.end_period()
        if self._pushed:
            self._data.xfrc_applied[:] = 0.0
            self._pushed = False

    def _step(self, steps: int) -> None:
        if not self._fingers.links:
            mujoco.mj_step(self._mujoco, self._data, steps)
            return
        for _ in range(steps):
            x, v = self._qpos[self._finger_q], self._qvel[self._finger_v]
            self._data.qfrc_applied[self._finger_v] = self._fingers.compute_forces(self._closings, x, v)
            self._choose_contacts(self._fingers.find_open_grippers(x))
            mujoco.mj_step(self._mujoco, self._data)

    def _choose_contacts(self, is_open: np.ndarray) -> None:
        """Let the fingers of open grippers touch what is there, and the tips of closed ones."""
        if (is_open == self._open).all():
            return
        self._open = is_open
        contact_types = self._mujoco.geom_contype
        contact_types[self._tips] = np.where(is_open, 0, ROBOT)
        contact_types[self._finger_geoms] = np.where(is_open[self._geom_grippers], ROBOT, CLOSED_FINGER)

    def push(self, force: np.ndarray, frame: str) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a frame's origin during the next ``advance``.

        Raises:
            FrameNotFound: The URDF has no such frame.
        """
        link, placement = find_link(self.model, frame)
        body = self._links[link]
        rotation = self._data.xmat[body].reshape(3, 3)
        arm = rotation @ (placement.translation - self._mujoco.body_ipos[body])
        self._data.xfrc_applied[body] += np.concatenate([force, np.cross(arm, force)])
        self._pushed = True
        self._sensed_pushes.add(force, link, placement)

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a movable solid's middle during the next ``advance``."""
        body = self._mujoco.body(f"{SOLID}{index}").id
        # Of a solid by itself the centre of mass is its middle.
        self._data.xfrc_applied[body, :3] += force
        self._pushed = True

    def effector_poses(self) -> np.ndarray:
        """Return the poses of the contact frames in world by the engine's own kinematics, shape ``(effectors, 4, 4)``."""
        data = self._update_kinematics()
        poses = np.tile(np.eye(4), (len(self._sites), 1, 1))
        poses[:, :3, 3] = data.site_xpos[self._sites]
        poses[:, :3, :3] = data.site_xmat[self._sites].reshape(-1, 3, 3)
        return poses

    def solid_poses(self) -> np.ndarray:
        """Return the present poses of the world's solids, shape ``(solids, 4, 4)``."""
        data = self._update_kinematics()
        bodies = [self._mujoco.body(f"{SOLID}{i}").id for i in range(len(self.world.solids))]
        poses = np.tile(np.eye(4), (len(bodies), 1, 1))
        poses[:, :3, 3] = data.xpos[bodies]
        poses[:, :3, :3] = data.xmat[bodies].reshape(-1, 3, 3)
        return poses

    def shift_solid(self, index: int, displacement: np.ndarray) -> None:
        """Shift a fixed solid of the world at once, by a displacement in world, shape ``(3,)`` [m]; ``world`` says so."""
        self._mujoco.body(f"{SOLID}{index}").pos += displacement
        self.world = shift_solid(self.world, index, displacement)

    def close(self) -> None:
        """Nothing to release: MuJoCo's memory goes with the object."""

    def _update_kinematics(self) -> mujoco.MjData:
        """Return the kinematics at the present state; a step leaves those from before it, which the wrenches belong to."""
        self._present_data.qpos[:] = self._qpos
        mujoco.mj_kinematics(self._mujoco, self._present_data)
        return self._present_data


@njit(cache=True)
def _read_motion(
    qpos: np.ndarray, qvel: np.ndarray, q_addresses: np.ndarray, v_addresses: np.ndarray, q: np.ndarray, v: np.ndarray
) -> None:
    """Convert MuJoCo's state (quaternion wxyz, base velocity in world axes, rate in base axes) to Pinocchio's."""
    w, x, y, z = qpos[3], qpos[4], qpos[5], qpos[6]
    q[0], q[1], q[2] = qpos[0], qpos[1], qpos[2]
    q[3], q[4], q[5], q[6] = x, y, z, w
    a, b, c = qvel[0], qvel[1], qvel[2]
    v[0] = (1 - 2 * (y * y + z * z)) * a + 2 * (x * y + w * z) * b + 2 * (x * z - w * y) * c
    v[1] = 2 * (x * y - w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z + w * x) * c
    v[2] = 2 * (x * z + w * y) * a + 2 * (y * z - w * x) * b + (1 - 2 * (x * x + y * y)) * c
    v[3], v[4], v[5] = qvel[3], qvel[4], qvel[5]
    for i in range(q_addresses.shape[0]):
        q[7 + i] = qpos[q_addresses[i]]
        v[6 + i] = qvel[v_addresses[i]]


@njit(cache=True)
def _add_contact_wrenches(
    geoms: np.ndarray,
    points: np.ndarray,
    frames: np.ndarray,
    addresses: np.ndarray,
    forces: np.ndarray,
    geom_effectors: np.ndarray,
    sites: np.ndarray,
    site_positions: np.ndarray,
    site_rotations: np.ndarray,
    wrenches: np.ndarray,
) -> None:
    """Add up the contact forces (elliptic cones: normal and two tangents, rows of ``frames``) at the contact frames."""
    for k in range(geoms.shape[0]):
        at = addresses[k]
        first, second = geom_effectors[geoms[k, 0]], geom_effectors[geoms[k, 1]]
        if at < 0 or (first < 0 and second < 0):
            continue
        # MuJoCo's contact force acts on the second geom.
        effector, sign = (second, 1.0) if second >= 0 else (first, -1.0)
        site, frame = sites[effector], frames[k]
        force = np.empty(3)
        for i in range(3):
            force[i] = sign * (frame[i] * forces[at] + frame[3 + i] * forces[at + 1] + frame[6 + i] * forces[at + 2])
        moment = np.cross(points[k] - site_positions[site], force)
        for i in range(3):
            for j in range(3):
                # site_rotations is contact frame to world: its transpose takes the wrench into the contact frame.
                wrenches[effector, i] += site_rotations[site, 3 * j + i] * force[j]
                wrenches[effector, 3 + i] += site_rotations[site, 3 * j + i] * moment[j]


def _build_spec(model: RobotModel, links: Sequence[Link], world: World, timestep: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    set_physics(spec, timestep)
    bodies: list[mujoco.MjsBody] = []
    for link in links:
        bodies.append(_add_link(spec, bodies, link, floats=not model.description.is_fixed))
    for index, joint in enumerate(model.effector_joints):
        pose = pin.SE3(model.effector_placements[index])
        bodies[joint - 1].add_site(name=f"effector {index}", pos=pose.translation, quat=to_wxyz(pose.rotation))
    add_world(spec, world)
    return spec


def _add_link(spec: mujoco.MjSpec, bodies: list[mujoco.MjsBody], link: Link, *, floats: bool) -> mujoco.MjsBody:
    parent = spec.worldbody if link.parent < 0 else bodies[link.parent]
    body = parent.add_body(
        name=link.name,
        pos=link.placement.translation,
        quat=to_wxyz(link.placement.rotation),
        mass=link.mass,
        ipos=link.inertia.translation,
        iquat=to_wxyz(link.inertia.rotation),
        inertia=link.principal_inertia,
        explicitinertial=True,
    )
    if link.parent < 0 and floats:
        body.add_freejoint()
    elif link.parent >= 0:
        kind = mujoco.mjtJoint.mjJNT_SLIDE if link.slides else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(
            name=link.name,
            type=kind,
            axis=link.axis,
            range=[link.lower, link.upper],
            frictionloss=link.friction,
            armature=link.rotor_inertia,
        )
    for number, shape in enumerate(link.shapes):
        _add_shape(spec, body, shape, _name_shape(link, number))
    return body


def _name_shape(link: Link, number: int) -> str:
    """Return the name of a link's shape: the first of an effector is the effector's own, others are tools that it holds."""
    effector = link.shapes[number].effector
    first = effector not in (shape.effector for shape in link.shapes[:number])
    return f"effector {effector}" if effector >= 0 and first else f"{link.name} {number}"


def _add_shape(spec: mujoco.MjSpec, body: mujoco.MjsBody, shape: Shape, name: str) -> None:
    if shape.vertices is not None:
        spec.add_mesh(name=name, uservert=shape.vertices.ravel(), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
    body.add_geom(
        name=name,
        type=GEOM_TYPES[shape.kind],
        size=pad(shape.size),
        meshname=name if shape.vertices is not None else "",
        pos=shape.placement.translation,
        quat=to_wxyz(shape.placement.rotation),
        contype=ROBOT,
        conaffinity=0,
        # The larger coefficient of two geoms counts: this leaves the choice to what the robot touches.
        friction=[1e-5, 0.0, 0.0],
        solref=CONTACT_SOLREF,
    )
