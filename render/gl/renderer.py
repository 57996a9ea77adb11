"""The renderer: a scene, uploaded once, drawn for as many eyes as look at it."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
from OpenGL import GL

from handhold.render.gl import functions as gl
from handhold.render.gl.bodies import Bodies
from handhold.render.gl.call_list import CallList
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


class _Frame:
    """What is called for every picture in a target, whatever it shows.

    Attributes:
        layout: All that the calls depend on.
        begin: What is called first.
        resolve: What is called last.
        resolve_colors: The same without the depths.
    """

    def __init__(self, layout: tuple[object, ...]) -> None:
        self.layout = layout
        self.begin, self.resolve, self.resolve_colors = CallList(), CallList(), CallList()


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
        self._laid_out = (
            self._bodies,
            self._points,
            self._screens,
            self._inset,
            self._fills,
            self._lines,
            self._labels,
            self._ground,
        )
        self._layout: tuple[object, ...] = ()
        self._scene_calls = CallList()
        self._frames: WeakKeyDictionary[Target, _Frame] = WeakKeyDictionary()
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
        self._fills.sort(self._block)
        self._note_scene()
        frame = self._find_frame(target, eye)
        if eye.hidden is not None:
            self._hidden.load(eye.hidden)
        frame.begin.submit()
        self._scene_calls.submit()
        frame.resolve.submit()

    def _refresh_inset(self) -> None:
        """Draw the world as the inset shows it, where that is another picture than before; nothing of the interface."""
        due = self._inset.find_due(self._room)
        if due is None:
            return
        target, eye = due
        self._upload_eye(eye)
        self._fills.sort(self._block)
        calls = CallList()
        self._bodies.draw_solid(calls)
        self._points.draw(calls)
        calls(gl.enable, GL.GL_BLEND)
        self._draw_blended_world(calls)
        calls.pack()
        frame = self._find_frame(target, eye)
        frame.begin.submit()
        calls.submit()
        frame.resolve_colors.submit()

    def _note_scene(self) -> None:
        """Note what draws the scene, for whichever eye, unless that is what has been noted already."""
        layout = (self._darkness > 0.0, *(part.layout for part in self._laid_out))
        if layout == self._layout:
            return
        self._layout = layout
        calls = self._scene_calls
        calls.clear()
        self._bodies.draw_solid(calls)
        self._points.draw(calls)
        self._screens.draw(calls)
        self._inset.draw(calls)
        if not self._plain:
            calls(gl.enable, GL.GL_BLEND)
        self._draw_blended(calls)
        if self._darkness > 0.0:
            self._vignette.draw(calls)
        calls.pack()

    def _draw_blended(self, calls: CallList) -> None:
        """Draw what is blended over what it covers: the world, and over all of it the operator's interface."""
        self._draw_blended_world(calls)
        # Areas hide nothing, and lines do: one that is farther than an area must be there before it.
        self._lines.draw_interface(calls)
        self._fills.draw_interface(calls)
        self._labels.draw(calls)

    def _draw_blended_world(self, calls: CallList) -> None:
        if not self._plain:
            self._ground.draw(calls)
        self._fills.draw_world(calls)
        self._lines.draw_world(calls)
        self._bodies.draw_clear(calls)
        self._bodies.draw_ghosts(calls)

    def _upload_eye(self, eye: Eye) -> None:
        self._block.fill(eye, self._room, self._ahead, self._darkness)
        gl.bind_buffer(GL.GL_UNIFORM_BUFFER, self._block_buffer)
        gl.buffer_data(GL.GL_UNIFORM_BUFFER, self._block.values.nbytes, self._block_address, GL.GL_STREAM_DRAW)
        gl.bind_buffer_base(GL.GL_UNIFORM_BUFFER, EYE_BINDING, self._block_buffer)

    def _find_frame(self, target: Target, eye: Eye) -> _Frame:
        """Return what begins and ends pictures in a target; it is noted once, as long as it stays the same."""
        corners = 0 if eye.hidden is None else 3 * len(eye.hidden)
        layout = (eye.width, eye.height, corners, self._background)
        frame = self._frames.get(target)
        if frame is None or frame.layout != layout:
            frame = self._frames[target] = _Frame(layout)
            self._begin(frame.begin, target, eye, corners)
            self._resolve(frame.resolve, target, eye)
            self._resolve(frame.resolve_colors, target, eye, with_depths=False)
        return frame

    def _begin(self, calls: CallList, target: Target, eye: Eye, corners: int) -> None:
        """Clear the picture and set what the drawing of every element relies on, whoever used the context before."""
        target.begin(calls, eye.width, eye.height)
        calls(gl.enable, GL.GL_FRAMEBUFFER_SRGB)
        calls(gl.enable, GL.GL_DEPTH_TEST)
        calls(gl.enable, GL.GL_PROGRAM_POINT_SIZE)
        calls(gl.disable if self._plain else gl.enable, GL.GL_MULTISAMPLE)
        calls(gl.disable, GL.GL_BLEND)
        calls(gl.disable, GL.GL_CULL_FACE)
        calls(gl.disable, GL.GL_SCISSOR_TEST)
        calls(gl.depth_func, GL.GL_LEQUAL)
        calls(gl.depth_mask, True)
        calls(gl.color_mask, True, True, True, True)
        # Alpha counts what covers the picture, so that one who blends it over another gets its edges right.
        calls(gl.blend_func_separate, GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        calls(gl.clear_color, *self._background)
        calls(gl.clear, GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        if corners:
            self._hidden.draw(calls, corners)
        calls.pack()

    def _resolve(self, calls: CallList, target: Target, eye: Eye, *, with_depths: bool = True) -> None:
        """Resolve a picture that has been drawn."""
        target.finish(calls, eye.width, eye.height)
        if with_depths:
            self._depths.resolve(calls, target, eye.width, eye.height)
        calls.pack()

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
