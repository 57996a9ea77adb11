"""What a gait measures and what it commands, at one time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.pendulum import PendulumState
from handhold.retarget.walking.timing import Phase


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GaitMeasurement:
    """What is measured; feet are left before right.

    Attributes:
        poses: Of the soles in world, shape ``(2, 4, 4)``, homogeneous.
        forces: Normal forces on them as parts of the robot's weight, shape ``(2,)`` [-].
        noise: Standard deviation of what is measured of them in the air, likewise.
        com: Centre of mass seen from above, shape ``(2,)`` [m]; None to walk by the plan alone.
        velocity: Its velocity, shape ``(2,)`` [m/s]; None likewise.
        ground: What is known of the ground; None to take it for as high as the other foot stands.
    """

    poses: np.ndarray
    forces: np.ndarray
    noise: np.ndarray = field(default_factory=lambda: np.zeros(2))
    com: np.ndarray | None = None
    velocity: np.ndarray | None = None
    ground: GroundMap | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class GaitSample:
    """What the gait commands the robot now; feet are left before right.

    Attributes:
        phase: What the feet do.
        pendulum: Centre of mass and ZMP seen from above.
        height: Height of the centre of mass [m].
        height_rate: Its rate [m/s].
        foot_poses: In world, shape ``(2, 4, 4)``, homogeneous.
        foot_velocities: Linear and angular, in world axes, shape ``(2, 6)``.
        foot_accelerations: Likewise.
        contacts: Which feet are in contact, shape ``(2,)``, bool.
        load_ratios: Load ratio of each, shape ``(2,)`` [-].
        feasible: Whether the last program could hold the centre of mass without moving its state.
    """

    phase: Phase
    pendulum: PendulumState
    height: float
    height_rate: float
    foot_poses: np.ndarray
    foot_velocities: np.ndarray
    foot_accelerations: np.ndarray
    contacts: np.ndarray
    load_ratios: np.ndarray
    feasible: bool
