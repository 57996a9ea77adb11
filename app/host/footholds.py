"""Where a robot starts in a world: on two footholds of different heights and tilts, before a wall, or at the origin."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.host.standing import find_standing_posture
from handhold.app.host.starting_place import find_free_approach_distance
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics, damp_motion
from handhold.robots.qp import make_solver
from handhold.robots.tasks.center_of_mass import CenterOfMassTask
from handhold.robots.tasks.pose import ORIENTATION, FrameTargets, PoseTask
from handhold.robots.worlds import FOOTHOLDS, Solid, load_world

EXACT = 1e-6
"""Maximum error of the soles' poses [m, rad]."""

_STEPS = 200
_DAMPING = 1e-4


class OutOfReach(AppError):
    """A robot's feet do not come to their footholds."""

    def __init__(self, source: str, error: float) -> None:
        self.source = source
        self.error = error
        super().__init__(f"{source}: its feet stay {error:.3f} m or rad off their footholds; take another robot")


def find_top(foothold: Solid) -> pin.SE3:
    """Find the middle of a box's upper face, z along its outward normal, in world."""
    return foothold.to_se3() * pin.SE3(np.eye(3), np.array([0.0, 0.0, foothold.half_size[2]]))


def find_start(world: str, model: RobotModel) -> np.ndarray:
    """Find the posture in which a robot starts in a world.

    That is on its footholds where it has some, else on the floor: before the solid that the world names, or at the origin.

    Returns:
        Configuration, shape ``(nq,)``.

    Raises:
        OutOfReach: The feet do not come to the footholds.
        NoEquilibrium: The robot does not stand there.
    """
    about = load_world(world)
    solids = {solid.name: solid for solid in about.solids}
    if solids.keys() >= set(FOOTHOLDS):
        return find_posture_on_footholds(world, model)
    q = find_standing_posture(model)
    if about.start_before:
        q[0] += find_free_approach_distance(solids[about.start_before], model, q)
    return q


def find_posture_on_footholds(world: str, model: RobotModel) -> np.ndarray:
    """Find a posture in balance with the left sole on the world's left foothold and the right one on its right.

    Returns:
        Configuration, shape ``(nq,)``.

    Raises:
        OutOfReach: The feet do not come there.
        NoEquilibrium: The robot does not stand there.
    """
    solids = {solid.name: solid for solid in load_world(world).solids}
    q = find_standing_posture(model)
    poses = model.effector_poses(q)
    feet = sorted((i for i, e in enumerate(model.effectors) if e.standing), key=lambda i: -poses[i, 1, 3])
    tops = [find_top(solids[name]) for name in FOOTHOLDS]
    q = _bring_feet(model, q, dict(zip(feet, tops, strict=True)))
    seiko = Seiko(model, Stance.of_reference(model, feet), q, make_solver("daqp"))
    seiko.project_to_equilibrium()
    return seiko.q


def _bring_feet(model: RobotModel, q: np.ndarray, sole_poses: dict[int, pin.SE3]) -> np.ndarray:
    """Bring soles to poses, the centre of mass above their middle, the base upright and the rest as little as can be."""
    kinematics = EffectorKinematics(model, with_trunk=True)
    kinematics.update(q)
    feet, base, targets = np.array(list(sole_poses)), len(model.effectors), FrameTargets.at_rest(kinematics)
    for foot, sole_pose in sole_poses.items():
        targets.poses[foot] = sole_pose.homogeneous
    targets.poses[base] = np.eye(4)
    com = CenterOfMassTask(kinematics)
    com.desired = np.array([0.0, 0.0, np.nan])
    com.target = np.array([*np.mean([sole_pose.translation[:2] for sole_pose in sole_poses.values()], axis=0), 0.0])
    soles = PoseTask(kinematics, feet, targets, weights=np.ones(6))
    upright = PoseTask(kinematics, np.array([base]), targets, weights=np.ones(6), halves=ORIENTATION)
    tasks = (soles, com, upright, *damp_motion(model, _DAMPING))
    inverse = InverseKinematics(model, kinematics, make_solver("daqp"), tasks)
    q = inverse.solve(q, iterations=_STEPS, exact=EXACT)
    if (error := inverse.measure_error(q)) >= EXACT:
        raise OutOfReach(model.description.source, error)
    return q
