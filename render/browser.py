"""The robot, its reference and its state of mind on a page in the browser."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import trimesh
import viser

from handhold.render import palette
from handhold.render.browser_panel import describe_details, describe_status
from handhold.render.browser_robot import RobotNodes
from handhold.render.meshes import LinkMesh, Progress, load_link_meshes
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, World

GHOST_OPACITY = 0.45
GHOST_DISTANCE = 0.012
"""A link of the ghost is shown where it is this far from the robot's own [m]; nearer it would only flicker through it."""
GHOST_ANGLE = 0.06
"""Or this far turned [rad]."""
FORCE_LENGTH = 0.8
"""Length of the arrow of a force equal to the robot's weight [m]."""
LEAST_FORCE = 5.0
"""Smaller forces are not drawn [N]."""
BESIDE = 0.16
"""Force arrows stand this far outside the limb that would hide them [m]."""
MARK_HEIGHT = 0.004
"""Height of the marks over the ground, so that neither shows through the other [m]."""
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
        """Put the robot, standing in its nominal posture, and the world on the page.

        Args:
            server: Where the page comes from.
            model: The robot.
            world: What stands around the robot; by default only the ground.
            meshes: The robot's meshes; by default loaded here.
            progress: Called while meshes are loaded.
        """
        self._server = server
        self._model = model
        meshes = load_link_meshes(model, progress=progress) if meshes is None else meshes
        _set_the_stage(server)
        for solid in world.solids if world else ():
            _add_solid(server, solid)
        self._robot = RobotNodes(server, model, "/robot", meshes)
        self._ghost = RobotNodes(server, model, "/ghost", meshes, tint=(palette.GHOST, GHOST_OPACITY))
        self._marks = _Marks(server)
        self._hands = {hand: _HandMark(server, hand) for hand in ("left", "right")}
        self._forces: np.ndarray | None = None
        self._polygon: np.ndarray | None = None
        self._stop: str | None = None
        self._status, self._details = _add_panel(server, model)
        self._robot.show(model.q_nominal)
        self._ghost.show(model.q_nominal)
        self._show_ghost_where_it_differs()

    def show(self, snapshot: Snapshot) -> None:
        """Show one snapshot; what has not changed is not sent again."""
        with self._server.atomic():
            self._robot.show(snapshot.q)
            self._ghost.show(snapshot.reference.q)
            self._show_ghost_where_it_differs()
            self._marks.show(snapshot)
            self._show_polygon(snapshot)
            self._show_forces(snapshot)
            self._hands["left"].show(snapshot.left)
            self._hands["right"].show(snapshot.right)
            self._show_stop(snapshot.stop)
        self._status.content = describe_status(snapshot)
        self._details.content = describe_details(snapshot)

    def _show_ghost_where_it_differs(self) -> None:
        positions, rotations = self._robot.joint_poses()
        ghost_positions, ghost_rotations = self._ghost.joint_poses()
        distances = np.linalg.norm(ghost_positions - positions, axis=1)
        # |R1 - R2| (Frobenius) = 2 sqrt(2) sin(angle / 2)
        angles = np.linalg.norm(ghost_rotations - rotations, axis=(1, 2)) / np.sqrt(2.0)
        for joint, link in self._ghost.links.items():
            link.visible = bool(distances[joint] > GHOST_DISTANCE or angles[joint] > GHOST_ANGLE)

    def _show_polygon(self, snapshot: Snapshot) -> None:
        polygon = snapshot.reference.support_polygon
        if (
            self._polygon is not None
            and polygon.shape == self._polygon.shape
            and np.allclose(polygon, self._polygon, atol=1e-3)
        ):
            return
        self._polygon = polygon.copy()
        _draw_polygon(self._server, polygon)

    def _show_forces(self, snapshot: Snapshot) -> None:
        arrows = compute_force_arrows(self._model, snapshot)
        if self._forces is not None and arrows.shape == self._forces.shape and np.allclose(arrows, self._forces, atol=4e-3):
            return
        self._forces = arrows
        self._server.scene.add_arrows(
            "/forces",
            arrows if len(arrows) else np.zeros((1, 2, 3)),
            palette.FORCE,
            shaft_radius=0.011,
            head_radius=0.028,
            head_length=0.07,
            visible=len(arrows) > 0,
        )

    def _show_stop(self, stop: str) -> None:
        if stop == self._stop:
            return
        self._stop = stop
        self._server.scene.set_background_image(_background(stopped=bool(stop)), format="png")


def compute_force_arrows(model: RobotModel, snapshot: Snapshot) -> np.ndarray:
    """Return tails and heads of the arrows of the measured contact forces in world, shape ``(arrows, 2, 3)`` [m]."""
    arrows = []
    for pose, wrench in zip(model.effector_poses(snapshot.q), snapshot.contact_wrenches, strict=True):
        force = pose[:3, :3] @ wrench[:3]
        if np.linalg.norm(force) < LEAST_FORCE:
            continue
        outward = pose[:2, 3] - snapshot.position_com_in_world[:2]
        tail = pose[:3, 3].copy()
        tail[:2] += BESIDE * outward / max(float(np.linalg.norm(outward)), 1e-6)
        arrows.append((tail, tail + FORCE_LENGTH * force / model.weight))
    return np.array(arrows).reshape(-1, 2, 3)


