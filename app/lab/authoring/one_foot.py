r"""Whether a robot can hold its centre of mass over one of its soles, whatever posture it takes.

From the nominal posture on, steps

.. math::

    \min_{\delta} \|J_{c,xy}\,\delta - (p - c)_{xy}\|^2 + \epsilon \|\delta\|^2 \quad \text{s.t.} \quad
    J_f\,\delta = e_f, \quad \underline{q} \leq q + \delta \leq \overline{q}, \quad |\delta| \leq \bar\delta

bring the centre of mass c over the sole's middle p, as far as the joints' limits let it, with the sole flat where it is.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.qp import DaqpSolver, QuadraticProgram

STEPS, MAX_JOINT_STEP = 80, 0.1
"""Steps that are taken, and the largest change of a joint in one [rad]."""

_DAMPING = 1e-5


def find_com_over_sole(model: RobotModel, foot: int) -> np.ndarray:
    """Find how near the centre of mass comes to the middle of a sole, seen from above in the sole's axes, shape ``(2,)`` [m].

    Args:
        model: Robot.
        foot: Effector with a sole that it stands on.
    """
    solver, kinematics, q = DaqpSolver(), EffectorKinematics(model), model.q_nominal.copy()
    kinematics.update(q)
    sole = pin.SE3(kinematics.poses[foot].copy())
    for _ in range(STEPS):
        solution = solver.solve(_make_step(model, kinematics, q, foot, sole))
        if not solution.solved:
            break
        q = pin.integrate(model.pinocchio, q, solution.x)
        kinematics.update(q)
    return np.asarray((sole.rotation.T @ (kinematics.position_com_in_world - sole.translation))[:2])


def describe_one_foot_lack(model: RobotModel) -> str:
    """Say in words which of two soles cannot support a robot alone, and what is missing; empty where each can."""
    feet = [i for i, effector in enumerate(model.effectors) if effector.standing]
    lacks = (_describe_lack(model, foot) for foot in feet) if len(feet) == 2 else ()
    return next((lack for lack in lacks if lack), "")


def _describe_lack(model: RobotModel, foot: int) -> str:
    half_lengths = model.effectors[foot].half_lengths
    if half_lengths is None:
        return ""
    inside = np.array(half_lengths) - model.description.margins.reference
    off = np.abs(find_com_over_sole(model, foot))
    if (off <= inside).all():
        return ""
    axis = int(np.argmax(off - inside))
    return (
        f"over {model.effectors[foot].name} its centre of mass stays {1e3 * off[axis]:.0f} mm from the sole's middle in any "
        f"posture, and to stand on it alone takes {1e3 * inside[axis]:.0f} mm"
    )


def _make_step(model: RobotModel, kinematics: EffectorKinematics, q: np.ndarray, foot: int, sole: pin.SE3) -> QuadraticProgram:
    pose = kinematics.poses[foot]
    error = np.concatenate([sole.translation - pose[:3, 3], pin.log3(sole.rotation @ pose[:3, :3].T)])
    over = sole.translation[:2] - kinematics.position_com_in_world[:2]
    com = kinematics.jacobian_com[:2]
    bounds = np.full(model.nv, MAX_JOINT_STEP)
    return QuadraticProgram(
        H=com.T @ com + _DAMPING * np.eye(model.nv),
        f=-com.T @ over,
        A=kinematics.jacobians[foot],
        lower=np.concatenate([-bounds[:6], np.maximum(-bounds[6:], np.minimum(0.0, model.lower - q[7:])), error]),
        upper=np.concatenate([bounds[:6], np.minimum(bounds[6:], np.maximum(0.0, model.upper - q[7:])), error]),
        equalities=6,
    )
