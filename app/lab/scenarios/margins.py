"""How far contacts and joints stay inside their limits, of references and of simulated robots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.contact import compute_tangents
from handhold.robots.model import RobotModel

MIN_NORMAL_FORCE = 20.0
"""Normal force under which friction ratio and centre of pressure mean nothing [N]."""


@dataclass(frozen=True, eq=False, slots=True)
class Loads:
    """Wrenches of one effector over time.

    Attributes:
        forces: Two tangential components and the normal one, exerted on the robot, shape ``(times, 3)`` [N]; NaN where the
            reference has the effector not in contact. What is measured is of the period that ends then: there it has to be in
            contact before it and after it.
        cop: Centre of pressure in the contact frame of a sole, shape ``(times, 2)`` [m]; NaN without a load, and of
            point contacts.
    """

    forces: np.ndarray
    cop: np.ndarray

    @property
    def friction(self) -> np.ndarray:
        r"""Friction ratio :math:`\|f_{xy}\| / f_z`, shape ``(times,)``; NaN without a load."""
        return np.hypot(self.forces[:, 0], self.forces[:, 1]) / _only_loads(self.forces[:, 2])


def compute_measured_loads(trace: Trace, model: RobotModel, effector: int) -> Loads:
    """Compute the measured load of the simulated robot's contact."""
    wrenches, in_contact = np.array([wrench[effector] for wrench in trace.wrenches]), _read_contacts(trace, effector)
    in_contact[1:] &= in_contact[:-1].copy()
    if model.effectors[effector].half_lengths is None:
        rotations = np.array([rotation[effector] for rotation in trace.rotations])
        forces = _split(np.einsum("tij,tj->ti", rotations, wrenches[:, :3]), _normals(trace, effector))
        return Loads(_only_contacts(in_contact, forces), np.full((len(forces), 2), np.nan))
    return _compute_sole_loads(_only_contacts(in_contact, wrenches))


def compute_reference_loads(trace: Trace, model: RobotModel, effector: int) -> Loads:
    """Compute the desired load of the contact, as the reference has it."""
    wrenches, in_contact = np.array([wrench[effector] for wrench in trace.wrenches_reference]), _read_contacts(trace, effector)
    if model.effectors[effector].half_lengths is None:
        forces = _split(wrenches[:, :3], _normals(trace, effector))
        return Loads(_only_contacts(in_contact, forces), np.full((len(forces), 2), np.nan))
    return _compute_sole_loads(_only_contacts(in_contact, wrenches))


def _compute_sole_loads(wrenches: np.ndarray) -> Loads:
    r"""Split wrenches in the contact frame; the centre of pressure is :math:`p = (-m_y, m_x) / f_z`."""
    cop = np.stack([-wrenches[:, 4], wrenches[:, 3]], axis=1) / _only_loads(wrenches[:, 2:3])
    return Loads(wrenches[:, :3], cop)


def _normals(trace: Trace, effector: int) -> np.ndarray:
    return np.array([normal[effector] for normal in trace.normals])


def _split(forces: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Split forces in world into two tangential components, as the friction pyramid has them, and the normal one."""
    split = np.empty_like(forces)
    for normal in np.unique(normals, axis=0):
        here = (normals == normal).all(axis=1)
        split[here] = forces[here] @ np.stack([*compute_tangents(normal), normal], axis=1)
    return split


def _read_contacts(trace: Trace, effector: int) -> np.ndarray:
    return np.array([bool(contacts[effector]) for contacts in trace.contacts])


def _only_contacts(in_contact: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.where(in_contact[:, None], values, np.nan)


def _only_loads(normal_forces: np.ndarray) -> np.ndarray:
    loaded = np.nan_to_num(normal_forces, nan=0.0) > MIN_NORMAL_FORCE
    return np.where(loaded, normal_forces, np.nan)


def compute_cone_ratio(model: RobotModel, trace: Trace, *, reference: bool) -> float:
    r"""Compute the largest friction ratio as a part of the friction coefficient: :math:`\max \eta / \mu`, 1 on the cone."""
    compute = compute_reference_loads if reference else compute_measured_loads
    ratios = [0.0]
    for effector, about in enumerate(model.effectors):
        friction = compute(trace, model, effector).friction
        ratios.append(float(np.nanmax(friction, initial=0.0)) / about.friction)
    return max(ratios)


def compute_cop_margin(model: RobotModel, trace: Trace, *, reference: bool) -> float:
    """Compute the minimum distance of a centre of pressure to the real edge of its sole [m]: negative outside.

    Infinite for a robot that has no sole.
    """
    compute = compute_reference_loads if reference else compute_measured_loads
    margins = [np.inf]
    for effector, about in enumerate(model.effectors):
        if about.half_lengths is not None:
            inside = np.array(about.half_lengths) - np.abs(compute(trace, model, effector).cop)
            margins.append(float(np.nanmin(inside, initial=np.inf)))
    return min(margins)


def compute_torque_margin(model: RobotModel, trace: Trace, *, reference: bool) -> float:
    r"""Compute the minimum of :math:`\tau_{max} - |\tau|` [Nm] over joints and times.

    The reference keeps the limits after scaling, the simulated robot has those of its motors.
    """
    torques = np.array(trace.torques_reference if reference else trace.torques)
    limits = model.torque_limits if reference else model.motor_torques
    return float((limits - np.abs(torques)).min())
