"""``bench region``: the stability region of Talos while an operator moves it, a hand braced on a wall."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handhold.app.lab.benches.stances import NORMAL, brace
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.stability.incremental_region import IncrementalRegion
from handhold.retarget.stability.region_edge import Edge, find_nearest, order_hull
from handhold.retarget.stability.region_gradients import ConfigurationGradients
from handhold.retarget.stability.robot_region import RobotRegion, make_reference_region
from handhold.retarget.stability.support_region import compute_exact_region, space_directions
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel, load_model

DURATION = 20.0
"""Duration of the motion [s]."""

EXACT_EVERY = 10
"""Ticks from one comparison with the exact region, and one solve of the calibration problem, to the next."""

_WARM = 50

MUSTS = {"region_full": (300.0, 1.7), "region_incremental": (130.0, 0.75), "margin_gradient": (334.0, 1.9)}
"""What must be kept: one of the two, in us or in kernels."""

AIMS = {"region_full": 80.0, "region_incremental": 40.0, "margin_gradient": 60.0}
"""What we would like [us]."""


def record_motion(model: RobotModel, duration: float = DURATION) -> list[np.ndarray]:
    """Record the configurations of a robot whose other hand and centre of mass an operator moves, one a period."""
    seiko, hand = brace(model), model.effector_index("right_hand")
    configurations = []
    for targets in _command(seiko, hand, duration):
        seiko.step(targets, PERIOD)
        configurations.append(seiko.q.copy())
    return configurations


def _command(seiko: Seiko, hand: int, duration: float) -> Iterator[SeikoTargets]:
    """Yield what the operator commands: the hand ahead, aside and up, the centre of mass to and fro, in unlike periods."""
    start = seiko.kinematics.poses.copy()
    for tick in range(round(duration / PERIOD)):
        time = PERIOD * tick
        poses = start.copy()
        poses[hand, :3, 3] += 0.15 * (1.0 - np.cos(1.3 * time)), -0.1 * np.sin(0.9 * time), 0.1 * np.sin(1.7 * time)
        sway = np.array([0.04 * np.sin(0.8 * time), 0.03 * np.sin(1.1 * time), 0.02 * np.sin(0.7 * time)])
        yield SeikoTargets(effector_poses=poses, velocity_com_in_world=sway)


class RegionTimer:
    """Computes the region by every method at one configuration after another, and times it."""

    def __init__(self, model: RobotModel, q: np.ndarray) -> None:
        """Take the stance on both feet and the left hand at a configuration."""
        self.stopwatch = Stopwatch()
        self.limited = 0
        self._model = model
        self._kinematics = EffectorKinematics(model)
        self._kinematics.update(q)
        self._full, followed, self._exact = (self._make_region() for _ in range(3))
        self._incremental = IncrementalRegion(followed)
        self._memory = self._full.program.make_memory(len(space_directions()))
        self._gradients = ConfigurationGradients(model, self._kinematics)
        self._directions = space_directions()
        self._point = self._kinematics.position_com_in_world[:2]

    def _make_region(self) -> RobotRegion:
        model = self._model
        in_contact = np.array([effector.standing or effector.name == "left_hand" for effector in model.effectors])
        normals = np.tile(NORMAL, (len(in_contact), 1))
        return make_reference_region(model, self._kinematics, in_contact, normals)

    def tick(self, q: np.ndarray) -> Edge:
        """Compute all three, the kinematics included; return the edge of the incremental update.

        Raises:
            NoRegion: There is none.
        """
        watch = self.stopwatch
        watch.start()
        self._kinematics.update(q)
        watch.mark("kinematics")
        self._full.build()
        watch.mark("build")
        self._full.program.find_extremes(self._directions, self._memory)
        watch.mark("queries")
        edge = self._incremental.update(self._point)
        watch.mark("incremental")
        region = self._incremental.region
        prices = edge.start.prices[region.program.first_torque :]
        gradient = self._gradients.compute(region.joints, region.points.positions, edge.forces, prices)
        watch.mark("gradient")
        self.limited += bool(gradient.any())
        return edge

    def measure_errors(self, edge: Edge) -> tuple[float, float]:
        """Return how far the margins of the queries and of the incremental update are from the exact one [m]."""
        exact = compute_distance(compute_exact_region(self._exact.build()), self._point)
        return abs(compute_distance(self._memory.positions, self._point) - exact), abs(edge.margin - exact)


def compute_distance(vertices: np.ndarray, point: np.ndarray) -> float:
    """Compute how far a point is inside the hull of points, negative outside [m]."""
    order, normal = np.zeros(len(vertices), dtype=np.int64), np.zeros(2)
    count = order_hull(vertices, order)
    return find_nearest(vertices, order[:count], point, normal)[2]


def run_region_bench() -> Outcome:
    """Time region, incremental update and margin gradient on a recorded motion, and compare with the exact region."""
    model = load_model("talos")
    motion = record_motion(model)
    warm = RegionTimer(model, motion[0])
    for q in motion[:_WARM]:
        warm.measure_errors(warm.tick(q))
    timer, kernel = RegionTimer(model, motion[0]), KernelClock()
    errors, margins = [], []
    for tick, q in enumerate(motion):
        edge = timer.tick(q)
        margins.append(edge.margin)
        if tick % EXACT_EVERY == 0:
            errors.append(timer.measure_errors(edge))
            kernel.tick()
    stages = {name: np.array(times) / 1e3 for name, times in timer.stopwatch.stages.items()}
    times = {
        "region_full": stages["kinematics"] + stages["build"] + stages["queries"],
        "region_incremental": stages["kinematics"] + stages["incremental"],
        "margin_gradient": stages["gradient"],
    }
    queries_error, incremental_error = 1e3 * np.max(errors, axis=0)
    return Outcome(
        name="region",
        robot="talos",
        engine=None,
        seed=0,
        commit=current_commit(),
        duration_s=len(motion) * PERIOD,
        fell=None,
        figures=[
            *(figure for name in times for figure in measure(name, times[name], kernel.microseconds)),
            Figure("kernel", kernel.microseconds, "us"),
            *(Figure(f"stage_{name}", float(np.median(spent)), "us") for name, spent in stages.items()),
            Figure("queries_error", float(queries_error), "mm"),
            Figure("incremental_error", float(incremental_error), "mm"),
            Figure("margin_min", float(np.min(margins)), "m"),
            Figure("margin_max", float(np.max(margins)), "m"),
        ],
        extra={"limited_by_torque": timer.limited / len(motion)},
    )


def measure(name: str, times: np.ndarray, kernel: float) -> list[Figure]:
    """Turn times [us] into their median, its multiple of the kernel [us] and p99; of the two bounds either will do."""
    median = float(np.median(times))
    must, must_kernels = MUSTS[name]
    in_time, in_kernels = median <= must, median / kernel <= must_kernels
    return [
        Figure(name, median, "us", must=None if in_kernels and not in_time else must, aim=AIMS[name]),
        Figure(f"{name}_kernels", median / kernel, "-", must=None if in_time and not in_kernels else must_kernels),
        Figure(f"{name}_p99", float(np.percentile(times, 99)), "us"),
    ]
