"""Contacts that come and go on SEIKO: what every step keeps, and what bounds forces, tilt and lean."""

from dataclasses import replace

import numpy as np
import pytest
from stances import DT, MAX_DURATION, ask, brace, choose_hand, run_switch, stand, stand_astride, take_steps

from handhold.retarget.bracing.contacts.switching import start_adding, start_removing
from handhold.retarget.bracing.preview import SwitchPreview
from handhold.retarget.bracing.seiko.contact_switch import SwitchPhase, cancel_switch
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.model import RobotModel, load_model

CONTACT, EQUILIBRIUM = 1e-4, 1e-2  # [m], [N] of linearised steps, each mended by the next
SOLVER = 1e-3  # [N] how exactly a solution keeps a bound on a force
AS_IT_STOOD = 0.02  # [m] of the centre of mass after a switch that failed
LEFT_HAND = 2
UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module", params=["talos", "g1", "icub", "anymal"])
def robot(request):
    return load_model(request.param)


def assert_exact(seiko):
    assert seiko.contact_error < CONTACT
    assert seiko.equilibrium_error < EQUILIBRIUM
    assert seiko.torque_overshoot < EQUILIBRIUM


def test_a_foot_that_goes_and_comes_back_leaves_residuals_small_in_every_step(robot):
    seiko = stand(robot)
    targets, foot = ask(seiko), seiko.stance.effectors[0]
    switch = run_switch(seiko, start_removing(seiko, foot), targets, check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.DONE
    assert foot not in seiko.stance.effectors
    take_steps(seiko, targets, 0.2, lambda: assert_exact(seiko))
    switch = start_adding(seiko, foot, np.array([0.0, 0.0, 1.0]))
    switch = run_switch(seiko, switch, targets, check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.DONE
    assert seiko.compute_normal_force(foot) >= robot.effectors[foot].min_normal_force


def test_a_hand_that_braces_and_lets_go_leaves_residuals_small_in_every_step(robot):
    seiko, hand = stand(robot), choose_hand(robot)
    targets = ask(seiko)
    switch = start_adding(seiko, hand, seiko.kinematics.poses[hand, :3, 2].copy())
    assert seiko.compute_force(hand) == 0.0
    switch = run_switch(seiko, switch, targets, check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.DONE
    switch = run_switch(seiko, start_removing(seiko, hand), targets, check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.DONE
    take_steps(seiko, targets, 0.2, lambda: assert_exact(seiko))


def test_a_foot_is_unloaded_no_faster_than_its_rate(talos):
    seiko = stand(talos)
    most = seiko.parameters.unload_rate * talos.weight * DT
    forces = [seiko.compute_normal_force(0)]
    run_switch(seiko, start_removing(seiko, 0), ask(seiko), check=lambda: forces.append(seiko.compute_normal_force(0)))
    assert -np.diff(forces).min() <= most + SOLVER
    assert forces[-1] < 1.0


def test_removing_that_is_called_off_half_way_loads_the_foot_again(talos):
    seiko = stand(talos)
    targets, before = ask(seiko), seiko.compute_normal_force(0)
    start = seiko.kinematics.position_com_in_world.copy()
    switch = run_switch(seiko, start_removing(seiko, 0), targets, duration=1.5)
    assert seiko.compute_normal_force(0) < 0.9 * before
    switch = run_switch(seiko, cancel_switch(switch), targets)
    assert (switch.phase, switch.cancelled) == (SwitchPhase.FAILED, True)
    assert seiko.terms.weights[0] == 1.0
    assert not seiko.terms.unloading[0]
    # What the switcher does when nothing is under way any more.
    take_steps(seiko, replace(targets, rest=1.0), 1.0)
    assert seiko.stance.effectors == (0, 1)
    assert np.linalg.norm(seiko.kinematics.position_com_in_world - start) < AS_IT_STOOD
    # What that distance means between feet so far apart.
    apart = np.linalg.norm(seiko.kinematics.poses[0, :3, 3] - seiko.kinematics.poses[1, :3, 3])
    assert abs(seiko.compute_normal_force(0) - before) < talos.weight * AS_IT_STOOD / apart


def test_adding_that_is_called_off_half_way_takes_the_contact_away_again(talos):
    seiko = stand(talos)
    targets = ask(seiko)
    switch = start_adding(seiko, LEFT_HAND, seiko.kinematics.poses[LEFT_HAND, :3, 2].copy())
    switch = run_switch(seiko, switch, targets, duration=1.5)
    assert not switch.over
    switch = run_switch(seiko, cancel_switch(switch), targets)
    assert switch.phase is SwitchPhase.DONE
    assert seiko.stance.effectors == (0, 1)
    assert seiko.terms.weights[LEFT_HAND] == 1.0


def test_a_foot_that_cannot_be_unloaded_fails_in_time_names_what_stood_in_the_way_and_stays(talos):
    seiko = stand_astride(talos)
    start, force = seiko.kinematics.position_com_in_world.copy(), seiko.compute_normal_force(0)
    switch = run_switch(seiko, start_removing(seiko, 0), ask(seiko), duration=MAX_DURATION, check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.FAILED
    assert switch.obstacles
    assert np.linalg.norm(seiko.kinematics.position_com_in_world - start) < AS_IT_STOOD
    assert seiko.compute_normal_force(0) == pytest.approx(force, rel=0.1)
    assert seiko.stance.effectors == (0, 1)
    assert seiko.terms.weights[0] == 1.0
    assert not seiko.terms.unloading[0]


def ask_more_of_feet(model, least):
    """The robot, of whose feet a larger least force is asked [N]."""
    about = model.description
    effectors = tuple(e.model_copy(update={"min_normal_force": least}) if e.standing else e for e in about.effectors)
    return RobotModel(about.model_copy(update={"effectors": effectors}))


def stand_on_the_right_foot_with_the_left_far_out(model):
    seiko = stand(model)
    assert run_switch(seiko, start_removing(seiko, 0), ask(seiko)).phase is SwitchPhase.DONE
    take_steps(seiko, ask(seiko, 0, (0.0, 0.35, 0.05)), 3.0)
    seiko.set_at_rest()
    return seiko


def test_a_foot_that_does_not_come_to_bear_fails_in_time_and_the_robot_stands_as_it_stood(talos):
    # More than so far a step can bear in the time there is, where forces may change no faster than this.
    model = ask_more_of_feet(talos, 400.0)
    seiko = stand_on_the_right_foot_with_the_left_far_out(model)
    seiko.parameters = replace(seiko.parameters, force_rate=0.05)
    start, stance = seiko.kinematics.position_com_in_world.copy(), seiko.stance.effectors
    preview = SwitchPreview(model, seiko, 0)
    preview.advance(round(MAX_DURATION / DT), DT)
    assert not preview.result.feasible
    switch = run_switch(seiko, start_adding(seiko, 0, UP), ask(seiko), check=lambda: assert_exact(seiko))
    assert switch.phase is SwitchPhase.FAILED
    assert switch.obstacles == preview.result.obstacles
    assert seiko.stance.effectors == stance
    assert seiko.terms.weights[0] == 1.0
    assert not seiko.terms.unloading[0]
    assert np.linalg.norm(seiko.kinematics.position_com_in_world - start) < AS_IT_STOOD


def test_feet_share_the_weight_and_hands_need_bear_nothing(robot):
    seiko = stand(robot)
    shares = [seiko.compute_nominal_load(e) for e in seiko.stance.effectors]
    assert sum(shares) == pytest.approx(robot.weight)
    assert seiko.compute_nominal_load(choose_hand(robot)) == 0.0


def test_an_effector_that_does_not_bear_has_no_force(talos):
    seiko = stand(talos)
    assert seiko.compute_force(LEFT_HAND) == seiko.compute_normal_force(LEFT_HAND) == 0.0


@pytest.mark.parametrize("moment", ["standing", "half unloaded", "just gone"])
def test_a_fork_goes_on_to_the_bit_as_the_original_would(talos, moment):
    seiko = stand(talos)
    targets = ask(seiko, 3, (0.1, 0.0, 0.05))
    take_steps(seiko, targets, 0.4)
    if moment != "standing":
        run_switch(seiko, start_removing(seiko, 0), targets, duration=1.0 if moment == "half unloaded" else MAX_DURATION)
    fork = seiko.fork()
    before = seiko.q.copy(), seiko.wrenches.copy(), seiko.terms.copy()
    for _ in range(200):
        fork.step(targets, DT)
    assert np.array_equal(seiko.q, before[0])
    assert np.array_equal(seiko.wrenches, before[1])
    assert np.array_equal(seiko.terms.min_forces, before[2].min_forces)
    for _ in range(200):
        seiko.step(targets, DT)
    assert np.array_equal(seiko.q, fork.q)
    assert np.array_equal(seiko.wrenches, fork.wrenches)


def test_a_fork_is_held_by_the_same_half_planes_after_a_foot_was_measured_elsewhere(talos):
    seiko = stand(talos)
    # Soles that are no longer in line have a hull of six corners, not four.
    seiko.terms.poses[0, 0, 3] += 1e-3
    fork = seiko.fork()
    assert np.array_equal(fork.balance.distances, seiko.balance.distances)
    assert len(fork.program.limit_lower) == len(seiko.program.limit_lower)


def test_a_commanded_force_is_reached_and_fades_as_gently_as_it_came(talos):
    seiko = stand(talos)
    targets = brace(seiko, LEFT_HAND, np.array([-1.0, 0.0, 0.0]))
    forces = [seiko.compute_normal_force(LEFT_HAND)]
    commanded = 40.0

    def command(force, duration):
        for _ in range(round(duration / DT)):
            seiko.terms.command_force(LEFT_HAND, force, DT)
            assert seiko.step(targets, DT).solved
            forces.append(seiko.compute_normal_force(LEFT_HAND))

    command(commanded, 3.0)
    assert forces[-1] == pytest.approx(commanded, rel=0.01)
    # What would become of the force, were the command gone at once.
    dropped = seiko.fork()
    dropped.terms.insistence[LEFT_HAND], dropped.terms.desired_forces[LEFT_HAND] = 0.0, np.nan
    take_steps(dropped, targets, 0.5)
    command(None, 0.5)
    assert dropped.compute_normal_force(LEFT_HAND) < 0.8 * commanded < forces[-1]
    take_steps(dropped, targets, 3.5)
    command(None, 3.5)
    assert seiko.terms.insistence[LEFT_HAND] == 0.0
    # The posture has gone on, and may ask for more than was commanded: the command has left nothing behind in it.
    assert forces[-1] == pytest.approx(dropped.compute_normal_force(LEFT_HAND), abs=0.1 * commanded)
    most = seiko.parameters.push_rate * talos.weight * DT
    assert np.abs(np.diff(forces)).max() <= most + SOLVER


def test_a_hand_that_braces_presses_with_no_less_than_its_least_force(talos):
    least = talos.effectors[LEFT_HAND].min_normal_force
    assert least > 0.0
    seiko = stand(talos)
    targets = brace(seiko, LEFT_HAND, np.array([-1.0, 0.0, 0.0]))
    lowest = [seiko.compute_normal_force(LEFT_HAND)]
    back = replace(targets, velocity_com_in_world=np.array([-0.05, np.nan, np.nan]))
    take_steps(seiko, back, 2.0, lambda: lowest.append(seiko.compute_normal_force(LEFT_HAND)))
    assert min(lowest) >= least - SOLVER


def test_a_commanded_force_changes_nothing_of_a_contact_that_it_is_not_commanded_to(talos):
    seiko = stand(talos)
    fork = seiko.fork()
    fork.terms.command_force(LEFT_HAND, 40.0, DT)
    take_steps(seiko, ask(seiko), 0.2)
    take_steps(fork, ask(fork), 0.2)
    assert np.abs(seiko.q - fork.q).max() < 1e-12


def compute_tilt(q):
    return float(np.arccos(np.clip(1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2), -1.0, 1.0)))


def test_the_base_tilts_no_further_than_it_may(robot):
    most = 0.08  # [rad] within reach of every robot
    seiko, hand = stand(robot, parameters=SeikoParameters(max_tilt=most)), choose_hand(robot)
    down = ask(seiko, hand, (0.5, 0.0, -1.0))
    held_back = 0
    for _ in range(1500):
        step = seiko.step(down, DT)
        assert step.solved
        held_back += "base tilt" in step.active
        assert compute_tilt(seiko.q) < most + 1e-3  # [rad] of a linearised bound
    assert held_back
    assert compute_tilt(seiko.q) > 0.8 * most


def test_a_centre_of_mass_at_the_edge_leaves_it_again(talos):
    seiko = stand(talos)
    take_steps(seiko, ask(seiko, velocity_com=(0.05, np.nan, np.nan)), 5.0)
    edge = seiko.kinematics.position_com_in_world[0]
    assert np.abs(seiko.velocity_com[0]) < 1e-3
    take_steps(seiko, ask(seiko, velocity_com=(-0.05, np.nan, np.nan)), 2.0)
    assert seiko.kinematics.position_com_in_world[0] < edge - 0.05
