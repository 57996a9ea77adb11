"""Making a contact: approach, touch, impact, missed touch, slipping and lost contacts."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contact_making import (
    AT_EDGE,
    TOO_LIGHT,
    ContactMaking,
    EffectorMeasurement,
    step_contact_making,
)
from handhold.retarget.bracing.contacts.contact_making_parameters import (
    ESTIMATED,
    ContactMakingParameters,
    choose_contact_making,
)
from handhold.retarget.bracing.contacts.contact_phase import ContactDemand, ContactPhase
from handhold.retarget.bracing.contacts.surfaces import SurfaceAhead

DT = 1e-3


def make_parameters(**changes):
    """Forces of a hand of Talos."""
    forces = {"touch_force": 8.0, "impact_force": 50.0, "offer_force": 10.0, "lost_force": 2.0, "desired_force": 20.0}
    return ContactMakingParameters(**(forces | changes))


HAND = make_parameters()
FOOT = make_parameters(is_foot=True)
STIFFNESS = 1000.0  # [N/m] of the hand's tracking against a rigid wall
WALL = 0.05  # [m] along the approach
# One period of the target's motion, and rounding.
STEP_TOLERANCE = 1e-4
# What the low pass of 10 ms and the dwell of 20 ms let the target go on after the threshold.
OVERSHOOT = 2e-3


def facing(axis):
    """A pose whose contact frame's -z points along an axis of the world."""
    return pin.SE3(pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, -1.0]), np.asarray(axis, float)).matrix(), np.zeros(3))


def at(pose, offset):
    moved = pose.copy()
    moved[:3, 3] += offset
    return moved


START = facing([1.0, 0.0, 0.0]).homogeneous
AHEAD = np.array([1.0, 0.0, 0.0])


def measure(pose=START, force=(0.0, 0.0, 0.0), **changes):
    return EffectorMeasurement(
        force=np.asarray(force, float), pose=pose, reference=changes.pop("reference", pose), desired=pose, **changes
    )


def repeat(state, measurement, seconds, parameters=HAND):
    events = []
    for _ in range(round(seconds / DT)):
        state = step_contact_making(state, measurement, DT, parameters)
        if state.event:
            events.append(state.event)
    return state, events


class SpringyHand:
    """A hand whose reference follows the target, in front of a rigid wall or of nothing."""

    def __init__(self, wall=np.inf, parameters=HAND, friction=0.0):
        self.wall = wall
        self.friction = friction
        self.parameters = parameters
        self.state = ContactMaking()
        self.desired = START
        self.reference = START
        self.events = []

    def play(self, seconds, **changes):
        for _ in range(round(seconds / DT)):
            self.tick(**changes)
        return self.state

    def tick(self, **changes):
        self.reference = self.desired if self.state.target is None else self.state.target
        depth = max(0.0, float(AHEAD @ self.reference[:3, 3]) - self.wall)
        sample = EffectorMeasurement(
            force=-(STIFFNESS * depth + self.friction) * AHEAD,
            pose=at(self.reference, -depth * AHEAD),
            reference=self.reference,
            desired=self.desired,
            **changes,
        )
        self.state = step_contact_making(self.state, sample, DT, self.parameters)
        if self.state.event:
            self.events.append(self.state.event)
        return self.state


CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def see(gap=WALL, tilt=0.0):
    """The wall across the approach of a hand that is askew to it by an angle."""
    surface = Surface(pose=START, boundary=CORNERS, area=4.0, quality=1.0, age=0.0)
    return SurfaceAhead(surface=surface, gap=gap, tilt=tilt)


def turn_aside(angle):
    """The pose of a hand whose axis is askew to the wall by an angle [rad]."""
    return facing([np.cos(angle), np.sin(angle), 0.0]).homogeneous


def test_a_free_hand_follows_the_operator():
    state, events = repeat(ContactMaking(), measure(), 1.0)
    assert (state.phase, state.target, state.demand, state.message, events) == (
        ContactPhase.FREE,
        None,
        ContactDemand.NONE,
        "",
        [],
    )


