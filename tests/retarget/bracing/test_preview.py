"""What a look ahead sees is what then happens."""

import numpy as np
import pytest
from stances import ask, stand, stand_astride

from handhold.retarget.bracing.contact_switch import SwitchPhase
from handhold.retarget.bracing.preview import SETTLING, SwitchPreview
from handhold.retarget.bracing.switching import (
    advance_switch,
    finish_switch,
    follow_forces,
    guide_back,
    start_adding,
    start_removing,
)

DT = 2e-3
LONGEST = round(20.0 / DT)
UP = np.array([0.0, 0.0, 1.0])


def look_ahead(seiko, effector, normal=UP, *, batch=LONGEST):
    preview = SwitchPreview(seiko, effector, normal)
    while preview.outlook is None:
        preview.advance(batch, DT)
    return preview.outlook


def carry_out(seiko, effector, normal=UP):
    """Switch for real; returns whether it succeeded and how long it took."""
    targets, elapsed = ask(seiko), 0.0
    removing = effector in seiko.stance.effectors
    switch = start_removing(seiko, effector) if removing else start_adding(seiko, effector, normal)
    while not switch.over:
        follow_forces(seiko, {}, switch, DT)
        step = seiko.step(guide_back(seiko, switch, targets), DT)
        switch = advance_switch(seiko, switch, step.active, DT)
        elapsed += DT
    finish_switch(seiko, switch)
    for _ in range(round(SETTLING / DT)):
        follow_forces(seiko, {}, None, DT)
        seiko.step(targets, DT)
    return switch.phase is SwitchPhase.DONE, elapsed


@pytest.mark.parametrize(("make", "effector"), [(stand, 0), (stand_astride, 0), (stand, 2)], ids=["foot", "astride", "hand"])
def test_the_outlook_is_what_then_happens(talos, make, effector):
    seiko = make(talos)
    outlook = look_ahead(seiko, effector)
    done, duration = carry_out(seiko, effector)
    assert outlook.effector == effector
    assert outlook.feasible is done
    assert outlook.duration == pytest.approx(duration, abs=DT)
    # The same steps on the same numbers: what is left is a step more or less at the end. [rad, m]
    assert np.abs(outlook.q - seiko.q).max() < 1e-3
    assert bool(outlook.obstacles) is not done


def push(seiko, hand, force, duration):
    """Command a force, and let it go only just."""
    for k in range(round(duration / DT)):
        follow_forces(seiko, {hand: force} if k < duration / DT - 5 else {}, None, DT)
        seiko.step(ask(seiko), DT)


def test_a_force_that_fades_goes_on_fading_in_a_look_ahead_and_one_that_is_commanded_stays(talos):
    seiko = stand(talos, effectors=(0, 1, 2))
    before = seiko.compute_normal_force(2)
    push(seiko, 2, before + 40.0, 1.0)
    assert seiko.compute_normal_force(2) > before + 10.0
    kept = SwitchPreview(seiko, 0, UP, {2: before + 40.0})
    kept.advance(LONGEST, DT)
    outlook = look_ahead(seiko, 0)
    assert carry_out(seiko, 0)[0] is outlook.feasible
    assert np.abs(outlook.q - seiko.q).max() < 1e-3  # [rad, m] as above
    assert np.abs(outlook.q - kept.outlook.q).max() > 0.01


def test_looking_ahead_moves_nothing(talos):
    seiko = stand(talos)
    q, wrenches, terms, stance = seiko.q.copy(), seiko.wrenches.copy(), seiko.terms.copy(), seiko.stance
    look_ahead(seiko, 1)
    assert seiko.stance is stance
    assert np.array_equal(seiko.q, q)
    assert np.array_equal(seiko.wrenches, wrenches)
    for name in terms.__slots__:
        assert np.array_equal(getattr(seiko.terms, name), getattr(terms, name), equal_nan=True)


def test_looking_a_little_at_a_time_sees_the_same(talos):
    seiko = stand(talos)
    at_once, bit_by_bit = look_ahead(seiko, 0), look_ahead(seiko, 0, batch=3)
    assert at_once.duration == bit_by_bit.duration
    assert np.array_equal(at_once.q, bit_by_bit.q)


def test_there_is_no_outlook_before_the_end(talos):
    preview = SwitchPreview(stand(talos), 0, UP)
    preview.advance(100, DT)
    assert preview.outlook is None
