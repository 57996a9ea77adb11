"""An operator in front of a real page: what is dragged, clicked and closed there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import viser
from browser import PAGE_TIMEOUT, PATIENT, grab_gizmo, open_chromium, open_details, open_page, pull_gizmo, wait_until
from playwright.sync_api import Browser, Page

from handhold.app.page.guard import GuardedServer
from handhold.app.page.server import PortBusy, make_server, stop_server
from handhold.devices.browser.controls import HOLD_TIMEOUT, ClickButton
from handhold.devices.browser.device import BrowserDevice
from handhold.devices.browser.words import Choice, ControlWords, HandWords
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.devices.stop import Stop

LEFT = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 0.3), np.array([0.4, 0.3, 1.0])).homogeneous
RIGHT = pin.SE3(pin.rpy.rpyToMatrix(0.2, 0.0, -0.2), np.array([0.4, -0.35, 1.0])).homogeneous
PIXEL = 6e-3
"""Two pixels of the page at the distance of the hands [m]: pointers move in whole pixels."""
KEY = b"a key"
"""What a server that is started again has from the session: an open page's cookie still holds."""
TURN = 1e-6
"""Dragging along an arrow does not turn the hand [rad]; what a page rounds away."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as chromium:
        yield chromium


@pytest.fixture
def server() -> Iterator[GuardedServer]:
    server = start_server(0)
    yield server
    stop_server(server)


@pytest.fixture
def device(server: GuardedServer) -> Iterator[BrowserDevice]:
    device = open_device(server)
    yield device
    device.close()


@pytest.fixture
def tab(device: BrowserDevice, server: GuardedServer, browser: Browser) -> Iterator[tuple[Page, viser.ClientHandle]]:
    page, client = open_page(browser, server)
    yield page, client
    page.close()


def start_server(port: int) -> GuardedServer:
    server = make_server(port=port, key=KEY, limits=PATIENT)
    server.initial_camera.position = (2.0, -1.2, 1.6)
    server.initial_camera.look_at = (0.2, 0.0, 0.9)
    return server


def open_device(server: GuardedServer) -> BrowserDevice:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    device.place(LEFT, RIGHT)
    return device


def wait_for_hand(page: Page, device: BrowserDevice, hand: str, squeeze: float) -> HandInput:
    wait_until(page, lambda: getattr(device.read(), hand).squeeze == squeeze, f"a squeeze of {squeeze:.0f}")
    return getattr(device.read(), hand)


def wait_for_nobody(server: viser.ViserServer) -> None:
    """Wait until no page is open."""
    end = time.monotonic() + PAGE_TIMEOUT
    while server.get_clients():
        assert time.monotonic() < end
        time.sleep(0.005)


def wait_for_later_click(page: Page, device: BrowserDevice) -> None:
    """Click elsewhere on a page, and wait for that: what the page had to say before has then arrived as well."""
    page.get_by_role("button", name="Preview, right hand").click()
    wait_until(page, lambda: device.read().right.buttons.secondary, "a later click")


def assert_stays(page: Page, device: BrowserDevice, holds: Callable[[OperatorInput], bool], seconds: float) -> None:
    """Assert that every sample of so many seconds of the device's own time is as it must be."""
    first = sample = device.read()
    while sample.time < first.time + seconds:
        assert holds(sample), sample
        page.wait_for_timeout(10)
        sample = device.read()


def moved_by(hand: HandInput, start: np.ndarray) -> np.ndarray:
    assert hand.pose is not None
    return hand.pose.translation - start[:3, 3]


def wait_for_move(page: Page, device: BrowserDevice, hand: str, start: np.ndarray, move: np.ndarray) -> HandInput:
    """Wait until the hand has moved so far; where it does not, the assertion says how far it did."""
    end = time.monotonic() + PAGE_TIMEOUT
    while np.abs(moved_by(getattr(device.read(), hand), start) - move).max() > PIXEL and time.monotonic() < end:
        page.wait_for_timeout(30)
    moved = getattr(device.read(), hand)
    assert moved_by(moved, start) == pytest.approx(move, abs=PIXEL)
    return moved