def test_an_approach_goes_on_along_the_contact_frame_at_its_speed():
    hand = SpringyHand()
    hand.tick(pressed=True)
    state = hand.play(2.0)
    assert state.phase is ContactPhase.APPROACHING
    np.testing.assert_allclose(state.target[:3, 3], 2.0 * HAND.approach_speed * AHEAD, atol=STEP_TOLERANCE)
    np.testing.assert_array_equal(state.target[:3, :3], START[:3, :3])


def test_an_approach_to_a_known_surface_goes_against_its_normal_to_its_end():
    hand = SpringyHand()
    hand.desired = turn_aside(0.6)
    hand.tick(pressed=True, ahead=see(tilt=0.6))
    state = hand.play(2.0)
    np.testing.assert_allclose(state.outward, -AHEAD, atol=1e-12)
    np.testing.assert_allclose(state.target[:3, 3], 2.0 * HAND.approach_speed * AHEAD, atol=STEP_TOLERANCE)
    np.testing.assert_array_equal(state.target[:3, :3], hand.desired[:3, :3])


@pytest.mark.parametrize("known", [True, False])
def test_a_hand_askew_to_a_wall_at_the_end_of_its_way_finds_it_where_it_is_known(known):
    # Along its own axis it would have to go 1.15 times as far, and feel 0.87 of the force.
    hand = SpringyHand(wall=0.92 * HAND.approach_distance)
    hand.desired = turn_aside(0.6)
    hand.tick(pressed=True, ahead=see(tilt=0.6) if known else None)
    hand.play(8.0)
    assert hand.events[:2] == ["approaching", "touched" if known else "nothing there"]


def test_a_force_along_a_known_surface_is_no_touch_of_it():
    askew = turn_aside(0.6)
    state = step_contact_making(ContactMaking(), measure(askew, pressed=True, ahead=see(tilt=0.6)), DT, HAND)
    state, events = repeat(state, measure(askew, force=[0.0, -20.0, 0.0], reference=askew), 1.0)
    assert (state.phase, events) == (ContactPhase.APPROACHING, [])


@pytest.mark.parametrize("phase", [ContactPhase.FREE, ContactPhase.BLOCKED, ContactPhase.RETURNING])
def test_a_hand_too_far_askew_is_not_sent_and_the_operator_told_by_how_much(phase):
    state = replace(ContactMaking(), phase=phase, start=START, distance=0.1)
    tilt = np.radians(59.3)
    after = step_contact_making(state, measure(turn_aside(tilt), pressed=True, ahead=see(tilt=tilt)), DT, HAND)
    assert (after.phase, after.event) == (phase, "turn the hand, 59 deg off")
    foot = step_contact_making(state, measure(pressed=True, ahead=see(tilt=tilt)), DT, FOOT)
    assert foot.event == "turn the foot, 59 deg off"
    least = step_contact_making(state, measure(pressed=True, ahead=see(tilt=0.99 * HAND.max_tilt)), DT, HAND)
    assert (least.phase, least.event) == (ContactPhase.APPROACHING, "approaching")


def test_what_is_approached_straight_down_is_so_whatever_is_known():
    ball = make_parameters(is_foot=True, straight_down=True)
    state = step_contact_making(ContactMaking(), measure(pressed=True, ahead=see(tilt=1.2)), DT, ball)
    assert state.phase is ContactPhase.APPROACHING
    np.testing.assert_array_equal(state.outward, [0.0, 0.0, 1.0])


def test_what_goes_away_is_approached_again_along_the_same_normal():
    hand = SpringyHand(wall=WALL)
    hand.desired = turn_aside(0.6)
    hand.tick(pressed=True, ahead=see(tilt=0.6))
    hand.play(4.0)
    assert hand.state.phase is ContactPhase.TOUCHED
    hand.wall = 2.0 * WALL
    hand.play(HAND.lost_time + 0.1)
    assert (hand.state.phase, hand.events[-1]) == (ContactPhase.APPROACHING, "lost touch")
    np.testing.assert_allclose(hand.state.outward, -AHEAD, atol=1e-12)


