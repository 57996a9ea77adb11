"""The region of a hand that is not in contact yet: as SEIKO's preview has it, with its slope and the torque that it takes."""

import numpy as np
import pytest
from scipy.optimize import linprog
from stances import stand

from handhold.retarget.bracing.candidates.brace_region import BraceRegion
from handhold.retarget.bracing.candidates.held_posture import hold_posture
from handhold.retarget.bracing.candidates.region_worth import AREA_WORTH
from handhold.retarget.bracing.margin.preview_region import compute_preview_region
from handhold.retarget.bracing.margin.region_monitor import compute_region_once
from handhold.retarget.stability.contact_points import frame_about
from handhold.robots.kinematics import EffectorKinematics

LEFT, RIGHT = 2, 3
BACK, UP = np.array([-1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
AHEAD = np.array([0.05, 0.0])
"""Where the centre of mass leans, ahead of where it is [m]: there a hand counts."""


@pytest.fixture(scope="module")
def seiko(talos):
    return stand(talos)


def make_region(model, seiko, hands=(LEFT,)):
    return BraceRegion(model, seiko.kinematics, hold_posture(seiko), hands)


@pytest.mark.parametrize("normal", [BACK, UP, np.array([-0.6, 0.0, 0.8])])
def test_the_margin_is_that_of_the_preview(talos, seiko, normal):
    region = make_region(talos, seiko)
    region.touch(LEFT, frame_about(normal))
    found, preview = region.measure(), compute_preview_region(talos, seiko, LEFT, normal)
    assert found.margin == pytest.approx(preview.edge.margin, abs=1e-9)
    described = region.describe(found.margin)
    assert described.margin == found.margin
    # The area of the vertices in equally spaced directions is a little less than that of all of them.
    x, y = described.vertices.T
    area = 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert 0.9 * area < found.area <= area + 1e-9


def test_without_a_hand_it_is_the_region_of_the_present_contacts(talos, seiko):
    assert make_region(talos, seiko, ()).measure().margin == pytest.approx(compute_region_once(talos, seiko).margin, abs=1e-9)


def test_one_region_serves_one_surface_after_the_other(talos, seiko):
    region, found = make_region(talos, seiko), []
    for normal in (BACK, UP, BACK):
        region.touch(LEFT, frame_about(normal))
        found.append(region.measure(seiko.kinematics.position_com_in_world[:2] + AHEAD).margin)
    assert found[0] == pytest.approx(found[2], abs=1e-9)
    assert abs(found[0] - found[1]) > 1e-3


@pytest.mark.parametrize("normal", [BACK, UP])
def test_the_slope_is_that_of_differences_with_the_posture_left_as_it_is(talos, seiko, normal):
    kinematics = EffectorKinematics(talos)
    kinematics.update(seiko.q)
    region = BraceRegion(talos, kinematics, hold_posture(seiko), (LEFT,))
    region.touch(LEFT, frame_about(normal))
    point = kinematics.position_com_in_world[:2] + AHEAD
    before = kinematics.poses[LEFT, :3, 3].copy()
    # Torques of a point that moves are those of the joint that carries it: it alone is displaced here, not its Jacobian.
    jacobians = kinematics.jacobians[LEFT].copy()

    def measure(displacement):
        kinematics.poses[LEFT, :3, 3] = before + displacement
        kinematics.jacobians[LEFT] = jacobians
        return region.measure(point)

    slope, step = measure(np.zeros(3)).slope, 1e-5
    worths = [[measure(sign * step * axis) for sign in (1.0, -1.0)] for axis in np.eye(3)]
    differences = [(ahead.worth - behind.worth) / (2.0 * step) for ahead, behind in worths]
    # The polygon's vertices are differentiated while the same rows limit each: some of them change rows.
    assert slope == pytest.approx(differences, abs=0.1 * np.linalg.norm(differences) + 0.1 * AREA_WORTH)
    assert np.linalg.norm(slope) > 1e-3


def test_a_hand_that_no_edge_needs_saturates_the_margin(talos, seiko):
    region = make_region(talos, seiko)
    region.touch(LEFT, frame_about(BACK))
    com = seiko.kinematics.position_com_in_world[:2]
    assert region.measure(com - AHEAD).saturated
    assert not region.measure(com + AHEAD).saturated


def test_an_estimate_is_no_less_than_what_the_arm_s_own_weight_leaves(talos, seiko):
    region = make_region(talos, seiko)
    region.touch(LEFT, frame_about(BACK))
    com = seiko.kinematics.position_com_in_world[:2] + AHEAD
    # In the standing posture no joint is strained so much that anything is left out.
    assert region.estimate(com).margin == pytest.approx(region.measure(com).margin, abs=1e-9)


@pytest.mark.parametrize("hands", [(LEFT,), (LEFT, RIGHT)])
def test_the_torque_that_it_takes_is_the_least_possible(talos, seiko, hands):
    region = make_region(talos, seiko, hands)
    for hand in hands:
        region.touch(hand, frame_about(BACK))
    region.measure()
    ratio = region.find_torque_ratio()
    # The same as a linear program: unlike ours it weighs nothing but the largest part.
    program, weight = region._region.program, talos.weight
    points, torques = region._region.points, region._region.torques
    sides = program.generators.shape[1]
    columns = program.generators.reshape(-1, 3)
    positions = np.repeat(points.positions, sides, axis=0)
    moments = np.cross(positions, columns)
    com = seiko.kinematics.position_com_in_world
    balance = np.vstack([columns.T, moments.T])
    load = np.array([0.0, 0.0, weight, com[1] * weight, -com[0] * weight, 0.0])
    jacobians = np.repeat(torques.jacobians, sides, axis=0)
    strain = np.einsum("kin,ki->nk", jacobians, columns) / torques.limits[:, None]
    gravity = torques.gravity / torques.limits
    normals = np.array([np.repeat(points.owners == owner, sides) for owner in range(len(points.names))], dtype=float)
    least = [talos.effectors[h].min_normal_force if h in hands else seiko.terms.min_forces[h] for h in range(4)]
    least = np.array([least[e] for e in (0, 1, *hands)])
    ones = np.ones((len(gravity), 1))
    solution = linprog(
        np.append(np.zeros(len(columns)), 1.0),
        A_ub=np.vstack(
            [
                np.hstack([-strain, -ones]),
                np.hstack([strain, -ones]),
                np.hstack([-normals, np.zeros((len(normals), 1))]),
                np.hstack([normals, np.zeros((len(normals), 1))]),
            ]
        ),
        b_ub=np.concatenate([-gravity, gravity, -least, points.max_forces]),
        A_eq=np.hstack([balance, np.zeros((6, 1))]),
        b_eq=load,
    )
    assert solution.status == 0
    # The small cost of the forces themselves leaves a thousandth.
    assert ratio == pytest.approx(solution.x[-1], abs=2e-3)
    assert 0.0 < ratio < 1.0
