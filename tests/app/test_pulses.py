"""What the operator feels of the robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from random_values import random_snapshot

from handhold.app.host.pulses import PULSES, HapticState, compute_margin_period, find_interface_pulses, find_pulses
from handhold.devices.device import HapticPulse
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.wheel import Wheel
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import ContactState, ModeReport, StabilityRegion

DT = 1e-3
NAMES = ("left_foot", "right_foot", "left_hand", "right_hand")
ROUNDING = 1e-9
"""Sums of periods differ from their product by rounding [s]."""


def quiet() -> Snapshot:
    """Return a snapshot in which both hands are free and touch nothing."""
    snapshot = random_snapshot(0)
    count = len(snapshot.contact_wrenches)
    assert count >= 4
    left = HandStatus(engaged=False, waiting="", target=snapshot.left.target, effector="left_hand")
    right = replace(left, effector="right_hand")
    reference = replace(snapshot.reference, contacts=np.zeros(count, dtype=bool))
    return replace(snapshot, left=left, right=right, contact_wrenches=np.zeros((count, 6)), reference=reference)


def feel(*snapshots: Snapshot) -> list[HapticPulse]:
    """Return what is felt of the last of some snapshots."""
    felt: HapticState | None = None
    pulses: tuple[HapticPulse, ...] = ()
    for snapshot in snapshots:
        felt, pulses = find_pulses(felt, snapshot, NAMES)
    return list(pulses)


def touched(hand: int, force: float) -> Snapshot:
    wrenches = quiet().contact_wrenches.copy()
    wrenches[hand, :3] = (0.0, 0.6 * force, -0.8 * force)
    return replace(quiet(), contact_wrenches=wrenches)


def standing(margin: float, time: float = 0.0) -> Snapshot:
    square = np.array([[0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1], [0.1, -0.1]])
    region = StabilityRegion(vertices=square, height=0.0, margin=margin, edge=0, limit="")
    return replace(quiet(), report=ModeReport(region=region), time=time)


def name(pulse: HapticPulse) -> str:
    felt = (pulse.amplitude, pulse.duration, pulse.frequency)
    return next(n.value for n, p in PULSES.items() if (p.amplitude, p.duration, p.frequency) == felt)


def test_everything_feels_different() -> None:
    felt = [(pulse.amplitude, pulse.duration, pulse.frequency) for pulse in PULSES.values()]
    assert len(set(felt)) == len(felt)


def test_a_hand_that_is_engaged_or_let_go_is_felt_in_that_hand() -> None:
    moving = replace(quiet(), right=replace(quiet().right, engaged=True))
    assert feel(moving) == []
    assert feel(quiet(), quiet()) == []
    (tick,) = feel(quiet(), moving)
    (knock,) = feel(moving, quiet())
    assert (name(tick), name(knock)) == ("engaged", "let go")
    assert knock.hand == tick.hand == "right"
    assert knock.amplitude > tick.amplitude


@pytest.mark.parametrize(("effector", "hand"), [(2, "left"), (3, "right")])
def test_a_contact_that_is_made_is_felt_once_in_that_hand(effector: int, hand: str) -> None:
    (pulse,) = feel(quiet(), touched(effector, 12.0))
    assert (name(pulse), pulse.hand) == ("contact made", hand)
    assert feel(quiet(), touched(effector, 12.0), touched(effector, 8.0), touched(effector, 11.0)) == []  # it rattles
    assert feel(quiet(), touched(effector, 12.0), touched(effector, 1.0), touched(effector, 11.0)) != []
    assert feel(quiet(), touched(0, 500.0)) == []  # a foot


def test_a_contact_that_is_loaded_is_felt_in_that_hand() -> None:
    loading = replace(quiet(), left=replace(quiet().left, contact=ContactState.LOADING))
    loaded = replace(quiet(), left=replace(quiet().left, contact=ContactState.LOADED))
    assert feel(quiet(), loading) == []
    (pulse,) = feel(quiet(), loaded)
    assert (name(pulse), pulse.hand) == ("contact loaded", "left")
    assert feel(quiet(), loaded, loaded) == []
    assert feel(loaded, quiet()) == []


def test_another_effector_under_command_is_felt_from_then_on() -> None:
    foot = replace(touched(0, 400.0), left=replace(quiet().left, effector="left_foot", contact=ContactState.LOADED))
    assert feel(quiet(), foot) == []
    lifted = replace(quiet(), left=replace(quiet().left, effector="left_foot"))
    (made, loaded) = feel(foot, lifted, foot)
    assert (name(made), name(loaded), made.hand) == ("contact made", "contact loaded", "left")


def test_a_refused_request_is_felt_in_both_hands() -> None:
    refused = replace(quiet(), counters=replace(quiet().counters, refused_commands=quiet().counters.refused_commands + 1))
    pulses = feel(quiet(), refused)
    assert [(name(pulse), pulse.hand) for pulse in pulses] == [("refused", "left"), ("refused", "right")]


def test_a_falling_margin_is_felt_faster_and_faster() -> None:
    felt: HapticState | None = None
    times = []
    for k in range(4000):
        margin = 0.09 - 0.06 * k / 4000  # 9 to 3 cm in 4 s
        felt, pulses = find_pulses(felt, standing(margin, k * DT), NAMES)
        if pulses:
            assert {pulse.hand for pulse in pulses} == {"left", "right"}
            times.append(k * DT)
    assert times[0] == pytest.approx(4.0 / 6.0, abs=2 * DT)  # where it goes below 8 cm
    periods = [b - a for a, b in pairwise(times)]
    assert all(later <= earlier + DT + ROUNDING for earlier, later in pairwise(periods))
    assert periods[-1] == pytest.approx(0.15, abs=2 * DT)


def test_a_margin_that_stays_is_felt_only_where_it_is_small() -> None:
    def count(margin: float) -> int:
        felt: HapticState | None = None
        found = 0
        for k in range(3000):
            felt, pulses = find_pulses(felt, standing(margin, k * DT), NAMES)
            found += bool(pulses)
        return found

    assert count(0.1) == 0
    assert count(0.06) == 1  # where it is first below 8 cm
    assert count(0.03) == 20  # 3 s, every 0.15 s
    assert count(-0.02) == 20


def test_the_period_of_the_margin_keeps_between_its_ends() -> None:
    assert compute_margin_period(0.08) == pytest.approx(0.6)
    assert compute_margin_period(0.06) == pytest.approx(0.375)
    assert compute_margin_period(-1.0) == pytest.approx(0.15)


def test_a_hand_the_robot_does_not_have_is_never_felt() -> None:
    felt, _ = find_pulses(None, quiet(), ("left_foot", "right_foot"))
    _, pulses = find_pulses(felt, touched(3, 100.0), ("left_foot", "right_foot"))
    assert pulses == ()


def test_the_wheels_items_and_refusals_are_felt_in_the_hand_that_points() -> None:
    def pointing(number: int | None, refused: int = 0) -> ViewState:
        return ViewState(wheel=Wheel(hand="right", pointed=number, pose=np.eye(4)), refused=refused)

    (tick,) = find_interface_pulses(pointing(None), pointing(2))
    assert (name(tick), tick.hand) == ("pointed at", "right")
    assert find_interface_pulses(pointing(2), pointing(2)) == ()
    (refusal,) = find_interface_pulses(pointing(2), pointing(2, refused=1))
    assert (name(refusal), refusal.hand) == ("refused", "right")
    assert find_interface_pulses(ViewState(), ViewState()) == ()


def pushed(force: float, time: float) -> Snapshot:
    """Return a snapshot in which something pushes the left hand since a while."""
    return replace(touched(2, force), time=time, left=replace(quiet().left, contact=ContactState.LOADED))


def feel_force(force: Callable[[float], float], duration: float) -> list[tuple[float, HapticPulse]]:
    """Return when which pulses of a force on the left hand are felt."""
    felt: HapticState | None = None
    found = []
    for k in range(round(duration / DT)):
        felt, pulses = find_pulses(felt, pushed(force(k * DT), k * DT), NAMES)
        found += [(k * DT, pulse) for pulse in pulses]
    return found


def test_a_push_is_felt_in_the_cycle_it_is_measured_and_the_more_the_stronger_it_is() -> None:
    def push(force: float) -> list[tuple[float, HapticPulse]]:
        return feel_force(lambda time: 20.0 if time < 0.5 else 20.0 + force, 1.0)

    first, strong = push(20.0), push(40.0)
    assert [pulse.hand for _, pulse in first] == ["left"] * len(first)
    assert first[0][0] == pytest.approx(0.5, abs=DT)
    assert strong[0][1].amplitude == pytest.approx(2.0 * first[0][1].amplitude)
    assert all(0.0 <= pulse.amplitude <= 1.0 for _, pulse in push(1e4))
    assert push(2.0) == []


def test_a_force_is_felt_without_a_gap_and_fades_where_it_stays() -> None:
    found = feel_force(lambda time: 0.0 if time < 0.1 else 8.0, 10.0)
    pulses = [(time, pulse) for time, pulse in found if pulse.duration < 0.1]
    assert all(later - earlier <= pulse.duration for (earlier, pulse), (later, _) in pairwise(pulses))
    amplitudes = [pulse.amplitude for _, pulse in pulses]
    assert all(later <= earlier for earlier, later in pairwise(amplitudes))
    assert pulses[-1][0] < 3.0


def test_a_force_does_not_cut_off_what_is_felt_of_an_event() -> None:
    found = feel_force(lambda time: 0.0 if time < 0.1 else 60.0, 0.5)
    (made, contact), (after, force) = found[:2]
    assert name(contact) == "contact made"
    assert after >= made + contact.duration - ROUNDING
    assert force.amplitude == pytest.approx(0.7 * 60.0 / 80.0, rel=0.1)


def test_a_force_that_is_not_known_is_not_felt_and_one_after_it_is() -> None:
    def force(time: float) -> float:
        return math.nan if 0.1 <= time < 0.11 else 20.0 if time < 0.2 else 60.0

    found = feel_force(force, 0.3)
    assert found[0][0] == pytest.approx(0.2, abs=DT)


def test_a_clock_that_is_set_back_silences_no_hand() -> None:
    felt: HapticState | None = None
    for time, newtons in ((100.0, 20.0), (100.1, 80.0), (0.0, 80.0)):
        felt, _ = find_pulses(felt, pushed(newtons, time), NAMES)
    assert find_pulses(felt, pushed(20.0, 0.002), NAMES)[1] != ()
