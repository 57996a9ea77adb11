"""What holds the DCM of a reference: the feet's polygon, and with hands the stability region."""

import numpy as np
import pytest
from stances import DT, ask, brace, choose_hand, run_switch, stand, take_steps

from handhold.app.lab.benches.random_stances import draw_stance
from handhold.retarget.bracing.contacts.switching import start_removing
from handhold.retarget.bracing.seiko.balance import MIN_EDGE_LENGTH
from handhold.retarget.bracing.seiko.contact_switch import BALANCE, SwitchPhase
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.contact import UNBOUNDED
from handhold.robots.polygon import compute_support_polygon

ROUNDING = 1e-6  # [m]


def press_against_a_wall(robot, share, **options):
    """Stand with a hand on a wall ahead that bears a share of the robot's weight."""
    seiko, hand = stand(robot, **options), choose_hand(robot)
    targets = brace(seiko, hand, np.array([-1.0, 0.0, 0.0]))
    for _ in range(1500):
        seiko.terms.command_force(hand, share * robot.weight, DT)
        assert seiko.step(targets, DT).solved
    return seiko, hand


def test_feet_alone_keep_the_dcm_over_the_feet(model):
    seiko = stand(model)
    balance = seiko.balance
    assert not balance.braced
    feet = compute_support_polygon(model, seiko.stance, seiko.terms.poses, 0.0)
    assert np.all(balance.normals @ feet.mean(axis=0) < balance.distances)
    assert np.all(balance.distances < (balance.normals @ feet.T).max(axis=1))


def test_a_reference_in_equilibrium_is_inside_the_region_of_its_own_limits(model):
    seiko, _ = press_against_a_wall(model, 0.05)
    balance, margin = seiko.balance, seiko.parameters.min_margin
    com = seiko.kinematics.position_com_in_world[:2]
    assert balance.braced
    assert np.all(balance.normals @ com <= balance.distances + margin + ROUNDING)


def test_a_hand_on_a_wall_ahead_lets_the_centre_of_mass_lean_towards_it(talos):
    seiko, _ = press_against_a_wall(talos, 0.05)
    feet = compute_support_polygon(talos, seiko.stance, seiko.terms.poses, 0.0)
    assert seiko.balance.vertices[:, 0].max() > feet[:, 0].max() + 0.05  # [m]


def test_the_margin_is_kept_by_a_centre_of_mass_that_is_pushed_outwards(talos):
    seiko, _ = press_against_a_wall(talos, 0.05)
    take_steps(seiko, ask(seiko, velocity_com=(0.0, 0.05, np.nan)), 6.0)
    com, balance = seiko.kinematics.position_com_in_world[:2], seiko.balance
    least = float((balance.distances - balance.normals @ com).min())
    assert least == pytest.approx(0.0, abs=2e-3)  # [m] at the margin, and no nearer


def test_the_half_planes_are_the_regions_with_the_margin_taken_off(talos):
    narrow, _ = press_against_a_wall(talos, 0.05, parameters=SeikoParameters(min_margin=0.06))
    wide, _ = press_against_a_wall(talos, 0.05)
    for balance, margin in ((narrow.balance, 0.06), (wide.balance, SeikoParameters().min_margin)):
        real = balance.distances < 0.5 * UNBOUNDED
        reach = balance.normals @ balance.vertices.T
        assert np.allclose(reach.max(axis=1)[real] - balance.distances[real], margin, atol=ROUNDING)


def test_no_two_corners_of_the_region_are_the_same(talos):
    seiko, _ = press_against_a_wall(talos, 0.05)
    vertices = seiko.balance.vertices
    assert np.linalg.norm(vertices - np.roll(vertices, 1, axis=0), axis=1).min() >= MIN_EDGE_LENGTH


@pytest.mark.parametrize("number", [187, 7])
def test_a_contact_goes_only_where_the_others_hold_the_centre_of_mass(talos, number):
    """In both stances the foot's force vanishes within millimetres of the edge of what holds without it."""
    drawn = draw_stance(talos, np.random.default_rng((0, number)))
    seiko = drawn.seiko
    switch = run_switch(seiko, start_removing(seiko, drawn.effector), ask(seiko, velocity_com=np.zeros(3)))
    assert switch.phase is SwitchPhase.DONE
    balance = seiko.balance
    balance.update(seiko.terms)
    dcm = seiko.kinematics.position_com_in_world[:2] + seiko.velocity_com[:2] / seiko.pendulum_frequency
    assert balance.compute_slack(dcm) > -balance.zmp_room - ROUNDING


def test_a_contact_is_needed_whose_region_would_end_near_the_centre_of_mass(talos):
    seiko, hand = press_against_a_wall(talos, 0.05)
    left, right = seiko.stance.feet
    # Over both feet a hand is never needed by this measure: its force goes with the centre of mass.
    assert seiko.transfer_support(hand)
    assert not seiko.transfer_support(left)
    take_steps(seiko, ask(seiko, velocity_com=(0.0, -0.03, np.nan)), 3.0)
    assert seiko.transfer_support(left)
    assert not seiko.transfer_support(right)


def test_where_nothing_would_hold_the_robot_without_a_contact_what_holds_it_with_it_counts(talos):
    seiko, _hand = press_against_a_wall(talos, 0.05)
    left, right = seiko.stance.feet
    # A hand alone beside a foot that may not press on the ground holds nothing.
    seiko.terms.min_forces[right] = 10.0 * talos.weight
    assert not seiko.transfer_support(left)
    seiko.terms.set_unloading(left, unloading=True)
    seiko.build(ask(seiko), 1e-3)
    planes = seiko.balance.normals
    names = [seiko.program.name_limit_row(row) for row in range(len(seiko.program.limit_rows))]
    first = names.index(BALANCE)
    rows = seiko.program.limit_rows[first : first + len(planes), : talos.nv]
    assert planes.any()
    assert 1e-3 * rows == pytest.approx(planes @ seiko.kinematics.jacobian_com[:2])
