"""What a simulated robot truly does, whatever the control cycle is told of it."""

from __future__ import annotations

from handhold.app.lab.scenarios.trace import Trace
from handhold.render.snapshot import Snapshot
from handhold.robots.estimation.fall import find_ground, has_fallen
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.imperfect_robot import ImperfectRobot
from handhold.robots.simulation.imperfection import find_true_normals
from handhold.robots.worlds import World


class Observer:
    """Adds control cycles to a trace, with the robot's true state and the true surfaces under its contacts."""

    def __init__(self, model: RobotModel, body: SimulatedRobot, world: World, trace: Trace) -> None:
        """Watch a robot.

        Args:
            model: The robot's model.
            body: The robot.
            world: The world as it is known; an imperfect robot stands in another one.
            trace: What the cycles are added to.
        """
        self._model = model
        self._body = body
        self._world = world
        self._trace = trace
        self._kinematics = EffectorKinematics(model)

    def add(self, snapshot: Snapshot, measured: RobotState) -> None:
        """Add a control cycle that the robot's measured state led to, before its command is followed."""
        body, kinematics = self._body, self._kinematics
        truth = body.truth if isinstance(body, ImperfectRobot) else measured
        kinematics.update(truth.q)
        fallen = has_fallen(self._model, truth, find_ground(self._model, kinematics.poses))
        normals = snapshot.reference.contact_normals
        if isinstance(body, ImperfectRobot):
            normals = find_true_normals(normals, kinematics.poses[:, :3, 3], self._world, body.world)
        self._trace.add(snapshot, truth, kinematics.poses, normals, fallen=fallen)
