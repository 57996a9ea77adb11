"""Takes the gallery's pictures and writes them down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from handhold.app.gallery.exhibits import EXHIBITS, Exhibit, Shot
from handhold.app.gallery.things import Postures, find_room, look_from
from handhold.render.compose import compose
from handhold.render.gl.context import make_context
from handhold.render.gl.eye import Eye, FieldOfView
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.meshes import load_link_meshes
from handhold.render.placement import compute_base_pose
from handhold.render.scene import Scene, Solids
from handhold.render.stage import Stage
from handhold.render.streams import PictureFrame
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

WIDTH, HEIGHT = 960, 640
"""Size of a picture [pixels]."""

CAMERA_WIDTH, CAMERA_HEIGHT = 424, 240
CAMERA_TANGENT = 0.93
"""Half the width of what the robot's camera sees, as the tangent of its angle."""

STEP = 4
"""Step of the colours in a picture's file, of 255: nobody sees it, and the file is a third smaller."""


def hang_gallery(folder: Path, names: tuple[str, ...], say: Callable[[str], None]) -> list[Path]:
    """Draw the gallery's pictures.

    Args:
        folder: Where they go; made where it is missing.
        names: Which; all where there are none.
        say: Told of each picture.

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
        chosen = [exhibit for exhibit in EXHIBITS if not names or exhibit.name in names]
        files = []
        for exhibit in chosen:
            file = folder / f"{exhibit.name}.png"
            write_picture(file, studio.take(exhibit))
            say(f"{file}: {exhibit.title}")
            files.append(file)
    finally:
        context.close()
    return files


class Studio:
    """Draws exhibits in the OpenGL context that is current."""

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

    def take(self, exhibit: Exhibit) -> np.ndarray:
        """Return the picture of an exhibit, shape ``(HEIGHT, WIDTH, 3)``, uint8 (sRGB)."""
        stage = Stage(self._model, load_world(exhibit.world))
        shot = exhibit.make(self._postures)
        streams = replace(shot.streams, picture=self._look_through_camera(shot)) if shot.camera else shot.streams
        room, view = find_room(shot.eye)
        scene = compose(shot.snapshot, replace(shot.view, transform_room_to_world=room.astype(np.float32)), streams, stage)
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

    def _look_through_camera(self, shot: Shot) -> PictureFrame:
        """Return what the robot's camera would see: a table and the robot's own arms."""
        stage = Stage(self._model, load_world("table"))
        assert shot.snapshot is not None
        base = compute_base_pose(shot.snapshot.q)
        x, y, z = (base[:3, :3] @ stage.position_eye_in_base + base[:3, 3]).tolist()
        body = compose(shot.snapshot, shot.view, shot.streams, stage).robots[:1]
        visible = body[0].visible & ~stage.carries_camera
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