def test_hands_stand_where_they_are_placed_and_are_released(device: BrowserDevice) -> None:
    sample = device.read()
    for hand, pose in ((sample.left, LEFT), (sample.right, RIGHT)):
        assert hand.pose is not None
        assert np.allclose(hand.pose.homogeneous, pose)
        assert hand.squeeze == 0.0


@pytest.mark.parametrize(("hand", "start", "axis", "distance"), [("left", LEFT, 0, 0.2), ("right", RIGHT, 2, 0.15)])
def test_a_hand_follows_its_gizmo_while_it_is_dragged(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], hand: str, start: np.ndarray, axis: int, distance: float
) -> None:
    page, client = tab
    grab_gizmo(page, client, start, axis)
    held = wait_for_hand(page, device, hand, 1.0)
    assert np.linalg.norm(moved_by(held, start)) < PIXEL
    pull_gizmo(page, client, start, axis, distance)
    dragged = wait_for_move(page, device, hand, start, distance * start[:3, axis])
    assert dragged.squeeze == 1.0
    assert np.linalg.norm(pin.log3(dragged.pose.rotation.T @ start[:3, :3])) < TURN
    other = device.read().right if hand == "left" else device.read().left
    assert other.squeeze == 0.0
    page.mouse.up()
    released = wait_for_hand(page, device, hand, 0.0)
    assert moved_by(released, start) == pytest.approx(distance * start[:3, axis], abs=PIXEL)


def test_a_gizmo_that_is_dragged_is_not_placed(device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]) -> None:
    page, client = tab
    grab_gizmo(page, client, LEFT, 0)
    pull_gizmo(page, client, LEFT, 0, 0.1)
    wait_for_move(page, device, "left", LEFT, 0.1 * LEFT[:3, 0])
    device.place(LEFT, RIGHT)
    wait_for_move(page, device, "left", LEFT, 0.1 * LEFT[:3, 0])
    page.mouse.up()
    wait_for_hand(page, device, "left", 0.0)
    device.place(LEFT, RIGHT)
    assert np.linalg.norm(moved_by(device.read().left, LEFT)) < PIXEL


@pytest.mark.parametrize("heading", [0.0, np.pi])
def test_a_key_moves_a_hand_ahead_of_the_robot_whichever_way_that_faces(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], heading: float
) -> None:
    page, _ = tab
    device.place(LEFT, RIGHT, heading=heading)
    page.keyboard.down("ArrowUp")
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    wait_until(page, lambda: moved_by(device.read().left, LEFT) @ ahead > 0.02, "the hand to go ahead")
    page.keyboard.up("ArrowUp")
    moved = moved_by(wait_for_hand(page, device, "left", 0.0), LEFT)
    assert moved == pytest.approx(ahead * (moved @ ahead), abs=1e-9)


@pytest.mark.alone  # a page that gets no time for half a second is let go
def test_what_a_key_and_a_button_hold_is_released_with_the_last_of_them(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]
) -> None:
    page, _ = tab
    page.keyboard.down("a")
    page.get_by_role("button", name="Lean left").hover()
    page.mouse.down()
    wait_until(page, lambda: device.read().left.stick[0] == pytest.approx(-0.5), "the stick")
    page.mouse.up()
    wait_for_later_click(page, device)
    assert_stays(page, device, lambda sample: sample.left.stick[0] == pytest.approx(-0.5), 2.0 * HOLD_TIMEOUT)
    page.keyboard.up("a")
    wait_until(page, lambda: device.read().left.stick[0] == 0.0, "the end of the key")


