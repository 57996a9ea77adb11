"""Make docs/images/browser.png, the page with a hand-made state of the robot: ``python tests/make_browser_picture.py``."""

from __future__ import annotations

import io
import time
from pathlib import Path

import numpy as np
from browser import CHROMIUM, FLAGS, wait_until
from PIL import Image
from playwright.sync_api import sync_playwright
from snapshots import make_snapshot, move_joints

from handhold.app.browser_server import make_server, stop_server
from handhold.devices.browser import BrowserDevice
from handhold.render.browser import BrowserView
from handhold.render.snapshot import Snapshot, StabilityRegion
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "browser.png"
REACHING = {"arm_left_1_joint": -0.3, "arm_left_2_joint": 0.5, "arm_left_4_joint": 0.75}
LAGGING = {"arm_left_1_joint": -0.05, "arm_left_2_joint": 0.1, "arm_left_4_joint": 0.2}


def make_state(model: RobotModel) -> Snapshot:
    """Return the robot on its way to a reference that reaches forward with the left hand, its right knee near its limit."""
    torques = np.zeros(model.n)
    knee = model.pinocchio.getJointId("leg_right_4_joint") - 2
    torques[knee] = 0.95 * model.torque_limits[knee]
    edges = np.array([[0.17, -0.15], [0.17, 0.15], [-0.1, 0.15], [-0.1, -0.15]])
    region = StabilityRegion(vertices=edges, height=0.0, margin=0.05, edge=0, limit="torque of leg_right_4_joint")
    return make_snapshot(
        model,
        q=move_joints(model, model.q_nominal, LAGGING),
        reference_q=move_joints(model, model.q_nominal, REACHING),
        active_constraints=("CoM at the edge of its region",),
        joint_torques=torques,
        region=region,
    )


def main() -> None:
    """Take the picture."""
    model, server = load_model("talos"), make_server(port=0)
    view, device = BrowserView(server, model, load_world("flat")), BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    state = make_state(model)
    view.show(state)
    device.place(state.left.target, state.right.target)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 760})
        page.goto(server.address)
        wait_until(page, server.get_clients, "the page")
        page.wait_for_timeout(8000)  # software GL draws a frame in up to 10 s with multisampling
        page.locator(".mantine-Notification-closeButton").click()
        page.wait_for_timeout(4000)
        picture = Image.open(io.BytesIO(page.screenshot(timeout=120_000))).convert("RGB")
        browser.close()
    stop_server(server)
    picture.save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
