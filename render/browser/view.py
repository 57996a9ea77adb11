"""The same scene as in the headset on a page in the browser, and what it says there in words on the page's panel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import viser

from handhold.devices.browser.page_server import PageServer
from handhold.render import palette
from handhold.render.browser.camera import PageCameras, choose_views
from handhold.render.browser.interface import ViewInterface
from handhold.render.browser.panel import describe_ages, describe_details, describe_status
from handhold.render.browser.robot import OWN_COLORS, RobotNodes
from handhold.render.browser.scene import SceneNodes
from handhold.render.browser.solids import WorldNodes
from handhold.render.composition.compose import compose
from handhold.render.elements.robots import GHOST_OPACITY, PREVIEW_OPACITY
from handhold.render.elements.stage import Stage
from handhold.render.interface.placement import compute_base_pose, rotate_about_vertical
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState
from handhold.render.meshes import PAGE_TOLERANCE, LinkMesh, Progress, load_link_meshes
from handhold.render.scene import RobotInstance, Scene, Solids
from handhold.render.snapshot import Snapshot
from handhold.render.streams import Streams
from handhold.robots.model import RobotModel
from handhold.robots.worlds import World


def _place_screen() -> np.ndarray:
    """Return the room, shape ``(4, 4)``, in which the camera's screen stands beyond the robot and faces the first view."""
    room = np.eye(4, dtype=np.float32)
    room[:3, :3] = rotate_about_vertical(-0.61)
    room[:2, 3] = (-0.3, 0.2)
    return room


WATCHING = ViewState(
    settings=Settings(hints=False, wrist_region=False, balance_disc=False), transform_room_to_world=_place_screen()
)
"""How the page's scene is made: it shows neither hands nor what stands before the eyes, which its panel tells."""


class BrowserView:
    """Shows snapshots on the page of a viser server."""

    def __init__(
        self,
        server: PageServer,
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
        meshes = load_link_meshes(model, progress=progress, tolerance=PAGE_TOLERANCE) if meshes is None else meshes
        self._stage = Stage(model, world)
        solids = tuple(element for element in self._stage.surroundings if isinstance(element, Solids))
        self._stage.surroundings = tuple(element for element in self._stage.surroundings if not isinstance(element, Solids))
        _set_the_stage(server)
        self._cameras = PageCameras(server, choose_views(self._stage))
        self._world = WorldNodes(server, self._stage.obstacles, solids)
        self._nodes = SceneNodes(server)
        self._robots = {kind: RobotNodes(server, model, f"/{kind}", meshes) for kind in KINDS}
        self._robots["robot"].prepare(OWN_COLORS, 1.0)
        self._robots["ghost"].prepare(palette.to_linear(palette.REFERENCE), GHOST_OPACITY)
        self._panel = _add_panel(server, model)
        self._interface = ViewInterface(server, self._cameras, model)
        self._show_scene(compose(None, WATCHING, Streams(), self._stage))

    def show(self, snapshot: Snapshot, streams: Streams | None = None) -> None:
        """Show one snapshot; what has not changed is not sent again.

        Args:
            snapshot: The snapshot.
            streams: What has arrived besides, and how old everything is now; by default nothing, and new.
        """
        streams = streams or Streams()
        scene = compose(_take_off_gauges(snapshot), WATCHING, streams, self._stage)
        with self._server.atomic():
            self._show_scene(scene)
        self._world.show(_find_points(scene))
        self._cameras.update(compute_base_pose(snapshot.q))
        self._panel.show(snapshot, streams)
        self._interface.show(snapshot)

    def _show_scene(self, scene: Scene) -> None:
        instances = {_find_kind(instance): instance for instance in scene.robots}
        for kind, nodes in self._robots.items():
            nodes.show(instances.get(kind))
        self._nodes.show(scene)


KINDS = ("robot", "ghost", "preview")
"""The robots of a scene: as measured, its reference, and a previewed pose."""


def _find_kind(instance: RobotInstance) -> str:
    """Return which of the robots an instance is: each keeps its opacity, whatever its colours."""
    if instance.opacity >= 1.0:
        return "robot"
    return "preview" if instance.opacity == PREVIEW_OPACITY else "ghost"


@dataclass(frozen=True, eq=False, slots=True)
class _Panel:
    """What the panel says."""

    model: RobotModel
    status: viser.GuiHtmlHandle
    ages: viser.GuiHtmlHandle
    details: viser.GuiHtmlHandle

    def show(self, snapshot: Snapshot, streams: Streams) -> None:
        self.status.content = describe_status(snapshot, self.model)
        self.ages.content = describe_ages(snapshot, streams)
        self.details.content = describe_details(snapshot, self.model)


def _set_the_stage(server: viser.ViserServer) -> None:
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", brand_color=palette.ENGAGED)
    server.scene.set_background_image(_make_sky(), format="png")
    server.scene.configure_environment_map(None)  # Costs software GL half its rate.
    server.scene.configure_default_lights(enabled=False)
    server.scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 185, 178), intensity=2.2)
    # Shadows would draw all of it anew for each of the light's cascades, which software GL cannot spare.
    server.scene.add_light_directional("/light/sun", intensity=2.2, cast_shadow=False, position=(1.5, -2.5, 4.0))


def _add_panel(server: viser.ViserServer, model: RobotModel) -> _Panel:
    server.gui.set_panel_label(f"Handhold: {model.description.title}")
    status = server.gui.add_html('<div style="padding:0.4em 0.8em">waiting for the robot</div>')
    ages = server.gui.add_html("")
    with server.gui.add_folder("Figures", expand_by_default=False):
        details = server.gui.add_html("")
    return _Panel(model, status, ages, details)


def _find_points(scene: Scene) -> np.ndarray | None:
    """Return what shall be seen of the robot: its joints in world, shape ``(k, 3)``, or None before it is heard of."""
    instance = next((instance for instance in scene.robots if instance.opacity >= 1.0), None)
    return None if instance is None else instance.joints[1:, :3, 3].astype(float)


def _take_off_gauges(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot without what the cards of the hands tell: plates at a hand would hide its arrows."""
    report = snapshot.report
    left, right = replace(report.left, support=None), replace(report.right, support=None)
    return replace(snapshot, report=replace(report, left=left, right=right))


def _make_sky() -> np.ndarray:
    height, width = 90, 160
    shade = np.linspace(252, 226, height)[:, None, None]
    return np.broadcast_to(shade, (height, width, 3)).astype(np.uint8)
