"""The stability region of a robot's configuration: what its joints' torques leave of what the contacts allow (eq. 2)."""

from __future__ import annotations

import numpy as np
from numba import njit

from handhold.retarget.stability.contact_points import ConeModel, find_contact_points
from handhold.retarget.stability.simplex import begin
from handhold.retarget.stability.support_region import JointTorques, RegionProgram, check
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel


class RobotRegion:
    r"""The program of the region of one stance, at one configuration after another.

    The region is local: its torques are those of the configuration, though another position of the centre of mass would be
    another configuration. Its torques: :math:`J_c`, :math:`g(q) = m g J_{com,z}^T` and the torque limits.

    Attributes:
        points: The contact points at the last configuration; positions and frames are overwritten by ``load_configuration``.
        torques: The torques there, likewise; None where they are left out.
        program: The program, as last placed.
        joints: Pinocchio's ids of the joints that carry the contact points, shape ``(k,)``.
    """

    def __init__(
        self,
        model: RobotModel,
        kinematics: EffectorKinematics,
        in_contact: np.ndarray,
        normals: np.ndarray,
        *,
        inset: float,
        friction_scale: float,
        cone: ConeModel = ConeModel.INNER_4,
        with_torques: bool = True,
    ) -> None:
        """Take a stance.

        Args:
            model: Robot.
            kinematics: Its kinematics, updated before every use.
            in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.
            normals: Outward normals of the surfaces under point contacts in world, shape ``(effectors, 3)``.
            inset: How far inside the real edges of a sole its points are [m].
            friction_scale: Part of the friction coefficients that counts [-].
            cone: Model of the friction cones.
            with_torques: Whether the joints' torques limit the region.
        """
        effectors = len(model.effectors)
        poses = kinematics.poses[:effectors]
        self.points = find_contact_points(model, poses, in_contact, normals, inset=inset, friction_scale=friction_scale)
        self._effectors = np.flatnonzero(in_contact)[self.points.owners]
        self.joints = np.array(model.effector_joints)[self._effectors]
        self._radii = np.array([model.effectors[e].radius for e in self._effectors])
        self._on_soles = np.array([model.effectors[e].half_lengths is not None for e in self._effectors], dtype=np.bool_)
        arms = self.points.positions - poses[self._effectors, :3, 3]
        # Points of a sole move with it; a ball touches where its surface's normal says.
        turned = np.einsum("kji,kj->ki", poses[self._effectors, :3, :3], arms)
        self._arms = np.where(self._on_soles[:, None], turned, arms)
        count = len(self.joints)
        self.torques = _make_torques(model, count) if with_torques else None
        self.program = RegionProgram(count, len(self.points.max_forces), model.n if with_torques else 0, cone)
        self._kinematics = kinematics
        self._weight = model.weight
        self._jacobian_com = kinematics.jacobian_com

    def touch(self, effector: int, frame: np.ndarray) -> None:
        """Let a point contact touch another surface: tangents and outward normal as columns, in world, shape ``(3, 3)``."""
        for k in np.flatnonzero(self._effectors == effector).tolist():
            self.points.frames[k] = frame
            self._arms[k] = -self._radii[k] * frame[:, 2]

    def load_configuration(self, poses: np.ndarray | None = None) -> None:
        """Take over the configuration of the kinematics, solving nothing.

        Args:
            poses: Where the contacts are taken to be, shape ``(effectors, 4, 4)``; where the kinematics have them if None.
        """
        points, torques = self.points, self.torques
        kinematics = self._kinematics
        poses = kinematics.poses if poses is None else poses
        _place_points(poses, self._effectors, self._on_soles, self._arms, points.positions, points.frames)
        if torques is not None:
            _fill_torques(
                kinematics.poses, kinematics.jacobians, self._jacobian_com, self._effectors, points.positions, self._weight,
                torques.jacobians, torques.gravity,
            )  # fmt: skip
        self.program.fill(points, self._weight, torques)

    def build(self) -> RegionProgram:
        """Take over the configuration of the kinematics and find forces that hold the robot up; return the program.

        Raises:
            NoRegion: There are none.
        """
        self.load_configuration()
        check(begin(self.program.simplex.state)[0])
        return self.program


def _make_torques(model: RobotModel, points: int) -> JointTorques:
    return JointTorques(
        jacobians=np.zeros((points, 3, model.n)),
        gravity=np.zeros(model.n),
        limits=model.torque_limits.copy(),
        names=model.joint_names,
    )


@njit(cache=True)
def _place_points(
    poses: np.ndarray, effectors: np.ndarray, on_soles: np.ndarray, arms: np.ndarray, positions: np.ndarray, frames: np.ndarray
) -> None:
    for k in range(len(effectors)):
        pose = poses[effectors[k]]
        for i in range(3):
            positions[k, i] = pose[i, 3]
            if on_soles[k]:
                for c in range(3):
                    positions[k, i] += pose[i, c] * arms[k, c]
                    frames[k, i, c] = pose[i, c]
            else:
                positions[k, i] += arms[k, i]


@njit(cache=True)
def _fill_torques(
    poses: np.ndarray,
    effector_jacobians: np.ndarray,
    jacobian_com: np.ndarray,
    effectors: np.ndarray,
    positions: np.ndarray,
    weight: float,
    jacobians: np.ndarray,
    gravity: np.ndarray,
) -> None:
    for k in range(len(effectors)):
        jacobian = effector_jacobians[effectors[k]]
        pose = poses[effectors[k]]
        x, y, z = positions[k, 0] - pose[0, 3], positions[k, 1] - pose[1, 3], positions[k, 2] - pose[2, 3]
        for j in range(gravity.size):
            # The velocity of a point: v + omega x r.
            a, b, c = jacobian[3, 6 + j], jacobian[4, 6 + j], jacobian[5, 6 + j]
            jacobians[k, 0, j] = jacobian[0, 6 + j] + b * z - c * y
            jacobians[k, 1, j] = jacobian[1, 6 + j] + c * x - a * z
            jacobians[k, 2, j] = jacobian[2, 6 + j] + a * y - b * x
    for j in range(gravity.size):
        gravity[j] = weight * jacobian_com[2, 6 + j]


def make_reference_region(
    model: RobotModel, kinematics: EffectorKinematics, in_contact: np.ndarray, normals: np.ndarray
) -> RobotRegion:
    """Return the stability region of the reference's own limits.

    Its friction cones are the same pyramids as SEIKO's rows: what SEIKO holds in equilibrium is inside.

    Args:
        model: Robot.
        kinematics: Updated before every use.
        in_contact: Which effectors are in contact, shape ``(effectors,)``, bool.
        normals: Outward normals of the surfaces under point contacts in world, shape ``(effectors, 3)``.
    """
    about = model.description
    return RobotRegion(
        model,
        kinematics,
        in_contact,
        normals,
        inset=about.margins.reference,
        friction_scale=about.scales.friction,
    )
