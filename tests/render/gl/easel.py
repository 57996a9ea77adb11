"""Drawing in tests: a renderer, a target, eyes, and where a point must be seen."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from handhold.render.gl.egl import EglContext
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.functions import raise_errors
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.meshes import LinkMesh
from handhold.render.scene import RobotInstance, Scene, Shape, Solids

SIZE = 192
"""Width and height of a picture [pixels]."""
SQUARE = FieldOfView(left=-0.5, right=0.5, up=0.5, down=-0.5)
FOCAL = SIZE / (SQUARE.right - SQUARE.left)
"""Pixels that a metre at 1 m spans."""
BLACK = np.array([0.0, 0.0, 0.0, 1.0], dtype=np.float32)
AHEAD = np.eye(4)
"""An eye at the origin that looks along x."""


def make_software_context() -> EglContext:
    """Make an OpenGL context that draws on the processor, alike on every machine."""
    os.environ["LIBGL_ALWAYS_SOFTWARE"] = "1"
    os.environ["GALLIUM_DRIVER"] = "llvmpipe"
    return EglContext()


def rgba(*channels: float) -> np.ndarray:
    """Return a colour."""
    return np.array(channels, dtype=np.float32)


def make_eye(view: np.ndarray = AHEAD, field_of_view: FieldOfView = SQUARE, size: int = SIZE, **poses: np.ndarray) -> Eye:
    """Return an eye."""
    return Eye(view=view, field_of_view=field_of_view, width=size, height=size, **poses)


def make_pose(x: float, y: float, z: float, size: float = 1.0) -> np.ndarray:
    """Return a pose with the axes of its parent, times a size."""
    transform = np.diag([size, size, size, 1.0]).astype(np.float32)
    transform[:3, 3] = x, y, z
    return transform


def make_solid(shape: Shape, transform: np.ndarray, color: np.ndarray, **others: object) -> Solids:
    """Return a single solid."""
    return Solids(shape=shape, transforms=transform[None], colors=color[None], **others)  # type: ignore[arg-type]


def make_plate(distance: float, size: float) -> LinkMesh:
    """Return a link (of joint 1) that is a white square across x, ``distance`` behind its joint."""
    corners = np.array([(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)], dtype=np.float32) * size / 2
    corners[:, 0] = distance
    normals = np.tile(np.array([-1.0, 0.0, 0.0], dtype=np.float32), (4, 1))
    faces = np.array([(0, 2, 1), (0, 3, 2)], dtype=np.uint32)
    return LinkMesh(joint=1, color=(1.0, 1.0, 1.0, 1.0), vertices=corners, normals=normals, faces=faces)


def make_look(robot: str, opacity: float = 1.0, x: float = 0.0, **changes: np.ndarray) -> RobotInstance:
    """Return a look of a robot with one joint besides the universe."""
    joints = np.stack([np.eye(4), make_pose(x, 0.0, 0.0)]).astype(np.float32)
    values = {"joints": joints, "tints": np.zeros((2, 4), np.float32), "visible": np.ones(2, bool)}
    return RobotInstance(robot=robot, opacity=opacity, **(values | changes))


def find_pixel(point: np.ndarray, view: np.ndarray, field_of_view: FieldOfView, size: int = SIZE) -> np.ndarray:
    """Return where a point (in the frame the view is given in) must be seen: column and row from the left upper corner."""
    x, y, z = np.linalg.solve(view, [*point, 1.0])[:3]
    left, right, up, down = field_of_view
    return size * np.array([(-y / x - left) / (right - left), (up - z / x) / (up - down)])


def find_middle(picture: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Return column and row of the middle of all that is not background."""
    rows, columns = np.nonzero(differs(picture, background))
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])


def differs(picture: np.ndarray, background: np.ndarray, by: int = 8) -> np.ndarray:
    """Return which pixels differ from a background, shape ``(height, width)``."""
    return (np.abs(picture[..., :3].astype(int) - background[..., :3]) > by).any(axis=-1)


def to_srgb(linear: np.ndarray) -> np.ndarray:
    """Encode linear colours from 0 to 1 as sRGB from 0 to 255."""
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055)


def to_linear(srgb: np.ndarray) -> np.ndarray:
    """Decode sRGB from 0 to 255 to linear colours from 0 to 1."""
    level = srgb / 255
    return np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)


class Easel:
    """A renderer with a few made-up robots, and a target."""

    def __init__(self, context: EglContext) -> None:
        self._context = context
        self.renderer = Renderer({"plate": (make_plate(0.0, 0.5),), "plates": (make_plate(0.0, 0.5), make_plate(0.3, 0.5))})
        self.target = Target(SIZE, SIZE)

    def draw(self, scene: Scene, eye: Eye | None = None) -> np.ndarray:
        """Draw a scene, on black unless it says otherwise, and return the picture; nothing may be refused."""
        self.renderer.load(scene)
        return self.look(eye)

    def draw_on_black(self, eye: Eye | None = None, **elements: object) -> np.ndarray:
        """Draw a scene of some elements on black."""
        return self.draw(replace(Scene(background=BLACK), **elements), eye)  # type: ignore[arg-type]

    def look(self, eye: Eye | None = None) -> np.ndarray:
        """Draw what is loaded."""
        self.renderer.draw(self.target, make_eye() if eye is None else eye)
        raise_errors("drawing in a test")
        return self.target.read_pixels()

    def take_context(self) -> None:
        """Draw here again, after another context was current."""
        self._context.make_current()

    def close(self) -> None:
        """Free all."""
        self.renderer.close()
        self.target.close()
        raise_errors("closing in a test")