class _Marks:
    """The centre of mass on the ground: black as measured, green as desired."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._desired = _add_disc(server, "/com/desired", 0.034, palette.DESIRED_COM)
        self._measured = _add_disc(server, "/com/measured", 0.020, palette.MEASURED_COM)

    def show(self, snapshot: Snapshot) -> None:
        _move(self._measured, (*snapshot.position_com_in_world[:2], 2 * MARK_HEIGHT))
        _move(self._desired, (*snapshot.reference.position_com_in_world[:2], MARK_HEIGHT))


class _HandMark:
    """A ball where the hand is asked to be: green while the operator moves it, grey while it stays."""

    def __init__(self, server: viser.ViserServer, hand: str) -> None:
        self._balls = {
            engaged: server.scene.add_icosphere(
                f"/targets/{hand}/{'engaged' if engaged else 'held'}",
                radius=0.03,
                color=palette.ENGAGED if engaged else palette.HELD,
                opacity=0.85,
                cast_shadow=False,
                visible=False,
            )
            for engaged in (True, False)
        }

    def show(self, status: HandStatus) -> None:
        for engaged, ball in self._balls.items():
            ball.visible = engaged == status.engaged and bool(np.isfinite(status.target).all())
            _move(ball, tuple(status.target[:3, 3]))


def _move(handle: viser.SceneNodeHandle, position: tuple[float, ...]) -> None:
    if np.isfinite(position).all() and np.abs(handle.position - position).max() > 5e-4:
        handle.position = np.asarray(position)


def _set_the_stage(server: viser.ViserServer) -> None:
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", brand_color=palette.BLUE)
    server.initial_camera.position = CAMERA_POSITION
    server.initial_camera.look_at = CAMERA_TARGET
    server.scene.configure_environment_map(None)  # Costs software GL half its rate.
    server.scene.configure_default_lights(enabled=False)
    server.scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 185, 178), intensity=2.2)
    server.scene.add_light_directional("/light/sun", intensity=2.2, cast_shadow=True, position=(1.5, -2.5, 4.0))
    server.scene.add_grid("/ground", width=8.0, height=8.0, cell_size=0.25, section_size=1.0, fade_distance=12.0)


def _add_solid(server: viser.ViserServer, solid: Solid) -> None:
    name = f"/world/{solid.name}"
    position = np.array(solid.position)
    wxyz = np.roll(pin.Quaternion(solid.to_se3().rotation).coeffs(), 1)
    color = palette.to_bytes(solid.colour)
    if solid.shape == "box":
        server.scene.add_box(name, color, np.array(solid.size), wxyz=wxyz, position=position)
    elif solid.shape == "sphere":
        server.scene.add_icosphere(name, solid.size[0], color, wxyz=wxyz, position=position)
    else:
        server.scene.add_cylinder(name, solid.size[0], solid.size[1], color, wxyz=wxyz, position=position)


def _add_disc(server: viser.ViserServer, name: str, radius: float, color: palette.Color) -> viser.SceneNodeHandle:
    disc = trimesh.creation.cylinder(radius=radius, height=MARK_HEIGHT, sections=32)
    return server.scene.add_mesh_simple(name, disc.vertices, disc.faces, color=color, cast_shadow=False, flat_shading=True)


def _draw_polygon(server: viser.ViserServer, polygon: np.ndarray) -> None:
    enough = len(polygon) >= 3
    ring = np.column_stack([polygon, np.full(len(polygon), MARK_HEIGHT)]) if enough else np.zeros((3, 3))
    segments = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
    fan = np.array([[0, i, i + 1] for i in range(1, len(ring) - 1)])
    server.scene.add_line_segments(
        "/support/edge", segments, palette.SUPPORT, thickness=0.008, thickness_units="world", visible=enough
    )
    server.scene.add_mesh_simple(
        "/support/area", ring, fan, color=palette.SUPPORT, opacity=0.25, side="double", cast_shadow=False, visible=enough
    )


def _add_panel(server: viser.ViserServer, model: RobotModel) -> tuple[viser.GuiHtmlHandle, viser.GuiHtmlHandle]:
    server.gui.set_panel_label(f"Handhold: {model.description.title}")
    status = server.gui.add_html('<div style="padding:0.4em 0.8em">waiting for the robot</div>')
    with server.gui.add_folder("Details", expand_by_default=False):
        details = server.gui.add_html("")
        reset = server.gui.add_button("Reset view", color="gray")
    reset.on_click(_reset_view)
    return status, details


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