@pytest.mark.parametrize(
    ("force", "gap", "missed"),
    [
        (0.0, None, "out of reach"),
        (0.0, 0.05, "out of reach"),
        (0.0, 0.008, TOO_LIGHT),
        (0.0, -0.008, TOO_LIGHT),
        (0.4, None, "out of reach"),
        (0.6, None, TOO_LIGHT),
    ],
)
def test_an_approach_that_ends_at_something_without_a_touch_says_so(force, gap, missed):
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    # It moves on freely, so that what it feels is known to be no friction, and then comes no further.
    far = at(START, 0.02 * AHEAD)
    state, _ = repeat(state, measure(far), 1.0)
    ahead = None if gap is None else see(gap)
    state, events = repeat(state, measure(far, force=-force * HAND.touch_force * AHEAD, ahead=ahead), HAND.approach_time)
    assert events[0] == (f"{TOO_LIGHT}: press again" if missed == TOO_LIGHT else missed)
    assert state.message in (f"{missed}: going back", "")


def test_noise_is_no_light_touch():
    random = np.random.default_rng(0)
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    events = []
    for _ in range(round((HAND.approach_time + 0.1) / DT)):
        # Under its filter a noise of 20 N leaves some 4 N, a light touch's, now and then.
        state = step_contact_making(state, measure(force=random.normal(0.0, 20.0, 3)), DT, HAND)
        events += [state.event] if state.event else []
    assert events == ["out of reach"]


def test_what_was_missed_is_said_on_the_way_back():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    far = at(START, 0.1 * AHEAD)
    state, _ = repeat(state, measure(far, ahead=see(0.0)), HAND.approach_time + 0.01)
    assert (state.phase, state.message) == (ContactPhase.RETURNING, "touching too lightly: going back")


def test_an_approach_keeps_its_orientation_when_the_measured_one_turns():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    turned = facing([1.0, 0.3, 0.0]).homogeneous
    state, _ = repeat(state, replace(measure(turned), reference=START), 0.5)
    np.testing.assert_array_equal(state.target[:3, :3], START[:3, :3])


def test_a_touch_asks_once_for_the_contact_where_it_is_measured():
    hand = SpringyHand(wall=WALL)
    hand.tick(pressed=True)
    state = hand.play(4.0)
    assert hand.events == ["approaching", "touched"]
    assert state.demand is ContactDemand.ADD
    np.testing.assert_allclose(state.start[:3, 3], WALL * AHEAD, atol=STEP_TOLERANCE)
    np.testing.assert_allclose(state.normal, -AHEAD, atol=1e-12)
    # It stays pressed on a little over the force that counted as a touch, and no more.
    assert HAND.touch_force < np.linalg.norm(state.force) < HAND.touch_force + STIFFNESS * OVERSHOOT


def test_a_touched_contact_that_is_added_is_loaded_and_then_free_again():
    hand = SpringyHand(wall=WALL)
    hand.tick(pressed=True)
    hand.play(4.0)
    assert hand.tick(in_contact=True).phase is ContactPhase.LOADED
    assert hand.state.demand is ContactDemand.NONE
    assert hand.state.target is None
    assert hand.tick(in_contact=False).phase is ContactPhase.FREE


def test_what_was_touched_and_goes_away_is_approached_again():
    hand = SpringyHand(wall=WALL)
    hand.tick(pressed=True)
    hand.play(4.0)
    hand.wall = 2.0 * WALL
    hand.play(HAND.lost_time + 0.1)
    assert hand.state.phase is ContactPhase.APPROACHING
    assert hand.play(4.0).phase is ContactPhase.TOUCHED
    np.testing.assert_allclose(hand.state.start[:3, 3], 2.0 * WALL * AHEAD, atol=STEP_TOLERANCE)


def test_a_tap_shorter_than_the_dwell_is_no_touch():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    state, _ = repeat(state, measure(force=-100.0 * AHEAD), 2 * DT)
    state, events = repeat(state, measure(), 0.2)
    assert (state.phase, events) == (ContactPhase.APPROACHING, [])


