"""What a hand that bears is worth to the stability margin."""

import math

import numpy as np
import pytest
from stances import ask, brace, stand, take_steps

from handhold.retarget.bracing.margin.margin_gains import PERIOD, MarginGains, compute_margin_gain
from handhold.retarget.bracing.margin.region_monitor import compute_region_once

EXACT = 1e-6  # [m], of margins that are found by other questions
LEFT_HAND, RIGHT_HAND = 2, 3
WALL_AHEAD = np.array([-1.0, 0.0, 0.0])


def test_a_hand_adds_what_the_region_without_it_lacks(talos):
    seiko = stand(talos)
    alone = compute_region_once(talos, seiko).margin
    brace(seiko, LEFT_HAND, WALL_AHEAD)
    gain = compute_margin_gain(talos, seiko, LEFT_HAND)
    assert gain > 0.0
    # the robot has hardly moved
    assert seiko.balance.edge.margin - gain == pytest.approx(alone, abs=5e-3)


def test_a_hand_that_has_gone_leaves_the_margin_that_was_foretold(talos):
    seiko = stand(talos)
    brace(seiko, LEFT_HAND, WALL_AHEAD)
    foretold = seiko.balance.edge.margin - compute_margin_gain(talos, seiko, LEFT_HAND)
    seiko.remove_contact(LEFT_HAND)
    assert compute_region_once(talos, seiko).margin == pytest.approx(foretold, abs=EXACT)


def test_hands_are_looked_at_in_turn_and_forgotten_when_contacts_change(talos):
    seiko = stand(talos)
    gains = MarginGains(talos, seiko)
    gains.update(PERIOD)
    assert math.isnan(gains.get(LEFT_HAND))
    for hand in (LEFT_HAND, RIGHT_HAND):
        brace(seiko, hand, WALL_AHEAD)
    gains.update(0.0)
    assert [math.isfinite(gains.get(hand)) for hand in (LEFT_HAND, RIGHT_HAND)].count(True) == 1
    gains.update(PERIOD)
    assert all(gains.get(h) == compute_margin_gain(talos, seiko, h) for h in (LEFT_HAND, RIGHT_HAND))
    seiko.remove_contact(RIGHT_HAND)
    take_steps(seiko, ask(seiko), 0.01)
    gains.update(0.0)
    assert math.isnan(gains.get(RIGHT_HAND))
    assert math.isfinite(gains.get(LEFT_HAND))
