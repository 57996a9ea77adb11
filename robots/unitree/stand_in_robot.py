"""A robot that stands in for a real one, in lockstep: its time is ours, and all else as by its maker's protocol.

What drives it sees what ``UnitreeRobot`` makes of it; what judges it sees the truth, in our own model's coordinates.
"""

from __future__ import annotations

import numpy as np

from handhold.robots.model import RobotModel
from handhold.robots.robot import JointCommand, RobotState
from handhold.robots.simulation.links import count_steps, find_link
from handhold.robots.unitree.direct_link import DirectMotorLink, DirectRobotLink
from handhold.robots.unitree.motor_heat import StandInHealth
from handhold.robots.unitree.stand_in import StandIn
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.unitree.stand_in_model import StandInModel
from handhold.robots.unitree.stand_in_motors import MotorFlaws
from handhold.robots.unitree.unitree_robot import PERIOD, UnitreeRobot
from handhold.robots.unitree.wiring import Wiring
from handhold.robots.worlds import World, shift_solid


class StandInRobot:
    """A robot by its maker's protocol, on somebody else's model of it (see ``SimulatedRobot``).

    Attributes:
        description: What the robot is.
        model: What is thought to be its kinematics and dynamics.
        world: What is around it.
        period: How often it tells its state, and is to be commanded [s].
        is_truthful: What it measures is not its state as it is.
    """

    period, is_truthful = PERIOD, False

    def __init__(
        self,
        model: RobotModel,
        source: StandInModel,
        world: World,
        seed: int,
        flaws: MotorFlaws | None = None,
        health: StandInHealth | None = None,
    ) -> None:
        """Let a robot stand at the origin, taken over.

        Args:
            model: The robot as it is known.
            source: Somebody else's model of it.
            world: What is around it.
            seed: Of its sensors' biases and noise.
            flaws: Of its motors.
            health: How warm they are, and their supply.

        Raises:
            DescriptionError: The file cannot be read.
            NotThere: It does not come to the posture that is expected.
            NotStanding: Its soles do not bear it.
            UnwiredJoints: One of both models has other joints than the robot.
        """
        self.description, self.model, self.world = model.description, model, world
        self._source, self._seed, self._flaws, self._health = source, seed, flaws, health
        self.reset(model.q_nominal)

    def reset(self, q: np.ndarray) -> RobotState:
        """Put robot and world back to time 0, on its hoist in configuration ``q``, shape ``(nq,)``, and take it over there.

        Raises:
            DescriptionError: The file cannot be read.
        """
        random, stand = np.random.default_rng(self._seed), Stand.of(self.model, q)
        self._body = StandInBody(self._source, stand, self.world, random, self._flaws, self._health)
        robot, names = self._body.robot, self._body.joint_names
        self._link, self._rest = DirectRobotLink(Wiring(robot, names)), 0.0
        self._stand_in = StandIn(self._body, self._link, lambda: self._body.time)
        driver = DirectMotorLink(self._link, Wiring(robot, self.model.joint_names))
        self._robot = UnitreeRobot(self.model, driver, clock=lambda: self._body.time, sleep=self._sleep)
        self._joints = np.array([names.index(name) for name in self.model.joint_names])
        return self._robot.reset(q)

    def _sleep(self, duration: float) -> None:
        """Let its time pass while it is taken over."""
        self._rest += duration
        while self._rest >= PERIOD:
            self._rest -= PERIOD
            self._stand_in.step()

    @property
    def truth(self) -> RobotState:
        """Its state as it is: a posture of our model, and the wrenches on its effectors."""
        poses, bodies = self.effector_poses(), self._find_bodies()
        wrenches = [self._body.measure_wrench(body, pose) for body, pose in zip(bodies, poses, strict=True)]
        q, v, joints = self._body.q, self._body.v, self._joints
        return RobotState(
            time=self._body.time,
            q=np.concatenate([q[:7], q[7:][joints]]),
            v=np.concatenate([v[:6], v[6:][joints]]),
            joint_torques=self._body.motors.told[joints],
            contact_wrenches=np.array(wrenches),
        )

    def read(self) -> RobotState:
        """Return the state as it is told and estimated."""
        return self._robot.read()

    def send(self, command: JointCommand) -> np.ndarray:
        """Send a command for the next control period and return the torques that follow from it, shape ``(n,)`` [Nm].

        Raises:
            CommandNotFinite: The command has a NaN or an infinity in it.
        """
        return self._robot.send(command)

    def hand_back(self) -> None:
        """Begin to hold its posture in place of what is commanded."""
        self._robot.hand_back()

    def advance(self, dt: float) -> None:
        """Advance the physics by ``dt`` [s] under the last command.

        Raises:
            TimeStepMismatch: ``dt`` is no multiple of the robot's period.
        """
        for _ in range(count_steps(dt, PERIOD)):
            self._stand_in.step()

    def push(self, force: np.ndarray, frame: str) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a frame's origin during the next ``advance``.

        Raises:
            FrameNotFound: Our model has no such frame.
        """
        link, placement = find_link(self.model, frame)
        self._body.push(force, self.model.joint_names[link - 1] if link else "", placement.translation)

    def push_solid(self, force: np.ndarray, index: int) -> None:
        """Apply a force in world axes, shape ``(3,)`` [N], at a movable solid's middle during the next ``advance``."""
        self._body.push_solid(force, index)

    def effector_poses(self) -> np.ndarray:
        """Return the poses of the contact frames in world as of the last step, shape ``(effectors, 4, 4)``."""
        poses = [self._body.find_pose(body) for body in self._find_bodies()]
        return np.array(poses) @ np.array(self.model.effector_placements)

    def _find_bodies(self) -> list[int]:
        names = self.model.pinocchio.names
        return [self._body.find_body(names[joint] if joint > 1 else "") for joint in self.model.effector_joints]

    def solid_poses(self) -> np.ndarray:
        """Return the present poses of the world's solids, in the world's order, shape ``(solids, 4, 4)``."""
        return self._body.find_solid_poses(len(self.world.solids))

    def shift_solid(self, index: int, displacement: np.ndarray) -> None:
        """Shift a fixed solid of the world at once, by a displacement in world, shape ``(3,)`` [m]; ``world`` says so."""
        self._body.shift_solid(displacement, index)
        self.world = shift_solid(self.world, index, displacement)

    def close(self) -> None:
        """Command it no more."""
        self._robot.close()
