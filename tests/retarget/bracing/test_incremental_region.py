"""The region that follows a moving robot, against one solved anew at every configuration; and what limits it."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest
from region_oracle import compute_area

from handhold.retarget.stability.incremental_region import IncrementalRegion
from handhold.retarget.stability.region_area import compute_area_weights
from handhold.retarget.stability.region_edge import Edge, find_nearest_edge
from handhold.retarget.stability.region_limits import find_limits
from handhold.retarget.stability.robot_region import RobotRegion
from handhold.retarget.stability.support_region import NoRegion, space_directions
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model

TICK = 2e-3  # [s]
WEAK = 0.4  # part of the arm's torques that is left, so that they limit
WITHIN = 1e-5  # [m]: bounds may be violated by 1e-10, and differences are over a part of 1e-4
NEARLY = 5e-3  # [m]: older vertices hide no more of a margin; the paper saw 3.5 mm


def start_region(
    model: RobotModel, kinematics: EffectorKinematics, normal: tuple[float, float, float] = (-1.0, 0.0, 0.0)
) -> RobotRegion:
    bearing = np.array([effector.standing for effector in model.effectors])
    bearing[model.effector_of_hand("left")] = True
    normals = np.tile(normal, (len(bearing), 1))
    return RobotRegion(model, kinematics, bearing, normals, inset=0.01, friction_scale=0.8)


def begin(model: RobotModel, normal: tuple[float, float, float] = (-1.0, 0.0, 0.0)) -> tuple[EffectorKinematics, RobotRegion]:
    kinematics = EffectorKinematics(model)
    kinematics.update(model.q_nominal)
    return kinematics, start_region(model, kinematics, normal)


def move(model: RobotModel, time: float) -> np.ndarray:
    """Return a configuration that keeps moving, every joint in its own time: 0.1 rad at up to 0.3 rad/s."""
    phases = np.arange(model.n)
    sway = 0.1 * (np.sin(phases + (1.0 + 0.1 * phases) * time) - np.sin(phases))
    return np.asarray(pin.integrate(model.pinocchio, model.q_nominal, np.concatenate([np.zeros(6), sway])))


def solve_anew(region: RobotRegion, point: np.ndarray) -> Edge:
    program = region.build()
    memory = program.make_memory(18)
    program.find_extremes(space_directions(), memory)
    return find_nearest_edge(program, memory, point)


@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_the_margin_that_follows_is_nearly_that_of_the_region(robot: str) -> None:
    model = load_model(robot)
    kinematics, region = begin(model)
    fresh = start_region(model, kinematics)
    incremental, errors = IncrementalRegion(region), []
    for tick in range(1000):
        kinematics.update(move(model, TICK * tick))
        point = kinematics.position_com_in_world[:2]
        edge = incremental.update(point)
        errors.append(abs(edge.margin - solve_anew(fresh, point).margin))
    assert max(errors) < NEARLY
    assert np.median(errors) < 1e-6
    # A robot that has come to rest is told exactly, once every direction had its turn.
    for _ in range(18):
        edge = incremental.update(point)
    assert edge.margin == pytest.approx(solve_anew(fresh, point).margin, abs=1e-9)
    for direction, load_configuration in zip(space_directions(), incremental.memory.positions, strict=True):
        assert direction @ load_configuration == pytest.approx(direction @ fresh.program.find_extreme(direction), abs=1e-9)


def test_after_there_was_no_region_every_direction_is_solved_anew() -> None:
    model = load_model("talos")
    kinematics, region = begin(model)
    incremental = IncrementalRegion(region)
    point = kinematics.position_com_in_world[:2]
    before = incremental.update(point).margin
    strength = region.torques.limits.copy()
    region.torques.limits[:] = 0.01
    with pytest.raises(NoRegion, match="carry the weight"):
        incremental.update(point)
    region.torques.limits[:] = strength
    assert incremental.update(point).margin == pytest.approx(before, abs=1e-9)


def test_feet_are_limited_by_their_edges_and_the_hand_by_weak_joints() -> None:
    model = load_model("talos")
    kinematics, region = begin(model)
    point = kinematics.position_com_in_world[:2]
    edge = solve_anew(region, point)
    limits = find_limits(edge, region.points, region.torques, model.weight)
    assert limits[0].name.endswith("foot edge")
    assert [limit.gain for limit in limits] == sorted((limit.gain for limit in limits), reverse=True)


def scale_limit(region: RobotRegion, limit: str, scale: float) -> None:
    """Scale what a limit is named after."""
    name, kind = limit.rsplit(" ", 1)
    points, torques = region.points, region.torques
    if kind == "torque":
        torques.limits[torques.names.index(name)] *= scale
        return
    owner = points.names.index(name)
    mine = points.owners == owner
    if kind == "friction":
        points.friction[mine] *= scale
    elif kind == "load":
        points.max_forces[owner] *= scale
    else:
        middle = points.positions[mine].mean(axis=0)
        points.positions[mine] = middle + scale * (points.positions[mine] - middle)


def compute_margin(region: RobotRegion, weight: float, point: np.ndarray) -> float:
    program = region.program
    program.build(region.points, weight, region.torques)
    memory = program.make_memory(18)
    program.find_extremes(space_directions(), memory)
    return find_nearest_edge(program, memory, point).margin


def test_what_a_limit_gains_is_what_the_border_gains() -> None:
    model, part = load_model("talos"), 1e-4
    kinematics, region = begin(model, (-math.cos(0.35), 0.0, math.sin(0.35)))
    region.load_configuration()
    in_arm = np.abs(region.torques.jacobians[-1]).max(axis=0) > 0.0
    region.torques.limits[in_arm & ~(np.abs(region.torques.jacobians[:-1]).max(axis=(0, 1)) > 0.0)] *= WEAK
    kinds: dict[str, int] = {}
    for tick in range(0, 4000, 100):
        kinematics.update(move(model, TICK * tick))
        point = kinematics.position_com_in_world[:2].copy()
        try:
            edge = solve_anew(region, point)
        except NoRegion:
            continue
        for limit in find_limits(edge, region.points, region.torques, model.weight):
            kind = limit.name.rsplit(" ", 1)[1]
            if kind == "load":
                continue  # it may be the least load, and gains by being less
            margins = [edge.margin]
            for scale in (1.0 + part, 1.0 - part):
                scale_limit(region, limit.name, scale)
                margins.append(compute_margin(region, model.weight, point))
                scale_limit(region, limit.name, 1.0 / scale)
            # At a kink, as soles make them, it lies between the rates to either side.
            sides = sorted([(margins[1] - margins[0]) / part, (margins[0] - margins[2]) / part])
            assert sides[0] - WITHIN < limit.gain < sides[1] + WITHIN, limit.name
            kinds[kind] = kinds.get(kind, 0) + 1
    assert set(kinds) == {"edge", "friction", "torque"}


def test_the_weights_of_an_area_are_its_derivatives() -> None:
    angles = np.sort(np.random.default_rng(0).uniform(0.0, 2.0 * np.pi, 9))
    polygon = np.stack([np.cos(angles), 0.5 * np.sin(angles)], axis=1)
    weights, step = compute_area_weights(polygon), 1e-6
    for vertex in range(9):
        for axis in range(2):
            moved = [polygon.copy(), polygon.copy()]
            moved[0][vertex, axis] -= step
            moved[1][vertex, axis] += step
            difference = (compute_area(moved[1]) - compute_area(moved[0])) / (2.0 * step)
            assert weights[vertex, axis] == pytest.approx(difference, abs=1e-9)
