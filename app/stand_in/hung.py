"""A robot that stands in for a real one and hangs, in lockstep."""

from __future__ import annotations

from handhold.app.stand_in.program import make_body
from handhold.robots.model import RobotModel
from handhold.robots.unitree.hung_stand_in import HungStandIn
from handhold.robots.unitree.stand_in_model import StandInModel
from handhold.robots.unitree.stand_in_motors import MotorFlaws
from handhold.robots.unitree.unitree_robot import PERIOD

HEIGHT = 0.3
"""How high its soles hang [m]."""

SWAYING = 3.0
"""Time after which it sways no more from being hung up [s]."""


def hang_stand_in(model: RobotModel, source: StandInModel, seed: int, flaws: MotorFlaws | None = None) -> HungStandIn:
    """Hang a robot up in the posture of a model, and let it come to rest.

    Args:
        model: The robot as it is known: its posture alone counts.
        source: Somebody else's model of it.
        seed: Of its sensors' biases and noise.
        flaws: Of its motors.

    Raises:
        RobotError: A file cannot be read.
    """
    body = make_body(model, source, "flat", seed, flaws, hung=HEIGHT)
    hung = HungStandIn(body, model.joint_names)
    for _ in range(round(SWAYING / PERIOD)):
        hung.sleep(PERIOD)
    return hung
