"""One station drives; another gets the robot only by a deliberate act that stops it first."""

from __future__ import annotations

import pytest

from handhold.app.link.lease import LEASE_TIME, Lease, Station

ANN, BOB, EVE = Station(1, "ann"), Station(2, "bob"), Station(3, "eve")


@pytest.fixture
def lease() -> Lease:
    """A lease that ann has."""
    lease = Lease()
    lease.ask(ANN, 0.0)
    return lease


def test_who_asks_first_drives(lease: Lease) -> None:
    assert lease.driver == ANN
    assert lease.is_driver(ANN.run)
    assert not lease.is_driver(BOB.run)


def test_nobody_drives_who_has_not_asked() -> None:
    lease = Lease()
    assert lease.driver is None
    assert not lease.renew(ANN.run, 0.0)


def test_asking_while_another_drives_changes_nothing_but_is_noted(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    assert lease.driver == ANN
    assert lease.applicant == BOB
    assert not lease.renew(BOB.run, 0.1)


def test_who_drives_may_ask_again_without_being_an_applicant(lease: Lease) -> None:
    lease.ask(ANN, 0.9)
    assert lease.driver == ANN
    assert lease.applicant is None
    lease.expire(0.9 + LEASE_TIME)
    assert lease.driver == ANN


def test_samples_keep_the_lease_and_silence_frees_it(lease: Lease) -> None:
    for beat in range(1, 50):
        assert lease.renew(ANN.run, 0.5 * beat * LEASE_TIME)
    last = 24.5 * LEASE_TIME
    lease.expire(last + LEASE_TIME)
    assert lease.driver == ANN
    assert not lease.renew(ANN.run, last + 1.01 * LEASE_TIME)
    assert lease.driver is None


def test_a_freed_lease_goes_to_who_asks_next(lease: Lease) -> None:
    lease.ask(BOB, 1.01 * LEASE_TIME)
    assert lease.driver == BOB
    assert lease.applicant is None


def test_taking_over_from_another_stops_the_robot(lease: Lease) -> None:
    assert lease.take_over(BOB, 0.1)
    assert lease.driver == BOB
    assert not lease.renew(ANN.run, 0.1)


def test_taking_over_what_is_free_or_ones_own_stops_nothing(lease: Lease) -> None:
    assert not lease.take_over(ANN, 0.1)
    assert not Lease().take_over(BOB, 0.1)
    assert not lease.take_over(BOB, 5.0)


def test_the_lease_is_handed_over_to_the_applicant_alone_and_that_stops_the_robot(lease: Lease) -> None:
    assert not lease.hand_over(ANN.run, 0.1)
    lease.ask(BOB, 0.1)
    assert lease.hand_over(ANN.run, 0.2)
    assert lease.driver == BOB
    assert lease.applicant is None


def test_only_who_drives_hands_over(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    assert not lease.hand_over(BOB.run, 0.2)
    assert not lease.hand_over(EVE.run, 0.2)
    assert lease.driver == ANN


def test_an_application_stands_for_half_a_minute(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    for beat in range(1, 301):
        lease.renew(ANN.run, 0.1 * beat)
    assert lease.applicant == BOB
    lease.renew(ANN.run, 30.2)
    assert not lease.hand_over(ANN.run, 30.2)
    assert lease.applicant is None


def test_an_applicant_that_leaves_applies_no_more(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    lease.release(EVE.run)
    assert lease.applicant == BOB
    lease.release(BOB.run)
    assert lease.applicant is None
    assert lease.driver == ANN


def test_an_applicant_that_takes_over_is_no_applicant_any_more(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    lease.take_over(BOB, 0.2)
    assert lease.applicant is None


def test_the_application_of_another_outlives_a_take_over(lease: Lease) -> None:
    lease.ask(BOB, 0.1)
    lease.take_over(EVE, 0.2)
    assert lease.applicant == BOB


def test_only_who_drives_lets_go(lease: Lease) -> None:
    lease.release(BOB.run)
    assert lease.driver == ANN
    lease.release(ANN.run)
    assert lease.driver is None
    lease.ask(BOB, 0.1)
    assert lease.driver == BOB


def test_a_lease_that_was_handed_over_runs_out_as_any_after_a_second(lease: Lease) -> None:
    lease.ask(BOB, 0.5)
    assert lease.hand_over(ANN.run, 0.5)
    lease.expire(1.4)
    assert lease.driver == BOB
    lease.expire(1.6)
    assert lease.driver is None
