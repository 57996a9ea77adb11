"""How far from falling a run was: the stability margin over time [McCrory2024]_ (Section II), and the joints' (eq. 17).

The margin is that of the region in which references keep their balance (see ``Balance``), with the reference's insets,
friction and torque limits, at the configuration that is measured: as the paper's, it is the controller's view of the robot.
Contacts may press as little as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from handhold.app.lab.scenarios.trace import Trace
from handhold.retarget.bracing.margin.postural_sensitivity import compute_postural_sensitivity, project_gradient
from handhold.retarget.stability.region_edge import Edge, find_nearest_edge
from handhold.retarget.stability.region_gradients import ConfigurationGradients
from handhold.retarget.stability.region_limits import find_limits
from handhold.retarget.stability.robot_region import RobotRegion, make_reference_region
from handhold.retarget.stability.support_region import NoRegion, space_directions
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

EVERY = 0.02
"""Time from one configuration whose margin is computed to the next [s]."""

_NO_LIMIT = 1e6
"""Torque that no joint comes to [Nm]."""

_FEW_QUERIES = 8
"""Directions from which the search for the nearest edge begins."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class MarginTrace:
    r"""Stability margin of a run over time, while a hand is in contact.

    Attributes:
        times: Clock of the robot [s].
        margins: Distance of the centre of mass from the nearest edge, negative outside [m]; NaN where nothing holds the
            robot up.
        sensitivities: Postural sensitivity s_q (eq. 12) there.
        normals: Outward normals of the nearest edges, shape ``(times, 2)``.
        limits: Joints whose torques hold the nearest edge where it is; empty where friction and unilaterality alone do.
        arm: Names of the bracing arm's joints.
        torque_margins: Their :math:`1 - |\tau / \tau_{max}|` (eq. 17), of motor torques, shape ``(times, joints)``.
    """

    times: np.ndarray
    margins: np.ndarray
    sensitivities: np.ndarray
    normals: np.ndarray
    limits: tuple[tuple[str, ...], ...]
    arm: tuple[str, ...]
    torque_margins: np.ndarray

    @property
    def bound_by_torque(self) -> np.ndarray:
        """Where a torque of the bracing arm's joints holds the nearest edge, shape ``(times,)``, bool."""
        return np.array([not set(self.arm).isdisjoint(names) for names in self.limits], dtype=bool)


@dataclass(frozen=True, eq=False, slots=True)
class MarginSample:
    """Margin at one configuration: the nearest edge, the sensitivity and the joints that hold the edge."""

    edge: Edge
    sensitivity: float
    limits: tuple[str, ...]


class MarginMeter:
    """Computes the margin of one configuration after the other."""

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._kinematics = EffectorKinematics(model)
        self._gradients = ConfigurationGradients(model, self._kinematics)

    def measure(self, q: np.ndarray, in_contact: np.ndarray, normals: np.ndarray, free: Sequence[int]) -> MarginSample:
        """Compute the margin at a configuration.

        Args:
            q: Configuration, shape ``(nq,)``.
            in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.
            normals: Outward normals of the surfaces under point contacts in world, shape ``(effectors, 3)``.
            free: Effectors whose poses must stay where posture changes.

        Raises:
            NoRegion: Nothing holds the robot up.
        """
        model = self._model
        self._kinematics.update(q)
        region = self._make_region(in_contact, normals)
        program = region.build()
        memory = program.make_memory(_FEW_QUERIES)
        program.find_extremes(space_directions(_FEW_QUERIES), memory)
        edge = find_nearest_edge(program, memory, self._kinematics.position_com_in_world[:2])
        prices = edge.start.prices[program.first_torque :]
        gradient = self._gradients.compute(region.joints, region.points.positions, edge.forces, prices)
        limits = find_limits(edge, region.points, region.torques, model.weight)
        held = tuple(limit.name.removesuffix(" torque") for limit in limits if limit.name.endswith(" torque"))
        projected = project_gradient(gradient, self._stack_tasks(in_contact, free), q[7:], (model.lower, model.upper))
        return MarginSample(edge, compute_postural_sensitivity(projected), held)

    def _make_region(self, in_contact: np.ndarray, normals: np.ndarray) -> RobotRegion:
        model = self._model
        region = make_reference_region(model, self._kinematics, in_contact, normals)
        region.points.min_forces[:] = 0.0
        assert region.torques is not None
        # A free limb's torques are its own weight's, whatever the contacts do: at its limit, a hair makes no region.
        loaded = find_loaded_joints(model, in_contact)
        region.torques = replace(region.torques, limits=np.where(loaded, model.torque_limits, _NO_LIMIT))
        return region

    def _stack_tasks(self, in_contact: np.ndarray, free: Sequence[int]) -> np.ndarray:
        """Stack the Jacobians of what stays where posture changes: contacts, free effectors, the centre of mass from above."""
        jacobians = self._kinematics.jacobians
        rows = [self._kinematics.jacobian_com[:2], *(jacobians[effector] for effector in free)]
        for effector in np.flatnonzero(in_contact).tolist():
            plane = self._model.effectors[effector].half_lengths is not None
            rows.append(jacobians[effector] if plane else jacobians[effector, :3])
        return np.vstack(rows)


