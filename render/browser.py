"""The same scene as in the headset on a page in the browser, and what it says there in words on the page's panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import viser

from handhold.render import palette
from handhold.render.browser_panel import describe_ages, describe_details, describe_status
from handhold.render.browser_robot import OWN_COLORS, RobotNodes
from handhold.render.browser_scene import SceneNodes
from handhold.render.compose import compose
from handhold.render.elements.robots import GHOST_OPACITY, PREVIEW_OPACITY
from handhold.render.meshes import LinkMesh, Progress, load_link_meshes
from handhold.render.placement import rotate_about_vertical
from handhold.render.scene import RobotLook, Scene
from handhold.render.settings import Settings
from handhold.render.snapshot import Snapshot
from handhold.render.stage import Stage
from handhold.render.streams import Streams
from handhold.render.view_state import ViewState
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World


def _place_screen() -> np.ndarray:
    """Return the room, shape ``(4, 4)``, in which the camera's screen stands behind the robot and faces the first view."""
    room = np.eye(4, dtype=np.float32)
    room[:3, :3] = rotate_about_vertical(-3.05)
    room[:2, 3] = (0.36, -0.48)
    return room


WATCHING = ViewState(settings=Settings(hints=False, wrist_region=False), transform_room_to_world=_place_screen())
"""How the page's scene is made: it shows neither hands nor what stands before the eyes, which its panel tells."""
CAMERA_POSITION = (1.6, -1.25, 1.3)
CAMERA_TARGET = (0.05, 0.1, 0.62)


class BrowserView:
    """Shows snapshots on the page of a viser server."""

    def __init__(
        self,
        server: viser.ViserServer,
        model: RobotModel,
        world: World | None = None,
        meshes: tuple[LinkMesh, ...] | None = None,
        progress: Progress = lambda _what, _share: None,
    ) -> None:
        """Put the world on the page, and the robot as soon as it is heard of.

        Args:
            server: Where the page comes from.
            model: The robot.
            world: What stands around the robot; by default only the ground.
            meshes: The robot's meshes; by default loaded here.
            progress: Called while meshes are loaded.
        """
        self._server = server
        meshes = load_link_meshes(model, progress=progress) if meshes is None else meshes
        self._stage = Stage(model, world)
        _set_the_stage(server)
        self._nodes = SceneNodes(server)
        self._robots = {kind: RobotNodes(server, model, f"/{kind}", meshes) for kind in KINDS}
        self._robots["robot"].prepare(OWN_COLORS, 1.0)
        self._robots["ghost"].prepare(palette.to_linear(palette.GHOST), GHOST_OPACITY)
        self._stop: str | None = None
        self._panel = _add_panel(server, model)
        self.reset = self._panel.reset
        """The button that each page has for its own view."""
        self._show_scene(compose(None, WATCHING, Streams(), self._stage))

    def show(self, snapshot: Snapshot, streams: Streams | None = None) -> None:
        """Show one snapshot; what has not changed is not sent again.

        Args:
            snapshot: The snapshot.
            streams: What has arrived besides, and how old everything is now; by default nothing, and new.
        """
        streams = streams or Streams()
        scene = compose(snapshot, WATCHING, streams, self._stage)
        with self._server.atomic():
            self._show_scene(scene)
            self._show_stop(snapshot.stop)
        self._panel.show(snapshot, streams)

    def _show_scene(self, scene: Scene) -> None:
        looks = {_find_kind(look): look for look in scene.robots}
        for kind, nodes in self._robots.items():
            nodes.show(looks.get(kind))
        self._nodes.show(scene)

    def _show_stop(self, stop: str) -> None:
        if stop == self._stop:
            return
        self._stop = stop
        self._server.scene.set_background_image(_background(stopped=bool(stop)), format="png")


KINDS = ("robot", "ghost", "preview")
"""The robots of a scene: as measured, its reference, and a coming pose."""


def _find_kind(look: RobotLook) -> str:
    """Return which of the robots a look is: each keeps its opacity, whatever its colours."""
    if look.opacity >= 1.0:
        return "robot"
    return "preview" if look.opacity == PREVIEW_OPACITY else "ghost"


@dataclass(frozen=True, eq=False, slots=True)
class _Panel:
    """What the panel says."""

    status: viser.GuiHtmlHandle
    ages: viser.GuiHtmlHandle
    details: viser.GuiHtmlHandle
    reset: viser.GuiButtonHandle

    def show(self, snapshot: Snapshot, streams: Streams) -> None:
        self.status.content = describe_status(snapshot)
        self.ages.content = describe_ages(snapshot, streams)
        self.details.content = describe_details(snapshot)


def _set_the_stage(server: viser.ViserServer) -> None:
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", brand_color=palette.BLUE)
    server.initial_camera.position = CAMERA_POSITION
    server.initial_camera.look_at = CAMERA_TARGET
    server.scene.configure_environment_map(None)  # Costs software GL half its rate.
    server.scene.configure_default_lights(enabled=False)
    server.scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 185, 178), intensity=2.2)
    server.scene.add_light_directional("/light/sun", intensity=2.2, cast_shadow=True, position=(1.5, -2.5, 4.0))


def _add_panel(server: viser.ViserServer, model: RobotModel) -> _Panel:
    server.gui.set_panel_label(f"Handhold: {model.description.title}")
    status = server.gui.add_html('<div style="padding:0.4em 0.8em">waiting for the robot</div>')
    ages = server.gui.add_html("")
    with server.gui.add_folder("Details", expand_by_default=False):
        details = server.gui.add_html("")
        reset = server.gui.add_button("Reset view", color="gray")
    reset.on_click(_reset_view)
    return _Panel(status, ages, details, reset)


async def _reset_view(event: viser.GuiEvent[viser.GuiButtonHandle]) -> None:
    if event.client is not None:
        event.client.camera.position = CAMERA_POSITION
        event.client.camera.look_at = CAMERA_TARGET


def _background(*, stopped: bool) -> np.ndarray:
    """A pale sky; a latched stop puts a wide frame around the whole picture."""
    height, width, frame = 90, 160, 4
    shade = np.linspace(252, 226, height)[:, None, None]
    picture = np.broadcast_to(shade, (height, width, 3)).astype(np.uint8).copy()
    if stopped:
        picture[:frame], picture[-frame:] = palette.ALARM, palette.ALARM
        picture[:, :frame], picture[:, -frame:] = palette.ALARM, palette.ALARM
    return picture
