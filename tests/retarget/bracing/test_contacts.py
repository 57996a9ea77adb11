"""Contacts under the operator's buttons, on a robot that does what it is told."""

import numpy as np
import pytest
from perfect_robot import DT, PerfectRobot
from stances import ask, stand, stand_astride

from handhold.devices.stop import Stop
from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contacts import MIN_PUSH
from handhold.retarget.bracing.seiko.contact_switch import SwitchPhase
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.timed_messages import MESSAGE_DURATION, list_names, say_name

LEFT_FOOT, RIGHT_FOOT, LEFT_HAND, RIGHT_HAND = range(4)
AS_IT_STOOD = 0.02  # [m] of the centre of mass after a switch that failed


@pytest.fixture
def robot(talos):
    robot = PerfectRobot(stand(talos))
    robot.choose(LEFT_FOOT)
    return robot


def face_ahead(talos):
    """Talos with its left hand turned so that -z of its contact frame looks ahead."""
    seiko = stand(talos)
    poses = seiko.kinematics.poses.copy()
    poses[LEFT_HAND, :3, :3] = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    targets = SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan))
    for _ in range(1500):
        seiko.step(targets, DT)
    seiko.set_at_rest()
    return seiko


def test_a_foot_is_loaded_then_unloading_then_free(robot):
    words = [robot.contacts.states[LEFT_FOOT]]
    robot.press(LEFT_FOOT)
    words.append(robot.contacts.states[LEFT_FOOT])
    assert robot.contacts.busy
    robot.settle()
    words.append(robot.contacts.states[LEFT_FOOT])
    assert words == ["loaded", "unloading", "free"]
    assert robot.in_contact == (RIGHT_FOOT,)
    assert robot.mode.failures == robot.contacts.refused == 0


def test_a_contact_that_is_half_way_is_no_rest_and_says_what_to_do(robot):
    assert robot.mode.describe().status.rest_obstacle == ""
    robot.press(LEFT_FOOT)
    robot.wait(0.1)
    assert robot.mode.describe().status.rest_obstacle == "left foot is being unloaded: wait until it is done"
    robot.wait(1.0, stop=Stop.HOLD)
    assert not robot.mode.describe().status.at_rest
    assert robot.mode.describe().status.rest_obstacle == "left foot is half-way: press A/X to go on, and wait until it is done"
    robot.press(LEFT_FOOT)
    robot.settle()
    robot.wait(1.0, hold=True)
    assert robot.mode.describe().status.rest_obstacle == ""
    assert robot.mode.describe().status.at_rest


def test_the_last_foot_must_stay(robot):
    robot.press(LEFT_FOOT)
    robot.settle()
    robot.choose(RIGHT_FOOT)
    robot.press(RIGHT_FOOT)
    assert robot.in_contact == (RIGHT_FOOT,)
    assert robot.contacts.switch is None
    assert robot.contacts.refused == 1
    assert "refused: right foot must stay: nothing else bears the robot" in robot.contacts.messages


def test_only_one_contact_is_switched_at_a_time(robot):
    robot.choose(RIGHT_FOOT)
    robot.press(LEFT_FOOT)
    robot.wait(0.5)
    robot.press(RIGHT_FOOT)
    assert robot.contacts.switch.effector == LEFT_FOOT
    assert robot.contacts.refused == 1
    assert "refused: wait: left foot first" in robot.contacts.messages
    assert robot.contacts.states[RIGHT_FOOT] == "loaded"


def test_a_second_press_half_way_loads_the_foot_again(robot):
    force, start = robot.mode.seiko.compute_normal_force(LEFT_FOOT), robot.reference.position_com_in_world.copy()
    robot.press(LEFT_FOOT)
    robot.wait(1.5)
    assert robot.mode.seiko.compute_normal_force(LEFT_FOOT) < 0.9 * force
    robot.press(LEFT_FOOT)
    assert robot.contacts.switch.phase is SwitchPhase.GOING_BACK
    robot.settle()
    assert robot.in_contact == (LEFT_FOOT, RIGHT_FOOT)
    assert robot.contacts.states[LEFT_FOOT] == "loaded"
    assert np.linalg.norm(robot.reference.position_com_in_world - start) < AS_IT_STOOD
    assert robot.contacts.refused == 0


