"""What an operator can do about the lease is offered as switches, and done once a press."""

from __future__ import annotations

from handhold.app.link.authority import LeaseAct, LinkStatus
from handhold.app.link.lease import Station
from handhold.app.link.lease_switches import LeaseSwitches

ANN, BOB = Station(1, "ann"), Station(2, "bob")


def titles(run: int, status: LinkStatus | None) -> list[str]:
    return [switch.title for switch in LeaseSwitches(run).offer(status)]


def test_who_drives_alone_is_offered_nothing() -> None:
    assert titles(1, None) == []
    assert titles(1, LinkStatus(driver=ANN)) == []


def test_a_robot_that_nobody_drives_may_be_driven() -> None:
    (offer,) = LeaseSwitches(1).offer(LinkStatus())
    assert offer.title == "Drive the robot"
    assert LeaseSwitches(1).read(f"switch:{offer.name}") == (LeaseAct.ASK, "")


def test_who_drives_may_hand_over_to_who_asks() -> None:
    assert titles(1, LinkStatus(driver=ANN, applicant=BOB)) == ["Hand over to bob (stops it)"]


def test_who_watches_may_ask_or_take_over() -> None:
    expected = ["Ask ann for the robot", "Take the robot over (stops it)"]
    assert titles(2, LinkStatus(driver=ANN)) == expected
    assert titles(2, LinkStatus(driver=ANN, applicant=BOB)) == expected


def test_every_offer_is_read_back_once_a_press_and_kept_from_the_host() -> None:
    switches = LeaseSwitches(2)
    for offer, act in zip(switches.offer(LinkStatus(driver=ANN)), (LeaseAct.ASK, LeaseAct.TAKE_OVER), strict=True):
        assert switches.read(f"switch:{offer.name}") == (act, "")
        assert switches.read(f"switch:{offer.name}") == (None, "")
        assert switches.read("") == (None, "")


def test_other_requests_are_left_for_the_host() -> None:
    switches = LeaseSwitches(2)
    assert switches.read("mode:walking") == (None, "mode:walking")
    assert switches.read("switch:contacts") == (None, "switch:contacts")
    assert switches.read("switch:lease nonsense") == (None, "")


def test_an_offer_to_hand_over_is_a_switch_that_is_off() -> None:
    (offer,) = LeaseSwitches(1).offer(LinkStatus(driver=ANN, applicant=BOB))
    assert offer.name == "lease hand over"
    assert offer.on is False
