"""What is taken of a tracked person's samples."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.devices.tracked_human import Segment
from handhold.retarget.engagement.human_screening import LOST_AFTER, MAX_AGE, HumanScreen, find_jump, find_unsound

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
        ({"positions": np.zeros((23, 3), dtype=np.float32)}, "segments"),
        ({"positions": np.zeros((23, 3), dtype=bool)}, "segments"),
        ({"orientations": np.ones((23, 4), dtype=np.uint8)}, "segments"),
        ({"position_com": np.zeros(3, dtype=np.int64)}, "centre of mass"),
        ({"time": np.nan}, "time"),
        ({"time": np.inf}, "time"),
        ({"position_com": np.array([np.nan, 0.0, 0.0])}, "centre of mass"),
        ({"position_com": np.zeros(2)}, "centre of mass"),
    ],
)
def test_what_is_no_person_is_refused(changes, words):
    assert words in find_unsound(replace(human(), **changes))


def test_what_no_person_does_is_refused():
    before = human()
    positions = before.positions.copy()
    positions[Segment.LEFT_HAND] += [0.0, 0.5, 0.0]
    assert "jumps" in find_jump(replace(human(1 / 60, 1), positions=positions), before)
    assert "turns" in find_jump(
        human(1 / 60, 1, left_flexion=3.0), replace(before, positions=human(left_flexion=3.0).positions)
    )


def test_what_people_do_is_taken():
    screen = HumanScreen()
    for k in range(600):
        moving = human(k / 60, k, left_flexion=0.8 * np.sin(k / 6), drop=0.2 * np.sin(k / 20) ** 2)
        screen.update(moving, k / 60, 1 / 60)
    assert screen.refused == 0
    assert screen.human.sequence == 599


def test_a_room_that_jumps_is_none_of_the_persons_doing():
    before, after = human(), human(1 / 60, 1)
    assert find_jump(replace(after, positions=after.positions + 5.0), before) == ""


def test_who_is_silent_or_refused_for_long_is_lost():
    screen = HumanScreen()
    screen.update(human(), 0.0, DT)
    for _ in range(round(LOST_AFTER / DT) - 2):
        screen.update(human(), 0.0, DT)
    assert screen.human is not None
    for _ in range(3):
        screen.update(None, 0.0, DT)
    assert screen.human is None
    # after that any sound person is taken, and counts as another one
    screen.update(human(1.0, 5, left_flexion=2.5), 1.0, DT)
    assert screen.human.sequence == 5
    assert screen.losses == 1


def test_who_comes_back_within_one_look_was_lost_all_the_same():
    screen = HumanScreen()
    screen.update(human(), 0.0, DT)
    screen.update(None, 0.0, LOST_AFTER)
    screen.update(human(0.3, 9, left_flexion=2.0), 0.3, DT)
    assert (screen.human is not None, screen.losses) == (True, 1)


def test_a_segment_that_was_hidden_may_not_come_back_elsewhere():
    screen, period = HumanScreen(), 1 / 60
    hidden, moved = human(period, 1), human(2 * period, 2)
    hidden.tracked[Segment.LEFT_HAND] = False
    moved.positions[Segment.LEFT_HAND] += [0.0, 0.5, 0.0]
    for k, sample in enumerate((human(), hidden, moved)):
        screen.update(sample, k * period, period)
    assert screen.fault == "a segment jumps"
    assert screen.human is hidden


def test_a_sample_out_of_order_or_late_is_refused():
    screen = HumanScreen()
    screen.update(human(0.2, 5), 0.2, DT)
    screen.update(human(0.1, 3), 0.2, DT)
    assert (screen.human.sequence, screen.fault) == (5, "out of order")
    screen.update(human(0.25, 6), 0.25 + MAX_AGE + 0.01, DT)
    assert (screen.human.sequence, screen.fault) == (5, "it comes late")
    screen.update(replace(human(0.3, 0), suit="again"), 0.3, DT)
    assert screen.human.suit == "again"


def test_a_huge_number_silences_nobody_for_long():
    screen = HumanScreen()
    screen.update(human(0.0, 10**15), 0.0, DT)
    screen.update(human(0.01, 1), 0.01, LOST_AFTER)
    screen.update(human(0.02, 2), 0.02, DT)
    assert screen.human.sequence == 2


def test_what_was_refused_is_told_no_longer_once_nothing_comes():
    screen = HumanScreen()
    screen.update(replace(human(), time=np.nan), 0.0, DT)
    assert screen.fault
    screen.update(None, 0.0, LOST_AFTER)
    assert screen.fault == ""
