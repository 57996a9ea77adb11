"""Whether a robot can do a motion: limits, contacts, clearance, balance and torques, each violation one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.body_measures import list_states, measure_body
from handhold.retarget.motions.chart import BodyState
from handhold.retarget.motions.errors import MotionUnfit
from handhold.retarget.motions.force_distribution import Distribution, ForceDistribution
from handhold.retarget.motions.leg_placement import find_min_singular_value
from handhold.retarget.motions.motion import Motion
from handhold.retarget.motions.rest import find_rests, list_clear
from handhold.retarget.motions.support import compute_max_load_ratios
from handhold.robots.contact_kind import ContactKind
from handhold.robots.errors import closest
from handhold.robots.model import RobotModel
from handhold.robots.pinocchio_views import view_joint_poses
from handhold.robots.self_collision import SelfCollision

SAMPLE = 0.02
"""Time between two samples of a motion [s]."""

MAX_SLIP, MAX_ROTATION = 2e-3, 5e-3
"""How far a contact may move [m], and turn [rad], while it supports."""

MIN_SWING = 5e-3
"""How far a foot in the air may be below both footholds that it goes from and to [m]."""

SLACK = 1e-6
"""By how much a limit may be passed and still be kept [rad, rad/s]: rounding."""

STOP_SPEED, STOP_ACCELERATION = 1e-6, 1e-6
"""Speed [rad/s] and acceleration [rad/s^2] at which a motion counts as at rest at its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that a robot cannot do.

    Attributes:
        time: When it is worst [s].
        problem: What it is.
        remedy: What remedies it.
    """

    time: float
    problem: str
    remedy: str

    def describe(self, motion: Motion) -> str:
        """Return it in one line."""
        return f"{motion.name} at {self.time:.2f} s: {self.problem}; {self.remedy}"


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Examination:
    """What the check of a motion found.

    Attributes:
        violations: What the robot cannot do; empty where it can do all of it.
        times: When it was checked, shape ``(k,)`` [s].
        wrenches: Contact wrenches, as in a ``Reference``, shape ``(k, effectors, 6)``.
        torques: Joint torques, shape ``(k, n)`` [Nm].
        rests: Where the motion may stop and go on either way, shape ``(k,)``, bool.
        min_singular_value: Smallest singular value of a leg's Jacobian in it [m/rad].
    """

    violations: tuple[Violation, ...]
    times: np.ndarray
    wrenches: np.ndarray
    torques: np.ndarray
    rests: np.ndarray
    min_singular_value: float


def check_robot(motion: Motion, model: RobotModel) -> None:
    """Check that a robot has the joints and effectors of a motion.

    Raises:
        MotionUnfit: It has not, or the motion is another robot's.
    """
    name = model.description.name
    if motion.robot != name:
        raise MotionUnfit(motion.source, f"the motion is for {motion.robot}, not for {name}", f"make one for {name}")
    if motion.joints != model.joint_names:
        other = next((j for j in (*motion.joints, *model.joint_names) if j not in {*motion.joints} & {*model.joint_names}), "")
        problem = f"its joints are not those of {name}" + (f" ('{other}')" if other else ", or in another order")
        raise MotionUnfit(motion.source, problem, "make it again with: handhold motion optimise")
    known = tuple(effector.name for effector in model.effectors)
    for contact in motion.contacts:
        if contact.effector not in known:
            near = ", ".join(closest(contact.effector, known, 2)) or ", ".join(known)
            raise MotionUnfit(motion.source, f"{name} has no effector '{contact.effector}'", f"did you mean {near}?")


def examine(motion: Motion, model: RobotModel) -> Examination:
    """Check a motion every ``SAMPLE`` seconds, and the contact forces that it takes.

    Raises:
        MotionUnfit: The robot has not the joints or effectors of the motion.
    """
    check_robot(motion, model)
    return _Examiner(motion, model).examine()


class _Examiner:
    def __init__(self, motion: Motion, model: RobotModel) -> None:
        self._motion, self._model = motion, model
        self.times = np.linspace(0.0, motion.duration, max(2, round(motion.duration / SAMPLE) + 1))
        self._states = list_states(motion, self.times)
        self._poses, self._clearances = self._place_bodies()

    def examine(self) -> Examination:
        motion, model, forces = self._motion, self._model, ForceDistribution(self._model)
        max_load_ratios = [compute_max_load_ratios(motion, model, float(time)) for time in self.times]
        distributions = [
            forces.solve(state, load_limits) for state, load_limits in zip(self._states, max_load_ratios, strict=True)
        ]
        steady = np.zeros(len(self.times), dtype=bool)
        for k in np.flatnonzero(list_clear(self.times)):
            held = forces.solve(_stand_still(self._states[k]), max_load_ratios[k])
            steady[k] = held.balanced and held.within_torques
        body = measure_body(model, self._states)
        rests = find_rests(model, body, max_load_ratios, self.times, self._poses, steady)
        violations = (
            *self._check_joints(),
            *self._check_contacts(),
            *self._check_swings(),
            *self._check_clearance(),
            *self._check_loads(distributions),
            *self._check_ends(rests),
        )
        return Examination(
            violations=violations,
            times=self.times,
            wrenches=np.stack([each.wrenches for each in distributions]),
            torques=np.stack([each.torques for each in distributions]),
            rests=rests,
            min_singular_value=find_min_singular_value(model, np.stack([state.q for state in self._states])),
        )

    def _place_bodies(self) -> tuple[np.ndarray, list[tuple[float, str]]]:
        """Return where the effectors are, and the minimum clearance of bodies with their names."""
        model, data = self._model, self._model.pinocchio.createData()
        collision = SelfCollision(model) if model.bodies else None
        joint_poses = view_joint_poses(data, model.pinocchio.njoints)
        poses, clearances = [], []
        for state in self._states:
            pin.framesForwardKinematics(model.pinocchio, data, state.q)
            poses.append(np.stack([data.oMf[frame].homogeneous for frame in model.effector_frames]))
            if collision is not None:
                collision.update(joint_poses, everywhere=True)
                min_clearance = collision.find_nearest_pair()
                if min_clearance is not None:
                    clearances.append((min_clearance.distance, f"{min_clearance.bodies[0]} and {min_clearance.bodies[1]}"))
        return np.stack(poses), clearances

    def _check_joints(self) -> Iterator[Violation]:
        model = self._model
        q, v = (np.stack([getattr(state, name) for state in self._states]) for name in ("q", "v"))
        below, above, fast = model.lower - q[:, 7:], q[:, 7:] - model.upper, np.abs(v[:, 6:]) - model.velocity_limits
        for joint, name in enumerate(model.joint_names):
            for excess, limit, word in ((below, model.lower, "lower"), (above, model.upper, "upper")):
                worst = int(excess[:, joint].argmax())
                if excess[worst, joint] > SLACK:
                    value = q[worst, 7 + joint]
                    problem = f"{name} goes to {value:.3f} rad, beyond its {word} limit of {limit[joint]:.3f} rad"
                    yield self._make_violation(worst, problem, "move it less in the key postures next to it")
            worst = int(fast[:, joint].argmax())
            if fast[worst, joint] > SLACK:
                speed = abs(v[worst, 6 + joint])
                problem = f"{name} moves at {speed:.2f} rad/s, more than its {model.velocity_limits[joint]:.2f} rad/s"
                yield self._make_violation(worst, problem, "give the key postures next to it more time")

    def _check_contacts(self) -> Iterator[Violation]:
        for contact in self._motion.contacts:
            index = self._model.effector_index(contact.effector)
            supporting = np.flatnonzero((self.times >= contact.start - 1e-9) & (self.times <= contact.end + 1e-9))
            if not len(supporting):
                continue
            poses = self._poses[supporting, index]
            slips = np.linalg.norm(poses[:, :3, 3] - poses[0, :3, 3], axis=1)
            turns = np.array([np.linalg.norm(pin.log3(poses[0, :3, :3].T @ pose[:3, :3])) for pose in poses])
            worst, remedy = int(supporting[slips.argmax()]), "let it stay while it bears, or lift it between two contacts"
            if slips.max() > MAX_SLIP:
                yield self._make_violation(
                    worst, f"{contact.effector} slips by {1e3 * slips.max():.1f} mm while it bears", remedy
                )
            elif self._model.effectors[index].contact is ContactKind.PLANE and turns.max() > MAX_ROTATION:
                worst = int(supporting[turns.argmax()])
                yield self._make_violation(worst, f"{contact.effector} turns by {turns.max():.3f} rad while it bears", remedy)

    def _check_swings(self) -> Iterator[Violation]:
        for index, effector in enumerate(self._model.effectors):
            if not effector.is_foot:
                continue
            in_contact = np.array([effector.name in self._motion.list_supporting(float(time)) for time in self.times])
            if not in_contact.any():
                continue
            heights = self._poses[:, index, 2, 3]
            on_ground = np.flatnonzero(in_contact)
            before = heights[on_ground[np.maximum(np.searchsorted(on_ground, np.arange(len(in_contact)), "right") - 1, 0)]]
            after = heights[on_ground[np.minimum(np.searchsorted(on_ground, np.arange(len(in_contact))), len(on_ground) - 1)]]
            depth = np.where(in_contact, 0.0, np.minimum(before, after) - heights)
            worst = int(depth.argmax())
            if depth[worst] > MIN_SWING:
                yield self._make_violation(
                    worst, f"{effector.name} goes {1e3 * depth[worst]:.0f} mm into the ground", "lift it higher"
                )

    def _check_clearance(self) -> Iterator[Violation]:
        if not self._clearances:
            return
        min_clearance = self._model.description.self_collision.least_distance
        worst = min(range(len(self._clearances)), key=lambda k: self._clearances[k][0])
        distance, bodies = self._clearances[worst]
        if distance < min_clearance - SLACK:
            problem = f"{bodies} come within {1e3 * distance:.0f} mm of each other, less than {1e3 * min_clearance:.0f} mm"
            yield self._make_violation(worst, problem, "keep them apart in the key postures next to it")

    def _check_loads(self, distributions: list[Distribution]) -> Iterator[Violation]:
        missing = np.array([each.missing for each in distributions])
        if missing.max() > 0.0:
            worst = int(missing.argmax())
            supporting = " and ".join(self._motion.list_supporting(float(self.times[worst]))) or "nothing"
            problem = f"no balance on {supporting}: {missing[worst]:.0f} N (or Nm) are missing within the margins of the soles"
            yield self._make_violation(
                worst, problem, "give the key postures next to it more time, or move the centre of mass"
            )
        excess = np.stack([np.abs(each.torques) - self._model.torque_limits for each in distributions])
        excess[[each.within_torques for each in distributions]] = -np.inf
        for joint in np.flatnonzero(excess.max(axis=0) > 0.0):
            worst, limit = int(excess[:, joint].argmax()), self._model.torque_limits[joint]
            torque = limit + excess[worst, joint]
            problem = f"{self._model.joint_names[joint]} needs {torque:.1f} Nm, more than its {limit:.1f} Nm"
            yield self._make_violation(worst, problem, "choose an easier posture there, or more time")

    def _check_ends(self, rests: np.ndarray) -> Iterator[Violation]:
        for knot, word in ((0, "begin"), (-1, "end")):
            sample = self._motion.sample(float(self.times[knot]))
            moves = np.abs(sample.rate).max() > STOP_SPEED or np.abs(sample.acceleration).max() > STOP_ACCELERATION
            if moves or not rests[knot]:
                yield self._make_violation(
                    knot, f"it does not {word} at rest and in balance", "let it stand still over its feet there"
                )

    def _make_violation(self, sample: int, problem: str, remedy: str) -> Violation:
        return Violation(time=float(self.times[sample]), problem=problem, remedy=remedy)


def _stand_still(state: BodyState) -> BodyState:
    nothing = np.zeros_like(state.v)
    return BodyState(q=state.q, v=nothing, a=nothing)
