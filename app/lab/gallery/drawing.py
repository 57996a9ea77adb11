"""Takes the gallery's pictures and writes them down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from handhold.app.lab.gallery.parts import Postures, find_room, look_from
from handhold.app.lab.gallery.screenshots import SCREENSHOTS, Screenshot, Shot
from handhold.render.composition.compose import NOTHING_FADED, compose
from handhold.render.composition.fading import begin_fading, fade_solids, find_watched_points, step_fading
from handhold.render.elements.element import Element
from handhold.render.elements.stage import Stage
from handhold.render.gl.context import make_context
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.interface.ahead import step_ahead
from handhold.render.interface.placement import compute_base_pose
from handhold.render.meshes import load_link_meshes
from handhold.render.scene import Scene, Solids
from handhold.render.streams import PictureFrame
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

WIDTH, HEIGHT = 960, 640
"""Size of a picture [pixels]."""

CAMERA_WIDTH, CAMERA_HEIGHT = 424, 240
CAMERA_TANGENT = 0.93
"""Half the width of what the robot's camera sees, as the tangent of its angle."""

STEP = 8
"""Step of the colours in a picture's file, of 255: hardly seen, and files whose floor and sky fade are a quarter smaller."""


def draw_gallery(folder: Path, names: tuple[str, ...], say: Callable[[str], None]) -> list[Path]:
    """Draw the gallery's pictures.

    Args:
        folder: Where they go; made where it is missing.
        names: Which; all where there are none.
        say: Called for each picture.

    Returns:
        The files written.

    Raises:
        RenderError: There is no OpenGL.
    """
    model = load_model("talos")
    context = make_context()
    try:
        studio = Studio(model)
        folder.mkdir(parents=True, exist_ok=True)
        chosen = [screenshot for screenshot in SCREENSHOTS if not names or screenshot.name in names]
        files = []
        for screenshot in chosen:
            file = folder / f"{screenshot.name}.png"
            write_picture(file, studio.take(screenshot))
            say(f"{file}: {screenshot.title}")
            files.append(file)
    finally:
        context.close()
    return files


class Studio:
    """Draws screenshots in the OpenGL context that is current."""

    def __init__(self, model: RobotModel) -> None:
        """Upload the robot.

        Raises:
            RenderError: OpenGL refuses something.
        """
        self._model = model
        self._postures = Postures(model)
        self._renderer = Renderer({model.description.name: load_link_meshes(model)})
        self._target = Target(WIDTH, HEIGHT)
        self._camera = Target(CAMERA_WIDTH, CAMERA_HEIGHT)

    def take(self, screenshot: Screenshot) -> np.ndarray:
        """Return the picture of a screenshot, shape ``(HEIGHT, WIDTH, 3)``, uint8 (sRGB)."""
        # an inset of another screenshot is not this one's
        self._renderer.load(Scene())
        stage = Stage(self._model, load_world(screenshot.world))
        shot = screenshot.make(self._postures)
        streams = replace(shot.streams, picture=self._draw_camera_picture(shot)) if shot.camera else shot.streams
        room, view = find_room(shot.eye)
        placed = replace(
            shot.view, transform_room_to_world=room.astype(np.float32), ahead=step_ahead(shot.view.ahead, view, 0.0)
        )
        scene = compose(shot.snapshot, placed, streams, stage, self._fade_solids(shot, stage))
        across = shot.upright * WIDTH / HEIGHT
        eye = Eye(
            view=view,
            field_of_view=FieldOfView(-across, across, shot.upright, -shot.upright),
            width=WIDTH,
            height=HEIGHT,
            left_hand=_bring(shot.left_hand, room),
            right_hand=_bring(shot.right_hand, room),
        )
        return self._draw(scene, self._target, eye)

    def _fade_solids(self, shot: Shot, stage: Stage) -> Mapping[Element, Element]:
        """Return what is drawn in place of solids that come between the eye and the robot."""
        if shot.snapshot is None:
            return NOTHING_FADED
        points = find_watched_points(shot.snapshot, self._model, shot.view.settings.view, stage.position_eye_in_base)
        fading = step_fading(begin_fading(stage.obstacles.count), stage.obstacles, shot.eye[:3, 3], points, 0.0)
        return fade_solids(fading, stage.solids)

    def _draw_camera_picture(self, shot: Shot) -> PictureFrame:
        """Return what the robot's camera would see: a table and the robot's own arms."""
        stage = Stage(self._model, load_world("table"))
        assert shot.snapshot is not None
        base = compute_base_pose(shot.snapshot.q)
        x, y, z = (base[:3, :3] @ stage.position_eye_in_base + base[:3, 3]).tolist()
        body = compose(shot.snapshot, shot.view, shot.streams, stage).robots[:1]
        visible = body[0].visible & ~stage.hides_view
        solids = tuple(element for element in stage.surroundings if isinstance(element, Solids))
        scene = Scene(robots=(replace(body[0], visible=visible),), solids=solids)
        upright = CAMERA_TANGENT * CAMERA_HEIGHT / CAMERA_WIDTH
        eye = Eye(
            view=look_from(x, y, z, target=(x + 0.7, y, z - 0.45)),
            field_of_view=FieldOfView(-CAMERA_TANGENT, CAMERA_TANGENT, upright, -upright),
            width=CAMERA_WIDTH,
            height=CAMERA_HEIGHT,
        )
        return PictureFrame(image=self._draw(scene, self._camera, eye), version=1)

    def _draw(self, scene: Scene, target: Target, eye: Eye) -> np.ndarray:
        self._renderer.load(scene)
        self._renderer.draw(target, eye)
        return target.read_pixels()[..., :3].copy()


def _bring(pose: np.ndarray | None, room: np.ndarray) -> np.ndarray | None:
    return None if pose is None else np.linalg.inv(room) @ pose


def write_picture(file: Path, pixels: np.ndarray) -> None:
    """Write a picture as PNG, its colours rounded."""
    rounded = (pixels.astype(np.int16) + STEP // 2) // STEP * STEP
    Image.fromarray(np.clip(rounded, 0, 255).astype(np.uint8)).save(file, optimize=True)
