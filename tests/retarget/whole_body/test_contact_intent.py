"""Which contacts a person asks for without a button."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from handhold.retarget.mode_report import ContactState
from handhold.retarget.whole_body.contact_intent import DWELL, LEAVING, MAX_SPEED, SEARCH_PERIOD, ContactIntent, Ends

DT = 2e-3
HAND, LEFT, RIGHT = 2, 0, 1
NORMAL = np.array([-1.0, 0.0, 0.0])


class Scene:
    """A hand before a wall at x = 0, and what a robot's contacts would say."""

    def __init__(self):
        mapping = SimpleNamespace(feet=(LEFT, RIGHT), arms=(SimpleNamespace(hand=HAND),))
        self.intent = ContactIntent(mapping)
        self.x, self.cannot_brace = 0.0, frozenset()
        terms = SimpleNamespace(poses=np.tile(np.eye(4), (3, 1, 1)), normals={HAND: NORMAL})
        kinematics = SimpleNamespace(poses=np.tile(np.eye(4), (3, 1, 1)))
        self.seiko = SimpleNamespace(stance=SimpleNamespace(effectors=(LEFT, RIGHT)), terms=terms, kinematics=kinematics)
        self.contacts = SimpleNamespace(
            switch=None,
            suspended=False,
            busy=False,
            states=[ContactState.FREE] * 3,
            is_moving=lambda _effector: False,
            find_approach=lambda _effector, pose, _surfaces: SimpleNamespace(distance=-pose[0, 3], obstacle=""),
        )
        self.ends = Ends(
            hands=np.eye(4)[None], feet=np.tile(np.eye(4), (2, 1, 1)), lifted=(False, False), along=0.5, arrived=True
        )

    def press(self, duration, **changes):
        """Let time pass; returns what was pressed, in order."""
        pressed = []
        for _ in range(round(duration / DT)):
            hands = np.eye(4)[None].copy()
            hands[0, 0, 3] = self.x
            ends = replace(self.ends, hands=hands, **changes)
            commands = self.intent.choose(ends, self.seiko, self.contacts, (), DT, cannot_brace=self.cannot_brace)
            pressed += [effector for effector, command in commands.items() if command.pressed]
        return pressed

    def brace(self):
        self.seiko.stance.effectors = (LEFT, RIGHT, HAND)


@pytest.fixture
def scene():
    return Scene()


def test_a_hand_that_rests_on_a_surface_braces_once(scene):
    assert scene.press(DWELL - 0.02) == []
    assert scene.press(0.04) == [HAND]
    assert scene.press(0.5) == []


def test_surfaces_are_searched_now_and_then_under_a_slow_hand_and_never_under_a_fast_one(scene):
    searches, find = [], scene.contacts.find_approach
    scene.contacts.find_approach = lambda *args: searches.append(scene.x) or find(*args)
    scene.press(0.4)
    assert len(searches) == pytest.approx(0.4 / SEARCH_PERIOD, abs=1)
    scene.x -= 0.01
    scene.press(DT)
    searches.clear()
    for _ in range(50):
        scene.x -= 10.0 * MAX_SPEED * DT
        scene.press(DT)
    assert not searches
    scene.press(0.4)
    assert searches


def test_nothing_braces_before_the_robot_has_come(scene):
    assert scene.press(3.0, arrived=False) == []


def test_a_hand_whose_gripper_is_not_closed_does_not_brace_and_leaves_what_it_braces_on(scene):
    scene.cannot_brace = frozenset({HAND})
    assert scene.press(2.0 * DWELL) == []
    scene.brace()
    scene.x = -1.1 * LEAVING
    assert scene.press(0.1) == [HAND]


def test_a_hand_that_passes_by_does_not_brace(scene):
    for _ in range(100):
        scene.x -= 0.01 * 0.2
        assert scene.press(0.02) == []


def test_one_that_leaves_is_unloaded(scene):
    scene.brace()
    assert scene.press(1.0) == []
    scene.x = -1.1 * LEAVING
    assert scene.press(0.1) == [HAND]


def test_one_that_slipped_away_has_to_leave_first(scene):
    scene.brace()
    scene.press(0.1)
    scene.seiko.stance.effectors = (LEFT, RIGHT)
    assert scene.press(3.0) == []
    scene.x = -1.1 * LEAVING
    scene.press(0.1)
    scene.x = 0.0
    assert scene.press(2.0 * DWELL) == [HAND]


def test_what_a_stop_left_half_way_goes_on(scene):
    scene.contacts.switch, scene.contacts.suspended = SimpleNamespace(effector=HAND), True
    assert scene.press(0.1, arrived=False) == [HAND]


def test_nothing_is_asked_while_something_else_is_under_way(scene):
    scene.contacts.switch = SimpleNamespace(effector=LEFT)
    assert scene.press(2.0) == []


def test_a_foot_is_lifted_once_the_other_one_bears_and_put_down_again(scene):
    scene.x = -1.0
    assert scene.press(0.5, lifted=(False, True), along=0.5) == []
    assert scene.press(0.5, lifted=(False, True), along=0.1) == [RIGHT]
    scene.seiko.stance.effectors = (LEFT,)
    assert scene.press(1.0, lifted=(False, True), along=0.1) == []
    assert scene.press(0.5, along=0.1) == [RIGHT]


def test_the_last_foot_stays(scene):
    scene.x = -1.0
    scene.seiko.stance.effectors = (LEFT,)
    assert scene.press(2.0, lifted=(True, True), along=1.0) == []