def test_a_missed_touch_goes_back_to_where_the_approach_began_and_says_so():
    hand = SpringyHand()
    hand.desired = at(START, [0.0, 0.0, 0.3])
    hand.tick(pressed=True)
    farthest, messages = 0.0, set()
    for _ in range(12000):
        hand.tick()
        messages.add(hand.state.message)
        if hand.state.target is not None:
            farthest = max(farthest, float(AHEAD @ (hand.state.target - hand.desired)[:3, 3]))
            last = hand.state.target
    assert farthest == pytest.approx(HAND.approach_distance, abs=STEP_TOLERANCE)
    assert "nothing there: going back" in messages
    assert hand.events == ["approaching", "nothing there", "free"]
    np.testing.assert_allclose(last, hand.desired, atol=STEP_TOLERANCE)


def test_the_way_back_is_over_when_the_reference_is_back_or_after_its_time():
    far = at(START, 0.1 * AHEAD)
    returning = replace(ContactMaking(), phase=ContactPhase.RETURNING, start=START, target=far, distance=0.1)
    late = measure(reference=far)
    state, events = repeat(returning, late, HAND.return_time - 0.1)
    assert (state.phase, events) == (ContactPhase.RETURNING, [])
    np.testing.assert_allclose(state.target, START, atol=STEP_TOLERANCE)
    assert repeat(state, late, 0.2)[1] == ["free"]
    near = measure(reference=at(START, 0.9 * HAND.return_distance * AHEAD))
    assert repeat(state, near, DT)[1] == ["free"]


def test_the_target_waits_for_a_reference_that_cannot_go_further():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    state, events = repeat(state, measure(), HAND.approach_time - 0.1)
    np.testing.assert_allclose(state.target[:3, 3], HAND.approach_lead * AHEAD, atol=STEP_TOLERANCE)
    state, events = repeat(state, measure(), 0.2)
    assert events == ["out of reach"]
    state, events = repeat(state, measure(), 2.0)
    assert (state.phase, events) == (ContactPhase.FREE, ["free"])


@pytest.mark.parametrize("wall", [np.inf, WALL])
def test_the_button_pressed_again_stops_an_approach(wall):
    hand = SpringyHand(wall=wall)
    hand.tick(pressed=True)
    hand.play(4.0)
    hand.tick(pressed=True)
    assert hand.state.phase is ContactPhase.FREE
    assert hand.events[-1] == "approach stopped"


def test_a_free_hand_that_hits_something_gives_way_and_tells_the_operator():
    hand = SpringyHand(wall=WALL)
    hardest = 0.0
    for tick in range(1000):
        hand.desired = at(START, min(0.3e-3 * tick, 0.2) * AHEAD)
        hardest = max(hardest, float(np.linalg.norm(hand.tick(engaged=True).force)))
    assert hand.state.phase is ContactPhase.BLOCKED
    assert hand.state.message == "touching something: stopped"
    assert hand.events == ["stopped by an impact"]
    # At 0.3 m/s, 1000 N/m and a low pass of 10 ms the force goes on for 3 mm after the limit.
    assert hardest < HAND.impact_force + STIFFNESS * 3e-3 + 1.0
    np.testing.assert_allclose(AHEAD @ hand.state.target[:3, 3], WALL - HAND.back_off_distance, atol=STEP_TOLERANCE)


def test_a_blocked_hand_slides_along_and_leaves_as_the_operator_wants():
    hand = SpringyHand(wall=WALL)
    hand.desired = at(START, 0.2 * AHEAD)
    hand.play(0.5)
    hand.desired = at(START, [0.2, 0.1, 0.0])
    hand.play(0.1)
    np.testing.assert_allclose(hand.state.target[:3, 3], [WALL - HAND.back_off_distance, 0.1, 0.0], atol=STEP_TOLERANCE)
    hand.desired = at(START, [0.0, 0.1, 0.0])
    hand.play(0.5)
    assert hand.state.phase is ContactPhase.FREE
    assert hand.state.target is None


