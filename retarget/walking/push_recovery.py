r"""Where the next plan begins after a push.

The controller's feedback brings a divergent component back that is within a tolerance :math:`\epsilon` of the plan's; beyond,
the footsteps must. The plan then begins from what is measured, less that,

.. math:: (c, \dot c) \mathrel{+}= \max(0, 1 - \frac{\epsilon}{\|e + \dot e / \omega\|}) (e, \dot e), \qquad e = \hat c - c.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.retarget.walking.gait_sample import GaitMeasurement
from handhold.retarget.walking.pendulum import PendulumState


def find_pushed_state(
    planned: PendulumState, measured: GaitMeasurement, omega: float, tolerance: float
) -> PendulumState | None:
    """Find the state that the next plan should begin in; None where the planned one will do.

    Args:
        planned: State of the pendulum.
        measured: Centre of mass and its velocity; None of either is no push.
        omega: Natural frequency of the pendulum [1/s].
        tolerance: Distance of the divergent component from the plan that tracking explains [m].
    """
    if measured.com is None or measured.velocity is None:
        return None
    com, velocity = measured.com - planned.com, measured.velocity - planned.velocity
    error = float(np.linalg.norm(com + velocity / omega))
    ratio = max(0.0, 1.0 - tolerance / max(error, 1e-9))
    if ratio == 0.0:
        return None
    return replace(planned, com=planned.com + ratio * com, velocity=planned.velocity + ratio * velocity)
