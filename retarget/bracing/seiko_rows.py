"""SEIKO's costs and constraints as rows, assembled without an allocation."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.kinematics import rotation_log
from handhold.robots.whole_body_program import FORCE_UNIT


@njit(cache=True)
def place_wrenches_in_joints(
    wrenches: np.ndarray,
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    poses: np.ndarray,
    placements: np.ndarray,
    out: np.ndarray,
) -> None:
    """Express every contact's wrench at the origin and along the axes of the joint that carries it.

    Args:
        wrenches: Stacked wrenches of the stance, shape ``(l,)``.
        effectors: Places of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        poses: Effector poses in world, shape ``(effectors, 4, 4)``.
        placements: Effectors in their joints, shape ``(effectors, 4, 4)``.
        out: Filled, shape ``(contacts, 6)``, force before moment.
    """
    local = np.zeros(6)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            local[:] = wrenches[6 * k : 6 * k + 6]
        else:
            o = 6 * planes + 3 * (k - planes)
            fx, fy, fz = wrenches[o], wrenches[o + 1], wrenches[o + 2]
            x, y, z = arms[k]
            mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
            for i in range(3):
                local[i] = poses[e, 0, i] * fx + poses[e, 1, i] * fy + poses[e, 2, i] * fz
                local[3 + i] = poses[e, 0, i] * mx + poses[e, 1, i] * my + poses[e, 2, i] * mz
        for i in range(3):
            out[k, i] = 0.0
            out[k, 3 + i] = 0.0
            for j in range(3):
                out[k, i] += placements[e, i, j] * local[j]
                out[k, 3 + i] += placements[e, i, j] * local[3 + j]
        x, y, z = placements[e, 0, 3], placements[e, 1, 3], placements[e, 2, 3]
        fx, fy, fz = out[k, 0], out[k, 1], out[k, 2]
        out[k, 3] += y * fz - z * fy
        out[k, 4] += z * fx - x * fz
        out[k, 5] += x * fy - y * fx


@njit(cache=True)
def add_point_force_terms(
    derivative: np.ndarray,
    wrenches: np.ndarray,
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    jacobians: np.ndarray,
) -> None:
    r"""Correct the static torque's derivative for forces fixed in the world rather than in the body (eq. 11-12).

    Pinocchio turns external forces with their joint. A point contact's force f and its moment m about the contact frame's
    origin stay put in world axes, which takes :math:`J_v^T [f]_\times J_\omega + J_\omega^T [m]_\times J_\omega` off the
    derivative of :math:`G - J^T \lambda`.

    Args:
        derivative: Corrected in place, shape ``(nv, nv)``.
        wrenches: Stacked wrenches, shape ``(l,)``.
        effectors: Places of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        jacobians: Effector Jacobians with world axes, shape ``(effectors, 6, nv)``.
    """
    nv = derivative.shape[0]
    for k in range(planes, effectors.shape[0]):
        J = jacobians[effectors[k]]
        o = 6 * planes + 3 * (k - planes)
        fx, fy, fz = wrenches[o], wrenches[o + 1], wrenches[o + 2]
        x, y, z = arms[k]
        mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
        for j in range(nv):
            wx, wy, wz = J[3, j], J[4, j], J[5, j]
            if wx == 0.0 and wy == 0.0 and wz == 0.0:
                continue
            cx, cy, cz = fy * wz - fz * wy, fz * wx - fx * wz, fx * wy - fy * wx
            dx, dy, dz = my * wz - mz * wy, mz * wx - mx * wz, mx * wy - my * wx
            for i in range(nv):
                derivative[i, j] -= J[0, i] * cx + J[1, i] * cy + J[2, i] * cz
                derivative[i, j] -= J[3, i] * dx + J[4, i] * dy + J[5, i] * dz


@njit(cache=True)
def fill_balance(
    derivative: np.ndarray,
    residual: np.ndarray,
    contact_jacobian: np.ndarray,
    torque_limits: np.ndarray,
    root_torque_weight: float,
    barrier: float,
    base: tuple[np.ndarray, np.ndarray],
    costs: tuple[np.ndarray, np.ndarray],
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    r"""Fill the base's equilibrium (eq. 15), the torque cost (eq. 4) and the torque limits (eq. 16).

    Args:
        derivative: :math:`\partial G / \partial q - H`, shape ``(nv, nv)``.
        residual: :math:`G - J^T \lambda`, shape ``(nv,)``: zero for the base in equilibrium, the joint torques below.
        contact_jacobian: Stacked Jacobian, shape ``(l, nv)``.
        torque_limits: Joint torque limits, shape ``(n,)`` [Nm].
        root_torque_weight: Square root of the torque weight.
        barrier: Part of the distance to a limit that may be used up in this step [-].
        base: Filled: base rows, shape ``(6, nv + l)``, and offset, shape ``(6,)``.
        costs: Filled in their first n rows: cost rows and targets.
        limits: Filled in their first n rows: limit rows, lower and upper bounds, in units of ``FORCE_UNIT``.
    """
    nv = derivative.shape[0]
    size = contact_jacobian.shape[0]
    base_rows, base_offset = base
    cost_rows, cost_targets = costs
    limit_rows, limit_lower, limit_upper = limits
    for i in range(6):
        base_offset[i] = residual[i]
        for j in range(nv):
            base_rows[i, j] = derivative[i, j]
        for j in range(size):
            base_rows[i, nv + j] = -FORCE_UNIT * contact_jacobian[j, i]
    for i in range(nv - 6):
        torque = residual[6 + i]
        for j in range(nv):
            limit_rows[i, j] = derivative[6 + i, j] / FORCE_UNIT
        for j in range(size):
            limit_rows[i, nv + j] = -contact_jacobian[j, 6 + i]
        limit_upper[i] = barrier * (torque_limits[i] - torque) / FORCE_UNIT
        limit_lower[i] = barrier * (-torque_limits[i] - torque) / FORCE_UNIT
        scale = FORCE_UNIT * root_torque_weight
        for j in range(nv + size):
            cost_rows[i, j] = scale * limit_rows[i, j]
        cost_targets[i] = -root_torque_weight * torque


@njit(cache=True)
def fill_effector_costs(
    effectors: np.ndarray,
    targets: np.ndarray,
    poses: np.ndarray,
    jacobians: np.ndarray,
    weights: np.ndarray,
    clamps: tuple[float, float],
    first: int,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill the cost of free effectors' poses and of bracing hands' orientations (eq. 4, 7).

    .. math:: \| ClampNorm(X^{target} \ominus X) - J \Delta q \|^2

    Args:
        effectors: Places of the effectors, shape ``(k,)``.
        targets: Target poses of all effectors, shape ``(effectors, 4, 4)``.
        poses: Present poses, shape ``(effectors, 4, 4)``.
        jacobians: Effector Jacobians with world axes, shape ``(effectors, 6, nv)``.
        weights: Weights of position [1/m^2] and orientation [1/rad^2], shape ``(k, 2)``.
        clamps: Largest errors [m], [rad].
        first: First cost row to fill; six an effector.
        costs: Cost rows and targets.
    """
    cost_rows, cost_targets = costs
    nv = jacobians.shape[2]
    error = np.zeros(3)
    turn = np.zeros((3, 3))
    for k in range(effectors.shape[0]):
        e = effectors[k]
        for part in range(2):
            root = np.sqrt(weights[k, part])
            if part == 0:
                for i in range(3):
                    error[i] = targets[e, i, 3] - poses[e, i, 3]
            else:
                for i in range(3):
                    for j in range(3):
                        turn[i, j] = (
                            targets[e, i, 0] * poses[e, j, 0]
                            + targets[e, i, 1] * poses[e, j, 1]
                            + targets[e, i, 2] * poses[e, j, 2]
                        )
                rotation_log(turn, error)
            norm = np.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
            factor = 1.0 if norm <= clamps[part] else clamps[part] / norm
            for i in range(3):
                row = first + 6 * k + 3 * part + i
                cost_targets[row] = root * factor * error[i]
                for j in range(nv):
                    cost_rows[row, j] = root * jacobians[e, 3 * part + i, j]


