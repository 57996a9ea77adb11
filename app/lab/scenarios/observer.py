"""What a simulated robot truly does, whatever the control cycle is told of it."""

from __future__ import annotations

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.scenarios.seen_contacts import SeenContacts
from handhold.app.lab.scenarios.trace import Trace
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.contacts.surfaces import find_normal
from handhold.robots.estimation.fall import find_ground, has_fallen
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState, SimulatedRobot
from handhold.robots.simulation.imperfection import find_true_normals
from handhold.robots.worlds import World


class Observer:
    """Adds control cycles to a trace, with the robot's true state and the true surfaces under its contacts."""

    def __init__(
        self, model: RobotModel, body: SimulatedRobot, world: World, trace: Trace, *, has_camera: bool = False
    ) -> None:
        """Watch a robot.

        Args:
            model: The robot's model.
            body: The robot.
            world: The world as it is known; an imperfect robot stands in another one.
            trace: What the cycles are added to.
            has_camera: Whether the robot knows of its surroundings what it sees, which is not quite what there is.
        """
        self._model = model
        self._body = body
        self._world = world
        self._trace = trace
        self._kinematics = EffectorKinematics(model)
        self._true_world, self._true_surfaces = body.world, list_surfaces(body.world)
        self._tells_solids = bool(body.world.tools) or any(solid.mass is not None for solid in body.world.solids)
        self._seen = SeenContacts(model) if has_camera else None

    def add(self, snapshot: Snapshot, measured: RobotState, known: tuple[Surface, ...] = ()) -> None:
        """Add a control cycle that the robot's measured state led to, before its command is followed.

        Args:
            snapshot: What the cycle told.
            measured: What the robot measured.
            known: What it knew of its surroundings.
        """
        body, kinematics = self._body, self._kinematics
        # An ideal robot measures the truth: reading it again takes time.
        truth = measured if body.is_truthful else body.truth
        kinematics.update(truth.q)
        fallen = has_fallen(self._model, truth, find_ground(self._model, kinematics.poses))
        normals = snapshot.reference.contact_normals
        if self._seen is not None:
            self._update_true_surfaces()
            self._seen.add(snapshot, kinematics.poses, known, self._true_surfaces)
            normals = self._find_normals(snapshot.reference.contacts, normals)
        elif body.world is not self._world:
            normals = find_true_normals(normals, kinematics.poses[:, :3, 3], self._world, body.world)
        self._trace.add(snapshot, truth, kinematics.poses, normals, fallen=fallen)
        if self._tells_solids and len(self._trace.solids) < len(self._trace.times):
            self._trace.solids.append(body.solid_poses())

    def add_push(self, force: np.ndarray | None) -> None:
        """Add the force of what pushes the robot in the cycle that was added last, shape ``(3,)`` [N]; None for none."""
        if force is not None and len(self._trace.pushes) < len(self._trace.times):
            self._trace.pushes.append(force)

    def _find_normals(self, contacts: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Return the true normals under what is in contact, the known ones elsewhere, shape ``(effectors, 3)``."""
        normals = known.copy()
        for effector in np.flatnonzero(contacts).tolist():
            normals[effector] = find_normal(self._kinematics.poses[effector], self._true_surfaces)
        return normals

    def _update_true_surfaces(self) -> None:
        """List the true surfaces anew where a solid of the world has been moved."""
        if self._body.world is not self._true_world:
            self._true_world, self._true_surfaces = self._body.world, list_surfaces(self._body.world)

    def complete(self) -> None:
        """Give the trace what is known only at the end."""
        if self._seen is not None:
            self._trace.sight = tuple(self._seen.to_figures())
