"""How fast the joints of a reference may be."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko.contact_terms import ContactTerms, find_phase
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.model import RobotModel


class JointSpeeds:
    """Limits of the joints' velocities, lower while a contact comes or goes, and how fast the body's may grow."""

    def __init__(self, model: RobotModel, parameters: SeikoParameters) -> None:
        body, limits = find_body_joints(model), model.velocity_limits
        usual, loading = (
            np.where(body, np.minimum(limits, speed), limits) for speed in (parameters.body_speed, parameters.load_speed)
        )
        self._speeds = (usual, loading, np.minimum(usual, parameters.unload_speed))
        self._growth = np.where(body, parameters.body_acceleration, np.inf)
        self._free_speed = parameters.free_body_speed

    def choose(self, terms: ContactTerms, velocities: np.ndarray, dt: float) -> np.ndarray:
        r"""Choose how fast the joints may be in the next step, shape ``(n,)`` [rad/s].

        A body joint may stop at once, but not start at once:

        .. math:: |\dot\theta| \leq \min(\dot\theta_{max}, \max(|\dot\theta_{last}|, \dot\theta_{free}) + \ddot\theta_{max} dt)

        Args:
            terms: What is asked of each effector's contact.
            velocities: Of the joints in the last step, shape ``(n,)`` [rad/s].
            dt: Length of the step [s].
        """
        speeds = self._speeds[find_phase(terms.unloading, terms.weights)]
        return np.minimum(speeds, np.maximum(np.abs(velocities), self._free_speed) + self._growth * dt)


def find_body_joints(model: RobotModel) -> np.ndarray:
    """Return which joints carry a foot or the trunk, shape ``(n,)``, bool."""
    found = np.zeros(model.velocity_limits.shape, dtype=bool)
    feet = [model.effector_joints[e] for e, about in enumerate(model.effectors) if about.is_foot]
    trunk = [model.pinocchio.frames[frame].parentJoint for frame in model.trunk_frames]
    for end in (*feet, *trunk):
        for joint in model.pinocchio.supports[end].tolist():
            if joint > 1:
                found[model.pinocchio.joints[joint].idx_v - 6] = True
    return found