@njit(cache=True)
def fill_contact_targets(
    effectors: np.ndarray, planes: int, contact_poses: np.ndarray, poses: np.ndarray, out: np.ndarray
) -> None:
    r"""Fill what brings every contact back to where it is: :math:`J \Delta q = X^{target} \ominus X` (eq. 6, 8).

    Args:
        effectors: Places of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        contact_poses: Poses the contacts must have, shape ``(effectors, 4, 4)``.
        poses: Present poses, shape ``(effectors, 4, 4)``.
        out: Filled, shape ``(l,)``: contact frame for planes (linear, angular), world axes for points.
    """
    turn = np.zeros((3, 3))
    error = np.zeros(3)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            for i in range(3):
                out[6 * k + i] = 0.0
                for j in range(3):
                    out[6 * k + i] += poses[e, j, i] * (contact_poses[e, j, 3] - poses[e, j, 3])
                    turn[i, j] = (
                        poses[e, 0, i] * contact_poses[e, 0, j]
                        + poses[e, 1, i] * contact_poses[e, 1, j]
                        + poses[e, 2, i] * contact_poses[e, 2, j]
                    )
            rotation_log(turn, error)
            out[6 * k + 3 : 6 * k + 6] = error
        else:
            o = 6 * planes + 3 * (k - planes)
            for i in range(3):
                out[o + i] = contact_poses[e, i, 3] - poses[e, i, 3]


