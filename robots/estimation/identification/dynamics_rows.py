r"""What turned a joint, as a sum of what is known to do so: the rows of a regression.

With the parameters :math:`\phi` of all links (mass, first moments, inertia) a joint's torque is linear in them and in those of
its drive,

.. math:: \tau_j = Y_j(q, v, \dot v) \phi + I_j \ddot q_j + f_c \operatorname{sgn} \dot q_j + f_v \dot q_j + o_j .

How the base moves is not taken from a model of what it hangs on: its inertial unit measures turning and specific force, which
is all of its motion that the joints feel (carried to the base's origin, see ``unit_mount``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.signal import butter, filtfilt

from handhold.robots.estimation.identification.joint_record import JointRecord
from handhold.robots.estimation.unit_mount import UnitMount
from handhold.robots.model import GRAVITY, RobotModel

CUT_OFF, ORDER = 30.0, 3
"""Above what nothing is taken from the measurements [Hz], and the order of the filter, which shifts nothing in time."""

PERIOD, EVERY = 2e-3, 10
"""Time between two samples [s], and of how many of them a row is made: neighbours say the same."""

MOVING = 0.12
"""Velocity under which a joint may stick [rad/s]: what friction does there is not in the equation."""

EDGE = 60
"""Samples at both ends that are left out: the filter has them from one side only."""

COLUMNS = 4
"""Of a joint's drive: rotor inertia, Coulomb and viscous friction, offset."""


@dataclass(frozen=True, eq=False, slots=True)
class DynamicsRows:
    r"""Rows of the equation above, k of them, of one joint.

    Attributes:
        links: :math:`Y_j`, shape ``(k, 10 links)``, links in pinocchio's order, without the universe.
        drive: What multiplies its rotor inertia, frictions and offset, shape ``(k, 4)``.
        torques: :math:`\tau_j`, shape ``(k,)`` [Nm].
    """

    links: np.ndarray
    drive: np.ndarray
    torques: np.ndarray


def make_rows(model: RobotModel, record: JointRecord, mount: UnitMount) -> DynamicsRows:
    """Make the rows of a joint from what was told while it moved, by a robot whose inertial unit is somewhere on it."""
    j, times = record.joint, np.arange(record.times[0], record.times[-1], PERIOD)
    smooth = _Smoother(record.times, times)
    q = smooth(record.positions)
    v = np.gradient(q, PERIOD, axis=0)
    acceleration = np.gradient(v, PERIOD, axis=0)
    unit = smooth(record.angular_velocities), smooth(record.specific_forces)
    turned_by = model.joint_names.index(mount.joint) if mount.joint else None
    angles = np.zeros((len(times), 2)) if turned_by is None else np.column_stack([q[:, turned_by], v[:, turned_by]])
    angular_velocity, force = _carry_to_base(mount, *unit, angles)
    angular_acceleration = np.gradient(angular_velocity, PERIOD, axis=0)
    chosen = [k for k in range(EDGE, len(times) - EDGE, EVERY) if abs(v[k, j]) > MOVING]
    robot, data = model.pinocchio, model.pinocchio.createData()
    links = []
    for k in chosen:
        # The base stands upright at the origin in these coordinates: what it feels, gravity included, is its acceleration.
        here = np.concatenate([np.zeros(6), [1.0], q[k]])
        velocity = np.concatenate([np.zeros(3), angular_velocity[k], v[k]])
        proper = np.concatenate([force[k] - [0.0, 0.0, GRAVITY], angular_acceleration[k], acceleration[k]])
        links.append(pin.computeJointTorqueRegressor(robot, data, here, velocity, proper)[6 + j].copy())
    drive = np.column_stack([acceleration[:, j], np.sign(v[:, j]), v[:, j], np.ones(len(times))])
    shape = (len(chosen), 10 * (robot.njoints - 1))
    return DynamicsRows(np.reshape(links, shape), drive[chosen], smooth(record.torques[:, [j]])[chosen, 0])


def _carry_to_base(
    mount: UnitMount, angular_velocities: np.ndarray, forces: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return angular velocities and specific forces of a base, shape ``(k, 3)`` each, by those of its unit.

    Args:
        mount: Where the unit is.
        angular_velocities: Of the unit at each time, shape ``(k, 3)`` [rad/s].
        forces: Likewise its specific forces [m/s^2].
        angles: Angle and rate of the joint that turns it, shape ``(k, 2)`` [rad, rad/s].
    """
    accelerations = np.gradient(angular_velocities, PERIOD, axis=0)
    carried = []
    for k, (angle, rate) in enumerate(angles.tolist()):
        rotation = mount.place(angle)[:3, :3]
        angular_velocity = mount.carry_angular_velocity(angular_velocities[k], rotation, rate)
        carried.append((angular_velocity, mount.carry_force(forces[k], angular_velocities[k], accelerations[k], rotation)))
    angular, linear = zip(*carried, strict=True)
    return np.array(angular), np.array(linear)


class _Smoother:
    """Puts what was told at uneven times onto even ones, without what is too fast."""

    def __init__(self, times: np.ndarray, even: np.ndarray) -> None:
        self._times, self._even = times, even
        self._filter = butter(ORDER, 2.0 * CUT_OFF * PERIOD)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        even = np.column_stack([np.interp(self._even, self._times, column) for column in rows.T])
        return np.asarray(filtfilt(*self._filter, even, axis=0))
