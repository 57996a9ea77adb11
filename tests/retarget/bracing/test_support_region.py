"""The stability region against exact polygons made with HiGHS."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from region_oracle import Oracle, compute_joint_torques, compute_region, find_vertex

from handhold.app.lab.benches.region_stress import KINDS, make_line, make_narrow, make_soled, make_twice, stress_regions
from handhold.retarget.stability.contact_points import ConeModel, ContactPoints, find_contact_points
from handhold.retarget.stability.robot_region import RobotRegion
from handhold.retarget.stability.support_region import (
    NoRegion,
    RegionProgram,
    compute_exact_region,
    space_directions,
)
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model

WEIGHT = 900.0  # [N]
SAME = 1e-6  # [m], the issue's
SHARP = np.cos(0.05)  # of half the turn at a vertex


def make_points(rng: np.random.Generator) -> ContactPoints:
    """Return two soles and up to two hands on tilted surfaces, some with bounds of their forces."""
    positions, frames, owners = [], [], []
    hands = rng.integers(0, 3)
    for foot, side in enumerate((0.1, -0.1)):
        frame = pin.exp3(rng.normal(size=3) * (0.15, 0.15, 0.3))
        centre = np.array([0.0, side, 0.0]) + rng.normal(size=3) * (0.1, 0.03, 0.05)
        for x, y in ((0.1, 0.05), (-0.1, 0.05), (-0.1, -0.05), (0.1, -0.05)):
            positions.append(centre + frame @ (x, y, 0.0))
            frames.append(frame)
            owners.append(foot)
    for hand in range(hands):
        positions.append(np.array([0.6, 0.4 - 0.8 * hand, 1.0]) + 0.1 * rng.normal(size=3))
        frames.append(pin.exp3(np.array([0.0, -rng.uniform(0.0, 1.8), 0.0]) + 0.2 * rng.normal(size=3)))
        owners.append(2 + hand)
    contacts = 2 + int(hands)
    max_forces = np.where(rng.random(contacts) < 0.4, rng.uniform(0.4, 1.2, contacts) * WEIGHT, np.inf)
    if rng.random() < 0.2:  # barely feasible, or barely not
        max_forces = rng.uniform(0.9, 1.3) * WEIGHT * rng.dirichlet(np.full(contacts, 5.0))
    return ContactPoints(
        positions=np.array(positions),
        frames=np.array(frames),
        friction=rng.uniform(0.2, 0.9, len(positions)),
        owners=np.array(owners),
        max_forces=max_forces,
        min_forces=np.where(rng.random(contacts) < 0.4, rng.uniform(0.0, 0.1, contacts) * WEIGHT, 0.0),
        names=tuple(f"contact {k}" for k in range(contacts)),
    )


AXES = [np.array(way) for way in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))]


def find_normals(vertices: np.ndarray) -> np.ndarray:
    """Return the outward normals of a polygon's edges, each edge from its vertex to the next."""
    edges = np.roll(vertices, -1, axis=0) - vertices
    return np.stack([edges[:, 1], -edges[:, 0]], axis=1) / np.linalg.norm(edges, axis=1, keepdims=True)


@pytest.mark.parametrize("cone", list(ConeModel))
def test_vertices_are_those_of_an_exact_polygon(cone: ConeModel) -> None:
    rng = np.random.default_rng(0)
    none = sharp = 0
    for _ in range(70):  # of each of three cones: 210 sets of contacts
        points = make_points(rng)
        oracle = Oracle(points, cone, WEIGHT)
        program = RegionProgram(len(points.positions), len(points.max_forces), 0, cone)
        if oracle.find(np.array([1.0, 0.0])) is None:
            none += 1
            with pytest.raises(NoRegion):
                program.build(points, WEIGHT)
            continue
        program.build(points, WEIGHT)
        if any(np.isnan(oracle.find(way)).any() for way in AXES):
            with pytest.raises(NoRegion, match="no end"):
                compute_exact_region(program)
            continue
        vertices = compute_exact_region(program)
        normals = find_normals(vertices)
        between = normals + np.roll(normals, 1, axis=0)
        between /= np.linalg.norm(between, axis=1, keepdims=True)
        for normal, way, vertex in zip(normals, between, vertices, strict=True):
            # Nothing lies beyond an edge, and nothing beyond a vertex.
            assert normal @ oracle.find(normal) == pytest.approx(normal @ vertex, abs=SAME)
            extreme = oracle.find(way)
            assert way @ extreme == pytest.approx(way @ vertex, abs=SAME)
            # Where two edges are nearly one, any place along them is as good for HiGHS.
            if normal @ way < SHARP:
                sharp += 1
                assert extreme == pytest.approx(vertex, abs=SAME)
    assert sharp > 200
    assert 0 < none < 40


def test_equally_spaced_questions_give_places_on_the_boundary() -> None:
    points = make_points(np.random.default_rng(3))
    program = RegionProgram(len(points.positions), len(points.max_forces), 0)
    program.build(points, WEIGHT)
    places = compute_region(program)
    oracle = Oracle(points, ConeModel.INNER_4, WEIGHT)
    for load_configuration, angle in zip(places, 2.0 * np.pi * np.arange(18) / 18, strict=True):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert way @ load_configuration == pytest.approx(way @ oracle.find(way), abs=SAME)