def test_a_blocked_hand_is_pushed_along_by_what_moves():
    hand = SpringyHand(wall=WALL)
    hand.desired = at(START, 0.2 * AHEAD)
    hand.play(0.5)
    for tick in range(1000):
        hand.wall = WALL - 0.1e-3 * tick
        hand.tick()
    # The hand yields to all but what does not count as touching.
    assert float(AHEAD @ hand.state.target[:3, 3]) <= hand.wall + HAND.touch_force / STIFFNESS + STEP_TOLERANCE
    assert np.linalg.norm(hand.state.force) < HAND.impact_force


def test_what_a_foot_stands_on_when_its_approach_begins_is_touched_however_hard_it_presses():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, FOOT)
    # Within the time in which a foot that moves would have found its bias.
    state, events = repeat(state, measure(force=-2.0 * FOOT.impact_force * AHEAD), 0.5 * FOOT.tare_time, FOOT)
    assert events == ["touched"]


def test_what_a_foot_was_stopped_at_is_touched_once_the_button_asks_for_it():
    standing = {"force": -2.0 * FOOT.impact_force * AHEAD}
    state, events = repeat(ContactMaking(), measure(**standing), 1.0, FOOT)
    assert (state.phase, events) == (ContactPhase.BLOCKED, ["stopped by an impact"])
    state = step_contact_making(state, measure(**standing, pressed=True), DT, FOOT)
    state, events = repeat(state, measure(**standing), 0.1, FOOT)
    assert events == ["touched"]


@pytest.mark.parametrize("moved", [-1.0, 1.0])
def test_an_approach_that_hits_hard_on_its_way_is_blocked(moved):
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    there = at(START, 1.5 * moved * HAND.tare_distance * AHEAD)
    state, events = repeat(state, measure(there, force=-2.0 * HAND.impact_force * AHEAD), 0.1)
    assert events == ["stopped by an impact"]


def test_an_approach_that_hits_hard_is_blocked():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    state, events = repeat(state, measure(force=[0.0, 200.0, 0.0]), 0.1)
    assert events == ["stopped by an impact"]
    assert state.phase is ContactPhase.BLOCKED
    assert float(state.target[1, 3]) > 0.0


def test_a_touch_at_an_edge_is_no_contact_and_the_hand_backs_off():
    hand = SpringyHand(wall=WALL)
    hand.tick(pressed=True)
    state = hand.play(4.0, at_edge=True)
    assert hand.events == ["approaching", AT_EDGE, "free"]
    assert state.demand is ContactDemand.NONE
    assert float(hand.reference[0, 3]) < WALL
    # Elsewhere the button takes it to the wall again.
    hand.tick(pressed=True)
    assert hand.play(4.0).phase is ContactPhase.TOUCHED


def test_pressing_with_the_clutch_offers_the_contact_and_the_button_takes_it():
    hand = SpringyHand(wall=WALL)
    hand.desired = at(START, (WALL + 0.02) * AHEAD)
    assert not hand.play(HAND.offer_time - 0.05, engaged=True).offered
    assert hand.play(0.2, engaged=True).offered
    assert hand.state.message == "press A/X to load"
    hand.tick(engaged=True, pressed=True)
    assert hand.play(HAND.touch_time + 0.05, engaged=True).phase is ContactPhase.TOUCHED
    assert not hand.state.offered


