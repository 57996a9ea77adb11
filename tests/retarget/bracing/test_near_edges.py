"""The edges that are about as near as the nearest one."""

import numpy as np
import pytest
from stances import DT, ask, brace, stand

from handhold.retarget.bracing.margin.near_edges import MAX_EDGES, find_near_edges
from handhold.retarget.bracing.seiko.balance import find_half_planes
from handhold.retarget.stability.region_gradients import ConfigurationGradients

LEFT_HAND = 2
EXACT = 1e-9  # [m]: the same numbers by another way


@pytest.fixture(scope="module")
def braced(talos):
    seiko = stand(talos)
    targets = brace(seiko, LEFT_HAND, np.array([-1.0, 0.0, 0.0]))
    for _ in range(50):
        assert seiko.step(targets, DT).solved
    return seiko


def look(seiko, within):
    com = seiko.kinematics.position_com_in_world[:2]
    return find_near_edges(seiko.balance.edge, seiko.balance.vertex_memory, com, within)


def test_they_are_the_hull_s_edges_the_nearest_one_first(braced):
    edges, count = look(braced, 1.0), len(braced.balance.vertex_memory.positions)
    normals, distances = np.zeros((count, 2)), np.zeros(count)
    find_half_planes(braced.balance.vertex_memory.positions, normals, distances)
    away = distances - normals @ braced.kinematics.position_com_in_world[:2]
    away = np.sort(away[normals.any(axis=1)])
    assert 1 < len(edges.margins) <= MAX_EDGES
    assert edges.margins[0] == braced.balance.edge.margin
    assert edges.margins[1:] == pytest.approx(away[1 : len(edges.margins)], abs=EXACT)


def test_no_edge_is_further_away_than_asked(braced):
    assert len(look(braced, 0.0).margins) == 1
    nearest, *others = look(braced, 0.03).margins
    assert all(nearest <= other < nearest + 0.03 for other in others)


def test_the_forces_of_each_hold_the_robot_up(talos, braced):
    for forces in look(braced, 1.0).forces:
        assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, talos.weight], abs=1e-6 * talos.weight)


def test_the_first_one_s_gradient_is_that_of_the_margin(talos, braced):
    edges, region = look(braced, 1.0), braced.balance.region
    edge, first = braced.balance.edge, region.program.first_torque
    prices = edge.prices
    gradients = ConfigurationGradients(talos, braced.kinematics)
    one, other = (
        gradients.compute(region.joints, region.points.positions, forces, torque_prices)
        for forces, torque_prices in ((edges.forces[0], edges.prices[0, first:]), (edge.forces, prices[first:]))
    )
    assert np.array_equal(one, other)


def test_a_look_costs_no_step(braced):
    before, targets = braced.fork(), ask(braced)
    look(braced, 1.0)
    assert braced.step(targets, DT).solved
    assert before.step(targets, DT).solved
    assert np.allclose(braced.q, before.q, atol=1e-9)