def test_a_stop_half_way_suspends_the_switch_and_the_button_goes_on_with_it(robot):
    robot.press(LEFT_FOOT)
    robot.wait(1.0)
    weight = robot.contacts.switch.weight
    robot.wait(1.0, stop=Stop.HOLD)
    assert robot.contacts.suspended
    assert not robot.contacts.busy
    robot.wait(1.0, hold=True)
    assert robot.contacts.switch.weight == weight
    assert "left foot is half-way: press A/X to go on" in robot.contacts.messages
    robot.press(LEFT_FOOT)
    assert not robot.contacts.suspended
    robot.settle()
    assert robot.in_contact == (RIGHT_FOOT,)


def reach_out(robot, hand, duration):
    """Let a hand move a little under the operator's, away from where it was."""
    target = robot.rest[hand].copy()
    target[0, 3] += 0.05
    robot.wait(duration, **{robot.side_of(hand): {"engaged": True, "target": target}})


def test_a_foot_that_was_stopped_half_way_bears_like_any_other_while_something_else_moves(robot):
    force = robot.mode.seiko.compute_normal_force(LEFT_FOOT)
    robot.press(LEFT_FOOT)
    robot.wait(1.5)
    robot.wait(0.5, stop=Stop.HOLD)
    half = robot.mode.seiko.compute_normal_force(LEFT_FOOT)
    assert half < 0.8 * force
    reach_out(robot, RIGHT_HAND, 2.0)
    assert robot.contacts.suspended
    assert robot.mode.seiko.terms.weights[LEFT_FOOT] == 1.0
    assert robot.mode.seiko.compute_normal_force(LEFT_FOOT) > half
    robot.press(LEFT_FOOT)
    robot.settle()
    assert robot.in_contact == (RIGHT_FOOT,)


def test_a_stop_on_the_way_back_ends_the_switch_and_others_may_begin(robot):
    robot.press(LEFT_FOOT)
    robot.wait(2.0)
    robot.press(LEFT_FOOT)
    robot.wait(0.1)
    assert robot.contacts.switch.phase is SwitchPhase.GOING_BACK
    robot.wait(2.0, stop=Stop.HOLD)
    assert robot.contacts.switch is None
    assert not robot.contacts.busy
    assert robot.contacts.states[LEFT_FOOT] == "loaded"
    still = robot.reference.q
    robot.wait(0.5, hold=True)
    assert np.array_equal(robot.reference.q, still)
    reach_out(robot, RIGHT_HAND, 2.0)
    assert robot.mode.seiko.terms.weights[LEFT_FOOT] == 1.0
    robot.choose(RIGHT_FOOT)
    robot.press(RIGHT_FOOT)
    assert robot.contacts.switch.effector == RIGHT_FOOT
    assert robot.contacts.refused == 0


def test_a_foot_that_leaves_the_ground_before_it_has_let_go_is_unloaded_all_the_same(robot):
    robot.press(LEFT_FOOT)
    robot.wait(0.5)
    robot.lost = {LEFT_FOOT}
    robot.wait(0.5)
    assert robot.contacts.hold_reason == ""
    robot.settle()
    assert robot.in_contact == (RIGHT_FOOT,)


def test_presses_during_a_stop_do_nothing(robot):
    robot.wait(0.3, stop=Stop.HOLD)
    robot.wait(stop=Stop.HOLD, left={"primary_pressed": True})
    robot.wait(0.3)
    assert robot.contacts.switch is None
    assert robot.in_contact == (LEFT_FOOT, RIGHT_FOOT)


