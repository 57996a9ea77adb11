"""From a page in a real browser to the hand of a simulated robot: device, messages, control cycle and view, in lockstep."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from browser import (
    HANDLE_OFFSET,
    PAGE_TIMEOUT,
    PATIENT,
    move_to,
    open_chromium,
    open_page,
    press_at,
    project,
    wait_for_gizmo,
    wait_until,
)
from playwright.sync_api import Browser, Page

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.link.messages import Stamp, operator_codec
from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import make_server, stop_server
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.stop import Stop
from handhold.render.browser.view import BrowserView
from handhold.render.meshes import PAGE_TOLERANCE, LinkMesh, load_link_meshes
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

pytestmark = pytest.mark.alone

PERIOD = 1e-3  # [s]
PERIODS_A_SAMPLE = 11  # the station reads the device at 90 Hz
DRAGGED = 0.2  # [m]
FOLLOWING = 0.02  # [m]: how near the simulated hand must come to where it was dragged
PIXEL = 6e-3  # [m]: two pixels of the page at the distance of the hands
SETTLING = 2.0  # [s]: time in which a hand that is let go comes to rest in its new equilibrium
STAYING = 1e-3  # [m]: what the first step after clutching may move, and less than a robot sways that balances


class Teleoperation:
    """An operator at a page, and a robot that follows in simulated time."""

    def __init__(self, server: GuardedServer, model: RobotModel, meshes: tuple[LinkMesh, ...]) -> None:
        self.server = server
        self._model = model
        self._codec = operator_codec()
        self._view = BrowserView(server, model, meshes=meshes)
        self.device = BrowserDevice(server, server.pages, time.monotonic)
        self.device.open()
        self._robot = make_robot("mujoco", model, load_world("flat"))
        self._state = self._robot.reset(find_standing_posture(model))
        self._cycle = Cycle(model, self._state)
        self._effector = model.effector_of_hand("left") or 0
        self.run(0.3)

    def run(self, seconds: float) -> None:
        """Let the robot live for a time [s]."""
        for _ in range(math.ceil(seconds / (PERIODS_A_SAMPLE * PERIOD))):
            message = self._codec.encode(self.device.read(), Stamp(run=1, sequence=1, time=0.0))
            sample = self._codec.decode(message).payload
            for _ in range(PERIODS_A_SAMPLE):
                command, self.last = self._cycle.step(sample, self._state, (), PERIOD)
                self._robot.send(command)
                self._robot.advance(PERIOD)
                self._state = self._robot.read()
            self.device.place(self.last.left.target, self.last.right.target, self.last.stop)
        self._view.show(self.last)

    @property
    def hand(self) -> np.ndarray:
        """Where the simulated robot's hand is, by its measured joints and base [m]."""
        return self._model.effector_poses(self._state.q)[self._effector, :3, 3]

    @property
    def reference_hand(self) -> np.ndarray:
        """Where the reference has the hand [m]."""
        return self.last.reference.effector_poses[self._effector, :3, 3]

    @property
    def gizmo(self) -> np.ndarray:
        """Pose of the left hand's gizmo in world, homogeneous."""
        pose = self.device.read().left.pose
        assert pose is not None
        return pose.homogeneous

    def close(self) -> None:
        self.device.close()
        self._robot.close()


