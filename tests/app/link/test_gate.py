"""What the host takes of authenticated messages: fresh ones, once, of this session, of the station that drives."""

from __future__ import annotations

import pytest

from handhold.app.link.authority import LeaseAct, LeaseRequest, LinkStatus, Refusal, StopRequest
from handhold.app.link.gate import LATE_AFTER, MAX_PEERS, REPORT_TIME, Gate
from handhold.app.link.lease import LEASE_TIME, Station
from handhold.app.link.messages import MAX_CLOCK, Heard, Stamp
from handhold.devices.stop import Stop

HOST = 77
ANN, BOB = 1, 2
NOW = 100.0


def stamp(sequence: int, run: int = ANN, *, now: float = NOW, late: float = 0.0, host: int = HOST) -> Stamp:
    """Return the stamp of a message sent ``late`` seconds before ``now`` by a station that hears the host at once."""
    return Stamp(run, sequence, now - late, Heard(host, now - late, now - late))


def drive(gate: Gate, run: int = ANN, name: str = "ann", now: float = NOW, sequence: int = 1) -> None:
    gate.admit_lease(stamp(sequence, run, now=now), LeaseRequest(LeaseAct.ASK, name), now)


@pytest.fixture
def gate() -> Gate:
    """A gate whose lease ann has."""
    gate = Gate(HOST)
    drive(gate)
    return gate


def test_a_fresh_sample_of_who_drives_is_admitted_with_the_time_it_was_sent(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1, late=0.01), NOW) == pytest.approx(NOW - 0.01)
    assert gate.refused.total() == 0


def test_a_sample_that_came_before_is_refused(gate: Gate) -> None:
    for sequence in (5, 9):
        assert gate.admit_sample(stamp(sequence), NOW) is not None
    for sequence in (9, 8, 5, 1, 0, -1):
        assert gate.admit_sample(stamp(sequence), NOW) is None
    assert gate.refused == {Refusal.REPLAYED: 6}
    assert gate.admit_sample(stamp(10), NOW) is not None


def test_a_refused_sample_is_not_taken_later_either(gate: Gate) -> None:
    assert gate.admit_sample(stamp(4, late=1.0), NOW) is None
    assert gate.admit_sample(stamp(4), NOW) is None
    assert gate.refused == {Refusal.LATE: 1, Refusal.REPLAYED: 1}


def test_samples_of_another_host_s_session_are_refused(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1, host=HOST + 1), NOW) is None
    assert gate.admit_sample(stamp(2, host=0), NOW) is None
    assert gate.refused == {Refusal.UNACQUAINTED: 2}


def test_samples_that_are_late_are_refused_and_said_to_be(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1, late=0.99 * LATE_AFTER), NOW) is not None
    assert gate.admit_sample(stamp(2, late=1.01 * LATE_AFTER), NOW) is None
    assert gate.admit_sample(stamp(3, late=0.123), NOW) is None
    assert gate.refused == {Refusal.LATE: 2}
    assert gate.describe(NOW) == ("commands arrive 120 ms late and are refused; at most 50 ms will do",)


def test_samples_of_a_station_that_does_not_drive_are_refused(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1, BOB), NOW) is None
    assert gate.refused == {Refusal.NOT_DRIVING: 1}
    assert gate.describe(NOW) == ()


def test_samples_keep_the_lease(gate: Gate) -> None:
    for beat in range(1, 10):
        now = NOW + 0.9 * LEASE_TIME * beat
        assert gate.admit_sample(stamp(beat, now=now), now) is not None
    now += 1.1 * LEASE_TIME
    assert gate.admit_sample(stamp(beat + 1, now=now), now) is None


def test_a_stop_of_any_station_counts_however_late_and_whatever_it_has_heard(gate: Gate) -> None:
    assert gate.admit_stop(stamp(1, BOB), StopRequest(Stop.HOLD, 1), NOW)
    assert gate.admit_stop(stamp(2, BOB, late=9.0), StopRequest(Stop.DAMP, 2), NOW)
    assert gate.admit_stop(stamp(3, BOB, host=0), StopRequest(Stop.HOLD, 3), NOW)


