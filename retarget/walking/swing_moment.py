r"""Effect of the swing leg on the ZMP: the LIP has no legs, the robot's soles carry theirs.

While the trunk does not turn, the ZMP of all bodies differs from the LIP's by the rate of the angular momentum that the leg in
the air has about the centre of mass, when its foot is accelerated by :math:`\ddot p`:

.. math::

    z_{CoP} = z_{LIP} + \beta \ddot p, \qquad
    \beta = \frac{1}{m g} \frac{\partial L_x}{\partial \dot p_y} = - \frac{1}{m g} \frac{\partial L_y}{\partial \dot p_x} .

The foot goes along quintics (see ``swing.py``), so that its acceleration at every time to come is affine in where it is now
and in where it is to stand, as the predictive control needs it.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.walking.mpc import SwingEffect
from handhold.retarget.walking.swing import DESCENT_TIME, SwingFoot
from handhold.retarget.walking.timing import Phase, Segment
from handhold.robots.description import GAIT_CELL
from handhold.robots.model import RobotModel


def compute_swing_moment(model: RobotModel, foot: int) -> float:
    """Compute the ratio of the ZMP's displacement to the acceleration of a foot in the air, in the nominal posture.

    The leg follows its foot, the rest of the robot moves back as a whole so that the centre of mass stays; a motion without
    rotation has no angular momentum. Both horizontal axes agree to 6 % (Talos, G1): their mean is taken.

    Args:
        model: The robot.
        foot: Effector that is in the air.

    Returns:
        In [s^2].
    """
    robot, q = model.pinocchio, model.q_nominal
    data = robot.createData()
    pin.computeCentroidalMap(robot, data, q)
    pin.computeJointJacobians(robot, data, q)
    pin.updateFramePlacements(robot, data)
    jacobian = pin.getFrameJacobian(robot, data, model.effector_frames[foot], pin.LOCAL_WORLD_ALIGNED)
    leg = 6 + np.flatnonzero(np.abs(jacobian[:, 6:]).max(axis=0) > 0.0)
    momenta = data.Ag[3:, leg] @ np.linalg.pinv(jacobian[:, leg])
    return float(0.5 * (momenta[0, 1] - momenta[1, 0]) / model.weight)


def preview_swings(
    segments: list[Segment], times: np.ndarray, feet: int, swing: SwingFoot | None, moment: float
) -> SwingEffect:
    """Preview what the legs do to the ZMP: the foot in the air from its present motion on, all others from rest to rest.

    Accelerations are means over a cell about each time: sampled, those of a foot that is about to come down would count for
    more than they are, and the predictive control would swing the foot to push the robot.

    Args:
        segments: Phases that cover ``times``.
        times: Ends of the horizon's cells, from now, shape ``(cells,)`` [s].
        feet: Number of feet in ``Preview``; of later ones nothing is known.
        swing: The foot in the air now; None for none. While it climbs it does not go on yet, which is not previewed.
        moment: See ``compute_swing_moment`` [s^2].
    """
    gains, offsets = np.zeros((len(times), feet)), np.zeros((len(times), 2))
    around = np.stack([np.maximum(0.0, times - 0.5 * GAIT_CELL), times + 0.5 * GAIT_CELL])
    lengths = around[1] - around[0]
    begin = 0.0
    for segment in segments:
        lift_off, touchdown = segment.feet[1] - 1, segment.feet[1] + 1
        left = segment.duration - segment.elapsed
        present = swing if segment is segments[0] else None
        # A foot that is about to come down goes straight down; one that has touched early stands.
        stands = segment is segments[0] and swing is None
        if segment.phase is Phase.SINGLE and touchdown < feet and left > DESCENT_TIME and not stands:
            goal, start = _compute_velocities(around - begin, left - 0.5 * DESCENT_TIME, present)
            gain = moment * (goal[1] - goal[0]) / lengths
            gains[:, touchdown] += gain
            gains[:, lift_off] -= gain
            offsets += moment * (start[1] - start[0]) / lengths[:, None]
        begin += left
    return SwingEffect(gains=gains, offsets=offsets)


def _compute_velocities(times: np.ndarray, duration: float, swing: SwingFoot | None) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the velocity along the quintic that comes to rest at its goal after a duration T [s]; at rest before and after.

    .. math::

        \dot p(r) = \frac{30 r^2 - 60 r^3 + 30 r^4}{T} (p_1 - p_0) + (1 - 18 r^2 + 32 r^3 - 15 r^4) \dot p_0
            + (r - \tfrac 9 2 r^2 + 6 r^3 - \tfrac 5 2 r^4) T \ddot p_0, \qquad r = t / T

    Args:
        times: From the quintic's begin, shape ``(...)`` [s].
        duration: T [s].
        swing: The foot's motion at the begin; None for a foot at rest.

    Returns:
        The factor of the displacement, shape ``(...)`` [1/s], and the rest, shape ``(..., 2)`` [m/s].
    """
    r = np.clip(times / duration, 0.0, 1.0)
    goal = r**2 * (30.0 - 60.0 * r + 30.0 * r**2) / duration
    if swing is None:
        return goal, np.zeros((*times.shape, 2))
    speed = 1.0 + r**2 * (-18.0 + 32.0 * r - 15.0 * r**2)
    rate = duration * r * (1.0 - 4.5 * r + 6.0 * r**2 - 2.5 * r**3)
    return goal, speed[..., None] * swing.velocity[:2] + rate[..., None] * swing.acceleration[:2]
