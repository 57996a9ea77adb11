"""Frames a second of the page and of the viewer's own scene with the same robot, drawn without a graphics card, in turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import viser

from handhold.app.lab.benches.page_chromium import DRAWN, TIMEOUT, new_page, wait_until
from handhold.app.page.page import Page
from handhold.app.page.server import no_banner, stop_server
from handhold.render.browser.robot import RobotNodes
from handhold.render.meshes import LinkMesh, load_link_meshes
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

ROUNDS = 2
ROUND = 4.0
"""How long each page is measured in a round [s]."""
SWING = 0.3
"""How far all joints of the arms swing [rad]: every frame has something new."""
COUNTING = """
(() => {
  let drawn = false;
  let frames = 0;
  for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
    const draw = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...words) { drawn = true; return draw.apply(this, words); };
  }
  const next = () => { if (drawn) frames += 1; drawn = false; requestAnimationFrame(next); };
  requestAnimationFrame(next);
  window.countFrames = () => frames;
})();
"""


class PlainScene:
    """The viewer's scene as its own example of a robot makes it: a grid, default lights and a mesh for each link's part."""

    def __init__(self, model: RobotModel, meshes: tuple[LinkMesh, ...]) -> None:
        """Serve it."""
        with no_banner():
            self.server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
        self.server.scene.add_grid("/grid", width=2.0, height=2.0)
        # The same tree of frames as on our page, with the meshes as they come.
        self._nodes = RobotNodes(self.server, model, "/robot", ())
        for number, mesh in enumerate(meshes):
            self.server.scene.add_mesh_simple(
                f"{self._nodes.get_name(mesh.joint)}/{number}",
                mesh.vertices,
                mesh.faces,
                color=(round(255 * mesh.color[0]), round(255 * mesh.color[1]), round(255 * mesh.color[2])),
            )
        self.address = f"http://127.0.0.1:{self.server.get_port()}/"

    def show(self, joints: np.ndarray) -> None:
        """Move the robot; ``joints`` are the poses of its joints in world, shape ``(joints, 4, 4)``."""
        with self.server.atomic():
            self._nodes.move(joints)

    def close(self) -> None:
        """Stop serving."""
        stop_server(self.server)


def compare_frames(browser: Browser, page: Page, snapshot: Snapshot, model: RobotModel) -> tuple[float, float]:
    """Return the frames a second of our page, which shows a snapshot already, and of the viewer's own scene."""
    from handhold.render.elements.stage import Stage

    stage, plain = Stage(model), PlainScene(model, load_link_meshes(model))
    began = time.monotonic()

    def swing() -> np.ndarray:
        q = snapshot.q.copy()
        arms = [index for index, name in enumerate(model.pinocchio.names) if "arm" in name and index > 1]
        for joint in arms:
            q[7 + joint - 2] += SWING * math.sin(3.0 * (time.monotonic() - began))
        return q

    def move_ours() -> None:
        page.show(replace(snapshot, q=swing(), measured_at=time.monotonic()))

    def move_plain() -> None:
        plain.show(stage.compute_joints(swing()))

    tabs = [new_page(browser), new_page(browser)]
    for tab, address in zip(tabs, (page.address, plain.address), strict=True):
        tab.add_init_script(COUNTING)
        tab.goto(address)
    wait_until(tabs[0], move_ours, lambda: tabs[0].locator(DRAWN).count(), "our page")
    wait_until(tabs[1], move_plain, lambda: tabs[1].evaluate("countFrames()") > 0, "the viewer's page")
    rates = np.zeros(2)
    for _ in range(ROUNDS):
        rates += (_measure(tabs[0], move_ours), _measure(tabs[1], move_plain))
    for tab in tabs:
        tab.close()
    plain.close()
    return float(rates[0] / ROUNDS), float(rates[1] / ROUNDS)


def _measure(tab: Tab, move: Callable[[], None]) -> float:
    """Return the frames a second of a round, which lasts until there is one: with multisampling that takes seconds."""
    start, before, frames = time.monotonic(), tab.evaluate("countFrames()"), 0
    while time.monotonic() - start < ROUND or (frames == 0 and time.monotonic() - start < TIMEOUT):
        move()
        tab.wait_for_timeout(15)
        frames = tab.evaluate("countFrames()") - before
    return float(frames) / (time.monotonic() - start)
