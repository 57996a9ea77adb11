"""The renderer: a scene, uploaded once, drawn for as many eyes as look at it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.bodies import Bodies
from handhold.render.gl.depths import Depths
from handhold.render.gl.eye import Eye, EyeBlock
from handhold.render.gl.fills import FilledTriangles
from handhold.render.gl.ground import GroundPlane
from handhold.render.gl.hidden_area import HiddenArea
from handhold.render.gl.inset import InsetScreen
from handhold.render.gl.labels import Labels
from handhold.render.gl.lines import LineRibbons
from handhold.render.gl.pictures import Screens
from handhold.render.gl.points import PointCloud
from handhold.render.gl.target import Target
from handhold.render.gl.vignette import Vignette
from handhold.render.meshes import LinkMesh
from handhold.render.scene import Scene

EYE_BINDING = 0


class Renderer:
    """Draws scenes in the OpenGL context that was current when it was made.

    ``load`` uploads a scene once, whatever the number of eyes; ``draw`` draws the scene loaded last, as often as wanted, so
    that a late snapshot never stalls the eye: head and hands move on with the newest poses. Elements that were in the last
    scene, the same objects, are not uploaded again. Neither changes a scene's arrays nor waits for the graphics card. A
    context that is lost takes the renderer with it: make a new one.
    """

    def __init__(self, meshes: Mapping[str, tuple[LinkMesh, ...]], *, one_sided: bool = False, plain: bool = False) -> None:
        """Upload the meshes of all robots that scenes may show, by the robots' names, and compile the shaders.

        Args:
            meshes: Meshes of each robot.
            one_sided: Whether triangles seen from behind are left out (see ``Bodies``).
            plain: Draw the colours of elements as they are, without light, smooth edges or what can be seen through, so that
                one who reads a picture back (in a format that is not sRGB) knows which element each pixel shows.

        Raises:
            RenderError: OpenGL refuses something.
        """
        self._plain = plain
        self._bodies = Bodies(meshes, one_sided=one_sided, plain=plain)
        self._lines, self._fills, self._points = LineRibbons(plain=plain), FilledTriangles(plain=plain), PointCloud()
        self._screens, self._labels, self._vignette = Screens(plain=plain), Labels(plain=plain), Vignette()
        self._inset = InsetScreen()
        self._hidden, self._depths, self._ground = HiddenArea(), Depths(), GroundPlane()
        self._block = EyeBlock()
        self._room, self._ahead = np.eye(4), np.eye(4)
        self._block_address = self._block.values.ctypes.data
        self._block_buffer = gl.make(gl.gen_buffers)
        self.load(Scene())
        gl.raise_errors("making the renderer")

    def load(self, scene: Scene) -> None:
        """Upload a scene; pictures and clouds only when their versions have changed.

        Raises:
            RobotWithoutMeshes: The scene shows a robot that the renderer was given no meshes of.
        """
        self._bodies.load(scene)
        self._ground.load(scene.ground)
        self._lines.load(scene.lines)
        self._fills.load(scene.fills)
        self._points.load(scene.cloud)
        self._screens.load(scene.pictures)
        self._inset.load(None if self._plain else scene.inset)
        self._labels.load(scene.labels)
        self._background = tuple(map(float, scene.background))
        self._room[:] = scene.transform_room_to_world
        self._ahead[:] = scene.transform_ahead_to_room
        self._darkness = scene.vignette

    def draw(self, target: Target, eye: Eye) -> None:
        """Draw the scene loaded last for one eye and resolve it into the target's textures.

        The world never hides the operator's interface (``scene.Layer``); what is anchored to a hand without a pose is left
        out.
        Where the background is (0, 0, 0, 0), colours come out multiplied by alpha, as layers of OpenXR take them by default.
        Returns when all is submitted: reading the target, or handing its texture to OpenXR, waits for it.
        """
        self._refresh_inset()
        self._upload_eye(eye)
        target.begin(eye.width, eye.height)
        self._begin()
        if eye.hidden is not None:
            self._hidden.draw(eye.hidden)
        self._bodies.draw_solid()
        self._points.draw()
        self._screens.draw()
        self._inset.draw()
        self._fills.sort(self._block)
        if not self._plain:
            gl.enable(GL.GL_BLEND)
        self._draw_blended()
        if self._darkness > 0.0:
            self._vignette.draw()
        target.finish(eye.width, eye.height)
        self._depths.resolve(target, eye.width, eye.height)

    def _refresh_inset(self) -> None:
        """Draw the world as the inset shows it, where that is another picture than before; nothing of the interface."""
        due = self._inset.find_due(self._room)
        if due is None:
            return
        target, eye = due
        self._upload_eye(eye)
        target.begin(eye.width, eye.height)
        self._begin()
        self._bodies.draw_solid()
        self._points.draw()
        self._fills.sort(self._block)
        gl.enable(GL.GL_BLEND)
        self._draw_blended_world()
        target.finish(eye.width, eye.height)

    def _draw_blended(self) -> None:
        """Draw what is blended over what it covers: the world, and over all of it the operator's interface."""
        self._draw_blended_world()
        # Areas hide nothing, and lines do: one that is farther than an area must be there before it.
        self._lines.draw_interface()
        self._fills.draw_interface()
        self._labels.draw()

    def _draw_blended_world(self) -> None:
        if not self._plain:
            self._ground.draw()
        self._fills.draw_world()
        self._lines.draw_world()
        self._bodies.draw_clear()
        self._bodies.draw_ghosts()

    def _upload_eye(self, eye: Eye) -> None:
        self._block.fill(eye, self._room, self._ahead, self._darkness)
        gl.bind_buffer(GL.GL_UNIFORM_BUFFER, self._block_buffer)
        gl.buffer_data(GL.GL_UNIFORM_BUFFER, self._block.values.nbytes, self._block_address, GL.GL_STREAM_DRAW)
        gl.bind_buffer_base(GL.GL_UNIFORM_BUFFER, EYE_BINDING, self._block_buffer)

    def _begin(self) -> None:
        """Clear the picture and set what the drawing of every element relies on, whoever used the context before."""
        gl.enable(GL.GL_FRAMEBUFFER_SRGB)
        gl.enable(GL.GL_DEPTH_TEST)
        gl.enable(GL.GL_PROGRAM_POINT_SIZE)
        (gl.disable if self._plain else gl.enable)(GL.GL_MULTISAMPLE)
        gl.disable(GL.GL_BLEND)
        gl.disable(GL.GL_CULL_FACE)
        gl.disable(GL.GL_SCISSOR_TEST)
        gl.depth_func(GL.GL_LEQUAL)
        gl.depth_mask(True)
        gl.color_mask(True, True, True, True)
        # Alpha counts what covers the picture, so that one who blends it over another gets its edges right.
        gl.blend_func_separate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        gl.clear_color(*self._background)
        gl.clear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        for part in (
            self._bodies,
            self._lines,
            self._fills,
            self._points,
            self._screens,
            self._inset,
            self._labels,
            self._vignette,
            self._hidden,
            self._depths,
            self._ground,
        ):
            part.close()
        gl.free(gl.delete_buffers, self._block_buffer)
