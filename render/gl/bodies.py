"""Robots and solids: all that has a lit surface, drawn by one call for what is solid and two for what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from OpenGL import GL

from handhold.render.errors import RobotWithoutMeshes
from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import ANCHOR_NUMBERS
from handhold.render.gl.mesh_buffer import COMMAND_FIELDS, MeshBuffer
from handhold.render.gl.program import build_program
from handhold.render.gl.shapes import make_shape
from handhold.render.gl.stream import StreamBuffer
from handhold.render.meshes import LinkMesh
from handhold.render.scene import RobotLook, Scene, Shape, Solids

BODIES_BINDING = 1
BODY_FLOATS = 24
"""Size of ``Body`` in ``body.vert``: transform, colour, anchor."""
INSTANCES, BASE_INSTANCE = 1, 4
"""Columns of a command."""


@dataclass(frozen=True, eq=False, slots=True)
class _RobotMeshes:
    """What is always the same about a robot's meshes.

    Attributes:
        joints: Joint of each mesh, shape ``(meshes,)``.
        colors: Linear red, green and blue of each, shape ``(meshes, 3)``.
        commands: What draws each of them once, with the robot's bodies counted from 0, shape ``(meshes, 5)``.
    """

    joints: np.ndarray
    colors: np.ndarray
    commands: np.ndarray


class Bodies:
    """Robots and solids of a scene on the graphics card."""

    def __init__(self, meshes: Mapping[str, tuple[LinkMesh, ...]], *, one_sided: bool = False) -> None:
        """Upload the meshes of robots, by name, and of all shapes.

        Args:
            meshes: Meshes of each robot.
            one_sided: Whether triangles seen from behind are left out: half the work where the processor draws, at the
                price of seeing through the holes that simplified meshes may have.
        """
        self._one_sided = one_sided
        self._program = build_program("body")
        every = [mesh for robot in meshes.values() for mesh in robot] + [make_shape(shape) for shape in Shape]
        self._buffer = MeshBuffer(every)
        commands = iter(self._buffer.commands)
        self._robots = {name: _describe(robot, [next(commands) for _ in robot]) for name, robot in meshes.items()}
        self._shapes = {shape: next(commands) for shape in Shape}
        self._rows = StreamBuffer(BODY_FLOATS)
        self._commands = StreamBuffer(COMMAND_FIELDS, dtype=np.uint32)
        self._solid = self._clear = self._ghosts = (0, 0)

    def load(self, scene: Scene) -> None:
        """Upload a scene's robots and solids, in the order in which they are drawn.

        Raises:
            RobotWithoutMeshes: A robot's meshes were not given.
        """
        self._rows.clear()
        self._commands.clear()
        for look in scene.robots:
            if look.opacity >= 1.0:
                self._add_robot(look)
        parted = [(group, group.colors[:, 3] >= 1.0) for group in scene.solids]
        self._add_solids(parted)
        solid = self._commands.count
        self._add_solids([(group, ~opaque) for group, opaque in parted])
        clear = self._commands.count
        for look in scene.robots:
            if look.opacity < 1.0:
                self._add_robot(look)
        self._solid, self._clear, self._ghosts = (0, solid), (solid, clear), (clear, self._commands.count)
        self._rows.upload()
        self._commands.upload()
        self._buffer.count_to(self._rows.count)

    def _add_robot(self, look: RobotLook) -> None:
        robot = self._robots.get(look.robot)
        if robot is None:
            raise RobotWithoutMeshes(look.robot, tuple(self._robots))
        commands = self._commands.take(len(robot.joints))
        commands[:] = robot.commands
        commands[:, INSTANCES] = look.visible[robot.joints]
        commands[:, BASE_INSTANCE] += self._rows.count
        rows = self._rows.take(len(robot.joints))
        rows[:, :16] = look.joints.reshape(-1, 16)[robot.joints]
        tints = look.tints[robot.joints]
        rows[:, 16:19] = robot.colors + tints[:, 3:] * (tints[:, :3] - robot.colors)
        rows[:, 19] = look.opacity
        rows[:, 20] = 0.0

    def _add_solids(self, groups: Sequence[tuple[Solids, np.ndarray]]) -> None:
        for group, chosen in groups:
            count = int(np.count_nonzero(chosen))
            if not count:
                continue
            command = self._commands.take(1)
            command[:] = self._shapes[group.shape]
            command[0, INSTANCES] = count
            command[0, BASE_INSTANCE] = self._rows.count
            rows = self._rows.take(count)
            rows[:, :16] = group.transforms[chosen].reshape(-1, 16)
            rows[:, 16:20] = group.colors[chosen]
            rows[:, 20] = ANCHOR_NUMBERS[group.anchor]

    def draw_solid(self) -> None:
        """Draw what cannot be seen through."""
        self._begin()
        if not self._one_sided:
            # The world behind a robot is not to be seen through the holes of its meshes.
            gl.disable(GL.GL_CULL_FACE)
        self._draw(self._solid)
        gl.disable(GL.GL_CULL_FACE)

    def draw_clear(self) -> None:
        """Draw solids that can be seen through; they hide nothing."""
        if self._clear[0] < self._clear[1]:
            self._begin()
            gl.depth_mask(False)
            self._draw(self._clear)
            gl.depth_mask(True)
            gl.disable(GL.GL_CULL_FACE)

    def draw_ghosts(self) -> None:
        """Draw robots that can be seen through: their depth first, so that of each pixel only the nearest face is blended."""
        if self._ghosts[0] < self._ghosts[1]:
            self._begin()
            gl.color_mask(False, False, False, False)
            self._draw(self._ghosts)
            gl.color_mask(True, True, True, True)
            self._draw(self._ghosts)
            gl.disable(GL.GL_CULL_FACE)

    def _begin(self) -> None:
        gl.use_program(self._program)
        gl.bind_vertex_array(self._buffer.vertex_array)
        gl.bind_buffer(GL.GL_DRAW_INDIRECT_BUFFER, self._commands.name)
        gl.bind_buffer_base(GL.GL_SHADER_STORAGE_BUFFER, BODIES_BINDING, self._rows.name)
        gl.enable(GL.GL_CULL_FACE)

    @staticmethod
    def _draw(commands: tuple[int, int]) -> None:
        first, end = commands
        if first < end:
            offset = first * COMMAND_FIELDS * 4
            gl.multi_draw_elements_indirect(GL.GL_TRIANGLES, GL.GL_UNSIGNED_INT, offset, end - first, 0)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        for part in (self._buffer, self._rows, self._commands):
            part.close()


def _describe(robot: Sequence[LinkMesh], commands: list[np.ndarray]) -> _RobotMeshes:
    srgb = np.array([mesh.color[:3] for mesh in robot], dtype=np.float32).reshape(-1, 3)
    numbered = np.array(commands).reshape(-1, COMMAND_FIELDS)
    numbered[:, BASE_INSTANCE] = np.arange(len(robot))
    return _RobotMeshes(np.array([mesh.joint for mesh in robot], dtype=np.intp), to_linear(srgb), numbered)


def to_linear(srgb: np.ndarray) -> np.ndarray:
    """Convert colours from sRGB (which URDFs mean), 0 to 1, to linear ones."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4).astype(np.float32)