def test_a_gizmo_put_back_from_afar_is_not_tracked_for_a_moment(server: GuardedServer) -> None:
    now = [0.0]
    device = BrowserDevice(server, server.pages, lambda: now[0])
    device.open()
    device.place(LEFT, RIGHT)
    assert device.read().left.pose is not None
    now[0] = 1.0
    far = LEFT.copy()
    far[0, 3] += 0.6
    device.place(far, RIGHT)
    assert device.read().left.pose is None
    assert device.read().right.pose is not None
    now[0] = 1.2
    assert moved_by(device.read().left, far) == pytest.approx(np.zeros(3))


def test_a_page_closed_in_mid_drag_loses_the_hand(device: BrowserDevice, server: GuardedServer, browser: Browser) -> None:
    page, client = open_page(browser, server)
    grab_gizmo(page, client, LEFT, 0)
    pull_gizmo(page, client, LEFT, 0, 0.1)
    wait_for_hand(page, device, "left", 1.0)
    assert device.read().focused
    page.close()
    wait_for_nobody(server)
    sample = device.read()
    assert sample.left.pose is None
    assert sample.left.squeeze == 0.0
    assert not sample.focused


def test_a_page_reloaded_in_mid_drag_loses_the_hand_and_can_take_it_again(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], server: GuardedServer
) -> None:
    page, client = tab
    grab_gizmo(page, client, LEFT, 0)
    wait_for_hand(page, device, "left", 1.0)
    page.reload()
    wait_for_hand(page, device, "left", 0.0)
    page.mouse.up()
    wait_until(page, lambda: [c for c in server.get_clients().values() if c is not client], "the page to come back")
    device.place(LEFT, RIGHT)
    grab_gizmo(page, client, LEFT, 0)  # The view is the first one again, as is the camera of the page that went.
    wait_for_hand(page, device, "left", 1.0)
    page.mouse.up()


def test_of_two_pages_one_drags_a_hand_at_a_time(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], server: GuardedServer, browser: Browser
) -> None:
    page, client = tab
    second, second_client = open_page(browser, server)
    grab_gizmo(page, client, LEFT, 0)
    wait_for_hand(page, device, "left", 1.0)
    before = device.read().left
    grab_gizmo(second, second_client, LEFT, 2)
    pull_gizmo(second, second_client, LEFT, 2, 0.2)
    second.mouse.up()
    refused = server.pages.refused.total()
    second.get_by_role("button", name="Preview, right hand").click()
    # a page that only watches: what it does is refused, in the order in which it did it
    wait_until(second, lambda: server.pages.refused.total() > refused, "the other page to be refused")
    after = device.read().left
    assert moved_by(after, LEFT) == pytest.approx(moved_by(before, LEFT))
    assert after.squeeze == 1.0
    second.close()
    page.mouse.up()
    wait_for_hand(page, device, "left", 0.0)
    assert device.read().focused


@pytest.mark.parametrize(
    ("label", "hand", "button"),
    [
        ("Lean on, left hand", "left", "primary"),
        ("Lean on, right hand", "right", "primary"),
        ("Preview, left hand", "left", "secondary"),
        ("Preview, right hand", "right", "secondary"),
    ],
)
def test_a_click_presses_the_button_for_a_moment(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], label: str, hand: str, button: str
) -> None:
    page, _ = tab
    page.get_by_role("button", name=label).click()
    wait_until(page, lambda: getattr(getattr(device.read(), hand).buttons, button), label)
    wait_until(page, lambda: not getattr(getattr(device.read(), hand).buttons, button), "its end")


def test_what_can_be_switched_is_asked_for_by_a_click_and_told_anew(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]
) -> None:
    page, _ = tab
    hand, posture = Choice(title="Move my hand"), Choice(title="Move my posture")
    device.offer({}, {"switch:contact": hand, "switch:posture": posture})
    page.get_by_text("Options").click()
    page.get_by_role("button", name="Move my posture: off").click()
    wait_until(page, lambda: device.read().request == "switch:posture", "the request")
    wait_until(page, lambda: device.read().request == "", "its end")
    device.offer({}, {"switch:contact": hand, "switch:posture": replace(posture, present=True)})
    # the menu is made anew, and closed: a click before would close the old one
    page.get_by_text("Move my posture: on").wait_for(state="attached")
    page.get_by_text("Options").click()
    page.get_by_role("button", name="Move my posture: on").wait_for()
    device.offer({}, {})
    page.get_by_role("button", name="Move my posture").wait_for(state="detached")


