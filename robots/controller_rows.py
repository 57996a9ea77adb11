"""The whole-body controller's dynamics and tasks as rows, assembled without an allocation."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.robots.kinematics import rotation_log
from handhold.robots.whole_body_program import FORCE_UNIT


@njit(cache=True)
def fill_dynamics(
    mass_matrix: np.ndarray,
    bias: np.ndarray,
    contact_jacobian: np.ndarray,
    torque_limits: np.ndarray,
    base: tuple[np.ndarray, np.ndarray],
    limits: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    r"""Fill the base's dynamics and the torque limits: :math:`S \tau = M \ddot q + h - J^T \lambda`.

    Args:
        mass_matrix: :math:`M`, upper triangle, shape ``(nv, nv)``.
        bias: :math:`h`: gravity, Coriolis and centrifugal terms, shape ``(nv,)``.
        contact_jacobian: Stacked Jacobian, shape ``(l, nv)``.
        torque_limits: Joint torque limits, shape ``(n,)`` [Nm].
        base: Filled: base rows, shape ``(6, nv + l)``, and offset, shape ``(6,)``.
        limits: Filled in their first n rows: limit rows, lower and upper bounds, in units of ``FORCE_UNIT``.
    """
    nv = mass_matrix.shape[0]
    size = contact_jacobian.shape[0]
    base_rows, base_offset = base
    rows, lower, upper = limits
    for i in range(6):
        base_offset[i] = bias[i]
        for j in range(nv):
            base_rows[i, j] = mass_matrix[min(i, j), max(i, j)]
        for j in range(size):
            base_rows[i, nv + j] = -FORCE_UNIT * contact_jacobian[j, i]
    for i in range(nv - 6):
        k = 6 + i
        for j in range(nv):
            rows[i, j] = mass_matrix[min(k, j), max(k, j)] / FORCE_UNIT
        for j in range(size):
            rows[i, nv + j] = -contact_jacobian[j, k]
        lower[i] = (-torque_limits[i] - bias[k]) / FORCE_UNIT
        upper[i] = (torque_limits[i] - bias[k]) / FORCE_UNIT


@njit(cache=True)
def fill_frame_motion(
    poses: np.ndarray,
    jacobians: np.ndarray,
    placements: np.ndarray,
    v: np.ndarray,
    joints: np.ndarray,
    joint_motions: tuple[np.ndarray, np.ndarray],
    velocities: np.ndarray,
    drifts: np.ndarray,
) -> None:
    r"""Fill the velocities of frames and the accelerations they have without joint accelerations, in world axes.

    A frame at p in its joint has the classical acceleration :math:`a + \dot\omega \times p + \omega \times (v + \omega \times
    p)` in the joint's axes, with the joint's spatial velocity and acceleration :math:`(v, \omega)`, :math:`(a, \dot\omega)`.

    Args:
        poses: Frames in world, shape ``(frames, 4, 4)``.
        jacobians: Their Jacobians with world axes, shape ``(frames, 6, nv)``.
        placements: Frames in their joints, shape ``(frames, 4, 4)``.
        v: Velocity, shape ``(nv,)``.
        joints: Ids of the joints that carry the frames, shape ``(frames,)``.
        joint_motions: Spatial velocities of all joints and their accelerations for zero joint accelerations, in the joints'
            axes, shape ``(joints, 6)`` each.
        velocities: Filled: linear and angular velocities, shape ``(frames, 6)``.
        drifts: Filled: linear and angular accelerations, shape ``(frames, 6)``.
    """
    local = np.zeros(6)
    joint_velocities, joint_accelerations = joint_motions
    for e in range(poses.shape[0]):
        for i in range(6):
            velocities[e, i] = np.dot(jacobians[e, i], v)
        x, y, z = placements[e, 0, 3], placements[e, 1, 3], placements[e, 2, 3]
        vx, vy, vz, wx, wy, wz = joint_velocities[joints[e]]
        ax, ay, az, bx, by, bz = joint_accelerations[joints[e]]
        ux, uy, uz = vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x
        local[0] = ax + by * z - bz * y + wy * uz - wz * uy
        local[1] = ay + bz * x - bx * z + wz * ux - wx * uz
        local[2] = az + bx * y - by * x + wx * uy - wy * ux
        local[3], local[4], local[5] = bx, by, bz
        for half in range(2):
            for i in range(3):
                total = 0.0
                for j in range(3):
                    # The joint's axes in world: the frame's axes times the inverse of its placement's rotation.
                    axis = 0.0
                    for k in range(3):
                        axis += poses[e, i, k] * placements[e, j, k]
                    total += axis * local[3 * half + j]
                drifts[e, 3 * half + i] = total


@njit(cache=True)
def fill_contact_accelerations(
    effectors: np.ndarray,
    planes: int,
    arms: np.ndarray,
    poses: np.ndarray,
    velocities: np.ndarray,
    drifts: np.ndarray,
    damping: float,
    out: np.ndarray,
) -> None:
    r"""Fill what keeps contacts at rest: :math:`J \ddot q = -\dot J \dot q - k_d J \dot q`, in the contacts' axes.

    Args:
        effectors: Places of the contacts, shape ``(contacts,)``.
        planes: Number of plane contacts, the first ones.
        arms: From each contact frame's origin to where it touches, in world axes, shape ``(contacts, 3)`` [m].
        poses: Frames in world, shape ``(frames, 4, 4)``.
        velocities: Their velocities in world axes, shape ``(frames, 6)``.
        drifts: Their accelerations without joint accelerations, shape ``(frames, 6)``.
        damping: Rate at which the velocity of a contact is to die out [1/s].
        out: Filled, shape ``(l,)``.
    """
    motion = np.zeros(6)
    for k in range(effectors.shape[0]):
        e = effectors[k]
        if k < planes:
            for half in range(2):
                for i in range(3):
                    total = 0.0
                    for j in range(3):
                        row = 3 * half + j
                        total -= poses[e, j, i] * (drifts[e, row] + damping * velocities[e, row])
                    out[6 * k + 3 * half + i] = total
        else:
            first = 6 * planes + 3 * (k - planes)
            x, y, z = arms[k]
            for i in range(6):
                motion[i] = -drifts[e, i] - damping * velocities[e, i]
            out[first] = motion[0] + motion[4] * z - motion[5] * y
            out[first + 1] = motion[1] + motion[5] * x - motion[3] * z
            out[first + 2] = motion[2] + motion[3] * y - motion[4] * x


@njit(cache=True)
def fill_pose_tasks(
    frames: np.ndarray,
    targets: tuple[np.ndarray, np.ndarray, np.ndarray],
    motion: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    weights: tuple[float, float],
    stiffness: float,
    first: int,
    costs: tuple[np.ndarray, np.ndarray],
) -> None:
    r"""Fill tasks that bring frames to their targets: :math:`J \ddot q + \dot J \dot q = \ddot x + k_p e + k_d \dot e`.

    Args:
        frames: Places of the frames, shape ``(tasks,)``.
        targets: Target poses, shape ``(frames, 4, 4)``, velocities and accelerations in world axes, shape ``(frames, 6)``.
        motion: Poses, Jacobians, velocities and drifts of the frames (see ``fill_frame_motion``).
        weights: Weights of position and orientation; a position weight of 0 leaves its three rows out.
        stiffness: Gain :math:`k_p` [1/s^2]; the damping is critical.
        first: First cost row to fill.
        costs: Cost rows and targets.
    """
    target_poses, target_velocities, target_accelerations = targets
    poses, jacobians, velocities, drifts = motion
    cost_rows, cost_targets = costs
    nv = jacobians.shape[2]
    damping = 2.0 * np.sqrt(stiffness)
    turn = np.zeros((3, 3))
    error = np.zeros(3)
    row = first
    for k in range(frames.shape[0]):
        e = frames[k]
        for half in range(2):
            if weights[half] == 0.0:
                continue
            if half == 0:
                for i in range(3):
                    error[i] = target_poses[e, i, 3] - poses[e, i, 3]
            else:
                for i in range(3):
                    for j in range(3):
                        turn[i, j] = (
                            target_poses[e, i, 0] * poses[e, j, 0]
                            + target_poses[e, i, 1] * poses[e, j, 1]
                            + target_poses[e, i, 2] * poses[e, j, 2]
                        )
                rotation_log(turn, error)
            root = np.sqrt(weights[half])
            for i in range(3):
                c = 3 * half + i
                wanted = stiffness * error[i] + damping * (target_velocities[e, c] - velocities[e, c])
                wanted += target_accelerations[e, c]
                cost_targets[row] = root * (wanted - drifts[e, c])
                for j in range(nv):
                    cost_rows[row, j] = root * jacobians[e, c, j]
                row += 1


@njit(cache=True)
def fill_joint_terms(
    reference: tuple[np.ndarray, np.ndarray],
    state: tuple[np.ndarray, np.ndarray],
    posture: tuple[float, float],
    joint_limits: tuple[np.ndarray, np.ndarray],
    avoidance: tuple[float, float],
    program: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    r"""Fill the posture's targets :math:`k_p (\theta^{ref} - \theta) + k_d (\dot\theta^{ref} - \dot\theta)`, and bounds.

    The joints stay inside their limits a horizon T ahead: :math:`\theta + \dot\theta T + \ddot\theta T^2 / 2`.

    Args:
        reference: Its configuration and velocity, shapes ``(nq,)`` and ``(nv,)``.
        state: What is measured, likewise.
        posture: Gain :math:`k_p` [1/s^2], its damping critical, and the part of the weight that is the posture's [-].
        joint_limits: Least and largest positions, shape ``(n,)`` each [rad].
        avoidance: The horizon [s], and the largest acceleration with which a joint that is past its limit is brought back: no
            faster than the rest of the body can follow [rad/s^2].
        program: Filled: targets, lower and upper bounds of the joints' accelerations (see ``WholeBodyProgram``).
    """
    q_ref, v_ref = reference
    q, v = state
    stiffness, part = posture
    damping = 2.0 * np.sqrt(stiffness)
    horizon, most = avoidance
    scale = 2.0 / horizon**2
    targets, lower, upper = program
    for j in range(lower.shape[0]):
        targets[6 + j] = part * (stiffness * (q_ref[7 + j] - q[7 + j]) + damping * (v_ref[6 + j] - v[6 + j]))
        ahead = q[7 + j] + horizon * v[6 + j]
        lower[j] = min(scale * (joint_limits[0][j] - ahead), most)
        upper[j] = max(scale * (joint_limits[1][j] - ahead), -most)


@njit(cache=True)
def fill_wrench_costs(
    wrenches: np.ndarray,
    normals: np.ndarray,
    weights: np.ndarray,
    owners: np.ndarray,
    least_share: float,
    target: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Fill the cost of wrenches that differ from the reference's: each contact's with the inverse of its load.

    Args:
        wrenches: The reference's, stacked, shape ``(l,)``.
        normals: Matrix N of the stance, shape ``(contacts, l)``.
        weights: Weights at the mean load, shape ``(l,)``.
        owners: The contact that each component belongs to, shape ``(l,)``.
        least_share: Load, as a part of the mean one, under which the weight rises no further [-].
        target: Filled: targets in ``FORCE_UNIT``, shape ``(l,)``.
        weight: Filled: weights, shape ``(l,)``.
    """
    contacts = normals.shape[0]
    loads = np.empty(contacts)
    even = 0.0
    for k in range(contacts):
        loads[k] = np.dot(normals[k], wrenches)
        even += loads[k] / contacts
    for i in range(wrenches.shape[0]):
        target[i] = wrenches[i] / FORCE_UNIT
        heavier = even / max(loads[owners[i]], least_share * even) if even > 0.0 else 1.0
        weight[i] = weights[i] * heavier
