"""Bracing mode as the switcher drives it."""

from dataclasses import replace

import numpy as np
import pytest
from perfect_robot import PerfectRobot
from stances import stand, stand_astride

from handhold.retarget.bracing.braced_body import MAX_UNBALANCED
from handhold.retarget.bracing.margin.retargeting_choice import Retargeting
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.bracing.switch_outlook import STALE_AFTER
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import NoSuchToggle
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

DT = 1e-3


def state_at(model, q, time=0.0):
    return RobotState(
        time=time,
        q=q,
        v=np.zeros(model.nv),
        joint_torques=np.zeros(model.n),
        contact_wrenches=np.zeros((len(model.effectors), 6)),
    )


def command_for(reference, model, *, offset=(0.0, 0.0, 0.0), com_velocity=(0.0, 0.0, 0.0), yaw_rate=0.0):
    hands = []
    for side in ("left", "right"):
        hand = model.effector_of_hand(side)
        # A hand that the robot does not have is nowhere.
        pose = np.full((4, 4), np.nan) if hand is None else reference.effector_poses[hand].copy()
        pose[:3, 3] += offset
        hands.append(replace(HandCommand.released(pose), engaged=True))
    return replace(OperatorCommand.of_hands(*hands), com_velocity=np.array(com_velocity), yaw_rate=yaw_rate)


class FailingSolver:
    """Solves until told not to."""

    failing = False

    def solve(self, program):
        solution = DaqpSolver().solve(program)
        return replace(solution, solved=False) if self.failing else solution


def test_a_robot_that_holds_goes_on_balancing_a_pull(talos):
    hand, state = talos.effector_of_hand("left"), state_at(talos, stand(talos).q)
    mode = BracingMode(talos, DaqpSolver())
    reference = mode.enter(state).reference
    mode.toggle("compliant-left")
    rest = OperatorCommand.of_hands(*(HandCommand.released(pose) for pose in reference.effector_poses[2:4]))
    wrenches = np.zeros((len(talos.effectors), 6))
    pull = np.array([25.0, 0.0, 0.0])

    def hold(seconds, force):
        nonlocal state
        wrenches[hand, :3] = mode.seiko.kinematics.poses[hand, :3, :3].T @ force
        for _ in range(round(seconds / DT)):
            state = replace(state, time=state.time + DT, contact_wrenches=wrenches.copy())
            held = mode.update(rest, state, (), DT, hold=True)
        return held.reference

    assert hold(1.0, np.zeros(3)).external_forces[hand] == pytest.approx(np.zeros(3))
    assert mode.seiko.external.max_missing == 0.0
    balanced = hold(1.0, pull).external_forces[hand]
    assert np.linalg.norm(balanced - pull) < MAX_UNBALANCED, "what is left of it wakes nobody"
    assert np.linalg.norm(hold(1.0, np.zeros(3)).external_forces[hand]) < MAX_UNBALANCED


def test_entering_takes_the_robot_as_it_is(model):
    q = stand(model).q
    reference = BracingMode(model, DaqpSolver()).enter(state_at(model, q)).reference
    assert np.abs(reference.q - q).max() < 1e-4
    assert not reference.v.any()


def tell_toggles(output):
    return [(toggle.name, toggle.on) for toggle in output.report.toggles]


def test_each_retargeting_is_switched_at_once_and_stays_so_when_the_mode_is_entered_again(talos):
    mode, state = BracingMode(talos, DaqpSolver()), state_at(talos, stand(talos).q)
    mode.enter(state)
    assert tell_toggles(mode.describe())[:2] == [("contact", False), ("posture", False)]
    mode.toggle("posture")
    assert mode.retargeter.choice == Retargeting(posture=True)
    mode.enter(state)
    assert mode.retargeter.choice == Retargeting(posture=True)
    mode.toggle("contact")
    mode.toggle("posture")
    assert tell_toggles(mode.describe())[:2] == [("contact", True), ("posture", False)]
    mode.toggle("compliant-right")
    mode.enter(state)
    assert tell_toggles(mode.describe())[2:] == [
        ("compliant-left", False),
        ("compliant-right", True),
        ("compliant-body", False),
    ]
    with pytest.raises(NoSuchToggle, match="turbo"):
        mode.toggle("turbo")


def test_a_mode_begins_with_the_retargetings_it_is_given(talos):
    mode = BracingMode(talos, DaqpSolver(), retargeting=Retargeting(contact=True))
    output = mode.enter(state_at(talos, stand(talos).q))
    assert tell_toggles(output)[:2] == [("contact", True), ("posture", False)]


