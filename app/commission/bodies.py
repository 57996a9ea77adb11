"""What is commissioned, by the name of its body: a maker's robot, or what stands in for it, in lockstep."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from handhold.app.commission.hoist import ObedientHoist, PeoplesHoist
from handhold.app.commission.kept_link import KeptLink
from handhold.app.commission.rig import Rig
from handhold.app.errors import AppError
from handhold.app.extras import require_extra
from handhold.app.guard.guarded_motors import guard_motors
from handhold.app.host.driven_robot import HELD
from handhold.app.host.program import SWITCH_INTERVAL
from handhold.app.host.standing import find_standing_posture
from handhold.app.host.warm_up import warm_up
from handhold.app.session.config import UNITREE
from handhold.app.session.priority import HOST_NICENESS, ask_for_priority
from handhold.app.stand_in.hoist import StandInHoist
from handhold.app.stand_in.program import find_model
from handhold.robots.model import RobotModel
from handhold.robots.simulation.engines import make_robot
from handhold.robots.unitree.hung_stand_in import HungStandIn
from handhold.robots.unitree.stand_in_body import Stand, StandInBody
from handhold.robots.unitree.unitree_robot import PERIOD
from handhold.robots.worlds import load_world

STAND_IN = "stand-in"


class UnknownRig(AppError):
    """Nothing of such a name is commissioned.

    Attributes:
        body: The name.
    """

    def __init__(self, body: str) -> None:
        self.body = body
        super().__init__(f"no body '{body}' to commission; take one of: {', '.join(BODIES)}")


HEIGHT, SWAYING = 0.1, 3.0
"""How high the soles of what stands in hang [m], and after what time it sways no more [s]."""


def open_rig(body: str, model: RobotModel, interface: str) -> AbstractContextManager[Rig]:
    """Open what is commissioned.

    Args:
        body: Its name, one of ``BODIES``.
        model: The robot.
        interface: Network interface that leads to it.

    Raises:
        UnknownRig: There is no such body.
    """
    if body not in BODIES:
        raise UnknownRig(body)
    return BODIES[body](model, interface)


@contextmanager
def _open_unitree(model: RobotModel, interface: str) -> Iterator[Rig]:
    require_extra(UNITREE)
    posture = find_standing_posture(model)
    # What is compiled is compiled on a simulation: a robot that is held waits for no compiler.
    rehearsal = make_robot("mujoco", model, load_world("flat"))
    warm_up(rehearsal, posture)
    rehearsal.close()
    ask_for_priority(HOST_NICENESS)
    gc.collect()
    # As the host of a session does: a collection of all that lives would take longer than a guard waits.
    gc.freeze()
    sys.setswitchinterval(SWITCH_INTERVAL)
    with guard_motors(model.description.source, interface) as link:
        yield Rig(
            model,
            posture,
            link,
            PeoplesHoist(),
            clock=time.monotonic,
            sleep=time.sleep,
            parting=HELD,
            keeping=KeptLink.keeping,
        )


@contextmanager
def _open_stand_in(model: RobotModel, _interface: str) -> Iterator[Rig]:
    yield make_stand_in_rig(model, hang_stand_in(model))


def hang_stand_in(model: RobotModel) -> HungStandIn:
    """Hang what stands in for a robot up, in the posture in which that is to stand, and let it come to rest.

    Raises:
        RobotError: Its model cannot be had.
        AppError: Nothing stands in for this robot.
    """
    joints = dict(zip(model.joint_names, find_standing_posture(model)[7:].tolist(), strict=True))
    stand = Stand(joints=joints, hung=HEIGHT)
    body = StandInBody(find_model(model.description.name), stand, load_world("flat"), np.random.default_rng(0))
    hung = HungStandIn(body, model.joint_names)
    for _ in range(round(SWAYING / PERIOD)):
        hung.sleep(PERIOD)
    return hung


def make_stand_in_rig(model: RobotModel, hung: HungStandIn) -> Rig:
    """Return what commissions a robot that stands in: its time is that of the rig."""

    def stand_still(_kept: KeptLink) -> AbstractContextManager[None]:
        return nullcontext()

    return Rig(
        model,
        find_standing_posture(model),
        hung.link,
        ObedientHoist(StandInHoist(hung.body, HEIGHT)),
        clock=hung.clock,
        sleep=hung.sleep,
        parting=0.0,
        keeping=stand_still,
    )


BODIES: Mapping[str, Callable[[RobotModel, str], AbstractContextManager[Rig]]] = {
    UNITREE: _open_unitree,
    STAND_IN: _open_stand_in,
}
"""How each is opened, with the network interface that leads to it."""
