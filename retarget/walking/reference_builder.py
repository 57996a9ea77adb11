"""From a sample of the gait and the posture that goes with it to what the controller tracks."""

from __future__ import annotations

import numpy as np

from handhold.retarget.walking.gait_sample import GaitSample
from handhold.retarget.walking.load import compute_foot_wrenches
from handhold.retarget.walking.posture import PostureFollower
from handhold.retarget.walking.timing import Phase
from handhold.robots.contact import compute_sole_corners
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_convex_hull
from handhold.robots.reference import Reference


class ReferenceBuilder:
    """Builds references; keeps the hull of the soles until the contacts change."""

    def __init__(self, model: RobotModel, feet: tuple[int, int], omega: float, swing_moment: float) -> None:
        """Prepare for a walk.

        Args:
            model: Robot.
            feet: Its left and right foot.
            omega: Natural frequency of the pendulum [1/s].
            swing_moment: What a foot's acceleration does to the ZMP, see ``compute_swing_moment`` [s^2].
        """
        self._model, self._feet, self._omega = model, feet, omega
        self._swing_moment = swing_moment
        half_lengths = model.effectors[feet[0]].half_lengths
        assert half_lengths is not None, "walking feet are soles"
        inset = model.description.margins.walking_controller
        self._inner = np.array(half_lengths) - inset
        self._corners = compute_sole_corners(half_lengths, inset)
        self._polygon, self._polygon_of = np.zeros((0, 2)), (Phase.STANDING, b"")

    def build(self, time: float, sample: GaitSample, posture: PostureFollower) -> Reference:
        """Return the reference for a time of the robot's clock [s]."""
        model, pendulum = self._model, sample.pendulum
        feet, count = list(self._feet), len(model.effectors)
        acceleration = pendulum.compute_acceleration(self._omega)
        poses = posture.kinematics.poses[:count].copy()
        velocities = posture.kinematics.jacobians[:count] @ posture.v
        accelerations = np.zeros((count, 6))
        poses[feet], velocities[feet] = sample.foot_poses, sample.foot_velocities
        accelerations[feet] = sample.foot_accelerations
        contacts, wrenches = np.zeros(count, dtype=bool), np.zeros((count, 6))
        contacts[feet] = sample.contacts
        wrenches[feet] = compute_foot_wrenches(
            model.mass, acceleration, pendulum.zmp, sample.foot_poses, sample.load_ratios, self._inner
        )
        return Reference(
            time=time,
            q=posture.q,
            v=posture.v,
            joint_torques=self._compute_torques(wrenches, posture),
            position_com_in_world=np.array([*pendulum.com, sample.height]),
            velocity_com_in_world=np.array([*pendulum.velocity, sample.height_rate]),
            acceleration_com_in_world=np.array([*acceleration, 0.0]),
            support_polygon=self._support_polygon(sample),
            effector_poses=poses,
            effector_velocities=velocities,
            contacts=contacts,
            contact_normals=np.tile([0.0, 0.0, 1.0], (count, 1)),
            contact_wrenches=wrenches,
            effector_accelerations=accelerations,
            # The soles bear z + beta p'' of the pendulum's ZMP z and of the foot in the air.
            zmp_shift=self._swing_moment * sample.foot_accelerations[:, :2].sum(axis=0),
            natural_frequency=self._omega,
        )

    def _compute_torques(self, wrenches: np.ndarray, posture: PostureFollower) -> np.ndarray:
        kinematics = posture.kinematics
        torques = posture.gravity.copy()
        for foot in self._feet:
            rotation, jacobian = kinematics.poses[foot, :3, :3], kinematics.jacobians[foot]
            torques -= jacobian[:3].T @ (rotation @ wrenches[foot, :3]) + jacobian[3:].T @ (rotation @ wrenches[foot, 3:])
        return np.asarray(torques[6:])

    def _support_polygon(self, sample: GaitSample) -> np.ndarray:
        """Return the hull of the soles in contact, inside their edges; computed when the contacts change."""
        key = (sample.phase, sample.contacts.tobytes())
        if key != self._polygon_of:
            bearing = sample.foot_poses[sample.contacts]
            points = [self._corners @ pose[:2, :3].T + pose[:2, 3] for pose in bearing]
            self._polygon, self._polygon_of = compute_convex_hull(np.concatenate(points)), key
        return self._polygon