def test_a_resume_counts_of_who_drives_alone_in_time_and_in_this_session(gate: Gate) -> None:
    assert not gate.admit_stop(stamp(1, BOB), StopRequest(Stop.RESUME, 1), NOW)
    assert not gate.admit_stop(stamp(1, late=0.2), StopRequest(Stop.RESUME, 1), NOW)
    assert not gate.admit_stop(stamp(2, host=0), StopRequest(Stop.RESUME, 2), NOW)
    assert gate.admit_stop(stamp(3), StopRequest(Stop.RESUME, 3), NOW)
    assert gate.refused == {Refusal.NOT_DRIVING: 1, Refusal.LATE: 1, Refusal.UNACQUAINTED: 1}


def test_a_request_that_is_sent_again_is_received_once(gate: Gate) -> None:
    assert gate.admit_stop(stamp(1), StopRequest(Stop.RESUME, 1), NOW)
    assert not gate.admit_stop(stamp(2), StopRequest(Stop.RESUME, 1), NOW)
    assert gate.refused.total() == 0
    assert gate.report(NOW).received == {ANN: 1}


def test_a_replayed_stop_or_resume_is_refused_in_whatever_order(gate: Gate) -> None:
    assert gate.admit_stop(stamp(2), StopRequest(Stop.HOLD, 2), NOW)
    assert not gate.admit_stop(stamp(1), StopRequest(Stop.RESUME, 1), NOW)
    assert not gate.admit_stop(stamp(2), StopRequest(Stop.HOLD, 2), NOW)
    assert gate.refused == {Refusal.REPLAYED: 1}
    assert gate.report(NOW).received == {ANN: 2}


def test_another_station_asks_and_is_handed_the_robot_which_stops_for_it(gate: Gate) -> None:
    drive(gate, BOB, "bob")
    assert gate.report(NOW) == LinkStatus(Station(ANN, "ann"), Station(BOB, "bob"), {}, {})
    assert gate.describe(NOW) == ("bob asks to drive: hand over, or go on",)
    assert gate.admit_lease(stamp(2), LeaseRequest(LeaseAct.HAND_OVER, "ann"), NOW)
    assert gate.report(NOW).driver == Station(BOB, "bob")
    assert gate.admit_sample(stamp(1), NOW) is None
    assert gate.admit_sample(stamp(1, BOB), NOW) is not None


def test_another_station_takes_over_and_the_robot_stops_for_it(gate: Gate) -> None:
    assert gate.admit_lease(stamp(1, BOB), LeaseRequest(LeaseAct.TAKE_OVER, "bob"), NOW)
    assert gate.lease.is_driver(BOB)


def test_a_replayed_take_over_takes_nothing(gate: Gate) -> None:
    gate.admit_lease(stamp(1, BOB), LeaseRequest(LeaseAct.TAKE_OVER, "bob"), NOW)
    gate.admit_lease(stamp(2), LeaseRequest(LeaseAct.TAKE_OVER, "ann"), NOW)
    assert not gate.admit_lease(stamp(1, BOB), LeaseRequest(LeaseAct.TAKE_OVER, "bob"), NOW)
    assert gate.lease.is_driver(ANN)
    assert gate.refused == {Refusal.REPLAYED: 1}


@pytest.mark.parametrize("bad", [{"late": 0.2}, {"host": 0}])
def test_a_late_take_over_or_one_of_another_session_takes_nothing(gate: Gate, bad: dict[str, float]) -> None:
    assert not gate.admit_lease(stamp(1, BOB, **bad), LeaseRequest(LeaseAct.TAKE_OVER, "bob"), NOW)
    assert gate.lease.is_driver(ANN)


def test_a_station_that_leaves_frees_the_robot(gate: Gate) -> None:
    assert not gate.admit_lease(stamp(2, late=0.5), LeaseRequest(LeaseAct.RELEASE, "ann"), NOW)
    assert gate.report(NOW).driver is None


def test_a_silent_driver_is_not_reported_as_driving(gate: Gate) -> None:
    assert gate.report(NOW + 1.1 * LEASE_TIME).driver is None


