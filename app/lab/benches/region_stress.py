"""``bench region --stress N``: random and degenerate regions, each against HiGHS: wrong answers, wrong values, exceptions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.retarget.stability.contact_points import ConeModel, ContactPoints, compute_generators
from handhold.retarget.stability.simplex import Status
from handhold.retarget.stability.support_region import JointTorques, NoRegion, RegionProgram, compute_exact_region

DIRECTIONS = 4
"""Directions in which each program is asked."""

WEIGHT = 900.0
"""Weight of the robot, where a kind does not change it [N]."""

HIGHS_TOLERANCE = 1e-10
"""The finest that HiGHS takes [-]."""

CLEAR = 1e-6
"""How much bounds are widened and narrowed [of the weight]: where HiGHS then says both, the status is open."""

SHARPER = 1e4
"""How much more closely moments are held to find out whether a status hangs on tolerances [-]."""

_HIGHS = {0: Status.OPTIMAL, 2: Status.INFEASIBLE, 3: Status.UNBOUNDED}


@dataclass(frozen=True, slots=True)
class Problem:
    """One region to find.

    Attributes:
        points: Where the robot touches, and how.
        weight: Of the robot [N].
        torques: Limits of joints, or None.
    """

    points: ContactPoints
    weight: float = WEIGHT
    torques: JointTorques | None = None


@dataclass(slots=True)
class StressReport:
    """What came of many programs.

    Attributes:
        programs: How many.
        wrong_status: How many were feasible, infeasible or endless otherwise than HiGHS says, by kind.
        value_error: The largest difference of a value [m].
        exceptions: How many raised what is no answer, by kind.
        times: CPU time of each question [s].
        unknown: Programs of which HiGHS says that it cannot solve them.
    """

    programs: int
    wrong_status: Counter[str]
    value_error: float
    exceptions: Counter[str]
    times: np.ndarray
    unknown: int = 0


def _draw_positions(random: np.random.Generator, count: int, spread: float = 0.5) -> np.ndarray:
    return np.array([0.0, 0.0, 0.4]) + random.uniform(-spread, spread, (count, 3)) * (1.0, 1.0, 0.5)


def _frame(normal: np.ndarray) -> np.ndarray:
    normal = normal / np.linalg.norm(normal)
    other = np.eye(3)[np.argmin(np.abs(normal))]
    tangent = np.cross(normal, other)
    tangent /= np.linalg.norm(tangent)
    return np.stack([tangent, np.cross(normal, tangent), normal], axis=1)


def make_regular(random: np.random.Generator, contacts: int | None = None) -> Problem:
    """Two to five points, their normals mostly upward, with a maximum and a minimum normal force each."""
    count = contacts or int(random.integers(2, 6))
    normals = np.array([0.0, 0.0, 1.0]) + random.normal(0.0, 0.4, (count, 3))
    points = ContactPoints(
        positions=_draw_positions(random, count),
        frames=np.array([_frame(normal) for normal in normals]),
        friction=random.uniform(0.2, 1.0, count),
        owners=np.arange(count),
        max_forces=random.uniform(0.5, 3.0, count) * WEIGHT,
        min_forces=random.uniform(0.0, 0.02, count) * WEIGHT,
        names=tuple(str(k) for k in range(count)),
    )
    return Problem(points)


def make_soled(random: np.random.Generator, width: float | None = None) -> Problem:
    """Two soles of four points each on the ground, and one hand."""
    half = np.array([0.1, 0.06 if width is None else width])
    corners = np.array([[x, y, 0.0] for x in (-half[0], half[0]) for y in (-half[1], half[1])])
    feet = [corners + np.array([0.0, side * random.uniform(0.08, 0.15), 0.0]) for side in (-1.0, 1.0)]
    hand = np.array([0.4, 0.0, 0.6]) + _draw_positions(random, 1)
    turn = [*[np.eye(3)] * 8, _frame(np.array([-1.0, 0.0, 0.3]) + random.normal(0.0, 1.0, 3))]
    points = ContactPoints(
        positions=np.vstack([*feet, hand]),
        frames=np.array(turn),
        friction=np.full(9, random.uniform(0.3, 0.9)),
        owners=np.repeat([0, 1, 2], [4, 4, 1]),
        max_forces=np.array([np.inf, np.inf, random.uniform(0.05, 0.5) * WEIGHT]),
        min_forces=np.array([10.0, 10.0, 5.0]),
        names=("left", "right", "hand"),
    )
    return Problem(points)


def make_near_points(random: np.random.Generator) -> Problem:
    """Points that are almost where others are."""
    problem = make_regular(random)
    apart = 10.0 ** random.uniform(-13.0, -3.0)
    positions = problem.points.positions.copy()
    positions[1:] = positions[:1] + random.normal(0.0, apart, (len(positions) - 1, 3))
    if len(positions) > 3:
        positions[-1] = _draw_positions(random, 1)[0]
    return replace(problem, points=replace(problem.points, positions=positions))


def make_twice(random: np.random.Generator) -> Problem:
    """Every contact twice."""
    points = make_regular(random, int(random.integers(2, 4))).points
    double = {
        name: np.concatenate([getattr(points, name)] * 2)
        for name in ("positions", "frames", "friction", "max_forces", "min_forces")
    }
    owners, names = np.arange(2 * len(points.owners)), points.names * 2
    return Problem(ContactPoints(**double, owners=owners, names=names))


def make_walls(random: np.random.Generator) -> Problem:
    """Level normals, as of walls, and now and then one point on the ground."""
    problem = make_regular(random)
    angles = random.uniform(0.0, 2.0 * np.pi, len(problem.points.friction))
    frames = np.array([_frame(np.array([np.cos(a), np.sin(a), 0.0])) for a in angles])
    if random.random() < 0.6:
        frames[0] = np.eye(3)
    return replace(problem, points=replace(problem.points, frames=frames))


def make_slippery(random: np.random.Generator) -> Problem:
    """Friction of 0.01."""
    problem = make_regular(random)
    frames = np.array([_frame(np.array([*random.normal(0.0, 0.01, 2), 1.0])) for _ in problem.points.friction])
    return replace(problem, points=replace(problem.points, frames=frames, friction=np.full(len(frames), 0.01)))


def make_sticky(random: np.random.Generator) -> Problem:
    """Friction of 5: forces that hang on walls."""
    problem = make_walls(random)
    return replace(problem, points=replace(problem.points, friction=np.full(len(problem.points.friction), 5.0)))


def make_narrow(random: np.random.Generator) -> Problem:
    """Soles without width."""
    return make_soled(random, width=0.0 if random.random() < 0.5 else 10.0 ** random.uniform(-12.0, -4.0))


def make_equal(random: np.random.Generator) -> Problem:
    """Prescribed normal forces: the minimum is the maximum."""
    problem = make_regular(random)
    points = problem.points
    ratios = random.dirichlet(np.ones(len(points.friction)))
    prescribed = WEIGHT * ratios * random.choice([1.0, 1.02, 1.2])
    fixed = random.random(len(prescribed)) < 0.6
    return Problem(
        replace(
            points,
            max_forces=np.where(fixed, prescribed, points.max_forces),
            min_forces=np.where(fixed, prescribed, points.min_forces),
        )
    )


def make_nearly_infeasible(random: np.random.Generator) -> Problem:
    """Largest forces that together just carry the weight, or just do not."""
    points = make_regular(random).points
    frames = np.tile(np.eye(3), (len(points.friction), 1, 1))
    ratios = random.dirichlet(np.ones(len(points.friction)))
    room = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-5.0, -2.0)
    return Problem(replace(points, frames=frames, max_forces=WEIGHT * ratios * (1.0 + room), min_forces=np.zeros(len(ratios))))


def make_scaled(random: np.random.Generator) -> Problem:
    """Other units: grams to thousands of tons."""
    problem = make_soled(random)
    scale = 10.0 ** random.uniform(-4.0, 5.0)
    points = problem.points
    return Problem(replace(points, max_forces=scale * points.max_forces, min_forces=scale * points.min_forces), scale * WEIGHT)


def make_torques(random: np.random.Generator) -> Problem:
    """Joints that limit the forces."""
    problem = make_soled(random)
    joints = int(random.integers(3, 13))
    jacobians = random.normal(0.0, 0.4, (9, 3, joints)) * (random.random((9, 1, joints)) < 0.5)
    torques = JointTorques(
        jacobians=jacobians,
        gravity=random.normal(0.0, 10.0, joints),
        limits=random.uniform(20.0, 300.0, joints),
        names=tuple(str(k) for k in range(joints)),
    )
    return replace(problem, torques=torques)


def make_twin_torques(random: np.random.Generator) -> Problem:
    """Joints that say the same twice, or nothing, and one that can do nothing."""
    problem = make_torques(random)
    assert problem.torques is not None
    torques = problem.torques
    jacobians = np.concatenate([torques.jacobians, torques.jacobians, np.zeros((9, 3, 1))], axis=2)
    limits = np.concatenate([torques.limits, torques.limits * random.choice([1.0, 1.0 + 1e-9, 2.0]), [0.0]])
    gravity = np.concatenate([torques.gravity, torques.gravity, [0.0]])
    names = tuple(str(k) for k in range(len(limits)))
    return replace(problem, torques=JointTorques(jacobians=jacobians, gravity=gravity, limits=limits, names=names))


def make_line(random: np.random.Generator) -> Problem:
    """Points on one line, or a single one."""
    problem = make_regular(random)
    count = len(problem.points.friction)
    along = random.normal(0.0, 1.0, 3)
    positions = np.outer(random.uniform(-0.5, 0.5, count), along) * (random.random() < 0.8)
    return replace(problem, points=replace(problem.points, positions=positions))


KINDS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "regular": make_regular,
    "soles": make_soled,
    "near points": make_near_points,
    "contacts twice": make_twice,
    "walls": make_walls,
    "friction 0.01": make_slippery,
    "friction 5": make_sticky,
    "soles without width": make_narrow,
    "equal bounds": make_equal,
    "nearly infeasible": make_nearly_infeasible,
    "other units": make_scaled,
    "torques": make_torques,
    "torques twice": make_twin_torques,
    "a line": make_line,
}


class HighsRegion:
    """Equations 1 to 3 of [McCrory2024]_ as they stand there, the centre of mass a variable, solved by HiGHS."""

    def __init__(self, problem: Problem, cone: ConeModel) -> None:
        """Write the program down."""
        points, weight = problem.points, problem.weight
        generators = compute_generators(points, cone)
        count, sides, _ = generators.shape
        self._columns = count * sides + 3
        forces = generators.reshape(-1, 3).T
        self._middle = points.positions.mean(axis=0)
        arms = np.repeat(points.positions - self._middle, sides, axis=0)
        gravity = np.array([0.0, 0.0, -1.0])  # of the weight
        self._equations = np.zeros((6, self._columns))
        self._equations[:3, :-3] = forces
        self._equations[3:, :-3] = np.cross(arms, forces.T).T
        self._equations[3:, -3:] = -pin.skew(gravity)
        self._sides = np.concatenate([-gravity, np.zeros(3)])
        loads = np.zeros((len(points.max_forces), self._columns))
        loads[np.repeat(points.owners, sides), np.arange(count * sides)] = 1.0
        rows, ends = [loads, -loads], [points.max_forces / weight, -points.min_forces / weight]
        if problem.torques is not None:
            torques = problem.torques
            on_joints = np.einsum("kij,ksi->jks", torques.jacobians, generators).reshape(len(torques.limits), -1)
            on_joints = np.hstack([on_joints, np.zeros((len(on_joints), 3))])
            rows += [on_joints, -on_joints]
            ends += [(torques.gravity + torques.limits) / weight, (torques.limits - torques.gravity) / weight]
        self._rows, self._ends = np.vstack(rows), np.concatenate(ends)

    def solve(self, direction: np.ndarray, room: float = 0.0, sharpness: float = 1.0) -> tuple[Status, np.ndarray]:
        """Return the status and the extreme position of the centre of mass in a direction, shape ``(2,)`` [m].

        Args:
            direction: Shape ``(2,)``.
            room: What is added to every bound, those of the equations' residuals among them [of the weight].
            sharpness: What the equations of moments are multiplied by, so that HiGHS' tolerance is that much finer there.
        """
        costs = np.zeros(self._columns)
        costs[-3:-1] = -direction
        finite = np.isfinite(self._ends)
        rows, ends = [self._rows[finite]], [self._ends[finite] + room]
        equations = self._equations * np.repeat([1.0, sharpness], 3)[:, None]
        if room > 0.0:
            rows += [equations, -equations]
            ends += [self._sides + room, room - self._sides]
        found = linprog(
            costs,
            A_ub=np.vstack(rows),
            b_ub=np.concatenate(ends),
            A_eq=None if room > 0.0 else equations,
            b_eq=None if room > 0.0 else self._sides,
            bounds=[(0.0, None)] * (self._columns - 3) + [(None, None)] * 3,
            method="highs",
            # its presolve does not tell infeasible from unbounded
            options={
                "presolve": False,
                "primal_feasibility_tolerance": HIGHS_TOLERANCE,
                "dual_feasibility_tolerance": HIGHS_TOLERANCE,
            },
        )
        status = _HIGHS.get(found.status, Status.STALLED)
        return status, found.x[-3:-1] + self._middle[:2] if status is Status.OPTIMAL else np.full(2, np.nan)


def stress_regions(count: int, seed: int = 0) -> StressReport:
    """Solve so many programs of all kinds, and each of them with HiGHS."""
    random = np.random.default_rng(seed)
    report = StressReport(count, Counter(), 0.0, Counter(), np.zeros(0))
    times: list[float] = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        problem = KINDS[kind](random)
        angles = random.uniform(0.0, 2.0 * np.pi, DIRECTIONS)
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        try:
            _compare(kind, problem, directions, report, times)
        except Exception as error:  # whatever is raised is what is counted
            report.exceptions[f"{kind}: {type(error).__name__}"] += 1
    report.times = np.array(times)
    return report


def _compare(kind: str, problem: Problem, directions: np.ndarray, report: StressReport, times: list[float]) -> None:
    program = _make_program(problem)
    highs = HighsRegion(problem, program.cone)
    status = _answer(lambda: program.build(problem.points, problem.weight, problem.torques), times)[0]
    for direction in directions:
        value = np.nan
        if status is Status.OPTIMAL:
            status, extreme = _answer(lambda: program.find_extreme(direction), times)  # noqa: B023 - called at once
            value = float(direction @ extreme) if extreme is not None else np.nan
        expected, truth = highs.solve(direction)
        if expected is Status.STALLED:  # HiGHS does not know either
            report.unknown += 1
            return
        if status is not expected:
            if not _is_open(highs, direction):
                report.wrong_status[kind] += 1
            return
        if status is not Status.OPTIMAL:
            return
        report.value_error = max(report.value_error, abs(value - float(direction @ truth)))
    compute_exact_region(program)


def _make_program(problem: Problem) -> RegionProgram:
    points = problem.points
    joints = 0 if problem.torques is None else len(problem.torques.limits)
    return RegionProgram(len(points.friction), len(points.max_forces), joints)


def _answer(ask: Callable[[], np.ndarray | None], times: list[float]) -> tuple[Status, np.ndarray | None]:
    """Return what came of a question, and note its time."""
    begin = time.thread_time()
    try:
        return Status.OPTIMAL, ask()
    except NoRegion as none:
        return none.status, None
    finally:
        times.append(time.thread_time() - begin)


def _is_open(highs: HighsRegion, direction: np.ndarray) -> bool:
    """Whether the status hangs on tolerances: HiGHS says otherwise of bounds a little wider or narrower, or held more closely.

    Contacts some nanometres apart can take no moment about the vertical that counts, or none at all.
    """
    answers = {highs.solve(direction, room)[0] for room in (-CLEAR, 0.0, CLEAR)}
    return len(answers | {highs.solve(direction, sharpness=SHARPER)[0]}) > 1


def run_stress(count: int, seed: int = 0) -> Outcome:
    """Return the figures of so many programs."""
    begin = time.monotonic()
    _ = stress_regions(len(KINDS), seed + 1)  # compiled before anything is timed
    report = stress_regions(count, seed)
    median = float(np.median(report.times))
    return Outcome(
        name="region-stress",
        robot=None,
        engine=None,
        seed=seed,
        commit=current_commit(),
        duration_s=time.monotonic() - begin,
        fell=None,
        figures=[
            Figure("wrong_status", float(report.wrong_status.total()), "-", must=0.0),
            Figure("value_error", report.value_error, "m", must=1e-6),
            Figure("exceptions", float(report.exceptions.total()), "-", must=0.0),
            Figure("time_spread", float(np.percentile(report.times, 99.9)) / median, "-", must=10.0),
            Figure("unknown_to_highs", float(report.unknown), "-"),
            Figure("time_median", 1e6 * median, "us"),
            Figure("programs", float(report.programs), "-", must=float(count), larger_is_better=True),
        ],
        extra={"wrong": dict(report.wrong_status), "raised": dict(report.exceptions), "kinds": list(KINDS)},
    )
