"""What a hand does by its joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from handhold.devices.openxr.hand_tracking import FIST_CLOSED, PINCH_CLOSED, PINCH_OPEN, judge_hand

PALM = pin.SE3(np.eye(3), np.array([0.4, -0.2, 1.1]))
"""With Handhold's axes: fingers ahead (x), the back of the hand up (z)."""
STRAIGHT = PALM.translation + np.array(
    [[0.03, 0.06, 0.0], [0.1, 0.03, 0.0], [0.11, 0.0, 0.0], [0.1, -0.02, 0.0], [0.08, -0.04, 0.0]]
)
MILLIMETRE = 1e-3


def with_tips(**moved: np.ndarray) -> np.ndarray:
    tips = STRAIGHT.copy()
    for name, position in moved.items():
        tips[("thumb", "index", "middle", "ring", "little").index(name)] = position
    return tips


@pytest.mark.parametrize(
    ("gap", "pinch"),
    [(0.0, 1.0), (PINCH_CLOSED, 1.0), (0.5 * (PINCH_CLOSED + PINCH_OPEN), 0.5), (PINCH_OPEN, 0.0), (0.09, 0.0)],
)
def test_a_pinch_is_how_near_thumb_and_index_finger_are(gap: float, pinch: float) -> None:
    tips = with_tips(thumb=STRAIGHT[1] + [0.0, gap, 0.0])
    assert judge_hand("right", PALM, tips).pinch == pytest.approx(pinch)


def test_a_fist_has_all_three_fingers_closed() -> None:
    curled = PALM.act(np.array([0.02, 0.0, -0.5 * FIST_CLOSED]))
    assert not judge_hand("right", PALM, STRAIGHT).fist
    assert not judge_hand("right", PALM, with_tips(ring=curled, little=curled)).fist
    assert judge_hand("right", PALM, with_tips(middle=curled, ring=curled, little=curled)).fist


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_hand_has_the_axes_that_it_has_with_a_controller(hand: str) -> None:
    pose = judge_hand(hand, PALM, STRAIGHT).pose
    to_thumb = 1.0 if hand == "right" else -1.0  # palm down, the right hand's thumb is at the left
    assert pose.rotation[:, 0] == pytest.approx([0.0, to_thumb, 0.0], abs=MILLIMETRE)
    assert pose.rotation[:, 2] == pytest.approx([-1.0, 0.0, 0.0], abs=MILLIMETRE), "from the knuckles to the wrist"
    assert np.linalg.det(pose.rotation) == pytest.approx(1.0)
    assert pose.translation == pytest.approx(PALM.translation)
