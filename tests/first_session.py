"""An operator's whole first session in the headset, with nothing but the headset and its two controllers in his hands."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from monado import Controller, Headset, RemoteDriver, Worker, find_runtime_json, free_port, pose_at, runtime_environment

FRAMES_A_SECOND = 60
PATIENCE = 600  # frames: ten simulated seconds for anything to happen
HEAD = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.25, 0.0), np.array([0.0, 0.0, 1.6]))
LEFT_HAND, RIGHT_HAND = np.array([0.5, 0.2, 1.3]), np.array([0.5, -0.2, 1.3])  # [m]
HELD = pin.rpy.rpyToMatrix(0.0, -0.9, 0.0)  # a fist whose thumb points up and ahead
REACH = np.array([1.0, 0.0, 0.0])  # [m]: further than the robot's arm
AT_WORK = np.array([0.3, -0.35, 0.2])  # [m]: from where the robot's hand hangs to where its eyes see it
DOWN = 0.6  # [rad]: where one sees one's own hands, and the robot's in its place
HAND_SPEED = 0.4  # [m/s]
BEHIND = 0.6  # [m]: how far from the robot an operator stands who looks at it from behind

Seen = dict[str, Any]


class Operator:
    """Someone who wears the headset and looks at what it shows.

    Attributes:
        seen: What the last frame showed, and what became of the robot.
    """

    def __init__(self, worker: Worker, driver: RemoteDriver) -> None:
        self.worker = worker
        self._driver = driver
        self._left = Controller(pose=pose_at(pin.SE3(HELD, LEFT_HAND)))
        self._right = Controller(pose=pose_at(pin.SE3(HELD, RIGHT_HAND)))
        self._head = HEAD
        self.seen: Seen = {}

    def read(self, anchor: str) -> str:
        """Return all that is written at something that moves with the operator, or in the world, however it is broken."""
        return " ".join(self.seen["texts"][anchor].split())

    def live(self, seconds: float) -> Seen:
        """Go on for a time [s] of the robot's."""
        self._driver.send(Headset(head=pose_at(self._head), left=self._left, right=self._right))
        self.seen = self.worker.ask("live", frames=max(1, round(seconds * FRAMES_A_SECOND)))
        return self.seen

    def left(self, **controls: Any) -> None:
        self._left = replace(self._left, **controls)

    def right(self, **controls: Any) -> None:
        self._right = replace(self._right, **controls)

    def wait_for(self, condition: Callable[[Seen], bool], what: str) -> None:
        """Go on until something is seen."""
        for _ in range(PATIENCE // 2):
            if condition(self.live(2 / FRAMES_A_SECOND)):
                return
        raise AssertionError(f"{what} does not happen; what is seen: {self.seen}")

    def reach(self, start: np.ndarray, end: np.ndarray) -> None:
        """Move the left hand in a straight line."""
        count = math.ceil(float(np.linalg.norm(end - start)) / HAND_SPEED * FRAMES_A_SECOND)
        for k in range(1, count + 1):
            self.left(pose=pose_at(pin.SE3(HELD, start + k / count * (end - start))))
            self.live(1 / FRAMES_A_SECOND)

    def look_down(self, angle: float) -> None:
        """Turn the head down by an angle [rad] from straight ahead."""
        self._head = pin.SE3(pin.rpy.rpyToMatrix(0.0, angle, 0.0), HEAD.translation)
        self.live(0.05)

    def press_menu(self) -> None:
        """Press the Index controller's trackpad, which is its menu button."""
        self.right(trackpad_force=1.0)
        self.live(0.05)
        self.right(trackpad_force=0.0)
        self.live(0.05)

    def choose(self, title: str) -> None:
        """Point at a field of the wheel with the stick of the right hand and pull the trigger."""
        items = self.worker.ask("items")["titles"]
        number = next(k for k, item in enumerate(items) if item.startswith(title))
        angle = math.tau * number / len(items)
        self.right(stick=(math.sin(angle), math.cos(angle)))
        self.live(0.05)
        self.right(trigger=1.0)
        self.live(0.05)
        self.right(trigger=0.0, stick=(0.0, 0.0))
        self.live(0.05)

    def click_both_sticks(self) -> None:
        self.left(stick_click=True)
        self.right(stick_click=True)
        self.live(0.1)
        self.left(stick_click=False)
        self.right(stick_click=False)
        self.live(0.1)


def put_on(operator: Operator) -> None:
    operator.worker.ask("announce_presence", present=False)
    operator.live(0.2)
    assert not operator.seen["focused"]
    operator.worker.ask("announce_presence", present=True)
    operator.wait_for(lambda seen: seen["focused"], "focus")
    operator.live(0.2)
    assert operator.seen["robots"] >= 1
    room = np.array(operator.seen["room"])
    assert np.linalg.norm(room[:2, 3]) > BEHIND, "the operator stands behind the robot and not in it"


def read_hints(operator: Operator) -> None:
    for hand in ("LEFT_HAND", "RIGHT_HAND"):
        assert "squeeze: move this hand" in operator.read(hand)
        assert "click both sticks: STOP" in operator.read(hand)


def clutch(operator: Operator) -> None:
    operator.left(squeeze=1.0)
    operator.wait_for(lambda seen: seen["engaged"], "the clutch")
    operator.live(0.1)
    assert "MOVING THE ROBOT" in operator.read("LEFT_HAND")
    assert "MOVING THE ROBOT" not in operator.read("RIGHT_HAND")


def reach_out_of_reach(operator: Operator) -> None:
    before = np.array(operator.seen["hand"])
    operator.reach(LEFT_HAND, LEFT_HAND + REACH)
    operator.wait_for(lambda seen: "at its " in seen["texts"]["AHEAD"], "a limit")
    moved = np.linalg.norm(np.array(operator.seen["hand"]) - before)
    assert 0.05 < moved < np.linalg.norm(REACH), "the robot's hand goes as far as it can"
    assert operator.seen["stop"] == ""


def come_back(operator: Operator) -> None:
    reached = np.array(operator.seen["hand"])
    operator.reach(LEFT_HAND + REACH, LEFT_HAND + AT_WORK)
    operator.live(1.0)
    assert np.linalg.norm(np.array(operator.seen["hand"]) - reached) > 0.05
    operator.left(squeeze=0.0)
    operator.wait_for(lambda seen: not seen["engaged"], "letting go")
    stayed = np.array(operator.seen["wanted"])
    operator.reach(LEFT_HAND + AT_WORK, LEFT_HAND)
    assert np.linalg.norm(np.array(operator.seen["wanted"]) - stayed) < 0.02  # [m]: it comes to rest


def open_the_wheel(operator: Operator) -> None:
    assert operator.seen["wheel"] is None
    operator.press_menu()
    assert operator.seen["wheel"] == "MODES"
    for title in ("View", "Settings", "Recentre"):
        assert title in operator.read("WORLD")
    assert "trigger: choose" in operator.read("RIGHT_HAND")
    assert not operator.seen["told"]["menu"], "the robot is not told of the interface's buttons"


def change_a_setting(operator: Operator) -> None:
    operator.choose("Settings")
    assert operator.seen["wheel"] == "SETTINGS"
    before = operator.seen["vignette"]
    operator.choose("Vignette")
    assert operator.seen["vignette"] != before
    assert "Vignette: off" in operator.read("WORLD")
    assert operator.seen["told"]["trigger"] == 0.0


def switch_to_first_person(operator: Operator) -> None:
    operator.choose("Back")
    operator.choose("View")
    room = np.array(operator.seen["room"])
    operator.choose("First person")
    assert operator.seen["view"] == "FIRST_PERSON"
    assert np.linalg.norm(np.array(operator.seen["room"])[:2, 3] - room[:2, 3]) > 1.0
    operator.press_menu()
    assert operator.seen["wheel"] is None
    operator.look_down(DOWN)


def lose_tracking(operator: Operator) -> None:
    operator.left(squeeze=1.0)
    operator.wait_for(lambda seen: seen["engaged"], "the clutch")
    operator.worker.ask("guess_left_hand")
    operator.wait_for(lambda seen: not seen["engaged"], "the clutch's opening")
    # what was ignored just before is told for its time first
    operator.wait_for(lambda seen: "left hand not seen: bring it into view" in seen["texts"]["HEAD"], "the word for it")
    assert "MOVING" not in operator.read("LEFT_HAND")


def clutch_again(operator: Operator) -> None:
    operator.worker.ask("restore", function="xrLocateSpace")
    operator.wait_for(lambda seen: seen["tracked"], "the hand")
    operator.live(0.2)
    assert not operator.seen["engaged"], "coming back never moves anything"
    assert "squeeze" in operator.read("LEFT_HAND")
    before = np.array(operator.seen["wanted"])
    operator.left(squeeze=0.0)
    operator.live(0.2)
    operator.left(squeeze=1.0)
    operator.wait_for(lambda seen: seen["engaged"], "the clutch")
    assert np.linalg.norm(np.array(operator.seen["wanted"]) - before) < 1e-3  # [m]: what clutching again may move


def stop(operator: Operator) -> None:
    operator.click_both_sticks()
    assert operator.seen["stop"] == "hold"
    assert "STOPPED" in operator.read("HEAD")
    assert "let go of both squeezes, then click both sticks" in operator.read("LEFT_HAND")


def recover(operator: Operator) -> None:
    operator.left(squeeze=0.0)
    operator.live(0.2)
    operator.click_both_sticks()
    assert operator.seen["stop"] == ""
    assert "STOPPED" not in operator.read("HEAD")
    operator.left(squeeze=1.0)
    operator.wait_for(lambda seen: seen["engaged"], "the clutch")


def take_off(operator: Operator) -> None:
    operator.worker.ask("announce_presence", present=False)
    operator.wait_for(lambda seen: not seen["engaged"], "holding")
    assert not operator.seen["focused"]
    stayed = np.array(operator.seen["wanted"])
    operator.reach(LEFT_HAND, LEFT_HAND + 0.2 * REACH)
    assert np.linalg.norm(np.array(operator.seen["wanted"]) - stayed) < 0.02  # [m]: it comes to rest
    assert operator.seen["height"] > 0.8, "the robot stands"


STEPS: dict[str, Callable[[Operator], None]] = {
    "The headset is put on": put_on,
    "The controllers say what they do": read_hints,
    "Squeeze: the left hand moves the robot's": clutch,
    "Out of reach": reach_out_of_reach,
    "And back": come_back,
    "Menu: the wheel": open_the_wheel,
    "A setting is changed": change_a_setting,
    "First person": switch_to_first_person,
    "The left controller is not seen": lose_tracking,
    "Squeezed again": clutch_again,
    "Both sticks: stop": stop,
    "And on": recover,
    "The headset is taken off": take_off,
}
"""What the operator does, by its caption; each looks whether it has worked."""


@contextlib.contextmanager
def open_session(folder: Path, display: str, meshes: str = "coarse", world: str = "flat") -> Iterator[Operator]:
    """Begin a session on a Monado of its own.

    Args:
        folder: Empty folder for the runtime's files, the worker's log and the operator's settings.
        display: X server for the mirror.
        meshes: ``"fine"`` for the robot as a graphics card draws it.
        world: World that the robot stands in.
    """
    port = free_port()
    environment = runtime_environment(find_runtime_json(), folder, port) | {"DISPLAY": display}
    worker = Worker(environment, folder / "worker.log", "glx", f"{meshes} {world}", "first_session_worker.py")
    try:
        answer = worker.ask("open")
        assert answer["done"], answer
        assert "Remote HMD" in answer["description"]
        driver = RemoteDriver(port)
        operator = Operator(worker, driver)
        operator.wait_for(lambda seen: seen["focused"], "focus")
        yield operator
        driver.close()
        assert worker.finish() == 0
    finally:
        worker.kill()
