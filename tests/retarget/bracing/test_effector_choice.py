"""Which effector each hand of the operator commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.bracing.contacts.effector_choice import HOLDING_TIME, EffectorChoice, list_effectors, step_choice

DT = 2e-3


def hold(choice, duration, *, may_change=True):
    for _ in range(round(duration / DT)):
        choice = step_choice(choice, held=True, may_change=may_change, dt=DT)
    return choice


def let_go(choice):
    return step_choice(choice, held=False, may_change=True, dt=DT)


def test_every_effector_can_be_commanded_by_one_side(model):
    left, right = list_effectors(model, "left").effectors, list_effectors(model, "right").effectors
    assert sorted(left + right) == list(range(len(model.effectors)))


def test_a_side_begins_with_its_hand_and_goes_on_to_its_feet(model):
    poses = model.effector_poses(model.q_nominal)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        choice = list_effectors(model, side)
        hand = model.effector_of_hand(side)
        feet = choice.effectors if hand is None else choice.effectors[1:]
        assert hand is None or choice.effector == hand
        assert all(model.effectors[foot].hand is None and sign * poses[foot, 1, 3] > 0.0 for foot in feet)


def test_a_side_without_effectors_has_none_under_command():
    assert EffectorChoice(effectors=()).effector is None
    assert hold(EffectorChoice(effectors=()), 2.0).effector is None


def test_a_short_press_changes_nothing():
    assert hold(EffectorChoice(effectors=(2, 0)), HOLDING_TIME - 2 * DT).effector == 2


def test_a_held_button_takes_one_step_only():
    assert hold(EffectorChoice(effectors=(2, 0, 1)), 5 * HOLDING_TIME).effector == 0


def test_holding_again_goes_round():
    choice = EffectorChoice(effectors=(4, 0, 2))
    seen = []
    for _ in range(4):
        choice = let_go(hold(choice, HOLDING_TIME + 2 * DT))
        seen.append(choice.effector)
    assert seen == [0, 2, 4, 0]


def test_two_short_presses_do_not_add_up():
    choice = let_go(hold(EffectorChoice(effectors=(2, 0)), 0.8 * HOLDING_TIME))
    assert hold(choice, 0.8 * HOLDING_TIME).effector == 2


def test_an_effector_that_may_not_be_left_is_left_as_soon_as_it_may():
    choice = hold(EffectorChoice(effectors=(2, 0)), 2 * HOLDING_TIME, may_change=False)
    assert choice.effector == 2
    assert step_choice(choice, held=True, may_change=True, dt=DT).effector == 0


@pytest.mark.parametrize("count", [1, 2, 3])
@given(presses=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_the_effector_under_command_is_always_one_of_the_sides(count, presses):
    choice = EffectorChoice(effectors=tuple(range(10, 10 + count)))
    for held, may_change in presses:
        choice = step_choice(choice, held=held, may_change=may_change, dt=0.1)
        assert choice.effector in choice.effectors
