"""A whole session in the world ``wall``: an operator leans the robot on the wall, pushes, lets go, walks, and stops it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from first_session import HELD, LEFT_HAND, Operator, put_on
from monado import pose_at

WORLD = "wall"
STEP = 0.05  # [s] of the robot's, from one pose of the operator's hand to the next
HAND_SPEED = 0.15  # [m/s]
MIN_PUSH = 15.0  # [N]: what the trigger adds at least
BACK = 0.10  # [m]: how far the hand comes away from the wall
STRIDE = 0.10  # [m]: what the robot has walked back before it is stopped
REST_TOLERANCE = 0.02  # [m]: what a robot that holds may move


class Reach:
    """Where the operator's left hand is, in his room."""

    def __init__(self) -> None:
        self.position, self.rotation = LEFT_HAND, HELD

    def drag(self, operator: Operator, displacement: np.ndarray, turn: np.ndarray) -> None:
        """Move the hand by a displacement [m], turning it by a rotation vector [rad], both in the robot's world."""
        room = np.array(operator.seen["room"])[:3, :3]
        displacement, turn = room.T @ displacement, room.T @ turn
        start, turned = self.position, self.rotation
        count = max(1, math.ceil(float(np.linalg.norm(displacement)) / (HAND_SPEED * STEP)))
        for k in range(1, count + 1):
            self.position = start + k / count * displacement
            self.rotation = pin.exp3(k / count * turn) @ turned
            operator.left(pose=pose_at(pin.SE3(self.rotation, self.position)))
            operator.live(STEP)


class WallSession:
    """What the operator does, step by step; each looks whether it has worked."""

    def __init__(self) -> None:
        self._reach = Reach()

    def put_on(self, operator: Operator) -> None:
        put_on(operator)
        assert "Click both sticks: the robot STOPS" in operator.read("HEAD")
        assert "STOP on the wheel" in operator.read("HEAD")

    def reach(self, operator: Operator) -> None:
        operator.left(squeeze=1.0)
        operator.wait_for(lambda seen: seen["engaged"], "the clutch")
        to_wall = operator.worker.ask("find_way_to_wall")
        self._reach.drag(operator, np.array(to_wall["way"]), np.array(to_wall["turn"]))
        operator.live(0.6)
        assert "STOPS" not in operator.read("HEAD"), "whoever has engaged a hand has read it"
        assert operator.seen["contact"] == "free"

    def brace(self, operator: Operator) -> None:
        operator.left(a=True)
        operator.live(0.1)
        operator.left(a=False)
        operator.wait_for(lambda seen: seen["contact"] == "loaded", "the brace")
        operator.live(0.5)
        assert operator.seen["support"] > 0.0

    def push(self, operator: Operator) -> None:
        self.squeeze_again(operator)
        before = operator.seen["support"]
        # The trigger is taken up where it is, released; then it is pulled.
        for pull in np.linspace(0.1, 1.0, 10).tolist():
            operator.left(trigger=pull)
            operator.live(0.1)
        operator.wait_for(lambda seen: seen["support"] > before + MIN_PUSH, "the push")

    def open_the_wheel(self, operator: Operator) -> None:
        operator.press_menu()
        assert operator.seen["wheel"] == "MODES"
        assert operator.worker.ask("items")["titles"][0] == "STOP"

    def be_refused(self, operator: Operator) -> None:
        operator.choose("Walking")
        assert operator.seen["mode"] == "bracing"
        operator.wait_for(lambda seen: bool(seen["note"] or seen["messages"]), "the reason")
        assert "release" in f"{operator.seen['note']} {operator.seen['messages']}"
        if operator.seen["wheel"] is not None:
            operator.press_menu()

    def unload(self, operator: Operator) -> None:
        for pull in np.linspace(0.9, 0.0, 10).tolist():
            operator.left(trigger=pull)
            operator.live(0.1)
        operator.left(a=True)
        operator.live(0.1)
        operator.left(a=False)
        operator.wait_for(lambda seen: seen["contact"] == "free", "letting go of the wall")
        self.squeeze_again(operator)
        self._reach.drag(operator, np.array([-BACK, 0.0, 0.0]), np.zeros(3))
        operator.left(squeeze=0.0)
        operator.live(0.3)

    def walk(self, operator: Operator) -> None:
        operator.press_menu()
        operator.choose("Walking")
        operator.wait_for(lambda seen: seen["mode"] == "walking", "walking")
        begun = np.array(operator.seen["base"])
        operator.left(stick=(0.0, -1.0))
        operator.wait_for(lambda seen: begun[0] - seen["base"][0] > STRIDE, "walking back")

    def stop_with_one_hand(self, operator: Operator) -> None:
        operator.left(stick=(0.0, 0.0))
        operator.worker.ask("guess_left_hand")
        operator.live(0.1)
        assert not operator.seen["tracked"]
        operator.press_menu()
        operator.choose("STOP")
        operator.wait_for(lambda seen: seen["stop"] == "hold", "the stop")
        assert "STOPPED: holding" in operator.read("HEAD")
        operator.wait_for(lambda seen: all(seen["feet"]), "standing on both feet")
        operator.live(1.0)
        self.assert_it_stays(operator)

    def go_on(self, operator: Operator) -> None:
        operator.worker.ask("restore", function="xrLocateSpace")
        operator.wait_for(lambda seen: seen["tracked"], "the left hand")
        operator.live(0.2)
        operator.click_both_sticks()
        operator.wait_for(lambda seen: seen["stop"] == "", "going on")
        self.assert_it_stays(operator)

    def take_off(self, operator: Operator) -> None:
        operator.worker.ask("announce_presence", present=False)
        operator.wait_for(lambda seen: not seen["focused"], "the headset off")
        self.assert_it_stays(operator)

    def put_on_again(self, operator: Operator) -> None:
        operator.worker.ask("announce_presence", present=True)
        operator.wait_for(lambda seen: seen["focused"], "the headset on")
        self.assert_it_stays(operator)
        operator.left(squeeze=1.0)
        operator.wait_for(lambda seen: seen["engaged"], "the clutch")

    def squeeze_again(self, operator: Operator) -> None:
        """Close the clutch, which opens whenever a contact is made or gone."""
        operator.left(squeeze=0.0)
        operator.live(0.3)
        operator.left(squeeze=1.0)
        operator.wait_for(lambda seen: seen["engaged"], "the clutch")

    def assert_it_stays(self, operator: Operator) -> None:
        """Assert that a robot that holds does not go anywhere."""
        before = np.array(operator.seen["base"])
        operator.live(0.5)
        assert np.linalg.norm(np.array(operator.seen["base"]) - before) < REST_TOLERANCE
        assert operator.seen["height"] > 0.8, "the robot stands"

    def list_steps(self) -> dict[str, Callable[[Operator], None]]:
        """Return the steps in their order, by their captions."""
        return {
            "On: what stops is told first": self.put_on,
            "Squeeze and reach for the wall": self.reach,
            "A: lean on it": self.brace,
            "Trigger: push": self.push,
            "Menu: the wheel": self.open_the_wheel,
            "Refused: a hand leans": self.be_refused,
            "A again: let go of the wall": self.unload,
            "The left stick walks back": self.walk,
            "STOP, with one hand": self.stop_with_one_hand,
            "Both sticks: go on": self.go_on,
            "Headset off: the robot holds": self.take_off,
            "On again": self.put_on_again,
        }
