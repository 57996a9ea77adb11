"""The renderer: a scene, uploaded once, drawn for as many eyes as look at it."""

from __future__ import annotations

from collections.abc import Mapping

from handhold.render.gl.eye import Eye
from handhold.render.gl.target import Target
from handhold.render.meshes import LinkMesh
from handhold.render.scene import Scene


class Renderer:
    """Draws scenes in the OpenGL context that was current when it was made.

    ``load`` uploads a scene once, whatever the number of eyes; ``draw`` draws the scene loaded last, as often as wanted, so
    that a late snapshot never stalls the eye: head and hands move on with the newest poses. Neither keeps the scene's arrays, nor
    changes them, nor waits for the graphics card. A context that is lost takes the renderer with it: make a new one.
    """

    def __init__(self, meshes: Mapping[str, tuple[LinkMesh, ...]]) -> None:
        """Upload the meshes of all robots that scenes may show, by the robots' names, and compile the shaders.

        Raises:
            RenderError: OpenGL refuses something.
        """
        raise NotImplementedError

    def load(self, scene: Scene) -> None:
        """Upload a scene; pictures and clouds only when their versions have changed.

        Raises:
            RobotWithoutMeshes: The scene shows a robot that the renderer was given no meshes of.
        """
        raise NotImplementedError

    def draw(self, target: Target, eye: Eye) -> None:
        """Draw the scene loaded last for one eye and resolve it into the target's textures.

        Elements anchored to the head are in front of all that is not; those anchored to a hand without a pose are left out.
        Returns when all is submitted: reading the target, or handing its texture to OpenXR, waits for it.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        raise NotImplementedError
