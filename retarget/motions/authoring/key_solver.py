"""From what key postures say to whole postures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.authoring.inverse_kinematics import PostureSolver, PostureTargets
from handhold.retarget.motions.authoring.key_postures import KeyPosture, KeyPostures, Placement
from handhold.retarget.motions.errors import MotionFileError, NoMotionFound
from handhold.robots.errors import closest
from handhold.robots.model import RobotModel

NAMED, OTHERS = 100.0, 0.1
"""Weights of joints that a key posture names, and of the others, which keep near the start posture."""

PLACED, UPRIGHT = (300.0, 300.0), (0.0, 3.0)
"""Weights of height and attitude of a pelvis that is placed, and of one that is only to be upright."""

FOOT_TOLERANCE, COM_TOLERANCE = 5e-3, 0.015
"""How far from where it should be a foot [m], and the centre of mass [m], may be in a key posture."""

SOFT_TOLERANCE = 0.04
"""How far from where they should be the pelvis and a hand may be [m]: their targets are soft."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class SolvedKey:
    """A key posture with all joints.

    Attributes:
        time: When it is reached [s].
        q: Configuration in the motion frame, shape ``(nq,)``.
        supporting: Indices of the effectors that support from here on.
        effector_poses: Where all effectors are, shape ``(effectors, 4, 4)``.
        position_com: Centre of mass, shape ``(3,)`` [m].
    """

    time: float
    q: np.ndarray
    supporting: tuple[int, ...]
    effector_poses: np.ndarray
    position_com: np.ndarray


def solve_keys(model: RobotModel, keys: KeyPostures) -> tuple[SolvedKey, ...]:
    """Find the whole postures of key postures.

    Raises:
        MotionFileError: They name something that the robot does not have.
        NoMotionFound: One of them cannot be reached.
    """
    _check_names(model, keys)
    solver = _KeySolver(model, keys)
    return tuple(solver.solve(k) for k in range(len(keys.keys)))