@pytest.mark.parametrize("reason", [Refusal.FORGED, Refusal.REPLAYED, Refusal.UNREADABLE])
def test_foreign_messages_are_told_for_a_while(gate: Gate, reason: Refusal) -> None:
    gate.refuse(reason, NOW)
    told = (f"the robot's host refuses messages {reason}: someone else sends to this robot",)
    assert gate.describe(NOW + 0.99 * REPORT_TIME) == told
    assert gate.describe(NOW + REPORT_TIME) == ()
    assert gate.report(NOW).refused == {reason: 1}


def test_runs_of_stations_are_remembered_in_bounded_number_the_latest_first(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1), NOW) is not None
    for run in range(1000, 1000 + MAX_PEERS - 1):
        gate.admit_sample(stamp(1, run), NOW)
    assert gate.admit_sample(stamp(1), NOW) is None, "still remembered"
    gate.admit_sample(stamp(1, 5000), NOW)
    gate.admit_sample(stamp(1, 1000), NOW)
    assert gate.refused[Refusal.REPLAYED] == 1, "run 1000 was the oldest and is forgotten"


def test_messages_that_came_before_are_told_whatever_they_asked(gate: Gate) -> None:
    told = ("the robot's host refuses messages sent before: someone else sends to this robot",)
    for again in (
        lambda other: other.admit_sample(stamp(1), NOW),
        lambda other: other.admit_stop(stamp(1), StopRequest(Stop.HOLD, 1), NOW),
        lambda other: other.admit_lease(stamp(1), LeaseRequest(LeaseAct.ASK, "ann"), NOW),
    ):
        other = Gate(HOST)
        drive(other)
        again(other)
        again(other)
        assert other.describe(NOW) == told


def test_asking_and_releasing_stop_nothing(gate: Gate) -> None:
    assert not gate.admit_lease(stamp(1, BOB), LeaseRequest(LeaseAct.ASK, "bob"), NOW)
    assert not gate.admit_lease(stamp(2), LeaseRequest(LeaseAct.RELEASE, "ann"), NOW)


def test_a_lateness_is_told_in_tens_of_milliseconds(gate: Gate) -> None:
    gate.admit_sample(stamp(1, late=1.96), NOW)
    assert gate.describe(NOW)[0].startswith("commands arrive 1960 ms late")


def test_a_refusal_is_told_for_four_seconds_and_64_stations_are_remembered(gate: Gate) -> None:
    gate.refuse(Refusal.FORGED, NOW)
    assert gate.describe(NOW + 3.9)
    assert not gate.describe(NOW + 4.1)
    for run in range(64):
        gate.admit_sample(stamp(1, 1000 + run), NOW)
    gate.admit_sample(stamp(1, 1000), NOW)
    assert gate.refused[Refusal.REPLAYED] == 1
    gate.admit_sample(stamp(1, 2000), NOW)
    gate.admit_sample(stamp(1, 1001), NOW)
    assert gate.refused[Refusal.REPLAYED] == 1


def test_what_was_sent_while_this_machine_slept_is_refused_in_words(gate: Gate) -> None:
    assert gate.admit_sample(stamp(1), NOW) is not None
    asleep = Stamp(ANN, 2, NOW + 4.0, Heard(HOST, NOW - 0.1, NOW - 0.1))
    assert gate.admit_sample(asleep, NOW + 0.1) is None
    assert gate.refused == {Refusal.LATE: 1}
    assert gate.describe(NOW + 0.1) == ("commands of before this machine slept are refused",)


def test_times_as_wrong_as_a_message_can_tell_them_are_said_in_words(gate: Gate) -> None:
    for times in ((0.0, -MAX_CLOCK, MAX_CLOCK), (MAX_CLOCK, MAX_CLOCK, -MAX_CLOCK), (-MAX_CLOCK, MAX_CLOCK, MAX_CLOCK)):
        gate.admit_sample(Stamp(ANN, 2, times[0], Heard(HOST, *times[1:])), NOW)
        assert all(message.isprintable() for message in gate.describe(NOW))