def test_a_foot_that_cannot_go_stays_as_it_stood_and_says_what_was_in_the_way(talos):
    robot = PerfectRobot(stand_astride(talos))
    robot.choose(LEFT_FOOT)
    start = robot.reference.position_com_in_world.copy()
    robot.press(LEFT_FOOT)
    assert robot.wait(16.0, until=lambda: robot.contacts.switch is None or robot.contacts.switch.obstacles)
    told = [message for message in robot.contacts.messages if "left foot stays" in message]
    assert told
    assert "in the way" in told[0]
    assert "nothing known" not in told[0]
    robot.settle()
    assert robot.in_contact == (LEFT_FOOT, RIGHT_FOOT)
    assert np.linalg.norm(robot.reference.position_com_in_world - start) < AS_IT_STOOD
    robot.wait(MESSAGE_DURATION + 0.1)
    assert not any("stays" in message for message in robot.contacts.messages)


def test_a_hand_goes_on_until_it_touches_then_loads_where_it_touched(talos):
    seiko = face_ahead(talos)
    radius = talos.effectors[LEFT_HAND].radius
    wall = float(seiko.kinematics.poses[LEFT_HAND, 0, 3]) + radius + 0.03
    robot = PerfectRobot(seiko, wall=wall)
    words = []

    def note():
        word = robot.contacts.states[LEFT_HAND]
        if not words or words[-1] != word:
            words.append(word)
        return word == "loaded"

    note()
    robot.press(LEFT_HAND)
    assert LEFT_HAND in robot.contacts.restarted
    assert robot.wait(16.0, until=note)
    # Touched and added in the same step unless another switch is under way.
    assert words == ["free", "approaching", "loading", "loaded"]
    assert LEFT_HAND in robot.in_contact
    assert robot.mode.seiko.terms.poses[LEFT_HAND, 0, 3] + radius == pytest.approx(wall, abs=5e-3)  # [m] springs give
    assert robot.contacts.refused == 0


@pytest.mark.parametrize(("inside", "bears"), [(0.01, False), (0.06, True)])
def test_a_hand_that_touches_at_the_edge_of_a_wall_does_not_load_it_and_says_why(talos, inside, bears):
    seiko = face_ahead(talos)
    hand = seiko.kinematics.poses[LEFT_HAND]
    wall = float(hand[0, 3]) + talos.effectors[LEFT_HAND].radius + 0.03
    plane = np.eye(4)
    plane[:3, :3] = hand[:3, :3]
    plane[:3, 3] = (wall, hand[1, 3], hand[2, 3])
    boundary = np.array([[-0.5, -0.5], [inside, -0.5], [inside, 0.5], [-0.5, 0.5]])
    surface = Surface(pose=plane, boundary=boundary, area=0.5, quality=1.0, age=0.0)
    robot = PerfectRobot(seiko, wall=wall, surfaces=(surface,))
    robot.press(LEFT_HAND)
    assert robot.wait(16.0, until=lambda: robot.contacts.states[LEFT_HAND] in ("loaded", "touching")) is True
    assert (LEFT_HAND in robot.in_contact) is bears
    assert any("too near an edge" in message for message in robot.contacts.messages) is not bears


def test_an_approach_that_is_pressed_again_stops(talos):
    robot = PerfectRobot(stand(talos))
    robot.press(LEFT_HAND)
    robot.wait(0.5)
    assert robot.contacts.states[LEFT_HAND] == "approaching"
    robot.press(LEFT_HAND)
    robot.wait()
    assert robot.contacts.states[LEFT_HAND] == "free"
    assert not robot.contacts.busy


def test_an_approach_that_finds_nothing_comes_back_and_says_so(talos):
    robot = PerfectRobot(stand(talos))
    start = robot.reference.effector_poses[LEFT_HAND, :3, 3].copy()
    robot.press(LEFT_HAND)
    told = False
    while robot.contacts.busy:
        robot.wait()
        told = told or any(m in ("left hand: nothing there", "left hand: out of reach") for m in robot.contacts.messages)
        assert robot.time < 25.0
    assert told
    assert np.linalg.norm(robot.reference.effector_poses[LEFT_HAND, :3, 3] - start) < 0.02
    assert LEFT_HAND not in robot.in_contact


