"""Algorithm 1 by itself: weights that go up and down, and what ends a switch."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.retarget.bracing.seiko.contact_switch import (
    BALANCE,
    DISABLED_WEIGHT,
    MAX_RETURN_TIME,
    RETURN_TOLERANCE,
    SWITCH_TIMEOUT,
    TRANSITION_RATE,
    UNLOADED_FORCE,
    SwitchKind,
    SwitchPhase,
    begin_adding,
    begin_removing,
    cancel_switch,
    step_suspended_switch,
    step_switch,
    suspend,
)

DT = 2e-3
HERE = (0.0, 0.0, 0.9)  # [m] the centre of mass
FIRM = 100.0  # [N] a contact that bears
OBSTACLES = ("knee torque", "balance")
TRANSITION = math.log(DISABLED_WEIGHT) / TRANSITION_RATE  # [s] from one weight to the other
MAX_DURATION = 2.0 * TRANSITION + SWITCH_TIMEOUT + 1.0  # [s] adding called off at its end, removed, given up, and gone back
ROUNDING = 2 * DT  # [s] a period at each end


def advance(switch, force, duration, *, active=(), min_force=0.0, sufficient_force=0.0):
    for _ in range(round(duration / DT)):
        switch = step_switch(switch, force, active, DT, min_force=min_force, sufficient_force=max(min_force, sufficient_force))
    return switch


def run_out(switch, force, *, active=(), sufficient_force=0.0):
    """Step until it is over; returns the switch and how long it took."""
    elapsed = 0.0
    while not switch.over:
        switch = step_switch(switch, force, active, DT, sufficient_force=sufficient_force)
        elapsed += DT
        assert elapsed < 2.0 * MAX_DURATION
    return switch, elapsed


def test_the_weight_of_a_contact_to_be_removed_grows_by_the_papers_factor_a_millisecond():
    after = step_switch(begin_removing(0, HERE), FIRM, (), 1e-3)
    assert after.weight == pytest.approx(1.005, rel=1e-5)


@given(st.floats(1e-4, 2e-2))
def test_the_weight_after_a_time_does_not_depend_on_the_period(dt):
    switch = begin_removing(0, HERE)
    for _ in range(50):
        switch = step_switch(switch, FIRM, (), dt)
    assert switch.weight == pytest.approx(min(DISABLED_WEIGHT, math.exp(TRANSITION_RATE * 50 * dt)), rel=1e-9)


def test_a_contact_whose_force_is_gone_is_removed_at_once():
    switch = step_switch(begin_removing(0, HERE), 0.9 * UNLOADED_FORCE, (), DT)
    assert switch.phase is SwitchPhase.DONE
    assert switch.obstacles == ()


def test_a_contact_that_goes_on_bearing_fails_in_its_time_and_names_what_stood_in_the_way():
    switch, elapsed = run_out(begin_removing(0, HERE), FIRM, active=OBSTACLES)
    assert switch.phase is SwitchPhase.FAILED
    assert switch.obstacles == OBSTACLES
    assert switch.weight == 1.0
    assert elapsed < MAX_DURATION


def test_what_stood_in_the_way_is_kept_while_the_weight_goes_back():
    switch = advance(begin_removing(0, HERE), FIRM, TRANSITION + SWITCH_TIMEOUT + ROUNDING, active=OBSTACLES)
    assert switch.phase is SwitchPhase.GOING_BACK
    after = step_switch(switch, FIRM, ("something else",), DT)
    assert after.obstacles == OBSTACLES
    assert after.weight < switch.weight


def test_a_force_that_vanishes_on_the_way_back_removes_nothing():
    switch = cancel_switch(advance(begin_removing(0, HERE), FIRM, 1.0))
    switch, _ = run_out(switch, 0.0)
    assert switch.phase is SwitchPhase.FAILED


def test_the_weight_of_an_added_contact_falls_to_an_enabled_ones():
    switch, elapsed = run_out(begin_adding(2, HERE), 0.0)
    assert switch.phase is SwitchPhase.DONE
    assert switch.weight == 1.0
    assert elapsed == pytest.approx(TRANSITION, abs=2 * ROUNDING)


def test_an_added_contact_is_done_when_it_bears_what_it_is_to_bear():
    switch = advance(begin_adding(0, HERE), 0.0, TRANSITION + 1.0, sufficient_force=FIRM)
    assert switch.phase is SwitchPhase.UNDER_WAY
    assert step_switch(switch, FIRM, (), DT, sufficient_force=FIRM).phase is SwitchPhase.DONE


def test_an_added_contact_that_bears_its_least_force_but_never_enough_is_done_when_patience_ends():
    half = advance(
        begin_adding(0, HERE), FIRM, TRANSITION + SWITCH_TIMEOUT - ROUNDING, min_force=FIRM, sufficient_force=2.0 * FIRM
    )
    assert half.phase is SwitchPhase.UNDER_WAY
    assert advance(half, FIRM, 2.0 * ROUNDING, min_force=FIRM, sufficient_force=2.0 * FIRM).phase is SwitchPhase.DONE


def test_an_added_contact_without_its_least_force_fails_when_patience_ends_and_names_what_stood_in_the_way():
    switch = advance(begin_adding(0, HERE), 0.0, TRANSITION + SWITCH_TIMEOUT + ROUNDING, active=OBSTACLES, min_force=FIRM)
    assert switch.phase is SwitchPhase.GOING_BACK
    assert switch.obstacles == OBSTACLES
    switch, elapsed = run_out(switch, 0.0)
    assert switch.phase is SwitchPhase.FAILED
    assert elapsed < MAX_RETURN_TIME


def test_a_contact_that_was_added_in_vain_goes_back_to_bearing_nothing():
    switch = advance(begin_adding(0, HERE), FIRM, TRANSITION + SWITCH_TIMEOUT + ROUNDING, min_force=2.0 * FIRM)
    assert switch.is_unloading
    before = switch.weight
    switch = advance(switch, FIRM, 2.0)
    assert (switch.phase, switch.weight) == (SwitchPhase.GOING_BACK, DISABLED_WEIGHT)
    assert switch.weight > before
    assert step_switch(switch, 0.5 * UNLOADED_FORCE, (), DT).phase is SwitchPhase.FAILED


@pytest.mark.parametrize(
    ("begin", "later", "unloads"),
    [(begin_removing, False, True), (begin_removing, True, False), (begin_adding, False, False), (begin_adding, True, True)],
    ids=["removing", "removing in vain", "adding", "adding in vain"],
)
def test_a_contact_unloads_while_it_is_removed_or_was_added_in_vain(begin, later, unloads):
    duration = TRANSITION + SWITCH_TIMEOUT + ROUNDING if later else 0.5
    assert advance(begin(0, HERE), FIRM, duration, min_force=2.0 * FIRM).is_unloading is unloads


@pytest.mark.parametrize("begin", [begin_removing, begin_adding])
def test_a_switch_suspended_half_way_may_go_on_and_one_that_goes_back_is_over(begin):
    half = advance(begin(0, HERE), FIRM, 1.0)
    assert suspend(half) is half
    back = advance(half, FIRM, TRANSITION + SWITCH_TIMEOUT, min_force=2.0 * FIRM)
    assert back.phase is SwitchPhase.GOING_BACK
    assert suspend(back).phase is SwitchPhase.FAILED


def test_a_suspended_contact_that_was_to_go_bears_like_any_other_and_an_added_one_bears_nothing_yet():
    removing, adding = advance(begin_removing(0, HERE), FIRM, 1.0), advance(begin_adding(0, HERE), FIRM, 1.0)
    for _ in range(round(2.0 / DT)):
        removing, waiting = step_suspended_switch(removing, DT), step_suspended_switch(adding, DT)
    assert (removing.weight, removing.phase) == (1.0, SwitchPhase.UNDER_WAY)
    assert waiting is adding


def test_removing_that_is_called_off_goes_back():
    switch = cancel_switch(advance(begin_removing(0, HERE), FIRM, 1.0))
    assert switch.phase is SwitchPhase.GOING_BACK
    switch, _ = run_out(switch, FIRM)
    assert (switch.phase, switch.weight, switch.cancelled) == (SwitchPhase.FAILED, 1.0, True)
    assert switch.obstacles == ()


def test_a_switch_that_goes_back_waits_for_the_centre_of_mass():
    switch = cancel_switch(advance(begin_removing(0, HERE), FIRM, 1.0))
    for _ in range(round(2.0 / DT)):
        switch = step_switch(switch, FIRM, (), DT, com_distance=2.0 * RETURN_TOLERANCE)
    assert (switch.phase, switch.weight) == (SwitchPhase.GOING_BACK, 1.0)
    assert step_switch(switch, FIRM, (), DT, com_distance=0.5 * RETURN_TOLERANCE).phase is SwitchPhase.FAILED


def test_a_centre_of_mass_that_never_comes_back_is_not_waited_for_for_ever():
    switch, elapsed = cancel_switch(begin_removing(0, HERE)), 0.0
    while not switch.over:
        switch = step_switch(switch, FIRM, (), DT, com_distance=1.0)
        elapsed += DT
        assert elapsed < MAX_RETURN_TIME + 1.0
    assert switch.phase is SwitchPhase.FAILED


def test_adding_that_is_called_off_is_removed_again_from_where_its_weight_was():
    half = advance(begin_adding(0, HERE), 0.0, 1.0)
    switch = cancel_switch(half)
    assert switch.kind is SwitchKind.REMOVE
    assert switch.weight == half.weight
    switch, _ = run_out(switch, 0.5 * UNLOADED_FORCE)
    assert switch.phase is SwitchPhase.DONE
    assert switch.cancelled


def test_what_goes_back_already_or_is_over_cannot_be_called_off():
    back = cancel_switch(advance(begin_removing(0, HERE), FIRM, 1.0))
    over, _ = run_out(back, FIRM)
    assert cancel_switch(back) is back
    assert cancel_switch(over) is over


def test_a_switch_that_is_over_stays_so():
    over, _ = run_out(begin_removing(0, HERE), 0.0)
    assert step_switch(over, FIRM, OBSTACLES, DT) is over


@given(
    forces=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=40),
    adding=st.booleans(),
    abort_at=st.none() | st.floats(0.0, 8.0),
    min_force=st.floats(0.0, 500.0),
)
def test_whatever_the_forces_every_switch_ends_and_its_weight_stays_between_the_two(forces, adding, abort_at, min_force):
    dt = 0.02  # [s] coarse, because there are many
    switch = begin_adding(0, HERE) if adding else begin_removing(0, HERE)
    elapsed = 0.0
    while not switch.over:
        if abort_at is not None and abs(elapsed - abort_at) < 0.5 * dt:
            switch = cancel_switch(switch)
        switch = step_switch(
            switch,
            forces[round(elapsed / dt) % len(forces)],
            OBSTACLES,
            dt,
            min_force=min_force,
            sufficient_force=2.0 * min_force,
        )
        elapsed += dt
        assert 1.0 <= switch.weight <= DISABLED_WEIGHT
        assert elapsed < TRANSITION + SWITCH_TIMEOUT + MAX_DURATION
    if switch.phase is SwitchPhase.FAILED:
        assert switch.weight == (DISABLED_WEIGHT if switch.kind is SwitchKind.ADD else 1.0)


def test_a_contact_that_is_needed_waits_though_it_bears_nothing_and_then_stays():
    switch = begin_removing(0, (0.0, 0.0, 0.0))
    for _ in range(10**5):
        switch = step_switch(switch, 0.0, (), 1e-3, needed=True)
        if switch.phase is not SwitchPhase.UNDER_WAY:
            break
    assert switch.phase is SwitchPhase.GOING_BACK
    assert switch.obstacles == (BALANCE,)
    again = begin_removing(0, (0.0, 0.0, 0.0))
    assert step_switch(again, 0.0, (), 1e-3).phase is SwitchPhase.DONE