class Pointer:
    """The pointer of a page, on the arrow of the left hand's gizmo that points forward the most, or back."""

    def __init__(self, robot: Teleoperation, browser: Browser) -> None:
        self._robot = robot
        self.page, self._client = open_page(browser, robot.server)
        robot.run(0.2)

    def grab(self) -> None:
        """Press the pointer on the gizmo and wait until the page has said so."""
        pose = self._robot.gizmo
        self._axis = int(np.argmax(np.abs(pose[0, :3])))
        self._grip = pose[:3, 3] + HANDLE_OFFSET * pose[:3, self._axis]
        self.forward = pose[:3, self._axis] * np.sign(pose[0, self._axis])
        pixel = project(self._client, self._grip)
        wait_for_gizmo(self.page, pixel)
        press_at(self.page, pixel)
        wait_until(self.page, lambda: self._robot.device.read().left.squeeze == 1.0, "the gizmo to be held")
        self._wait_until_engaged()

    def _wait_until_engaged(self) -> None:
        """Let the robot live sample by sample; the one with which the clutch closes may hardly move its hand."""
        for _ in range(10):
            before = self._robot.reference_hand
            self._robot.run(PERIOD)
            if self._robot.last.left.engaged:
                assert distance(self._robot.reference_hand, before) < STAYING
                return
        raise AssertionError("the clutch does not close")

    def drag(self, way: float, seconds: float) -> None:
        """Drag the gizmo forward by some way [m] while the robot lives for a time [s]."""
        start, steps = self._robot.gizmo[:3, 3], 20
        for step in range(steps):
            ends = [self._grip + share / steps * way * self.forward for share in (step, step + 1)]
            move_to(self.page, project(self._client, ends[0]), project(self._client, ends[1]), moves=1)
            self._robot.run(seconds / steps)
        self._grip = self._grip + way * self.forward
        arrived = start + way * self.forward
        wait_until(self.page, lambda: np.linalg.norm(self._robot.gizmo[:3, 3] - arrived) < PIXEL, "the gizmo to arrive")

    def release(self) -> None:
        """Let go and wait until the page has said so."""
        self.page.mouse.up()
        wait_until(self.page, lambda: self._robot.device.read().left.squeeze == 0.0, "the gizmo to be let go")


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def meshes(model: RobotModel) -> tuple[LinkMesh, ...]:
    return load_link_meshes(model, tolerance=PAGE_TOLERANCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as chromium:
        yield chromium


@pytest.fixture
def robot(model: RobotModel, meshes: tuple[LinkMesh, ...]) -> Iterator[Teleoperation]:
    server = make_server(port=0, limits=PATIENT)
    with contextlib.closing(Teleoperation(server, model, meshes)) as robot:
        yield robot
    stop_server(server)


@pytest.fixture
def pointer(robot: Teleoperation, browser: Browser) -> Iterator[Pointer]:
    pointer = Pointer(robot, browser)
    yield pointer
    pointer.page.close()


def test_a_dragged_hand_is_followed_within_2_cm_and_stays_when_let_go(robot: Teleoperation, pointer: Pointer) -> None:
    start = robot.hand
    pointer.grab()
    assert not robot.last.right.engaged
    pointer.drag(DRAGGED, 1.5)
    robot.run(3.0)
    assert distance(robot.hand, start + DRAGGED * pointer.forward) < FOLLOWING

    pointer.release()
    robot.run(SETTLING)
    assert not robot.last.left.engaged
    stayed, placed = robot.hand, robot.gizmo
    assert distance(placed[:3, 3], stayed) < FOLLOWING  # the gizmo is back at the hand
    pointer.page.mouse.move(200.0, 600.0)
    robot.run(1.0)
    assert distance(robot.hand, stayed) < STAYING
    assert distance(robot.gizmo[:3, 3], placed[:3, 3]) < STAYING


def test_a_page_closed_in_mid_drag_leaves_the_hand_and_needs_the_clutch(
    robot: Teleoperation, pointer: Pointer, browser: Browser
) -> None:
    pointer.grab()
    pointer.drag(DRAGGED / 2, 0.75)
    robot.run(1.0)
    before = robot.hand
    pointer.page.close()
    end = time.monotonic() + PAGE_TIMEOUT
    while robot.server.get_clients():
        assert time.monotonic() < end
        time.sleep(0.005)
    robot.run(SETTLING)
    assert not robot.last.left.engaged
    assert robot.last.counters.lost_tracking == 1
    assert distance(robot.hand, before) < FOLLOWING

    again = Pointer(robot, browser)
    stayed = robot.hand
    robot.run(1.0)
    assert not robot.last.left.engaged
    assert distance(robot.hand, stayed) < STAYING
    again.grab()
    again.drag(-DRAGGED / 2, 0.75)
    robot.run(2.0)
    assert distance(robot.hand, stayed - DRAGGED / 2 * again.forward) < FOLLOWING
    again.page.close()


def test_stop_on_the_page_lets_go_of_a_hand_that_is_dragged_until_it_is_lifted(robot: Teleoperation, pointer: Pointer) -> None:
    pointer.grab()
    pointer.drag(DRAGGED / 2, 0.75)
    pointer.page.keyboard.press("Escape")
    wait_for(robot, pointer.page, lambda: robot.last.stop == Stop.HOLD, "the stop")
    robot.run(0.5)
    stopped = robot.hand
    pointer.drag(DRAGGED / 4, 0.5)
    assert not robot.last.left.engaged
    assert (robot.hand - stopped) @ pointer.forward < STAYING
    pointer.release()
    robot.run(0.1)
    pointer.page.get_by_role("button", name="Resume").click()
    wait_for(robot, pointer.page, lambda: robot.last.stop is Stop.NONE, "the stop to be lifted")
    robot.run(0.5)
    assert not robot.last.left.engaged


def wait_for(robot: Teleoperation, page: Page, condition: Callable[[], bool], what: str) -> None:
    """Let robot and page live until a condition holds."""

    def holds() -> bool:
        robot.run(0.05)
        return condition()

    wait_until(page, holds, what)


def distance(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other))
