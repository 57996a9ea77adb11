"""Gradients of the stability region against central differences, off the kinks; at a kink one to either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from region_oracle import compute_area, find_vertex

from handhold.retarget.stability.contact_points import ContactPoints
from handhold.retarget.stability.region_area import compute_area_position_gradient
from handhold.retarget.stability.region_edge import Edge, find_nearest_edge
from handhold.retarget.stability.region_gradients import ConfigurationGradients, compute_position_gradient
from handhold.retarget.stability.robot_region import RobotRegion
from handhold.retarget.stability.support_region import (
    JointTorques,
    NoRegion,
    RegionProgram,
    Vertex,
    VertexMemory,
    space_directions,
)
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model

STEP = 1e-4  # of the differences, in metres of points or radians of joints
EXACT = 1e-8  # relative; the issue asks for 1e-6. Four differences leave an error of the fifth order.
MIN_GRADIENT = 1e-2  # [m/rad]: what is smaller is compared absolutely; bounds may be violated by 1e-10
CASES = 30  # configurations of each robot
AREA = 1e-6  # relative, the issue's: 18 vertices whose bounds may be violated by 1e-10 leave differences no better
WEAK = {"talos": 0.5, "g1": 0.25}  # part of the torques that the arm's motors have here: they limit in half of the cases
ROBOTS = ("talos", "g1")
FIRST_TORQUE = 7  # row; before: four equations, three contacts


class Braced:
    """A robot on both feet and the left hand at one configuration, its contact points fixed in the world.

    The Jacobians of the points that were there are taken from Pinocchio at other configurations, the region by the program.
    """

    def __init__(self, model: RobotModel, q: np.ndarray, normal: np.ndarray) -> None:
        self.model, self.q = model, q
        self.kinematics = EffectorKinematics(model)
        self.kinematics.update(q)
        self.bearing = np.array([effector.standing for effector in model.effectors])
        self.bearing[model.effector_of_hand("left")] = True
        normals = np.tile(normal, (len(self.bearing), 1))
        self.region = RobotRegion(model, self.kinematics, self.bearing, normals, inset=0.01, friction_scale=0.8)
        self.region.load_configuration()
        self.points = replace(self.region.points, positions=self.region.points.positions.copy())
        self.com = self.kinematics.position_com_in_world[:2].copy()
        self._local = [
            self._data().oMi[j].actInv(p) for j, p in zip(self.region.joints.tolist(), self.points.positions, strict=True)
        ]
        moving = np.abs(self.kinematics.jacobians[:, :, 6:]).max(axis=1) > 0.0
        self._in_arm = moving[model.effector_of_hand("left")] & ~moving[[e.standing for e in model.effectors]].any(axis=0)
        self.torques = self.compute_torques(q)

    def _data(self, q: np.ndarray | None = None) -> pin.Data:
        data = self.model.pinocchio.createData()
        pin.computeJointJacobians(self.model.pinocchio, data, self.q if q is None else q)
        return data

    def compute_torques(self, q: np.ndarray) -> JointTorques:
        """Return eq. 2 at another configuration, of the points of the links that touch now."""
        data = self._data(q)
        gravity = pin.computeGeneralizedGravity(self.model.pinocchio, self.model.pinocchio.createData(), q)
        jacobians = [self._compute_jacobian(data, k) for k in range(len(self._local))]
        return JointTorques(
            jacobians=np.ascontiguousarray(np.array(jacobians)[:, :, 6:]),
            gravity=gravity[6:],
            limits=np.where(self._in_arm, WEAK[self.model.description.name], 1.0) * self.model.torque_limits,
            names=self.model.joint_names,
        )

    def build(self, points: ContactPoints | None = None, torques: JointTorques | None = None) -> RegionProgram:
        """Build the program with other points or other torques."""
        program = self.region.program
        program.build(points or self.points, self.model.weight, torques or self.torques)
        return program

    def move_points(self, way: np.ndarray) -> Callable[[float], RegionProgram]:
        """Return the program as a function of how far the points have moved; the torques are as they were."""
        return lambda h: self.build(points=replace(self.points, positions=self.points.positions + h * way))

    def move_joints(self, way: np.ndarray, *, gravity: bool = True) -> Callable[[float], RegionProgram]:
        """Return the program as a function of how far the robot has moved; without gravity its torques are as they were."""

        def build(h: float) -> RegionProgram:
            torques = self.compute_torques(pin.integrate(self.model.pinocchio, self.q, h * way))
            return self.build(torques=torques if gravity else replace(torques, gravity=self.torques.gravity))

        return build

    def draw_motion(self, rng: np.random.Generator) -> np.ndarray:
        """Return a motion that keeps the contacts, shape ``(nv,)``."""
        jacobian = np.concatenate([self._compute_jacobian(self._data(), k) for k in range(len(self._local))])
        way = rng.normal(size=self.model.nv)
        return way - np.linalg.pinv(jacobian) @ (jacobian @ way)

    def _compute_jacobian(self, data: pin.Data, point: int) -> np.ndarray:
        joint = int(self.region.joints[point])
        twists = pin.getJointJacobian(self.model.pinocchio, data, joint, pin.LOCAL_WORLD_ALIGNED)
        return twists[:3] - pin.skew(data.oMi[joint].rotation @ self._local[point]) @ twists[3:]

    def differentiate(self, forces: np.ndarray, prices: np.ndarray, *, gravity: bool = True) -> np.ndarray:
        gradients = ConfigurationGradients(self.model, self.kinematics, gravity=gravity)
        return gradients.compute(self.region.joints, self.points.positions, forces, prices[self.region.program.first_torque :])


def draw(robot: str, seed: int) -> Iterator[tuple[Braced, np.random.Generator]]:
    """Yield configurations at which there is a region."""
    model, rng = load_model(robot), np.random.default_rng(seed)
    found = 0
    while found < CASES:
        q = pin.integrate(model.pinocchio, model.q_nominal, np.concatenate([np.zeros(6), 0.2 * rng.normal(size=model.n)]))
        braced = Braced(model, q, pin.exp3(0.3 * rng.normal(size=3)) @ (-1.0, 0.0, 0.0))
        try:
            braced.build()
        except NoRegion:
            continue
        found += 1
        yield braced, rng


def solve(program: RegionProgram) -> VertexMemory:
    memory = program.make_memory(18)
    program.find_extremes(space_directions(), memory)
    return memory


def find_edge(program: RegionProgram, com: np.ndarray) -> Edge:
    return find_nearest_edge(program, solve(program), com)


def list_held(prices: np.ndarray) -> np.ndarray:
    return np.abs(prices) > 1e-9


def describe_basis(vertices: list[Vertex]) -> np.ndarray:
    """Return which rows limit and which points bear: kinks are where any of it changes."""
    prices = np.stack([vertex.coordinate_prices for vertex in vertices])
    bearing = np.abs(np.stack([vertex.forces for vertex in vertices])) > 1e-6
    return np.concatenate([list_held(prices).ravel(), bearing.ravel()])


def limit_torques(vertices: list[Vertex]) -> bool:
    return any(list_held(vertex.coordinate_prices[FIRST_TORQUE:]).any() for vertex in vertices)


Reading = tuple[float, list[Vertex]]  # what is differentiated, and the vertices it comes from


def read_vertex(way: np.ndarray, program: RegionProgram) -> Reading:
    vertex = find_vertex(program, way)
    return float(way @ vertex.position), [vertex]


def read_margin(com: np.ndarray, program: RegionProgram) -> Reading:
    edge = find_edge(program, com)
    on_vertex = bool((edge.start.position == edge.end.position).all())
    return edge.margin, [edge.start] if on_vertex else [edge.start, edge.end]


def read_area(program: RegionProgram) -> Reading:
    memory = solve(program)
    ends = [
        Vertex(position=position, direction=way, forces=forces, coordinate_prices=prices.T)
        for position, way, forces, prices in zip(
            memory.positions, space_directions(), memory.forces, memory.prices, strict=True
        )
    ]
    return compute_area(memory.positions), ends


def draw_from_all(seed: int) -> Iterator[tuple[Braced, np.random.Generator]]:
    """Yield configurations of all robots."""
    for robot in ROBOTS:
        yield from draw(robot, seed)


class Score:
    """Compares gradients with differences off the kinks: where the same rows limit to either side."""

    def __init__(self, tolerance: float = EXACT) -> None:
        self.tolerance = tolerance
        self.compared = self.limited = 0

    def compare(
        self, gradient: float, build: Callable[[float], RegionProgram], read: Callable[[RegionProgram], Reading]
    ) -> None:
        values, vertices = zip(*(read(build(h * STEP)) for h in (-2, -1, 0, 1, 2)), strict=True)
        held = [describe_basis(ends) for ends in vertices]
        if not all(np.array_equal(one, held[0]) for one in held[1:]):
            return
        difference = (8.0 * (values[3] - values[1]) - (values[4] - values[0])) / (12.0 * STEP)
        assert gradient == pytest.approx(difference, rel=self.tolerance, abs=self.tolerance * MIN_GRADIENT)
        self.compared += 1
        self.limited += limit_torques(vertices[0])

    def check(self) -> None:
        """Check that kinks were rare, and that torques limited in half of the cases."""
        assert self.compared > 0.6 * CASES * len(ROBOTS)
        assert self.limited >= 0.5 * self.compared


def draw_way(rng: np.random.Generator) -> np.ndarray:
    way = rng.normal(size=2)
    return way / np.linalg.norm(way)


@pytest.mark.parametrize("gravity", [True, False], ids=["both terms", "the paper's matrix term alone"])
def test_a_vertex_moves_with_the_configuration_as_its_gradient_says(gravity: bool) -> None:
    score = Score()
    for braced, rng in draw_from_all(1):
        way, motion = draw_way(rng), braced.draw_motion(rng)
        vertex = find_vertex(braced.build(), way)
        moved = braced.move_joints(motion, gravity=gravity)
        score.compare(
            braced.differentiate(vertex.forces, vertex.prices, gravity=gravity) @ motion,
            moved,
            partial(read_vertex, way),
        )
    score.check()


def test_the_margin_changes_with_the_configuration_as_its_gradient_says() -> None:
    score = Score()
    for braced, rng in draw_from_all(2):
        edge, motion = find_edge(braced.build(), braced.com), braced.draw_motion(rng)
        moved = braced.move_joints(motion)
        score.compare(
            braced.differentiate(edge.forces, edge.start.prices) @ motion,
            moved,
            partial(read_margin, braced.com),
        )
    score.check()


def test_a_vertex_moves_with_the_contacts_as_its_gradient_says() -> None:
    score = Score()
    for braced, rng in draw_from_all(4):
        way, shift = draw_way(rng), rng.normal(size=(3, 3))[braced.points.owners]
        vertex = find_vertex(braced.build(), way)
        moved = braced.move_points(shift)
        gradient = compute_position_gradient(way, vertex.forces, vertex.prices, braced.model.weight)
        score.compare(
            float((gradient * shift).sum()),
            moved,
            partial(read_vertex, way),
        )
    score.check()


def test_the_margin_changes_with_the_contacts_as_its_gradient_says() -> None:
    score = Score()
    for braced, rng in draw_from_all(5):
        edge, shift = find_edge(braced.build(), braced.com), rng.normal(size=(3, 3))[braced.points.owners]
        moved = braced.move_points(shift)
        gradient = compute_position_gradient(edge.normal, edge.forces, edge.start.prices, braced.model.weight)
        score.compare(
            float((gradient * shift).sum()),
            moved,
            partial(read_margin, braced.com),
        )
    score.check()


def test_the_area_changes_with_the_contacts_as_its_gradient_says() -> None:
    score = Score(AREA)
    for braced, rng in draw_from_all(6):
        memory, shift = solve(braced.build()), rng.normal(size=(3, 3))[braced.points.owners]
        moved = braced.move_points(shift)
        score.compare(
            float((compute_area_position_gradient(memory, braced.model.weight) * shift).sum()),
            moved,
            read_area,
        )
    score.check()


def test_gravity_counts_only_where_torques_limit() -> None:
    limited = 0
    for braced, rng in draw("talos", 7):
        vertex = find_vertex(braced.build(), draw_way(rng))
        both, paper = (braced.differentiate(vertex.forces, vertex.prices, gravity=gravity) for gravity in (True, False))
        if list_held(vertex.prices)[braced.region.program.first_torque :].any():
            limited += 1
            assert np.abs(both - paper).max() > 1e-3 * np.abs(paper).max()
        else:
            assert not both.any()
            assert not paper.any()
    assert 0 < limited < CASES


def test_gradients_are_those_of_pinocchios_static_torques() -> None:
    for robot in ROBOTS:
        braced, rng = next(draw(robot, 8))
        model, data = braced.model.pinocchio, braced.model.pinocchio.createData()
        forces, prices = rng.normal(size=(9, 3)), rng.normal(size=braced.model.n)
        external = [pin.Force.Zero() for _ in range(model.njoints)]
        turning = np.zeros(model.nv)  # Pinocchio's forces turn with the links: df = omega x f
        placements = braced._data().oMi
        weights = np.concatenate([np.zeros(6), prices])
        for k, joint in enumerate(braced.region.joints.tolist()):
            local = placements[joint].rotation.T @ forces[k]
            external[joint] += pin.Force(local, np.cross(braced._local[k], local))
            turns = pin.getJointJacobian(model, braced._data(), joint, pin.LOCAL_WORLD_ALIGNED)[3:]
            turning += np.cross(braced._compute_jacobian(braced._data(), k) @ weights, forces[k]) @ turns
        expected = weights @ pin.computeStaticTorqueDerivatives(model, data, braced.q, pin.StdVec_Force(external)) - turning
        first = np.zeros(braced.region.program.first_torque)
        computed = braced.differentiate(forces, braced.model.weight * np.concatenate([first, prices]))
        assert computed == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def find_change(moved: Callable[[float], RegionProgram], way: np.ndarray, end: float) -> float | None:
    """Return where other rows begin to limit the vertex on the way from 0 to an end; None where none do."""

    def is_as_at_first(h: float) -> bool:
        return bool((list_held(find_vertex(moved(h), way).prices) == first).all())

    first = list_held(find_vertex(moved(0.0), way).prices)
    low, high = 0.0, end
    if is_as_at_first(high):
        return None
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_as_at_first(middle) else (low, middle)
    return high


def test_at_a_kink_the_gradient_is_that_of_one_side() -> None:
    kinks = 0
    for braced, rng in draw("talos", 9):
        way, shift = draw_way(rng), rng.normal(size=(3, 3))[braced.points.owners]
        moved = braced.move_points(shift)
        at = find_change(moved, way, 0.01)
        if at is None:
            continue
        before, here, after = (float(way @ moved(at + h).find_extreme(way)) for h in (-1e-6, 0.0, 1e-6))
        left, right = (here - before) / 1e-6, (after - here) / 1e-6
        if abs(left - right) < 1e-2:
            continue
        kinks += 1
        vertex = find_vertex(moved(at), way)
        gradient = compute_position_gradient(way, vertex.forces, vertex.prices, braced.model.weight)
        # Within what differences over a micrometre tell.
        assert min(abs((gradient * shift).sum() - side) for side in (left, right)) < 1e-4
    assert kinks > 0
