"""Scenes whose pictures are kept as references, and how alike two pictures are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
from easel import make_eye, make_pose, make_solid, rgba

from handhold.render.elements.stage import Stage
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.look_at import look_at
from handhold.render.meshes import load_link_meshes
from handhold.render.scene import Anchor, Cloud, Fill, Label, Lines, Picture, RobotInstance, Scene, Shape, Solids
from handhold.robots.model import RobotModel, load_model

FOLDER = Path(__file__).parent / "references"
PIXELS = 200
WHITE, BLACK = rgba(1, 1, 1, 1), rgba(0, 0, 0, 1)
BLUE, ORANGE, GREEN = rgba(0, 0.17, 0.45, 1), rgba(0.79, 0.35, 0, 1), rgba(0, 0.34, 0.17, 1)
FIELD_OF_VIEW = FieldOfView(left=-0.46, right=0.4, up=0.43, down=-0.43)
STANDPOINT = look_at(np.array([2.2, -1.2, 1.5]), np.array([0.0, 0.0, 0.75]))


@cache
def load_talos() -> RobotModel:
    """Return the robot that is shown."""
    return load_model("talos")


def make_renderer() -> Renderer:
    """Return a renderer that knows the robot."""
    return Renderer({"talos": load_link_meshes(load_talos())})


def make_robot(opacity: float, color: np.ndarray, **turned: float) -> RobotInstance:
    """Return the robot in its nominal posture but for some joints turned [rad], in a tint."""
    model = load_talos()
    q = model.q_nominal.copy()
    for name, angle in turned.items():
        q[7 + model.joint_names.index(name)] += angle
    joints = Stage(model).compute_joints(q)
    count = len(joints)
    return RobotInstance(
        robot="talos", joints=joints, tints=np.tile(color, (count, 1)), opacity=opacity, visible=np.ones(count, dtype=bool)
    )


def make_robots() -> Scene:
    """Return the robot, one leg red, and its ghost that reaches out."""
    solid = make_robot(1.0, rgba(0, 0, 0, 0))
    solid.tints[load_talos().pinocchio.getJointId("leg_left_4_joint")] = rgba(0.66, 0.11, 0, 0.8)
    ghost = make_robot(0.4, rgba(0.09, 0.46, 0.81, 0.8), arm_left_4_joint=-0.8, arm_right_1_joint=0.6)
    return Scene(robots=(solid, ghost))


def make_shapes() -> Scene:
    """Return solid and clear shapes, stretched and turned."""
    transforms = np.stack([make_pose(0.3, 0.0, 0.5, 0.3), make_pose(0.6, 0.0, 0.4, 0.25)])
    transforms[1, :3, :3] = pin.utils.rotate("y", 0.6) @ np.diag([0.2, 0.2, 0.35])
    colors = np.stack([ORANGE, rgba(0, 0.34, 0.17, 0.5)])
    solids = []
    for number, shape in enumerate(Shape):
        moved = transforms.copy()
        moved[:, 1, 3] = 0.4 * number - 0.6
        solids.append(Solids(shape=shape, transforms=moved, colors=colors))
    return Scene(solids=tuple(solids))


def make_ground() -> Scene:
    """Return a floor of lines with an outlined region on it and a column."""
    ticks = np.arange(-2.0, 2.01, 0.5)
    grid = [[(x, -2, 0), (x, 2, 0)] for x in ticks] + [[(-2, x, 0), (2, x, 0)] for x in ticks]
    region = np.array([(0.3, -0.3, 0), (0.3, 0.3, 0), (-0.3, 0.4, 0), (-0.4, -0.2, 0)], dtype=np.float32)
    rod = np.diag([0.06, 0.06, 0.9, 1.0]).astype(np.float32)
    rod[2, 3] = 0.45
    return Scene(
        lines=(
            Lines(ends=np.array(grid, np.float32), colors=np.tile(rgba(0.2, 0.22, 0.25, 0.6), (len(grid), 1)), width=0.01),
            Lines(ends=np.stack([region, np.roll(region, -1, axis=0)], axis=1), colors=np.tile(BLUE, (4, 1)), width=0.03),
        ),
        fills=(Fill(triangles=region[[[0, 1, 2], [0, 2, 3]]], colors=np.tile(rgba(0, 0.17, 0.45, 0.4), (2, 1))),),
        solids=(make_solid(Shape.CYLINDER, rod, BLACK),),
    )


def make_words() -> Scene:
    """Return texts: turning and fixed, with and without plates, in the world, at a hand and before the head."""
    towards = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    on_floor = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    plate, at = rgba(0.01, 0.01, 0.02, 0.8), np.array
    return Scene(
        labels=(
            Label(text="42 mm\nleft hand", position=at([0, 0, 1.3]), height=0.15, color=WHITE, background=plate),
            Label(text="±5° → ok", position=at([0, 0, 0.8]), height=0.3, color=BLACK, background=rgba(0, 0, 0, 0)),
            Label(text="FLOOR", position=at([0, 0, 0]), height=0.4, color=BLUE, background=WHITE, rotation=on_floor),
            Label(
                text="STOPPED",
                position=at([1.0, 0.0, 0.35]),
                height=0.1,
                color=WHITE,
                background=ORANGE,
                anchor=Anchor.HEAD,
                rotation=towards,
            ),
            Label(
                text="squeeze", position=at([0, 0, 0.1]), height=0.06, color=WHITE, background=GREEN, anchor=Anchor.LEFT_HAND
            ),
        )
    )


def make_streams() -> Scene:
    """Return a cloud, a coloured arch, and a camera's picture of three bands."""
    angles = np.linspace(0.0, np.pi, 400)
    arch = np.column_stack([np.full(400, 0.2), 0.6 * np.cos(angles), 0.3 + 0.9 * np.sin(angles)]).astype(np.float32)
    colors = np.column_stack([255 * angles / np.pi, 255 * np.sin(angles), 255 - 255 * angles / np.pi]).astype(np.uint8)
    image = np.zeros((6, 8, 3), np.uint8)
    image[:2], image[2:4, :4], image[4:] = (213, 94, 0), (240, 228, 66), (0, 114, 178)
    screen = make_pose(0.0, 0.0, 0.7)
    screen[:3, :3] = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]) @ np.diag([0.8, 0.6, 1.0])
    return Scene(
        cloud=Cloud(positions=arch, colors=colors, size=0.03, version=1),
        pictures=(Picture(image=image, version=1, transform=screen),),
    )


