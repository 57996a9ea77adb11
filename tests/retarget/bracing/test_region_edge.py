"""The stability margin and its edge against the exact polygon made with HiGHS."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from region_oracle import Oracle, compute_distance_inside

from handhold.retarget.stability.contact_points import ConeModel, ContactPoints
from handhold.retarget.stability.region_edge import find_nearest_edge, order_hull
from handhold.retarget.stability.robot_region import RobotRegion
from handhold.retarget.stability.support_region import NoRegion, RegionProgram, space_directions
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model

SAME = 1e-6  # [m], the issue's


@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_the_margin_is_the_distance_to_the_exact_region(robot: str) -> None:
    model, rng = load_model(robot), np.random.default_rng(11)
    kinematics = EffectorKinematics(model)
    bearing = np.array([effector.standing for effector in model.effectors])
    bearing[model.effector_of_hand("left")] = True
    inside = outside = none = 0
    for _ in range(50):  # of each of two robots: 100 configurations
        q = pin.integrate(model.pinocchio, model.q_nominal, np.concatenate([np.zeros(6), 0.2 * rng.normal(size=model.n)]))
        kinematics.update(q)
        normals = np.tile(pin.exp3(0.3 * rng.normal(size=3)) @ (-1.0, 0.0, 0.0), (len(bearing), 1))
        region = RobotRegion(model, kinematics, bearing, normals, inset=0.01, friction_scale=0.8)
        region.load_configuration()
        oracle = Oracle(region.points, ConeModel.INNER_4, model.weight, region.torques)
        if oracle.find(np.array([1.0, 0.0])) is None:
            none += 1
            with pytest.raises(NoRegion, match="carry the weight"):
                region.program.build(region.points, model.weight, region.torques)
            continue
        region.program.build(region.points, model.weight, region.torques)
        memory = region.program.make_memory(18)
        region.program.find_extremes(space_directions(), memory)
        polygon = oracle.find_polygon()
        com = kinematics.position_com_in_world[:2].copy()
        for point in (com, polygon.mean(axis=0), com + rng.uniform(-0.3, 0.3, 2)):
            edge = find_nearest_edge(region.program, memory, point)
            assert edge.margin == pytest.approx(compute_distance_inside(polygon, point), abs=SAME)
            inside, outside = inside + (edge.margin > 0.0), outside + (edge.margin < 0.0)
            nearest = (1.0 - edge.ratio) * edge.start.position + edge.ratio * edge.end.position
            assert point + edge.margin * edge.normal == pytest.approx(nearest, abs=SAME)
            # Its forces hold the centre of mass there.
            moments = np.cross(region.points.positions, edge.forces).sum(axis=0) / model.weight
            assert (-moments[1], moments[0]) == pytest.approx(nearest, abs=SAME)
            assert edge.forces.sum(axis=0) == pytest.approx([0.0, 0.0, model.weight], abs=1e-6 * model.weight)
    assert inside > 40
    assert outside > 10
    assert none < 25


def test_contacts_on_a_line_have_no_edge() -> None:
    points = ContactPoints(
        positions=np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]]),
        frames=np.tile(np.eye(3), (2, 1, 1)),
        friction=np.full(2, 0.6),
        owners=np.arange(2),
        max_forces=np.full(2, np.inf),
        min_forces=np.zeros(2),
        names=("left foot", "right foot"),
    )
    program = RegionProgram(2, 2, 0)
    program.build(points, 300.0)
    memory = program.make_memory(18)
    program.find_extremes(space_directions(), memory)
    with pytest.raises(NoRegion, match="no area"):
        find_nearest_edge(program, memory, np.array([0.1, 0.0]))


@pytest.mark.parametrize("count", [3, 4, 7, 18])
def test_the_hull_of_points_that_are_all_on_it_has_room_in_as_many_places(count: int) -> None:
    for points in (space_directions(count), space_directions(count) @ pin.exp3(np.array([0.0, 0.0, 0.3]))[:2, :2]):
        room = np.full(3 * count, -1)
        order = room[count : 2 * count]
        assert order_hull(points, order) == count
        assert sorted(order) == list(range(count))
        assert (np.delete(room, np.arange(count, 2 * count)) == -1).all()


def test_the_hull_keeps_flat_corners_and_no_point_twice() -> None:
    corners = np.array([[0.0, 0.0], [0.5, -1e-7], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    points = np.concatenate([corners, corners + 1e-12, [[0.5, 0.5], [0.2, 0.7]]])
    order = np.zeros(len(points), dtype=np.int64)
    found = points[order[: order_hull(points, order)]]
    assert len(found) == 5
    shift = int(np.argmin(np.linalg.norm(found - corners[0], axis=1)))
    assert np.roll(found, -shift, axis=0) == pytest.approx(corners, abs=1e-9)