def test_a_moving_reference_comes_to_rest_on_a_hold_and_then_stays_to_the_bit(model):
    mode = BracingMode(model, DaqpSolver())
    reference = mode.enter(state_at(model, stand(model).q)).reference
    command = command_for(reference, model, offset=(0.2, 0.0, 0.1))
    for tick in range(500):
        reference = mode.update(command, state_at(model, reference.q, tick * DT), (), DT, hold=False).reference
    assert np.abs(reference.v).max() > 0.05
    for tick in range(1500):
        reference = mode.update(command, state_at(model, reference.q, tick * DT), (), DT, hold=True).reference
    assert not reference.v.any()
    later = reference
    for tick in range(200):
        later = mode.update(command, state_at(model, reference.q, tick * DT), (), DT, hold=True).reference
    assert np.array_equal(later.q, reference.q)
    assert np.array_equal(later.contact_wrenches, reference.contact_wrenches)


def test_a_held_hand_stops_within_a_few_millimetres(talos):
    mode = BracingMode(talos, DaqpSolver())
    reference = mode.enter(state_at(talos, stand(talos).q)).reference
    hand = talos.effector_of_hand("left")
    start = reference
    for tick in range(400):
        ahead = command_for(start, talos, offset=(0.4e-3 * tick, 0.0, 0.0))
        reference = mode.update(ahead, state_at(talos, reference.q, tick * DT), (), DT, hold=False).reference
    where = reference.effector_poses[hand, :3, 3]
    speed = np.linalg.norm(reference.effector_velocities[hand, :3])
    for tick in range(1000):
        reference = mode.update(ahead, state_at(talos, reference.q, tick * DT), (), DT, hold=True).reference
    assert speed > 0.1
    assert np.linalg.norm(reference.effector_poses[hand, :3, 3] - where) < 0.01


def test_failures_are_counted_in_all_and_in_a_row(talos):
    solver = FailingSolver()
    mode = BracingMode(talos, solver)
    reference = mode.enter(state_at(talos, stand(talos).q)).reference
    command = command_for(reference, talos)
    solver.failing = True
    for tick in range(10):
        stayed = mode.update(command, state_at(talos, reference.q, tick * DT), (), DT, hold=False).reference
    assert np.array_equal(stayed.q, reference.q)
    assert (mode.failures, mode.describe().status.failures_in_a_row) == (5, 5)
    solver.failing = False
    for tick in range(2):
        mode.update(command, state_at(talos, reference.q, tick * DT), (), DT, hold=False)
    assert (mode.failures, mode.describe().status.failures_in_a_row) == (5, 0)


def test_a_stick_moves_the_centre_of_mass(talos):
    mode = BracingMode(talos, DaqpSolver())
    reference = mode.enter(state_at(talos, stand(talos).q)).reference
    start = reference.position_com_in_world[1]
    for tick in range(1500):
        command = command_for(reference, talos, com_velocity=(0.0, 1.0, 0.0))
        reference = mode.update(command, state_at(talos, reference.q, tick * DT), (), DT, hold=False).reference
    assert reference.position_com_in_world[1] > start + 0.02


def test_a_stick_turns_the_base_and_the_feet_stay(talos):
    mode = BracingMode(talos, DaqpSolver())
    reference = mode.enter(state_at(talos, stand(talos).q)).reference
    feet = reference.effector_poses[:2, :3, 3].copy()
    for tick in range(1500):
        command = command_for(reference, talos, yaw_rate=1.0)
        reference = mode.update(command, state_at(talos, reference.q, tick * DT), (), DT, hold=False).reference
    x, y, z, w = reference.q[3:7]
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    assert yaw > 0.05  # [rad] to the left
    assert np.abs(reference.effector_poses[:2, :3, 3] - feet).max() < 1e-5
    assert mode.failures == 0


def test_each_hand_commands_its_own_hand_at_first_then_its_foot(talos):
    robot = PerfectRobot(stand(talos))
    assert robot.mode.describe().status.hands == (2, 3)
    robot.wait(0.7, right={"secondary_held": True})
    assert robot.mode.describe().status.hands == (2, 1)
    robot.wait()
    robot.wait(0.7, right={"secondary_held": True})
    assert robot.mode.describe().status.hands == (2, 3)


def test_a_closed_clutch_keeps_its_effector(talos):
    robot = PerfectRobot(stand(talos))
    robot.wait(1.5, left={"secondary_held": True, "engaged": True})
    assert robot.mode.describe().status.hands == (2, 3)