def make_everything() -> Scene:
    """Return all of it."""
    parts = [make() for name, make in SCENES.items() if name != "everything"]
    return Scene(
        robots=tuple(look for part in parts for look in part.robots),
        solids=tuple(solids for part in parts for solids in part.solids),
        lines=tuple(lines for part in parts for lines in part.lines),
        fills=tuple(fill for part in parts for fill in part.fills),
        labels=tuple(label for part in parts for label in part.labels),
        pictures=tuple(picture for part in parts for picture in part.pictures),
        cloud=parts[-1].cloud,
    )


SCENES: Mapping[str, Callable[[], Scene]] = {
    "robots": make_robots,
    "shapes": make_shapes,
    "ground": make_ground,
    "words": make_words,
    "streams": make_streams,
    "everything": make_everything,
}


def make_reference_eye() -> Eye:
    """Return the eye that all references are seen by."""
    hand = STANDPOINT @ make_pose(0.8, 0.22, -0.2)
    return make_eye(STANDPOINT, FIELD_OF_VIEW, PIXELS, left_hand=hand)


def draw(renderer: Renderer, target: Target, scene: Scene) -> np.ndarray:
    """Draw a scene; return red, green and blue."""
    renderer.load(scene)
    renderer.draw(target, make_reference_eye())
    return target.read_pixels()[..., :3]


def compare(picture: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """Return the mean difference of two pictures, 0 to 255, and the share of their pixels that differ clearly."""
    difference = np.abs(picture.astype(int) - reference)
    return float(difference.mean()), float((difference.max(axis=-1) > CLEARLY).mean())


CLEARLY = 24
"""From how large a difference on, of 255, a pixel differs clearly: what another rounding or dithering never makes."""