@pytest.mark.parametrize("way", ["button", "key"])
def test_a_stop_is_asked_for_until_it_is_latched_however_often_it_is_hit(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], way: str
) -> None:
    page, _ = tab
    stop = page.get_by_role("button", name="STOP")
    hit = stop.click if way == "button" else lambda: page.keyboard.press("Escape")
    hit()
    wait_until(page, lambda: device.read().stop == Stop.HOLD, "the stop")
    hit()
    wait_for_later_click(page, device)
    assert_stays(page, device, lambda sample: sample.stop == Stop.HOLD, 1.5)
    device.place(LEFT, RIGHT, stop=Stop.HOLD)
    wait_until(page, lambda: device.read().stop is Stop.NONE, "the stop to be latched, so that whoever drives can lift it")
    page.get_by_role("button", name="Resume").click()
    wait_until(page, lambda: device.read().stop == Stop.RESUME, "the stop to be lifted")
    hit()
    wait_until(page, lambda: device.read().stop == Stop.HOLD, "the stop after a resume")
    assert_stays(page, device, lambda sample: sample.stop == Stop.HOLD, 0.8)  # what is latched may be the stop before


def test_a_resume_is_asked_for_briefly(device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]) -> None:
    page, _ = tab
    device.place(LEFT, RIGHT, stop=Stop.HOLD)
    page.get_by_role("button", name="Resume").click()
    wait_until(page, lambda: device.read().stop == Stop.RESUME, "the resume")
    wait_until(page, lambda: device.read().stop is Stop.NONE, "its end")


def test_damping_is_asked_for_until_it_is_latched_and_no_stop_takes_its_place(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]
) -> None:
    page, _ = tab
    page.get_by_role("button", name="Damp").click()
    wait_until(page, lambda: device.read().stop == Stop.DAMP, "damping")
    page.get_by_role("button", name="STOP").click()
    wait_for_later_click(page, device)
    assert_stays(page, device, lambda sample: sample.stop == Stop.DAMP, 0.5)
    device.place(LEFT, RIGHT, stop=Stop.HOLD)
    assert_stays(page, device, lambda sample: sample.stop == Stop.DAMP, 1.5)
    device.place(LEFT, RIGHT, stop=Stop.DAMP)
    wait_until(page, lambda: device.read().stop is Stop.NONE, "damping to be latched")


@pytest.mark.alone  # a page that gets no time for half a second is let go
def test_a_held_button_deflects_the_stick_until_it_is_released(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]
) -> None:
    page, _ = tab
    page.get_by_role("button", name="Lean left").hover()
    page.mouse.down()
    wait_until(page, lambda: device.read().left.stick[0] == pytest.approx(-0.5), "the stick")
    page.wait_for_timeout(800)
    assert device.read().left.stick == pytest.approx([-0.5, 0.0])
    assert device.read().right.stick == pytest.approx([0.0, 0.0])
    page.mouse.up()
    wait_until(page, lambda: not device.read().left.stick.any(), "the stick to spring back")


def test_a_button_that_is_made_anew_while_a_finger_is_on_it_is_released_with_the_finger(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]
) -> None:
    page, _ = tab
    box = page.get_by_role("button", name="Lean forward").bounding_box()
    assert box is not None
    # A finger that rests on a button does not give it the focus, whose loss would release it.
    finger = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 0.5 * box["width"], "y": box["y"] + 0.5 * box["height"]}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    wait_until(page, lambda: device.read().left.stick[1] > 0.0, "the stick")
    device.offer({}, {}, ControlWords(left_stick="Walk"))
    page.get_by_role("button", name="Walk forward").wait_for()
    assert device.read().left.stick[1] > 0.0
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_until(page, lambda: device.read().left.stick[1] == 0.0, "the stick let go")


