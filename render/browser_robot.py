"""A robot in the browser: one node a joint, and only what moved is sent."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import trimesh
import viser

from handhold.render.meshes import LinkMesh
from handhold.render.palette import Color
from handhold.render.scene import RobotLook
from handhold.robots.model import RobotModel

LEAST_MOTION = 2e-4
"""Joints that moved less are not sent [rad or m]: 0.2 mm at a metre, below a pixel."""


class RobotNodes:
    """The scene nodes of one robot, nested as its joints are, so that a joint that moves costs one message.

    Flat nodes would cost two messages (position and orientation) for every link above a joint that moves.
    """

    def __init__(
        self, server: viser.ViserServer, model: RobotModel, root: str, meshes: tuple[LinkMesh, ...], tint: Tint | None = None
    ) -> None:
        self._model = model.pinocchio
        self._parents = np.array(list(self._model.parents))
        self._shown = np.full((self._model.njoints, 4, 4), np.inf)
        self._joints = self._add_joints(server, root)
        self.links = self._add_links(server, meshes, tint)

    def show(self, look: RobotLook | None) -> None:
        """Show the robot as it looks, or hide it; what has not changed is not sent again."""
        if look is not None:
            self._move(look.joints)
        for joint, link in self.links.items():
            visible = look is not None and bool(look.visible[joint])
            if link.visible != visible:
                link.visible = visible

    def _move(self, joints: np.ndarray) -> None:
        parents = joints[self._parents]
        turned_back = parents[:, :3, :3].transpose(0, 2, 1)
        placements = joints.copy()
        placements[:, :3, :3] = turned_back @ joints[:, :3, :3]
        placements[:, :3, 3:] = turned_back @ (joints[:, :3, 3:] - parents[:, :3, 3:])
        moved = np.abs(placements - self._shown).max(axis=(1, 2)) > LEAST_MOTION
        moved[0] = False  # the world
        self._shown[moved] = placements[moved]
        for joint in np.flatnonzero(moved).tolist():
            _place(self._joints[joint], placements[joint])

    def _add_joints(self, server: viser.ViserServer, root: str) -> list[viser.FrameHandle]:
        handles = [server.scene.add_frame(root, show_axes=False)]
        for joint in range(1, self._model.njoints):
            name = f"{handles[self._model.parents[joint]].name}/{joint}"
            placement = self._model.jointPlacements[joint]
            handle = server.scene.add_frame(name, show_axes=False, position=placement.translation)
            handles.append(handle)
        return handles

    def _add_links(
        self, server: viser.ViserServer, meshes: tuple[LinkMesh, ...], tint: Tint | None
    ) -> dict[int, viser.GlbHandle]:
        joints = sorted({mesh.joint for mesh in meshes})
        return {
            joint: server.scene.add_glb(
                f"{self._joints[joint].name}/mesh",
                _to_glb([mesh for mesh in meshes if mesh.joint == joint], tint),
                cast_shadow=tint is None,
                receive_shadow=False,
            )
            for joint in joints
        }


Tint = tuple[Color, float]
"""One colour and opacity for the whole robot, in place of its own colours."""


def _place(handle: viser.FrameHandle, placement: np.ndarray) -> None:
    x, y, z, w = pin.Quaternion(placement[:3, :3].astype(float)).normalized().coeffs()
    handle.wxyz = (w, x, y, z)
    handle.position = placement[:3, 3]


def _to_glb(meshes: list[LinkMesh], tint: Tint | None) -> bytes:
    scene = trimesh.Scene()
    for mesh in meshes:
        material = _material(mesh, tint)
        scene.add_geometry(
            trimesh.Trimesh(
                mesh.vertices,
                mesh.faces,
                vertex_normals=mesh.normals,
                visual=trimesh.visual.TextureVisuals(material=material),
                process=False,
            )
        )
    return bytes(scene.export(file_type="glb"))


def _material(mesh: LinkMesh, tint: Tint | None) -> trimesh.visual.material.PBRMaterial:
    if tint is None:
        color, opacity, name = tuple(int(255 * channel) for channel in mesh.color[:3]), mesh.color[3], "link"
    else:
        # The format wants linear light, palettes are written as screens show them.
        color = tuple(int(255 * (channel / 255) ** 2.2) for channel in tint[0])
        opacity, name = tint[1], "ghost"
    return trimesh.visual.material.PBRMaterial(
        name=name,
        baseColorFactor=[*color, int(255 * opacity)],
        metallicFactor=0.1,
        roughnessFactor=0.65,
        alphaMode="OPAQUE" if opacity >= 1.0 else "BLEND",
    )