class _KeySolver:
    """Goes from one key posture to the next: each search begins where the one before ended."""

    def __init__(self, model: RobotModel, keys: KeyPostures) -> None:
        self._model, self._keys = model, keys
        self._solver = PostureSolver(model)
        self._feet = {index for index, effector in enumerate(model.effectors) if effector.standing}
        self._poses = model.effector_poses(model.q_nominal)
        for name, placement in keys.feet.items():
            foot = model.effector_index(name)
            self._poses[foot] = apply_placement(self._poses[foot], placement)
        self._start_base = pin.XYZQUATToSE3(model.q_nominal[:7]).homogeneous
        self._start_joints = model.q_nominal[7:]
        # The start posture: the nominal one, feet where the file has them, in balance over them.
        supporting = self._list_supporting(0)
        self._q = self._solver.solve(model.q_nominal, self._make_targets(KeyPosture(time=0.0), self._feet, supporting))
        self._start_joints, self._start_base = self._q[7:], self._solver.base_pose
        self._start_poses = self._solver.kinematics.poses[: len(model.effectors)].copy()
        self._poses = self._start_poses.copy()

    def solve(self, key: int) -> SolvedKey:
        """Find one posture."""
        posture = self._keys.keys[key]
        before, after = self._list_supporting(key - 1), self._list_supporting(key)
        named = {self._model.effector_index(name): placement for name, placement in posture.effectors.items()}
        for effector, placement in named.items():
            desired = apply_placement(self._start_poses[effector], placement)
            if key > 0 and effector in before:
                self._refuse_to_move(posture, effector, desired)
            self._poses[effector] = desired
        common = tuple(e for e in after if e in before) or after
        targets = self._make_targets(posture, self._feet | set(before) | set(after) | set(named), common)
        self._q = self._solver.solve(self._q, targets)
        self._check(posture, targets)
        kinematics, count = self._solver.kinematics, len(self._model.effectors)
        return SolvedKey(
            time=posture.time,
            q=self._q.copy(),
            supporting=after,
            effector_poses=kinematics.poses[:count].copy(),
            position_com=kinematics.position_com_in_world.copy(),
        )

    def _list_supporting(self, key: int) -> tuple[int, ...]:
        return tuple(sorted(self._model.effector_index(name) for name in self._keys.list_supporting(key)))

    def _make_targets(self, posture: KeyPosture, placed: set[int], common: tuple[int, ...]) -> PostureTargets:
        joints, weights = self._start_joints.copy(), np.full(self._model.n, OTHERS)
        for name, value in posture.joints.items():
            joints[self._model.joint_names.index(name)] = value
            weights[self._model.joint_names.index(name)] = NAMED
        pelvis = posture.pelvis
        return PostureTargets(
            effectors={effector: self._poses[effector] for effector in sorted(placed)},
            com=self._poses[list(common), :2, 3].mean(axis=0) + np.array(posture.com),
            base=self._start_base if pelvis is None else apply_placement(self._start_base, pelvis),
            base_weights=UPRIGHT if pelvis is None else PLACED,
            joints=joints,
            joint_weights=weights,
        )

    def _check(self, posture: KeyPosture, targets: PostureTargets) -> None:
        """Check that a posture is what it should be."""
        kinematics, model = self._solver.kinematics, self._model
        for effector, pose in targets.effectors.items():
            about = model.effectors[effector]
            distance = float(np.linalg.norm(kinematics.poses[effector, :3, 3] - pose[:3, 3]))
            if distance > (FOOT_TOLERANCE if about.is_foot else SOFT_TOLERANCE):
                self._fail(posture, f"{about.name} misses its place by {distance:.3f} m", "place it nearer")
        com_error = float(np.linalg.norm(kinematics.position_com_in_world[:2] - targets.com))
        if com_error > COM_TOLERANCE:
            problem = f"the centre of mass is {com_error:.3f} m from where it would be balanced"
            self._fail(posture, problem, "place pelvis, hands or joints so that it can be there")
        low = abs(float(self._solver.base_pose[2, 3] - targets.base[2, 3]))
        if posture.pelvis is not None and low > SOFT_TOLERANCE:
            self._fail(posture, f"the pelvis misses its height by {low:.3f} m", "ask for less")

    def _refuse_to_move(self, posture: KeyPosture, effector: int, desired: np.ndarray) -> None:
        if np.abs(desired - self._poses[effector]).max() > 1e-6:
            name = self._model.effectors[effector].name
            self._fail(posture, f"{name} moves while it bears", "take it out of 'bear' of the key posture before")

    def _fail(self, posture: KeyPosture, problem: str, remedy: str) -> None:
        raise NoMotionFound(self._keys.source, f"key posture at {posture.time:g} s: {problem}", remedy)


def apply_placement(start: np.ndarray, placement: Placement) -> np.ndarray:
    """Return a pose that is placed relative to a start pose, both homogeneous."""
    pose = start.copy()
    pose[:3, 3] += placement.offset
    pose[:3, :3] = pin.rpy.rpyToMatrix(*placement.rpy) @ start[:3, :3]
    return pose


def _check_names(model: RobotModel, keys: KeyPostures) -> None:
    effectors = tuple(effector.name for effector in model.effectors)
    for k, posture in enumerate(keys.keys):
        for name in (*(posture.bear or ()), *posture.effectors):
            _check_name(keys.source, f"keys.{k}", "effector", name, effectors)
        for name in posture.joints:
            _check_name(keys.source, f"keys.{k}.joints", "joint", name, model.joint_names)
    for name in keys.feet:
        _check_name(keys.source, "feet", "effector", name, effectors)


def _check_name(source: str, where: str, kind: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        near = closest(name, known, 3)
        remedy = f"did you mean {' or '.join(near)}?" if near else f"take one of {', '.join(known)}"
        raise MotionFileError(source, f"{where}: the robot has no {kind} '{name}'", remedy)