def test_friction_in_the_joints_is_no_touch_and_a_wall_behind_it_is():
    """Friction looks like a force of 15 N against the motion, twice what counts as a touch."""
    hand = SpringyHand(wall=WALL, friction=15.0)
    hand.tick(pressed=True)
    assert hand.play(0.8 * WALL / HAND.approach_speed).phase is ContactPhase.APPROACHING
    hand.play(0.4 * WALL / HAND.approach_speed)
    assert hand.state.phase is ContactPhase.TOUCHED
    assert WALL < hand.state.target[0, 3] < WALL + 1.5 * HAND.touch_force / STIFFNESS + OVERSHOOT


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_touch_and_a_wall_behind_it_is(seed):
    random, sigma = np.random.default_rng(seed), 10.0  # [N], of every component

    def feel(state, seconds, force):
        phases = []
        for _ in range(round(seconds / 2e-3)):
            state = step_contact_making(state, measure(force=force + random.normal(0.0, sigma, 3)), 2e-3, HAND)
            phases.append(state.phase)
        return state, phases

    free, _ = feel(ContactMaking(), 1.0, np.zeros(3))
    assert np.sqrt(free.noise) == pytest.approx(sigma, rel=0.4)
    state = step_contact_making(free, measure(pressed=True), 2e-3, HAND)
    state, phases = feel(state, 3.0, np.zeros(3))
    assert set(phases) == {ContactPhase.APPROACHING}
    _, phases = feel(state, 0.5, -30.0 * AHEAD)
    assert ContactPhase.TOUCHED in phases


def test_friction_of_an_approach_that_was_stopped_is_forgotten():
    hand = SpringyHand(friction=15.0)
    hand.tick(pressed=True)
    assert hand.play(1.0).tared
    hand.tick(pressed=True)
    assert hand.state.phase is ContactPhase.FREE
    hand.friction = 0.0
    state = hand.play(1.0, engaged=True)
    assert np.linalg.norm(state.force) < 0.1
    assert not state.offered


def test_a_hand_that_cannot_move_has_touched_after_a_moment():
    hand = SpringyHand(wall=0.0, friction=2.0)
    hand.tick(pressed=True)
    assert hand.play(HAND.tare_time - 0.05).phase is ContactPhase.APPROACHING
    assert hand.play(0.1).phase is ContactPhase.TOUCHED


@pytest.mark.parametrize("changes", [{"engaged": False}, {"engaged": True, "in_contact": True}])
def test_nothing_is_offered_to_a_hand_that_does_not_press_freely(changes):
    state, _ = repeat(ContactMaking(), measure(force=-20.0 * AHEAD, **changes), 1.0)
    assert not state.offered


def test_an_offer_ends_when_the_press_does():
    state, _ = repeat(ContactMaking(), measure(force=-20.0 * AHEAD, engaged=True), 1.0)
    assert state.offered
    state, _ = repeat(state, measure(engaged=True), 0.1)
    assert not state.offered


@pytest.mark.parametrize(("parameters", "demand"), [(HAND, ContactDemand.UNLOAD), (FOOT, ContactDemand.HOLD)])
def test_a_contact_that_slips_is_unloaded_if_a_hand_and_holds_if_a_foot(parameters, demand):
    loaded = measure(force=-30.0 * AHEAD, in_contact=True, desired_force=30.0)
    state, _ = repeat(ContactMaking(), loaded, 0.1, parameters)
    state, events = repeat(state, replace(loaded, pose=at(START, [0.0, 0.014, 0.0])), 0.1, parameters)
    assert events == []
    state, events = repeat(state, replace(loaded, pose=at(START, [0.0, 0.016, 0.0])), 0.1, parameters)
    assert (state.phase, events, state.demand, state.message) == (ContactPhase.SLIPPING, ["slipping"], demand, "slipping")


def test_a_contact_pressed_into_the_surface_does_not_slip():
    loaded = measure(force=-30.0 * AHEAD, in_contact=True)
    state, _ = repeat(ContactMaking(), loaded, 0.1)
    assert repeat(state, replace(loaded, pose=at(START, 0.03 * AHEAD)), 0.1)[0].phase is ContactPhase.LOADED
    tilted = np.array([-1.0, 1.0, 0.0]) / np.sqrt(2.0)
    sunk = replace(loaded, pose=at(START, -0.03 * tilted), normal=tilted)
    assert repeat(state, sunk, 0.1)[0].phase is ContactPhase.LOADED


def test_a_hand_that_goes_on_slipping_says_so_once():
    loaded = measure(force=-30.0 * AHEAD, in_contact=True)
    state, _ = repeat(ContactMaking(), loaded, 0.1)
    events = []
    for tick in range(1000):
        state, new = repeat(state, replace(loaded, pose=at(START, [0.0, 1e-4 * tick, 0.0])), DT)
        events += new
    assert events == ["slipping"]