@pytest.fixture
def braced(talos):
    seiko = face_ahead(talos)
    seiko.add_contact(LEFT_HAND, np.array([-1.0, 0.0, 0.0]))
    for _ in range(200):
        seiko.step(ask(seiko), DT)
    seiko.set_at_rest()
    return PerfectRobot(seiko)


def test_the_trigger_of_a_loaded_hand_commands_its_force(talos, braced):
    share = 0.15
    braced.wait(5.0, left={"trigger": share})
    wanted = share * talos.effectors[LEFT_HAND].max_normal_force
    assert braced.mode.seiko.compute_normal_force(LEFT_HAND) == pytest.approx(wanted, rel=0.02)


def test_a_trigger_that_hardly_moves_commands_nothing(braced):
    braced.wait(0.1, left={"trigger": 0.9 * MIN_PUSH})
    assert np.isnan(braced.mode.seiko.terms.desired_forces).all()


def test_the_trigger_commands_no_force_of_a_foot_nor_of_a_free_hand(robot):
    robot.choose(LEFT_FOOT)
    robot.wait(0.1, left={"trigger": 1.0}, right={"trigger": 1.0})
    assert np.isnan(robot.mode.seiko.terms.desired_forces).all()


def test_a_hand_that_is_being_unloaded_is_not_pushed(braced):
    braced.press(LEFT_HAND)
    braced.wait(0.5, left={"trigger": 1.0})
    assert np.isnan(braced.mode.seiko.terms.desired_forces[LEFT_HAND])


def test_a_foot_that_feels_nothing_makes_everything_hold_and_says_why(robot):
    robot.wait(0.5)
    assert robot.contacts.hold_reason == ""
    robot.lost = {RIGHT_FOOT}
    robot.wait(0.5)
    assert robot.contacts.hold_reason.startswith("right foot: ")


def test_names_are_said_as_people_say_them():
    assert say_name("left_front_foot") == "left front foot"
    assert list_names(()) == "nothing known"
    assert list_names(("a_b", "a_b", "c", "d", "e")) == "a b, c, d"


def test_a_hand_that_bears_nothing_any_more_is_given_up_at_once_where_the_feet_can_do_without(talos, braced):
    braced.wait(4.0, left={"trigger": 40.0 / talos.effectors[LEFT_HAND].max_normal_force})
    assert braced.mode.seiko.compute_normal_force(LEFT_HAND) > 30.0
    com = braced.reference.position_com_in_world.copy()
    braced.lost = {LEFT_HAND}
    braced.wait(0.3)
    assert LEFT_HAND not in braced.in_contact
    assert "left hand is given up" in braced.contacts.messages
    assert np.linalg.norm(braced.reference.position_com_in_world - com) < 5e-3  # [m] it did not jump
    assert braced.reference.residuals.equilibrium < 1e-2  # [N]
    assert braced.mode.failures == 0


def test_what_is_given_up_is_not_unloaded_besides(talos, braced):
    braced.lost = {LEFT_HAND}
    braced.wait(
        4.0,
        left={"trigger": 40.0 / talos.effectors[LEFT_HAND].max_normal_force},
        until=lambda: LEFT_HAND not in braced.in_contact,
    )
    assert LEFT_HAND not in braced.in_contact
    assert braced.contacts.switch is None
    assert braced.contacts.states[LEFT_HAND] == "free"


def test_a_lost_foot_that_the_other_cannot_do_without_is_unloaded_bit_by_bit(robot):
    robot.wait(0.5)
    robot.lost = {LEFT_FOOT}
    robot.wait(0.5)
    assert robot.contacts.hold_reason == "left foot: contact lost"
    robot.press(LEFT_FOOT)
    assert robot.contacts.states[LEFT_FOOT] == "unloading"
    robot.settle()
    assert robot.in_contact == (RIGHT_FOOT,)
    assert robot.mode.failures == 0
    assert robot.reference.residuals.equilibrium < 1e-2  # [N]
