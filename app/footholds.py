"""A robot that starts on two footholds of different heights and tilts."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.app.errors import AppError
from handhold.app.standing import find_standing_posture
from handhold.retarget.bracing.seiko import Seiko
from handhold.robots.contact import Stance
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.worlds import FOOTHOLDS, Solid, load_world

EXACT = 1e-6
"""How near the soles must be to their places [m, rad]."""

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
    """Find the posture in which a robot starts in a world: on its footholds where it has some, else flat on the floor.

    Returns:
        Configuration, shape ``(nq,)``.

    Raises:
        OutOfReach: The feet do not come to the footholds.
        NoEquilibrium: The robot does not stand there.
    """
    names = {solid.name for solid in load_world(world).solids}
    return stand_on_footholds(world, model) if names.issuperset(FOOTHOLDS) else find_standing_posture(model)


def stand_on_footholds(world: str, model: RobotModel) -> np.ndarray:
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
    seiko.settle()
    return seiko.q


def _bring_feet(model: RobotModel, q: np.ndarray, places: dict[int, pin.SE3]) -> np.ndarray:
    """Bring soles to places, the centre of mass above their middle, the base upright and the rest as little as can be."""
    kinematics = EffectorKinematics(model)
    middle = np.mean([place.translation[:2] for place in places.values()], axis=0)
    upright = np.zeros((3, model.nv))
    upright[:, 3:6] = np.eye(3)
    error = np.inf
    for _ in range(_STEPS):
        kinematics.update(q)
        feet = [_compute_error(kinematics.poses[foot], place) for foot, place in places.items()]
        error = float(np.abs(feet).max())
        com = middle - kinematics.position_com_in_world[:2]
        turned = -pin.log3(pin.Quaternion(q[3:7]).toRotationMatrix())
        tasks = np.vstack([*(kinematics.jacobians[foot] for foot in places), kinematics.jacobian_com[:2], upright])
        wanted = np.concatenate([*feet, com, turned])
        if np.abs(wanted).max() < EXACT:
            return q
        step = tasks.T @ np.linalg.solve(tasks @ tasks.T + _DAMPING * np.eye(len(tasks)), wanted)
        q = pin.integrate(model.pinocchio, q, step)
    raise OutOfReach(model.description.source, error)


def _compute_error(pose: np.ndarray, place: pin.SE3) -> np.ndarray:
    turn = place.rotation @ pose[:3, :3].T
    return np.concatenate([place.translation - pose[:3, 3], pin.log3(turn)])
