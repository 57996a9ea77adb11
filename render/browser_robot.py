"""A robot in the browser: one node a joint, and only what moved is sent."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import trimesh
import viser

from handhold.render.meshes import LinkMesh
from handhold.render.palette import Color
from handhold.robots.model import RobotModel

LEAST_ROTATION = 2e-4
"""Joints that moved less are not sent [rad or m]: 0.2 mm at a metre, below a pixel."""


class RobotNodes:
    """The scene nodes of one robot, nested as its joints are, so that a joint that moves costs one message.

    Flat nodes would cost two messages (position and orientation) for every link above a joint that moves.
    """

    def __init__(
        self, server: viser.ViserServer, model: RobotModel, root: str, meshes: tuple[LinkMesh, ...], tint: Tint | None = None
    ) -> None:
        self._model = model.pinocchio
        self._data = self._model.createData()
        sizes = [0, *(self._model.joints[joint].nq for joint in range(1, self._model.njoints))]
        self._joint_of_entry = np.repeat(np.arange(self._model.njoints), sizes)
        self._shown = np.full(self._model.nq, np.inf)
        self._joints = self._add_joints(server, root)
        self.links = self._add_links(server, meshes, tint)

    def show(self, q: np.ndarray) -> None:
        """Show the robot in configuration ``q``, shape ``(nq,)``; entries that are not finite keep what was shown."""
        if not np.isfinite(q).all():
            return
        moved = np.abs(q - self._shown) > LEAST_ROTATION
        if not moved.any():
            return
        self._shown[moved] = q[moved]
        pin.forwardKinematics(self._model, self._data, q)
        for joint in np.unique(self._joint_of_entry[moved]).tolist():
            _place(self._joints[joint], self._data.liMi[joint])

    def joint_poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Return positions, shape ``(joints, 3)``, and rotations, ``(joints, 3, 3)``, of the joints in world as shown."""
        poses = list(self._data.oMi)
        return np.array([pose.translation for pose in poses]), np.array([pose.rotation for pose in poses])

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


def _place(handle: viser.FrameHandle, placement: pin.SE3) -> None:
    x, y, z, w = pin.Quaternion(placement.rotation).coeffs()
    handle.wxyz = (w, x, y, z)
    handle.position = placement.translation


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