def measure_margin_trace(
    model: RobotModel, trace: Trace, bracing: int, grasping: int, *, reference: bool = False
) -> MarginTrace:
    """Compute the margin of a run at every ``EVERY`` seconds in which a hand is in contact.

    Args:
        model: Robot.
        trace: The run.
        bracing: Effector of the bracing hand.
        grasping: Effector of the other hand.
        reference: The reference's configurations in place of the simulated robot's.
    """
    meter = MarginMeter(model)
    spacing = trace.times[1] - trace.times[0] if len(trace.times) > 1 else EVERY
    chosen = [k for k in range(0, len(trace.times), max(1, round(EVERY / spacing))) if trace.contacts[k][bracing]]
    configurations = trace.postures if reference else trace.configurations
    torques = np.array(trace.torques_reference if reference else trace.torques)[chosen]
    samples = [_measure(meter, configurations[k], trace.contacts[k], trace.normals[k], grasping) for k in chosen]
    nothing = np.full(2, np.nan)
    return MarginTrace(
        times=np.array(trace.times)[chosen],
        margins=np.array([np.nan if each is None else each.edge.margin for each in samples]),
        sensitivities=np.array([np.nan if each is None else each.sensitivity for each in samples]),
        normals=np.array([nothing if each is None else each.edge.normal for each in samples]).reshape(-1, 2),
        limits=tuple(() if each is None else each.limits for each in samples),
        arm=tuple(model.joint_names[joint] for joint in find_arm(model, bracing)),
        torque_margins=compute_joint_torque_margins(model, torques, bracing),
    )


def _measure(
    meter: MarginMeter, q: np.ndarray, in_contact: np.ndarray, normals: np.ndarray, grasping: int
) -> MarginSample | None:
    try:
        return meter.measure(q, in_contact, normals, [grasping])
    except NoRegion:
        return None


def compute_joint_torque_margins(model: RobotModel, torques: np.ndarray, effector: int) -> np.ndarray:
    r"""Compute :math:`m_\tau = 1 - |\tau / \tau_{max}|` (eq. 17) of an arm's joints.

    Args:
        model: Robot.
        torques: Joint torques, shape ``(times, n)`` [Nm].
        effector: The arm's hand.

    Returns:
        Shape ``(times, joints)`` [-]; with the torques of the motors, not scaled.
    """
    arm = find_arm(model, effector)
    return np.asarray(1.0 - np.abs(torques.reshape(-1, model.n)[:, arm] / model.motor_torques[arm]))


def find_loaded_joints(model: RobotModel, in_contact: np.ndarray) -> np.ndarray:
    """Find the actuated joints between the base and some effector in contact, shape ``(n,)``, bool."""
    joints = {j for i in np.flatnonzero(in_contact) for j in model.pinocchio.supports[model.effector_joints[i]].tolist()}
    return np.array([joint in joints for joint in range(2, 2 + model.n)])


def find_arm(model: RobotModel, effector: int) -> list[int]:
    """Find the actuated joints that carry one effector only, as indices of joint torques."""
    supports = [set(model.pinocchio.supports[joint].tolist()) for joint in model.effector_joints]
    others = set().union(*(each for i, each in enumerate(supports) if i != effector))
    # Pinocchio counts the universe and the base first.
    return sorted(joint - 2 for joint in supports[effector] - others if joint >= 2)