def test_feet_without_bounds_on_level_ground_give_their_hull() -> None:
    points = make_points(np.random.default_rng(4))
    level = np.tile(np.eye(3), (8, 1, 1))
    corners = points.positions[:8] * (1.0, 1.0, 0.0)
    feet = ContactPoints(
        positions=corners,
        frames=level,
        friction=points.friction[:8],
        owners=points.owners[:8],
        max_forces=np.full(2, np.inf),
        min_forces=np.zeros(2),
        names=("left foot", "right foot"),
    )
    program = RegionProgram(8, 2, 0)
    program.build(feet, WEIGHT)
    for vertex in compute_exact_region(program):
        assert np.linalg.norm(corners[:, :2] - vertex, axis=1).min() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_the_region_that_the_motors_leave_is_that_of_highs(robot: str) -> None:
    model = load_model(robot)
    rng = np.random.default_rng(5)
    kinematics = EffectorKinematics(model)
    hand = model.effector_of_hand("left")
    assert hand is not None
    bearing = np.array([effector.standing for effector in model.effectors])
    bearing[hand] = True
    limited = none = 0
    for _ in range(50):  # of each of two robots: 100 configurations
        q = pin.integrate(model.pinocchio, model.q_nominal, np.concatenate([np.zeros(6), 0.2 * rng.normal(size=model.n)]))
        kinematics.update(q)
        normals = np.tile(pin.exp3(0.3 * rng.normal(size=3)) @ (-1.0, 0.0, 0.0), (len(bearing), 1))
        region = RobotRegion(model, kinematics, bearing, normals, inset=0.01, friction_scale=0.8)
        region.load_configuration()
        program, torques = region.program, region.torques
        assert torques is not None
        oracle = Oracle(region.points, ConeModel.INNER_4, model.weight, torques)
        ways = rng.normal(size=(3, 2))
        if oracle.find(ways[0]) is None:
            none += 1
            with pytest.raises(NoRegion):
                program.build(region.points, model.weight, torques)
            continue
        program.build(region.points, model.weight, torques)
        for way in ways / np.linalg.norm(ways, axis=1, keepdims=True):
            vertex = find_vertex(program, way)
            assert way @ oracle.find(way) == pytest.approx(way @ vertex.position, abs=SAME)
            limited += bool(vertex.prices[program.first_torque :].any())
            held = torques.gravity - np.einsum("kij,ki->j", torques.jacobians, vertex.forces)
            assert (np.abs(held) <= torques.limits + 1e-6).all()
    assert limited > 50
    assert none < 25


@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_the_compiled_way_places_points_and_torques_where_the_plain_one_does(robot: str) -> None:
    model, rng = load_model(robot), np.random.default_rng(6)
    kinematics = EffectorKinematics(model)
    bearing = np.array([effector.standing for effector in model.effectors])
    bearing[model.effector_of_hand("left")] = True
    normals = np.tile(pin.exp3(0.3 * rng.normal(size=3)) @ (-1.0, 0.0, 0.0), (len(bearing), 1))
    kinematics.update(model.q_nominal)
    region = RobotRegion(model, kinematics, bearing, normals, inset=0.01, friction_scale=0.8)
    for _ in range(5):
        q = pin.integrate(model.pinocchio, model.q_nominal, 0.3 * rng.normal(size=model.nv))
        kinematics.update(q)
        region.load_configuration()
        points = find_contact_points(model, kinematics.poses, bearing, normals, inset=0.01, friction_scale=0.8)
        torques = compute_joint_torques(model, kinematics, q, bearing, points)
        assert region.torques is not None
        for ours, plain, names in (
            (region.points, points, ("positions", "frames", "friction", "owners", "max_forces", "min_forces")),
            (region.torques, torques, ("jacobians", "gravity", "limits")),
        ):
            for name in names:
                assert getattr(ours, name) == pytest.approx(getattr(plain, name), abs=1e-9), name


def test_random_and_degenerate_regions_are_those_of_highs() -> None:
    """A part of ``handhold bench region --stress``: 20 of each kind."""
    report = stress_regions(20 * len(KINDS), seed=5)
    assert not report.wrong_status
    assert not report.exceptions
    assert report.value_error < 1e-6
    assert report.unknown < 5


@pytest.mark.parametrize("shaken", [1e-16, 1e-15, 1e-14, 1e-13, 1e-12])
def test_the_exact_region_ends_however_its_contacts_are_shaken(shaken: float) -> None:
    """Its edges may be nanometres long, with normals that are rounding."""
    random = np.random.default_rng(11)
    for kind in (make_soled, make_narrow, make_twice, make_line):
        for _ in range(10):
            problem = kind(random)
            points = problem.points
            moved = replace(points, positions=points.positions + random.normal(0.0, shaken, points.positions.shape))
            program = RegionProgram(len(moved.friction), len(moved.max_forces), 0)
            try:
                program.build(moved, problem.weight)
            except NoRegion:
                continue
            vertices = compute_exact_region(program)
            assert len(vertices) < 200
            for direction in space_directions(12):
                assert (vertices @ direction).max() == pytest.approx(
                    float(program.find_extreme(direction) @ direction), abs=1e-8
                )