def test_a_contact_that_leaves_the_surface_is_lost_though_nothing_is_wanted_of_it():
    loaded = measure(force=-5.0 * AHEAD, in_contact=True, desired_force=5.0)
    state, _ = repeat(ContactMaking(), loaded, 0.1)
    away = replace(loaded, force=np.zeros(3), pose=at(START, -0.011 * AHEAD))
    state, events = repeat(state, away, 0.2)
    assert (state.phase, events) == (ContactPhase.LOST, ["contact lost"])


def test_a_foot_that_stays_where_it_slipped_to_is_loaded_there():
    loaded = measure(force=[0.0, 0.0, 300.0], in_contact=True)
    state, _ = repeat(ContactMaking(), loaded, 0.1, FOOT)
    moved = at(START, [0.0, 0.02, 0.0])
    state, events = repeat(state, replace(loaded, pose=moved), FOOT.slip_rest + 0.1, FOOT)
    assert events == ["slipping", "loaded"]
    np.testing.assert_array_equal(state.start, moved)


@pytest.mark.parametrize(("parameters", "demand"), [(HAND, ContactDemand.UNLOAD), (FOOT, ContactDemand.HOLD)])
def test_a_contact_without_the_force_it_should_have_is_lost(parameters, demand):
    loaded = measure(force=-30.0 * AHEAD, in_contact=True, desired_force=30.0)
    state, _ = repeat(ContactMaking(), loaded, 0.1, parameters)
    # The filtered force is under 2 N after 27 ms.
    state, _ = repeat(state, replace(loaded, force=np.zeros(3)), parameters.lost_time, parameters)
    assert state.phase is ContactPhase.LOADED
    state, events = repeat(state, replace(loaded, force=np.zeros(3)), 0.05, parameters)
    assert (state.phase, events, state.demand, state.message) == (ContactPhase.LOST, ["contact lost"], demand, "contact lost")
    state, _ = repeat(state, loaded, 0.2, parameters)
    assert state.phase == (ContactPhase.LOADED if parameters.is_foot else ContactPhase.LOST)


def test_a_contact_that_need_not_press_is_not_lost():
    loaded = measure(force=-5.0 * AHEAD, in_contact=True, desired_force=5.0)
    state, _ = repeat(ContactMaking(), loaded, 0.1)
    assert repeat(state, replace(loaded, force=np.zeros(3)), 1.0)[0].phase is ContactPhase.LOADED


def test_a_hold_ends_an_approach_where_it_is_and_nothing_goes_on_by_itself():
    state = step_contact_making(ContactMaking(), measure(pressed=True), DT, HAND)
    held, events = repeat(state, measure(hold=True), 20.0)
    assert (held.phase, events) == (ContactPhase.FREE, ["approach stopped"])
    freed, events = repeat(held, measure(), 1.0)
    assert (freed.phase, freed.target, events) == (ContactPhase.FREE, None, [])


def test_a_step_changes_nothing_of_what_it_was_given():
    hand = SpringyHand(wall=WALL)
    hand.desired = at(START, 0.2 * AHEAD)
    for _ in range(200):
        before = hand.state
        copies = before.start.copy(), before.force.copy(), None if before.target is None else before.target.copy()
        hand.tick()
        np.testing.assert_array_equal(before.start, copies[0])
        np.testing.assert_array_equal(before.force, copies[1])
        if copies[2] is not None:
            np.testing.assert_array_equal(before.target, copies[2])


def test_forces_are_parts_of_the_robots_weight(model):
    parameters = [choose_contact_making(model, i) for i in range(len(model.effectors))]
    feet = sum(effector.standing for effector in model.effectors)
    for effector, chosen in zip(model.effectors, parameters, strict=True):
        assert chosen.is_foot == effector.standing
        assert chosen.lost_force < chosen.touch_force <= chosen.offer_force < chosen.impact_force < model.weight
        assert chosen.desired_force == pytest.approx(10.0 * chosen.lost_force)
        assert chosen.lost_force / model.weight == pytest.approx(2.0 / 885.57, rel=1e-3)
        if effector.standing:
            assert chosen.touch_force == pytest.approx(0.02 * model.weight / feet)


