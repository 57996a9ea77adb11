"""How fast the joints of a reference may be."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.seiko.contact_terms import ContactTerms, find_phase
from handhold.retarget.bracing.seiko.parameters import SeikoParameters
from handhold.robots.model import RobotModel


class JointSpeeds:
    """Limits of the joints' velocities, lower while a contact comes or goes."""

    def __init__(self, model: RobotModel, parameters: SeikoParameters) -> None:
        usual = limit_body(model, parameters.body_speed)
        loading = limit_body(model, parameters.load_speed)
        self._speeds = (usual, loading, np.minimum(usual, parameters.unload_speed))

    def choose(self, terms: ContactTerms) -> np.ndarray:
        """Choose how fast the joints may be now, shape ``(n,)`` [rad/s]."""
        return self._speeds[find_phase(terms.unloading, terms.weights)]


def limit_body(model: RobotModel, body_speed: float) -> np.ndarray:
    """Return the joints' velocity limits, shape ``(n,)`` [rad/s], those lower that carry a foot or the trunk."""
    limits = model.velocity_limits.copy()
    feet = [model.effector_joints[e] for e, about in enumerate(model.effectors) if about.is_foot]
    trunk = [model.pinocchio.frames[frame].parentJoint for frame in model.trunk_frames]
    for end in (*feet, *trunk):
        for joint in model.pinocchio.supports[end].tolist():
            if joint > 1:
                index = model.pinocchio.joints[joint].idx_v - 6
                limits[index] = min(limits[index], body_speed)
    return limits
