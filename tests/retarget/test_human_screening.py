"""What is taken of a tracked person's samples."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.devices.tracked_human import Segment
from handhold.retarget.engagement.human_screening import LOST_AFTER, HumanScreen, find_fault

DT = 1e-3


def human(time=0.0, sequence=0, **pose):
    return make_human(HumanPose(**pose), time, sequence)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positions": np.full((23, 3), np.nan)}, "not a number"),
        ({"positions": np.full((23, 3), 1e6)}, "far away"),
        ({"positions": np.zeros((22, 3))}, "segments"),
        ({"orientations": np.full((23, 4), 0.7)}, "orientation"),
        ({"orientations": np.full((23, 4), np.inf)}, "not a number"),
        ({"tracked": np.ones(23)}, "segments"),
        ({"position_com": np.array([np.nan, 0.0, 0.0])}, "centre of mass"),
        ({"position_com": np.zeros(2)}, "centre of mass"),
    ],
)
def test_what_is_no_person_is_refused(changes, words):
    assert words in find_fault(replace(human(), **changes), None)


def test_what_no_person_does_is_refused():
    before = human()
    positions = before.positions.copy()
    positions[Segment.LEFT_HAND] += [0.0, 0.5, 0.0]
    assert "jumps" in find_fault(replace(human(1 / 60, 1), positions=positions), before)
    assert "turns" in find_fault(
        human(1 / 60, 1, left_flexion=3.0), replace(before, positions=human(left_flexion=3.0).positions)
    )


def test_what_people_do_is_taken():
    screen = HumanScreen()
    for k in range(600):
        screen.update(human(k / 60, k, left_flexion=0.8 * np.sin(k / 6), drop=0.2 * np.sin(k / 20) ** 2), 1 / 60)
    assert screen.refused == 0
    assert screen.human.sequence == 599


def test_a_room_that_jumps_is_none_of_the_persons_doing():
    before, after = human(), human(1 / 60, 1)
    assert find_fault(replace(after, positions=after.positions + 5.0), before) == ""


def test_who_is_silent_or_refused_for_long_is_lost():
    screen = HumanScreen()
    screen.update(human(), DT)
    for _ in range(round(LOST_AFTER / DT) - 2):
        screen.update(human(), DT)
    assert screen.human is not None
    for _ in range(3):
        screen.update(None, DT)
    assert screen.human is None
    # after that any sound person is taken
    screen.update(human(1.0, 5, left_flexion=2.5), DT)
    assert screen.human.sequence == 5


def test_a_sample_that_comes_late_is_not_taken():
    screen = HumanScreen()
    screen.update(human(0.2, 5), DT)
    screen.update(human(0.1, 3), DT)
    assert screen.human.sequence == 5
    screen.update(replace(human(0.0, 0), suit="again"), DT)
    assert screen.human.suit == "again"
