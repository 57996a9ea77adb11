"""One link of a robot in the browser, in all the colours it has been seen in.

The page cannot colour a mesh anew. So a link is sent once an appearance (its own colours, loaded, old), the first time
it looks so, and shown by making one of them visible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import trimesh
import viser

from handhold.render.meshes import LinkMesh
from handhold.render.palette import decode_srgb

TINT_STEP = 0.13
"""A tint that differs by less from one that was sent is shown by that one: a load that grows is shown in four steps."""


@dataclass(frozen=True, eq=False, slots=True)
class _Skin:
    """A link as it was sent.

    Attributes:
        appearance: Its tint, the colours times their share, and its opacity, shape ``(5,)``.
        handle: Its node.
    """

    appearance: np.ndarray
    handle: viser.GlbHandle


class LinkSkins:
    """The nodes of one link."""

    def __init__(self, scene: viser.SceneApi, name: str, meshes: list[LinkMesh]) -> None:
        """Send nothing yet.

        Args:
            scene: Where the nodes go.
            name: Name of the first node; others are numbered.
            meshes: The link's meshes.
        """
        self._scene = scene
        self._name = name
        self._meshes = meshes
        self._skins: list[_Skin] = []
        self._shown: _Skin | None = None

    def prepare(self, tint: np.ndarray, opacity: float) -> None:
        """Send the link in an appearance without showing it."""
        self._find(tint, opacity)

    def show(self, tint: np.ndarray, opacity: float) -> None:
        """Show the link.

        Args:
            tint: Colour laid over its own, its alpha the share of it, shape ``(4,)``.
            opacity: 1 solid.
        """
        skin = self._find(tint, opacity)
        if skin is self._shown:
            return
        skin.handle.visible = True
        self.hide()
        self._shown = skin

    def hide(self) -> None:
        """Hide the link."""
        if self._shown is not None:
            self._shown.handle.visible = False
            self._shown = None

    def _find(self, tint: np.ndarray, opacity: float) -> _Skin:
        appearance = np.array([*(tint[:3] * tint[3]), tint[3], opacity])
        for skin in self._skins:
            if np.abs(skin.appearance - appearance).max() < TINT_STEP:
                return skin
        name = f"{self._name}-{len(self._skins)}" if self._skins else self._name
        skin = _Skin(appearance, self._add(name, tint, opacity))
        self._skins.append(skin)
        return skin

    def _add(self, name: str, tint: np.ndarray, opacity: float) -> viser.GlbHandle:
        return self._scene.add_glb(
            name,
            _to_glb(self._meshes, tint, opacity),
            cast_shadow=opacity >= 1.0,
            receive_shadow=False,
            visible=False,
        )


def _to_glb(meshes: list[LinkMesh], tint: np.ndarray, opacity: float) -> bytes:
    scene = trimesh.Scene()
    for mesh in meshes:
        scene.add_geometry(
            trimesh.Trimesh(
                mesh.vertices,
                mesh.faces,
                vertex_normals=mesh.normals,
                visual=trimesh.visual.TextureVisuals(material=_make_material(mesh, tint, opacity)),
                process=False,
            )
        )
    return bytes(scene.export(file_type="glb"))


def _make_material(mesh: LinkMesh, tint: np.ndarray, opacity: float) -> trimesh.visual.material.PBRMaterial:
    # The format wants linear light; meshes tell their colours as screens show them.
    own = decode_srgb(np.array(mesh.color[:3]))
    color = own + tint[3] * (tint[:3] - own)
    alpha = opacity * mesh.color[3]
    return trimesh.visual.material.PBRMaterial(
        name="link" if alpha >= 1.0 else "ghost",
        baseColorFactor=[*(int(255 * channel) for channel in color), int(255 * alpha)],
        metallicFactor=0.1,
        roughnessFactor=0.65,
        alphaMode="OPAQUE" if alpha >= 1.0 else "BLEND",
    )