def test_the_grip_slider_is_the_trigger(device: BrowserDevice, tab: tuple[Page, viser.ClientHandle]) -> None:
    page, _ = tab
    open_details(page)
    page.get_by_role("textbox").first.fill("0.4")
    wait_until(page, lambda: device.read().left.trigger == pytest.approx(0.4), "the trigger")
    assert device.read().right.trigger == 0.0


@pytest.mark.parametrize("way", ["button", "key"])
def test_a_click_squeezes_a_hand_and_closes_its_gripper(
    device: BrowserDevice, tab: tuple[Page, viser.ClientHandle], way: str
) -> None:
    page, _ = tab
    page.keyboard.press("1")
    assert page.get_by_role("button", name="gripper").count() == 0, "nothing is offered to a hand without one"
    page.keyboard.press("c")
    assert_stays(page, device, lambda sample: sample.left.squeeze == sample.left.trigger == 0.0, 0.5)
    device.offer({}, {}, ControlWords(left=HandWords(grip="Close")))
    button = page.get_by_role("button", name="Close gripper, left hand")
    button.wait_for()
    device.place(LEFT, RIGHT)
    button.click() if way == "button" else page.keyboard.press("c")
    wait_until(page, lambda: device.read().left.squeeze == 1.0, "the squeeze")
    wait_until(page, lambda: device.read().left.trigger == 1.0, "the trigger")
    wait_until(page, lambda: device.read().left.squeeze == 0.0, "the end")
    assert device.read().left.trigger == 0.0
    assert device.read().right.squeeze == 0.0
    button.click()
    wait_until(page, lambda: device.read().left.squeeze == 1.0, "another squeeze")
    device.place(LEFT, RIGHT, stop=Stop.HOLD)
    assert device.read().left.squeeze == 0.0, "a stop lets go of it"


def test_an_open_page_finds_a_server_that_was_restarted(browser: Browser) -> None:
    first = start_server(0)
    port = first.get_port()
    open_device(first)
    page, client = open_page(browser, first)
    stop_server(first)
    second = start_server(port)
    device = open_device(second)
    wait_until(page, second.get_clients, "the page to come back")
    grab_gizmo(page, client, LEFT, 0)
    pull_gizmo(page, client, LEFT, 0, 0.1)
    assert wait_for_move(page, device, "left", LEFT, 0.1 * LEFT[:3, 0]).squeeze == 1.0
    page.mouse.up()
    page.close()
    stop_server(second)


def test_samples_are_numbered_and_runs_are_told_apart(device: BrowserDevice) -> None:
    first, second = device.read(), device.read()
    assert second.sequence == first.sequence + 1
    assert first.device == second.device == device.name
    device.close()
    device.open()
    assert device.read().device != first.device


def test_a_device_that_is_not_open_says_so(server: GuardedServer) -> None:
    device = BrowserDevice(server, server.pages, time.monotonic)
    with pytest.raises(DeviceError, match="open it"):
        device.read()
    device.pulse(HapticPulse(hand="left", amplitude=1.0, duration=0.1))
    device.close()


def test_a_hand_that_the_robot_lacks_is_not_placed(server: GuardedServer) -> None:
    device = BrowserDevice(server, server.pages, time.monotonic)
    device.open()
    device.place(LEFT, np.full((4, 4), np.nan))
    assert device.read().left.pose is not None
    assert device.read().right.pose is None


def test_a_busy_port_is_named(server: GuardedServer) -> None:
    with pytest.raises(PortBusy, match=f"127.0.0.1:{server.get_port()}.*--port"):
        make_server(port=server.get_port())


def test_a_click_counts_from_when_it_is_read() -> None:
    button = ClickButton(0.1, pause=1.0)
    button.click()
    assert button.read(5.0)
    assert button.read(5.09)
    button.click()
    assert not button.read(5.2)  # during the pause
    button.click()
    assert button.read(6.2)