def test_a_hands_forces_are_those_of_talos_scaled_by_the_weight(model):
    hand = next(i for i, effector in enumerate(model.effectors) if not effector.is_foot)
    chosen, scale = choose_contact_making(model, hand), model.weight / 885.57
    for name in ("touch_force", "lost_force", "desired_force"):
        assert getattr(chosen, name) == pytest.approx(scale * getattr(HAND, name), rel=5e-3)
    # What is estimated has the joints' friction in it.
    scale *= 1.0 if model.effectors[hand].sensed else ESTIMATED
    for name in ("impact_force", "offer_force"):
        assert getattr(chosen, name) == pytest.approx(scale * getattr(HAND, name), rel=5e-3)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_impact_of_a_light_robot_and_a_blow_behind_it_is(seed):
    random, light = np.random.default_rng(seed), make_parameters(impact_force=10.0)
    state, events = ContactMaking(), []
    for tick in range(2000):
        blow = -60.0 * AHEAD if tick >= 1950 else np.zeros(3)
        state = step_contact_making(state, measure(force=blow + random.normal(0.0, 10.0, 3)), 2e-3, light)
        events += [(tick, state.event)] if state.event else []
    assert [event for _, event in events] == ["stopped by an impact"]
    assert events[0][0] >= 1950


OFFSET = np.array([9.0, -8.0, 9.0])  # [N], of a sensor: 15 N, which offers a contact of 10 N


def test_a_sensors_offset_neither_offers_a_contact_nor_counts_as_an_impact():
    light = make_parameters(impact_force=18.0)
    state, events = repeat(ContactMaking(), measure(force=OFFSET), 1.0, light)
    turned = facing([0.0, 1.0, 0.0])
    relative = turned.rotation @ START[:3, :3].T
    for pose, force in ((START, OFFSET), (turned.homogeneous, relative @ OFFSET)):
        # It is the sensor's own: it turns with the hand.
        state, new = repeat(state, measure(pose, force, engaged=True), 1.0, light)
        assert not state.offered
        assert np.linalg.norm(state.force) < 0.1
        events += new
    assert events == []


def test_an_offset_is_learnt_after_a_hand_that_was_moved_from_the_first():
    state, _ = repeat(ContactMaking(), measure(force=OFFSET, engaged=True), 1.0)
    assert state.offered
    state, _ = repeat(state, measure(force=OFFSET), 1.0)
    state, _ = repeat(state, measure(force=OFFSET, engaged=True), 1.0)
    assert not state.offered
    assert np.linalg.norm(state.force) < 0.1


def test_a_hand_with_an_offset_still_feels_a_wall():
    state, _ = repeat(ContactMaking(), measure(force=OFFSET), 1.0)
    state, _ = repeat(state, measure(force=OFFSET - 20.0 * AHEAD, engaged=True), 1.0)
    assert state.offered
    np.testing.assert_allclose(state.force, -20.0 * AHEAD, atol=0.5)
    state, events = repeat(state, measure(force=OFFSET - 80.0 * AHEAD, engaged=True), 0.2)
    assert events == ["stopped by an impact"]


def test_an_offset_that_drifts_is_followed_and_what_is_pressed_on_is_not():
    state, _ = repeat(ContactMaking(), measure(), 1.0)
    state, _ = repeat(state, measure(force=[0.0, 0.0, 5.0]), 4.0 * HAND.offset_filter)
    assert np.linalg.norm(state.force) < 0.2
    state, _ = repeat(state, measure(force=[0.0, 0.0, 5.0 + 20.0], engaged=True), 4.0 * HAND.offset_filter)
    np.testing.assert_allclose(state.force, [0.0, 0.0, 20.0], atol=0.5)
    assert state.offered