def test_the_target_of_the_effector_before_does_not_move_the_next_one(talos):
    robot = PerfectRobot(stand(talos))
    assert robot.wait(1.0, until=lambda: robot.mode.describe().status.hands[0] == 0, left={"secondary_held": True})
    assert np.abs(robot.reference.effector_poses - robot.rest).max() < 1e-3


def see_ahead(robot, effector):
    """Press B/Y while nothing else is commanded, and wait for what is to come."""
    robot.wait(hold=True, **{robot.side_of(effector): {"secondary_pressed": True}})
    assert robot.mode.describe().report.preview is None
    assert robot.wait(6.0, hold=True, until=lambda: robot.mode.describe().report.preview is not None)
    return robot.mode.describe().report.preview


def test_what_a_switch_would_lead_to_is_shown_until_the_contact_button_is_pressed(talos):
    robot = PerfectRobot(stand(talos))
    robot.choose(0)
    robot.wait(0.5, hold=True)
    before = robot.reference.q
    coming = see_ahead(robot, 0)
    assert coming.feasible
    assert coming.reason == ""
    assert coming.title.startswith("unload left foot: ")
    assert np.array_equal(robot.reference.q, before)
    robot.press(0)
    assert robot.mode.describe().report.preview is None
    robot.settle()
    assert np.abs(robot.reference.q - coming.q).max() < 0.05  # [rad, m] settling as long as the preview did


def test_what_stands_in_the_way_is_told_in_advance(talos):
    robot = PerfectRobot(stand_astride(talos))
    robot.choose(0)
    coming = see_ahead(robot, 0)
    assert not coming.feasible
    assert coming.title == "left foot cannot be unloaded"
    assert coming.reason.endswith("in the way")
    assert robot.in_contact == (0, 1)


def test_an_answer_is_forgotten_when_the_stance_has_changed(talos):
    robot = PerfectRobot(stand(talos))
    robot.choose(0)
    robot.press(0)
    robot.wait(0.2)
    robot.wait(right={"secondary_pressed": True})
    robot.settle()
    robot.wait(0.1)
    assert robot.mode.describe().report.preview is None


def test_an_answer_is_forgotten_when_the_robot_has_moved_from_where_it_was_asked(talos):
    robot = PerfectRobot(stand(talos))
    robot.choose(0)
    see_ahead(robot, 0)
    target = robot.rest[3].copy()
    target[0, 3] += 0.3 * STALE_AFTER
    robot.wait(0.5, right={"engaged": True, "target": target})
    assert robot.mode.describe().report.preview is not None
    target[0, 3] += 2.0 * STALE_AFTER
    robot.wait(1.0, right={"engaged": True, "target": target})
    assert robot.mode.describe().report.preview is None


def test_a_contact_goes_on_being_switched_without_a_clutch(talos):
    robot = PerfectRobot(stand(talos))
    robot.choose(0)
    assert not robot.mode.describe().status.busy
    robot.press(0)
    assert robot.mode.describe().status.busy
    robot.settle()
    assert not robot.mode.describe().status.busy
    assert list(robot.reference.contacts) == [False, True, False, False]
    assert not robot.reference.contact_wrenches[0].any()


def test_entering_with_a_reference_keeps_its_contacts(talos):
    seiko = stand(talos, effectors=(0, 1, 2))
    mode = BracingMode(talos, DaqpSolver())
    reference = mode.enter_with(seiko, state_at(talos, seiko.q)).reference
    assert list(reference.contacts) == [True, True, True, False]
    assert np.array_equal(reference.q, seiko.q)


@pytest.mark.parametrize("seed", range(6))
def test_held_anywhere_it_comes_to_rest_for_another_mode(talos, seed):
    random, seiko = np.random.default_rng(seed), stand(talos)
    poses = seiko.kinematics.poses.copy()
    poses[2:, :3, 3] += random.uniform([-0.2, -0.3, -0.3], [0.4, 0.3, 0.4], (2, 3))
    velocity = np.array([*random.uniform(-0.04, 0.04, 2), random.uniform(-0.05, 0.0)])
    targets = SeikoTargets(effector_poses=poses, velocity_com_in_world=velocity, yaw_rate=random.uniform(-0.2, 0.2))
    for _ in range(1800):
        assert seiko.step(targets, 2e-3).solved
    robot = PerfectRobot(seiko)
    assert robot.wait(6.0, hold=True, until=lambda: robot.mode.describe().status.at_rest)
    assert robot.mode.failures == 0
