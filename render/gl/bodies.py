"""Robots and solids: all that has a lit surface, drawn by one call for what is solid and two for what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from OpenGL import GL

from handhold.render.errors import RobotWithoutMeshes
from handhold.render.gl import functions as gl
from handhold.render.gl.anchors import number_layer_and_anchor
from handhold.render.gl.call_list import CallList
from handhold.render.gl.element_rows import ElementRows
from handhold.render.gl.mesh_buffer import COMMAND_FIELDS, INSTANCE, MeshBuffer
from handhold.render.gl.program import build_program
from handhold.render.gl.shapes import make_shape
from handhold.render.gl.stream import StreamBuffer
from handhold.render.meshes import LinkMesh
from handhold.render.scene import RobotInstance, Scene, Shape, Solids

PLACEMENTS_BINDING = 1
PLACEMENT_FLOATS = 24
"""Size of ``Placement`` in ``body.vert``: transform, tint, layer and anchor, and opacity."""
INSTANCES, BASE_INSTANCE = 1, 4
"""Columns of a command."""
SOLID, CLEAR, GHOST = 0, 1, 2
"""What is drawn together, in this order: what cannot be seen through, solids that can, and robots that can."""


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


@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """All of an element that is drawn together.

    Attributes:
        element: The robot or the solids.
        chosen: Which of the solids it has; None for all.
        kind: Name of the robot or the shape.
        count: How many placements it has.
        group: ``SOLID``, ``CLEAR`` or ``GHOST``.
        layout: The last three: what is drawn of it, wherever it is.
    """

    element: RobotInstance | Solids
    chosen: np.ndarray | None
    kind: str | Shape
    count: int
    group: int
    layout: tuple[str | Shape, int, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", (self.kind, self.count, self.group))


class Bodies:
    """Robots and solids of a scene on the graphics card.

    A robot's link is an instance of its mesh, which refers to the placement of its joint: of a robot that moves only its
    joints are uploaded. What is drawn and in which order is laid out anew only when elements of other kinds or counts come.
    """

    def __init__(self, meshes: Mapping[str, tuple[LinkMesh, ...]], *, one_sided: bool = False, plain: bool = False) -> None:
        """Upload the meshes of robots, by name, and of all shapes.

        Args:
            meshes: Meshes of each robot.
            one_sided: Whether triangles seen from behind are left out: half the work where the processor draws, at the
                price of seeing through the holes that simplified meshes may have.
            plain: Whether colours are drawn as they are (see ``Renderer``).
        """
        self._one_sided = one_sided
        self._program = build_program("body", plain=plain)
        every = [mesh for robot in meshes.values() for mesh in robot] + [make_shape(shape) for shape in Shape]
        self._buffer = MeshBuffer(every)
        commands = iter(self._buffer.commands)
        self._robots = {name: _describe(robot, [next(commands) for _ in robot]) for name, robot in meshes.items()}
        self._shapes = {shape: next(commands) for shape in Shape}
        self._placements = ElementRows(PLACEMENT_FLOATS, _write)
        self._instances = StreamBuffer(1, dtype=INSTANCE)
        self._commands = StreamBuffer(COMMAND_FIELDS, dtype=np.uint32)
        self._buffer.bind_instances(self._instances.name)
        self._parts: dict[RobotInstance | Solids, tuple[_Part, ...]] = {}
        self._layout: list[tuple[str | Shape, int, int]] = []
        self._visible: list[bytes] = []
        self._groups = [(0, 0)] * 3

    def load(self, scene: Scene) -> None:
        """Upload of a scene's robots and solids those that were not in the last one, in the order in which they are drawn.

        Raises:
            RobotWithoutMeshes: A robot's meshes were not given.
        """
        # solids come first: they stand still, and robots move in every scene
        elements: list[RobotInstance | Solids] = [*scene.solids, *scene.robots]
        known = self._parts
        self._parts = {element: known.get(element) or self._part(element) for element in elements}
        groups: tuple[list[_Part], ...] = ([], [], [])
        for split in self._parts.values():
            for part in split:
                groups[part.group].append(part)
        parts = [*groups[SOLID], *groups[CLEAR], *groups[GHOST]]
        self._placements.load(parts, [part.count for part in parts])
        layout = [part.layout for part in parts]
        visible = [instance.visible.tobytes() for instance in scene.robots]
        if layout != self._layout or visible != self._visible:
            self._layout, self._visible = layout, visible
            self._lay_out(parts)

    def _part(self, element: RobotInstance | Solids) -> tuple[_Part, ...]:
        if isinstance(element, RobotInstance):
            if element.robot not in self._robots:
                raise RobotWithoutMeshes(element.robot, tuple(self._robots))
            group = SOLID if element.opacity >= 1.0 else GHOST
            return (_Part(element, None, element.robot, len(element.joints), group),)
        opaque = element.colors[:, 3] >= 1.0
        count = int(np.count_nonzero(opaque))
        if count in (0, len(opaque)):
            return (_Part(element, None, element.shape, len(opaque), SOLID if count else CLEAR),) if len(opaque) else ()
        clear = _Part(element, ~opaque, element.shape, len(opaque) - count, CLEAR)
        return _Part(element, opaque, element.shape, count, SOLID), clear

    def _lay_out(self, parts: Sequence[_Part]) -> None:
        """Lay out and upload what instances and commands there are, by the numbers of the placements that they refer to."""
        self._instances.clear()
        self._commands.clear()
        first = 0
        ends = [0, 0, 0]
        for part in parts:
            if isinstance(part.element, RobotInstance):
                self._lay_out_robot(part.element, first)
            else:
                self._lay_out_solids(part, first)
            first += part.count
            ends[part.group :] = [self._commands.count] * (3 - part.group)
        self._groups = [(0, ends[SOLID]), (ends[SOLID], ends[CLEAR]), (ends[CLEAR], ends[GHOST])]
        self._instances.upload()
        self._commands.upload()

    def _lay_out_robot(self, instance: RobotInstance, first: int) -> None:
        robot = self._robots[instance.robot]
        shown = robot.commands[instance.visible[robot.joints]]
        commands = self._commands.take(len(shown))
        commands[:] = shown
        commands[:, INSTANCES] = 1
        commands[:, BASE_INSTANCE] += self._instances.count
        instances = self._instances.take(len(robot.joints))[:, 0]
        instances["placement"] = first + robot.joints
        instances["color"] = robot.colors

    def _lay_out_solids(self, part: _Part, first: int) -> None:
        command = self._commands.take(1)
        command[:] = self._shapes[Shape(part.kind)]
        command[0, INSTANCES] = part.count
        command[0, BASE_INSTANCE] = self._instances.count
        self._instances.take(part.count)[:, 0]["placement"] = np.arange(first, first + part.count)

    @property
    def layout(self) -> tuple[object, ...]:
        """All that the calls depend on which draw them."""
        return tuple(self._groups)

    def draw_solid(self, calls: CallList) -> None:
        """Draw what cannot be seen through."""
        self._begin(calls)
        if not self._one_sided:
            # The world behind a robot is not to be seen through the holes of its meshes.
            calls(gl.disable, GL.GL_CULL_FACE)
        self._draw(calls, self._groups[SOLID])
        calls(gl.disable, GL.GL_CULL_FACE)

    def draw_clear(self, calls: CallList) -> None:
        """Draw solids that can be seen through; they hide nothing."""
        if self._groups[CLEAR][0] < self._groups[CLEAR][1]:
            self._begin(calls)
            calls(gl.depth_mask, False)
            self._draw(calls, self._groups[CLEAR])
            calls(gl.depth_mask, True)
            calls(gl.disable, GL.GL_CULL_FACE)

    def draw_ghosts(self, calls: CallList) -> None:
        """Draw robots that can be seen through: their depth first, so that of each pixel only the nearest face is blended."""
        if self._groups[GHOST][0] < self._groups[GHOST][1]:
            self._begin(calls)
            calls(gl.color_mask, False, False, False, False)
            self._draw(calls, self._groups[GHOST])
            calls(gl.color_mask, True, True, True, True)
            self._draw(calls, self._groups[GHOST])
            calls(gl.disable, GL.GL_CULL_FACE)

    def _begin(self, calls: CallList) -> None:
        calls(gl.use_program, self._program)
        calls(gl.bind_vertex_array, self._buffer.vertex_array)
        calls(gl.bind_buffer, GL.GL_DRAW_INDIRECT_BUFFER, self._commands.name)
        calls(gl.bind_buffer_base, GL.GL_SHADER_STORAGE_BUFFER, PLACEMENTS_BINDING, self._placements.name)
        calls(gl.enable, GL.GL_CULL_FACE)

    @staticmethod
    def _draw(calls: CallList, group: tuple[int, int]) -> None:
        first, end = group
        if first < end:
            offset = first * COMMAND_FIELDS * 4
            calls(gl.multi_draw_elements_indirect, GL.GL_TRIANGLES, GL.GL_UNSIGNED_INT, offset, end - first, 0)

    def close(self) -> None:
        """Free what OpenGL holds for it."""
        gl.delete_program(self._program)
        for part in (self._buffer, self._placements, self._instances, self._commands):
            part.close()


def _write(rows: np.ndarray, part: _Part, _number: int) -> None:
    element = part.element
    if isinstance(element, RobotInstance):
        rows[:, :16] = element.joints.reshape(-1, 16)
        rows[:, 16:20] = element.tints
        rows[:, 20] = 0.0
        rows[:, 21] = element.opacity
        rows[:, 22] = 0.0
        rows[:, 23] = element.opacity < 1.0
        return
    chosen = slice(None) if part.chosen is None else part.chosen
    rows[:, :16] = element.transforms[chosen].reshape(-1, 16)
    rows[:, 16:20] = element.colors[chosen]
    rows[:, 19] = 1.0
    rows[:, 20] = number_layer_and_anchor(element)
    rows[:, 21] = element.colors[chosen, 3]
    rows[:, 22] = element.grid
    rows[:, 23] = 0.0


def _describe(robot: Sequence[LinkMesh], commands: list[np.ndarray]) -> _RobotMeshes:
    srgb = np.array([mesh.color[:3] for mesh in robot], dtype=np.float32).reshape(-1, 3)
    numbered = np.array(commands).reshape(-1, COMMAND_FIELDS)
    numbered[:, BASE_INSTANCE] = np.arange(len(robot))
    return _RobotMeshes(np.array([mesh.joint for mesh in robot], dtype=np.intp), to_linear(srgb), numbered)


def to_linear(srgb: np.ndarray) -> np.ndarray:
    """Convert colours from sRGB (which URDFs mean), 0 to 1, to linear ones."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4).astype(np.float32)
