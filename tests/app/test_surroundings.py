"""What the cycle knows of the surroundings, from what a camera says."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.surfaces import list_surfaces
from handhold.app.host.surroundings import AGING_PERIOD, SILENT_AFTER, Surroundings
from handhold.app.link.codecs import check_sighting, sighting_codec
from handhold.app.link.messages import MessageError, Stamp
from handhold.app.link.observer_inbox import MAX_AGE, SILENCE, ObserverInbox, is_timely
from handhold.perception.sighting import MAX_CORNERS, MAX_SURFACES, Sighting, choose_surfaces, say_left_out
from handhold.perception.surface import Surface
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world


def surface(identity=1, corners=4, **changes):
    angles = 2.0 * np.pi * np.arange(corners) / corners
    boundary = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    values = {"pose": np.eye(4), "boundary": boundary, "area": 1.0, "quality": 1.0, "age": 0.1, "identity": identity}
    return Surface(**(values | changes))


def sighting(time=10.0, *surfaces, **changes):
    return Sighting(time=time, camera="a camera", surfaces=surfaces or (surface(),), **changes)


def test_without_a_camera_what_is_known_stays_and_nothing_is_said():
    known = (surface(),)
    surroundings = Surroundings(known)
    surroundings.update(None, 100.0)
    assert surroundings.surfaces is known
    assert surroundings.message == ""


def test_before_it_has_seen_anything_a_camera_is_waited_for_in_words():
    surroundings = Surroundings(has_camera=True)
    surroundings.update(None, 1.0)
    assert surroundings.surfaces == ()
    assert "nothing seen" in surroundings.message


def test_what_was_seen_is_as_old_as_its_image():
    surroundings = Surroundings(has_camera=True)
    surroundings.update(sighting(10.0), 10.3)
    assert surroundings.surfaces[0].age == pytest.approx(0.4)
    assert surroundings.message == ""


def test_it_is_the_same_objects_until_there_is_something_new_or_it_has_aged():
    surroundings, seen = Surroundings(has_camera=True), sighting(10.0)
    surroundings.update(seen, 10.1)
    before = surroundings.surfaces
    surroundings.update(seen, 10.2)
    assert surroundings.surfaces is before
    surroundings.update(seen, 10.2 + AGING_PERIOD)
    assert surroundings.surfaces[0].age > before[0].age
    surroundings.update(sighting(10.3), 10.21 + AGING_PERIOD)
    assert surroundings.surfaces[0].age < before[0].age + AGING_PERIOD


def test_a_camera_that_falls_silent_is_noticed_and_what_it_said_grows_old():
    surroundings, seen = Surroundings(has_camera=True), sighting(10.0)
    for k in range(40):
        surroundings.update(seen, 10.1 + 0.1 * k)
    assert "silent" in surroundings.message
    assert surroundings.surfaces[0].age > SILENT_AFTER


def test_the_reason_of_a_camera_s_silence_is_told_with_it():
    surroundings = Surroundings(has_camera=True)
    surroundings.update(sighting(10.0, message="camera: no device"), 13.0)
    assert surroundings.message == "camera: silent for 3 s; nothing new is known; no device"


def test_surfaces_that_are_left_out_are_told_of():
    assert say_left_out(0) == ""
    assert say_left_out(1).startswith("camera: a surface is left out")
    assert say_left_out(3).startswith("camera: 3 surfaces are left out")


def test_one_camera_is_heard_at_a_time_and_its_messages_once():
    inbox = ObserverInbox()
    assert inbox.admit(Stamp(run=1, sequence=1, time=0.0), 0.0)
    assert not inbox.admit(Stamp(run=1, sequence=1, time=0.0), 0.1)
    assert not inbox.admit(Stamp(run=2, sequence=5, time=0.0), 0.2)
    assert inbox.admit(Stamp(run=1, sequence=2, time=0.0), 0.3)
    # started again
    assert inbox.admit(Stamp(run=2, sequence=6, time=0.0), 0.5 + SILENCE)
    assert not inbox.admit(Stamp(run=1, sequence=9, time=0.0), 0.6 + SILENCE)


@pytest.mark.parametrize(("time", "timely"), [(9.0, True), (10.1, False), (9.9 - MAX_AGE, False), (float("nan"), False)])
def test_what_was_seen_in_the_future_or_long_ago_is_of_another_clock(time, timely):
    assert is_timely(sighting(time).time, 10.0) == timely


def test_a_sighting_comes_back_as_it_was_sent():
    codec, sent = sighting_codec(), sighting(10.0, surface(3, corners=MAX_CORNERS), left_out=2, message="words")
    received = codec.decode(codec.encode(sent, Stamp(run=1, sequence=1, time=0.0))).payload
    check_sighting(received)
    assert (received.time, received.left_out, received.message) == (10.0, 2, "words")
    assert np.array_equal(received.surfaces[0].boundary, sent.surfaces[0].boundary)
    assert received.surfaces[0].identity == 3


def test_as_many_surfaces_as_are_told_fit_into_a_message():
    codec, full = sighting_codec(), sighting(0.0, *(surface(k, corners=MAX_CORNERS) for k in range(MAX_SURFACES)))
    assert len(codec.encode(full, Stamp(run=1, sequence=1, time=0.0))) < codec.max_bytes


@pytest.mark.parametrize(
    "bad",
    [
        sighting(0.0, *(surface(k) for k in range(MAX_SURFACES + 1))),
        sighting(0.0, surface(corners=MAX_CORNERS + 1)),
        sighting(0.0, surface(corners=2)),
        sighting(0.0, surface(pose=np.full((4, 4), np.nan))),
        sighting(0.0, surface(pose=np.eye(3))),
        sighting(0.0, surface(age=float("inf"))),
        sighting(0.0, surface(boundary=np.zeros((4, 3)))),
        sighting(0.0, message="x" * 1000),
    ],
)
def test_what_is_no_sighting_is_refused(bad):
    with pytest.raises(MessageError):
        check_sighting(bad)


def test_the_largest_surfaces_are_told_and_the_others_counted():
    many = tuple(surface(k, area=float(k)) for k in range(1, MAX_SURFACES + 6))
    chosen, left_out = choose_surfaces((*many, surface(999, corners=MAX_CORNERS + 1, area=1e3)))
    assert left_out == 6
    assert [each.identity for each in chosen] == list(range(6, MAX_SURFACES + 6))


def test_what_is_known_without_a_camera_is_where_a_robot_sees_it_that_has_drifted():
    known = list_surfaces(load_world("workshop"))
    surroundings, talos = Surroundings(known), load_model("talos")
    q, thought = talos.q_nominal, talos.q_nominal.copy()
    surroundings.follow_drift(thought, q)
    assert surroundings.surfaces is known
    thought[0] += 0.001  # [m] too little to make everything anew
    surroundings.follow_drift(thought, q)
    assert surroundings.surfaces is known
    turned = pin.Quaternion(pin.rpy.rpyToMatrix(0.0, 0.0, 0.1)).coeffs()
    thought[0], thought[3:7] = q[0] + 0.2, turned
    surroundings.follow_drift(thought, q)
    base, true = pin.XYZQUATToSE3(thought[:7]), pin.XYZQUATToSE3(q[:7])
    for before, after in zip(known, surroundings.surfaces, strict=True):
        seen = base.inverse().homogeneous @ after.pose
        assert np.allclose(seen, true.inverse().homogeneous @ before.pose)
        assert after.identity == before.identity