@njit(cache=True)
def fill_contact_limits(
    cone: np.ndarray,
    normals: np.ndarray,
    largest: np.ndarray,
    wrenches: np.ndarray,
    contacts: tuple[np.ndarray, np.ndarray, np.ndarray],
    barriers: tuple[float, float],
    most: tuple[float, float],
    owners: np.ndarray,
    first: int,
    limits: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill the bounds of friction, centre of pressure, torsion and normal force; their rows do not change.

    With the barrier :math:`\beta` a step may use up that part of the distance to a limit, and must take back that part of a
    violation: :math:`U \Delta\lambda \leq -\beta U \lambda`.

    Args:
        cone: Matrix U, shape ``(rows, l)``.
        normals: Matrix N, shape ``(contacts, l)``.
        largest: Largest normal forces, shape ``(contacts,)`` [N].
        wrenches: Stacked wrenches, shape ``(l,)``.
        contacts: Places of the contacts, shape ``(contacts,)``; of all effectors, which are being removed, shape
            ``(effectors,)``, bool, and the least normal forces asked for now, shape ``(effectors,)`` [N].
        barriers: Part of the distance to a limit that may be used up in this step, and that of contacts being removed [-].
        most: Largest decrease of the normal force of a contact that is being removed in this step, and largest change of
            any other [N]; a force below its least one may rise faster.
        owners: The contact every row of U belongs to, shape ``(rows,)``.
        first: First limit row.
        limits: Lower and upper bounds of all limit rows, in units of ``FORCE_UNIT``.
    """
    limit_lower, limit_upper = limits
    effectors, leaving, least = contacts
    rows = cone.shape[0]
    for i in range(rows):
        barrier = barriers[1] if leaving[effectors[owners[i]]] else barriers[0]
        limit_upper[first + i] = -barrier * np.dot(cone[i], wrenches) / FORCE_UNIT
    for k in range(normals.shape[0]):
        e = effectors[k]
        force = np.dot(normals[k], wrenches)
        barrier = barriers[1] if leaving[e] else barriers[0]
        lower = max(barrier * (least[e] - force), -most[0] if leaving[e] else -most[1])
        upper = min(barrier * (largest[k] - force), most[1])
        limit_lower[first + rows + k] = lower / FORCE_UNIT
        limit_upper[first + rows + k] = max(lower, upper) / FORCE_UNIT


@njit(cache=True)
def fill_force_costs(
    normals: np.ndarray,
    wrenches: np.ndarray,
    commands: tuple[np.ndarray, np.ndarray, np.ndarray],
    weight: float,
    most: float,
    first: int,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill the cost of commanded normal forces, one row a contact.

    .. math:: \| Clamp(f^{target} - N \lambda) - N \Delta\lambda \|^2

    Args:
        normals: Matrix N, shape ``(contacts, l)``.
        wrenches: Stacked wrenches, shape ``(l,)``.
        commands: Places of the contacts, shape ``(contacts,)``; of all effectors, commanded normal forces, NaN where none is,
            shape ``(effectors,)`` [N], and how much of the weight counts, shape ``(effectors,)``.
        weight: Weight [1/N^2].
        most: Largest change of a force asked for in this step [N].
        first: First cost row to fill.
        costs: Cost rows over (dq, y) and targets.
    """
    rows, targets = costs
    size = normals.shape[1]
    nv = rows.shape[1] - size
    effectors, wanted, insistence = commands
    for k in range(normals.shape[0]):
        e = effectors[k]
        root = np.sqrt(weight * insistence[e])
        if np.isnan(wanted[e]):
            targets[first + k] = 0.0
            rows[first + k, nv:] = 0.0
            continue
        change = wanted[e] - np.dot(normals[k], wrenches)
        targets[first + k] = root * min(most, max(-most, change))
        for j in range(size):
            rows[first + k, nv + j] = root * FORCE_UNIT * normals[k, j]


@njit(cache=True)
def fill_joint_terms(
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    joint_limits: tuple[np.ndarray, np.ndarray, np.ndarray],
    weights: tuple[float, float, float],
    step: tuple[float, float],
    program: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    r"""Fill the joints' velocity and posture costs (eq. 4), their bounds, and the wrenches' targets of zero.

    :math:`w_v \Delta\theta^2 + w_p (p - \Delta\theta)^2` is, but for a constant,
    :math:`(w_v + w_p)(\Delta\theta - w_p p / (w_v + w_p))^2`.

    Args:
        state: Configuration, shape ``(nq,)``; nominal joints, shape ``(n,)``; stacked wrenches, shape ``(l,)``.
        joint_limits: Lower and upper positions [rad] and velocities [rad/s], shape ``(n,)`` each.
        weights: Weights of velocity and posture, and the clamp of the posture's pull [rad].
        step: Length of the step [s] and the part of the distance to a limit that it may use up [-].
        program: Filled: weights, targets, lower and upper bounds (see ``WholeBodyProgram``).
    """
    q, posture, wrenches = state
    lower, upper, velocity = joint_limits
    velocity_weight, posture_weight, clamp = weights
    dt, barrier = step
    diagonal, targets, joint_lower, joint_upper = program
    n = posture.shape[0]
    for j in range(n):
        joint = q[7 + j]
        pull = min(clamp, max(-clamp, posture[j] - joint))
        diagonal[6 + j] = velocity_weight + posture_weight
        targets[6 + j] = posture_weight * pull / diagonal[6 + j]
        most = dt * velocity[j]
        # A joint that is far past its limit comes back no faster than it may move.
        joint_lower[j] = min(most, max(-most, barrier * (lower[j] - joint)))
        joint_upper[j] = max(-most, min(most, barrier * (upper[j] - joint)))
    for k in range(wrenches.shape[0]):
        targets[6 + n + k] = -wrenches[k] / FORCE_UNIT


@njit(cache=True)
def fill_commanded_motion(
    commands: tuple[np.ndarray, float],
    jacobian_com: np.ndarray,
    base_rotation: np.ndarray,
    weights: tuple[float, float],
    dt: float,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    """Fill the cost of the centre of mass's commanded motion, three rows, and of the base's commanded turn, one row.

    Args:
        commands: Velocity of the centre of mass in world, shape ``(3,)`` [m/s], and turning rate of the base about the
            vertical [rad/s]; NaN where not commanded, which leaves its row empty.
        jacobian_com: Shape ``(3, nv)``.
        base_rotation: Base in world, shape ``(3, 3)``: its angular velocity is in its own axes.
        weights: Weights of both [1/m^2], [1/rad^2].
        dt: Length of the step [s].
        costs: The four cost rows over (dq, y) and their targets.
    """
    velocity, yaw_rate = commands
    rows, targets = costs
    rows[:] = 0.0
    targets[:] = 0.0
    root, turn = np.sqrt(weights[0]), np.sqrt(weights[1])
    for i in range(3):
        if np.isfinite(velocity[i]):
            targets[i] = root * velocity[i] * dt
            for j in range(jacobian_com.shape[1]):
                rows[i, j] = root * jacobian_com[i, j]
    if np.isfinite(yaw_rate):
        targets[3] = turn * yaw_rate * dt
        for i in range(3):
            rows[3, 3 + i] = turn * base_rotation[2, i]


@njit(cache=True)
def scale_down(errors: np.ndarray, most: float) -> None:
    """Shorten a vector, shape ``(k,)``, in place so that no component is larger than ``most``; its direction stays."""
    largest = 0.0
    for error in errors:
        largest = max(largest, abs(error))
    if largest > most:
        errors *= most / largest


@njit(cache=True)
def fill_upright_rows(
    rotation: np.ndarray,
    height: float,
    bounds: tuple[float, float],
    share: float,
    first: int,
    limits: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill what keeps the base well within what would count as a fall: its tilt, by :math:`R_{33}`, and its height.

    With the base's rotation R and velocities in its own axes :math:`\dot R_{33} = R_{31} \omega_y - R_{32} \omega_x`.

    Args:
        rotation: Base in world, shape ``(3, 3)``.
        height: Height of the base over the feet [m].
        bounds: Least :math:`R_{33}` [-] and least height [m].
        share: Part of the distance to a bound that may be used up in this step [-].
        first: First limit row to fill.
        limits: Limit rows over (dq, y) and their lower bounds.
    """
    rows, lower = limits
    rows[first, 3], rows[first, 4] = -rotation[2, 1], rotation[2, 0]
    lower[first] = -share * max(0.0, rotation[2, 2] - bounds[0])
    for i in range(3):
        rows[first + 1, i] = rotation[2, i]
    lower[first + 1] = -share * max(0.0, height - bounds[1])


@njit(cache=True)
def compute_rolling(arm: np.ndarray, jacobian: np.ndarray, step: np.ndarray) -> np.ndarray:
    r"""Compute how far a ball's centre moves when it rolls: :math:`r \times J_\omega \Delta q`, in world axes.

    Args:
        arm: Vector r from the centre to where the ball touches, shape ``(3,)`` [m].
        jacobian: Jacobian of the effector with world axes, shape ``(6, nv)``, linear rows first.
        step: Step :math:`\Delta q`, shape ``(nv,)``.

    Returns:
        Shape ``(3,)`` [m].
    """
    x, y, z = np.dot(jacobian[3], step), np.dot(jacobian[4], step), np.dot(jacobian[5], step)
    return np.array([arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x])
