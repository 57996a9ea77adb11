r"""Inertia of rotors, reflected to their joints, while the links may weigh something else than is known.

.. math::

    \min_{\delta\phi, \psi} \sum_j \frac{\|\tau_j - Y_j (\phi_0 + \delta\phi) - D_j \psi_j\|^2}{(s \, \tau_{max,j})^2}
    + \sum_l \frac{\|\delta P_l\|^2}{p^2}

over the links' parameters and those of all drives, :math:`\psi_j` with the rotor's inertia first. A mass that the description
does not have (another hand) shows in what weighs on all joints of its limb, so that no rotor is taken for it. A rotor that is
light beside its links cannot be told from them: where they are known to a tenth, it is not known at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pinocchio as pin
from scipy.linalg import block_diag

from handhold.robots.estimation.identification.dynamics_rows import COLUMNS, DynamicsRows
from handhold.robots.estimation.identification.link_prior import PARAMETERS, make_root_metric
from handhold.robots.model import RobotModel

TORQUE_DEVIATION = 2e-3
"""s, deviation of torques from the equation, as a part of each motor's largest [-]."""

LINK_DEVIATION = 0.2
"""p, deviation of a link from its description, in the metric of ``link_prior`` [-]."""

LEAST_SHARE = 0.15
"""Inertia of a rotor that can be told, as a part of that of the links that its joint moves [-]."""


def fit_rotor_inertias(
    model: RobotModel, rows: Mapping[int, Sequence[DynamicsRows]], posture: np.ndarray
) -> dict[int, float | None]:
    """Fit the rotors of joints that moved, by their indices [kg m^2]; None where one cannot be told from its links.

    Args:
        model: The robot as it is described.
        rows: Of each joint that moved.
        posture: Where the robot was held, shape ``(n,)`` [rad].
    """
    robot = model.pinocchio
    nominal = np.concatenate([inertia.toDynamicParameters() for inertia in list(robot.inertias)[1:]])
    links, joints = len(nominal), list(rows)
    # The base's own inertia turns no joint, and needs no prior: its columns are zero.
    metrics = [make_root_metric(link) / LINK_DEVIATION for link in nominal.reshape(-1, PARAMETERS)]
    prior = block_diag(*metrics)
    blocks, values = [np.hstack([prior, np.zeros((len(prior), COLUMNS * len(joints)))])], [np.zeros(len(prior))]
    for k, joint in enumerate(joints):
        scale = 1.0 / (TORQUE_DEVIATION * model.motor_torques[joint])
        for part in rows[joint]:
            own = np.zeros((len(part.torques), COLUMNS * len(joints)))
            own[:, COLUMNS * k : COLUMNS * (k + 1)] = part.drive
            blocks.append(scale * np.hstack([part.links, own]))
            values.append(scale * (part.torques - part.links @ nominal))
    solution = np.linalg.lstsq(np.vstack(blocks), np.concatenate(values), rcond=None)[0]
    carried = _find_carried(model, posture)
    found = {joint: float(solution[links + COLUMNS * k]) for k, joint in enumerate(joints)}
    return {joint: inertia if inertia >= LEAST_SHARE * carried[joint] else None for joint, inertia in found.items()}


def _find_carried(model: RobotModel, posture: np.ndarray) -> np.ndarray:
    """Return the inertia of the links that each joint moves, shape ``(n,)`` [kg m^2]."""
    robot = model.pinocchio.copy()
    robot.armature = np.zeros(model.nv)
    q = np.concatenate([model.q_nominal[:7], posture])
    return np.diag(pin.crba(robot, robot.createData(), q))[6:].copy()
