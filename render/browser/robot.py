"""A robot in the browser: one node a joint, and only what moved or changed its looks is sent."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import viser

from handhold.render.browser.skins import LinkSkins
from handhold.render.fingers import FingerPoses
from handhold.render.meshes import LinkMesh
from handhold.render.scene import RobotInstance
from handhold.robots.model import RobotModel

MIN_MOTION = 2e-4
"""Joints that moved less are not sent [rad or m]: 0.2 mm at a metre, below a pixel."""

OWN_COLORS = np.zeros(4)
"""The tint of a link that is shown in its own colours."""


class RobotNodes:
    """The scene nodes of one robot, nested as its joints are, so that a joint that moves costs one message.

    Flat nodes would cost two messages (position and orientation) for every link above a joint that moves.
    """

    def __init__(self, server: viser.ViserServer, model: RobotModel, root: str, meshes: tuple[LinkMesh, ...]) -> None:
        """Add the joints; links are added when they are first seen, or by ``prepare``."""
        self._model = model.pinocchio
        self._parents = np.array([*self._model.parents, *FingerPoses(model).parents.tolist()])
        self._shown = np.full((len(self._parents), 4, 4), np.inf)
        self._joints = self._add_joints(server, root)
        by_joint = {joint: [mesh for mesh in meshes if mesh.joint == joint] for joint in {mesh.joint for mesh in meshes}}
        self.links = {
            joint: LinkSkins(server.scene, f"{self._joints[joint].name}/mesh", by_joint[joint]) for joint in sorted(by_joint)
        }

    def prepare(self, tint: np.ndarray, opacity: float) -> None:
        """Send all links, hidden, as they are going to be seen: the page has them when they are.

        Args:
            tint: Colour laid over them, its alpha the share of it, shape ``(4,)``.
            opacity: 1 solid.
        """
        for link in self.links.values():
            link.prepare(tint, opacity)

    def show(self, instance: RobotInstance | None) -> None:
        """Show the robot as it looks, or hide it; what has not changed is not sent again."""
        if instance is not None:
            self.move(instance.joints)
        for joint, link in self.links.items():
            if instance is not None and instance.visible[joint]:
                link.show(instance.tints[joint], instance.opacity)
            else:
                link.hide()

    def get_name(self, joint: int) -> str:
        """Return the name of a joint's node, by its number (see ``RobotInstance``)."""
        return self._joints[joint].name

    def move(self, joints: np.ndarray) -> None:
        """Put the joints where they are in world, shape ``(joints, 4, 4)``; those that have not moved are not sent."""
        parents = joints[self._parents]
        turned_back = parents[:, :3, :3].transpose(0, 2, 1)
        placements = joints.copy()
        placements[:, :3, :3] = turned_back @ joints[:, :3, :3]
        placements[:, :3, 3:] = turned_back @ (joints[:, :3, 3:] - parents[:, :3, 3:])
        moved = np.abs(placements - self._shown).max(axis=(1, 2)) > MIN_MOTION
        moved[0] = False  # the world
        self._shown[moved] = placements[moved]
        for joint in np.flatnonzero(moved).tolist():
            _place(self._joints[joint], placements[joint])

    def _add_joints(self, server: viser.ViserServer, root: str) -> list[viser.FrameHandle]:
        handles = [server.scene.add_frame(root, show_axes=False)]
        placements = self._model.jointPlacements
        for joint in range(1, len(self._parents)):
            name = f"{handles[self._parents[joint]].name}/{joint}"
            position = placements[joint].translation if joint < len(placements) else np.zeros(3)
            handles.append(server.scene.add_frame(name, show_axes=False, position=position))
        return handles


def _place(handle: viser.FrameHandle, placement: np.ndarray) -> None:
    x, y, z, w = pin.Quaternion(placement[:3, :3].astype(float)).normalized().coeffs()
    handle.wxyz = (w, x, y, z)
    handle.position = placement[:3, 3]
