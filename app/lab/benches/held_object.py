"""What an object between two palms costs a step of SEIKO, and what a robot that is bolted down costs beside one on feet."""

from __future__ import annotations

import math

import numpy as np

from handhold.app.lab.benches.stances import make_seiko
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure
from handhold.retarget.bracing.braced_body import PERIOD, BracedBody
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.objects.compliant_object import CompliantObject
from handhold.retarget.bracing.objects.held_object import GRIP_RATIO, HeldObject
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.contact import INSIDE_CONE
from handhold.robots.model import GRAVITY, RobotModel
from handhold.robots.robot import RobotState

MASS = 4.0
"""What the object weighs, which nobody has said [kg]."""

RADIUS, SPEED = 0.08, 0.1
"""The circle along which hands are taken, in a plane across the robot [m], and how fast [m/s]."""

WARM_UP, KERNEL_EVERY = 500, 10
"""Steps that do not count, while programs are built and the object is weighed, and how many steps come between two kernels."""


class NotHeld(AssertionError):
    """The object was lost: what was timed is something else."""


class HeldSteps:
    """Steps of SEIKO with an object between both palms, which exerts on them what one of that weight would.

    Attributes:
        seiko: The reference.
        held: The object.
        stopwatch: Times of ``object`` and ``step`` of those ticks that count.
    """

    def __init__(self, model: RobotModel) -> None:
        """Grasp it in the standing posture."""
        self._hands, self.seiko = _find_hands(model), make_seiko(model)
        about = [model.effectors[hand] for hand in self._hands]
        max_grip = min(each.max_normal_force for each in about)
        friction = INSIDE_CONE * model.description.scales.friction * min(each.friction for each in about)
        self.seiko.hold(self._hands, GRIP_RATIO * max_grip)
        self.held = HeldObject(self.seiko, self._hands, max_grip, friction, CompliantObject())
        self._start, self.stopwatch = self.seiko.kinematics.poses.copy(), Stopwatch()
        # Whose hands have no sensors: what the estimate lacks is found in every step.
        self._body = BracedBody(model)
        self._body.begin(self.seiko, self._make_state())

    def _make_state(self) -> RobotState:
        q, torques = self.seiko.q, self.seiko.joint_torques
        return RobotState(
            time=0.0,
            q=q,
            v=np.zeros(self.seiko.v.size),
            joint_torques=torques,
            contact_wrenches=np.zeros((len(self._start), 6)),
        )

    def advance(self, displacement: np.ndarray, *, counts: bool) -> None:
        """Take a step towards a displacement of the object in world, shape ``(3,)`` [m]."""
        poses, watch = self._start.copy(), self.stopwatch if counts else Stopwatch()
        poses[list(self._hands), :3, 3] += displacement
        commands = {
            hand: EffectorCommand(desired_pose=poses[hand], engaged=True, pressed=False, push=0.0) for hand in self._hands
        }
        wrenches = self._measure_weight()
        self._body.observe(self._make_state(), PERIOD)
        watch.start()
        unobserved, kinematics = self._body.find_unobserved_wrenches(PERIOD), self.seiko.kinematics
        moving = np.asarray(kinematics.jacobians @ self.seiko.v)
        measured = MeasuredHands(kinematics.poses.copy(), moving, wrenches - unobserved, unobserved)
        self.held.observe(measured, PERIOD, opening=False)
        lost = self.held.find_loss(measured.poses)
        self.held.lead(PERIOD, hold=False)
        self.held.follow(commands, PERIOD)
        poses[self.held.first] = self.held.led_target
        watch.mark("object")
        self.seiko.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan)), PERIOD)
        watch.mark("step")
        if lost:
            raise NotHeld(lost)

    def _measure_weight(self) -> np.ndarray:
        """Return what is measured of the hands: what the reference balances, and the weight that it does not yet."""
        wrenches = self.seiko.stance.unstack(self.seiko.wrenches, len(self._start))
        for hand in self._hands:
            missing = 0.5 * GRAVITY * (MASS - self.seiko.load.mass)
            wrenches[hand, :3] -= missing * self.seiko.kinematics.poses[hand, 2, :3]
        return wrenches


class FreeSteps:
    """Steps of SEIKO with both hands free."""

    def __init__(self, model: RobotModel) -> None:
        """Begin in the standing posture."""
        self._hands, self.seiko, self.stopwatch = _find_hands(model), make_seiko(model), Stopwatch()
        self._start = self.seiko.kinematics.poses.copy()

    def advance(self, displacement: np.ndarray, *, counts: bool) -> None:
        """Take a step towards a displacement of both hands in world, shape ``(3,)`` [m]."""
        poses, watch = self._start.copy(), self.stopwatch if counts else Stopwatch()
        poses[list(self._hands), :3, 3] += displacement
        watch.start()
        self.seiko.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan)), PERIOD)
        watch.mark("step")


def time_held_object(fixed: RobotModel, on_feet: RobotModel, ticks: int) -> list[Figure]:
    """Time steps with an object, without, and of a robot on feet, tick by tick in turns on the same way.

    - ``object_added_kernels``: difference of the medians with an object and without.
    - ``fixed_base_ratio``: median step of the robot that is bolted down in that of the one on feet, with both hands free.

    Args:
        fixed: Robot that is bolted down and has two flat palms.
        on_feet: The other one.
        ticks: How many count.
    """
    held, free, standing, kernel = HeldSteps(fixed), FreeSteps(fixed), FreeSteps(on_feet), KernelClock()
    for tick in range(WARM_UP + ticks):
        angle = SPEED / RADIUS * PERIOD * tick
        displacement = RADIUS * np.array([0.0, math.sin(angle), 1.0 - math.cos(angle)])
        for steps in (held, free, standing):
            steps.advance(displacement, counts=tick >= WARM_UP)
        if tick % KERNEL_EVERY == 0:
            kernel.tick()
    if not 0.9 * MASS < held.seiko.load.mass < 1.1 * MASS:
        raise NotHeld(f"{held.seiko.load.mass:.2f} kg are balanced of {MASS:.2f}")
    unit = 1e3 * kernel.microseconds
    with_it = np.sum([np.array(times) for times in held.stopwatch.stages.values()], axis=0)
    without, feet = (np.array(steps.stopwatch.stages["step"]) for steps in (free, standing))
    return [
        Figure("object_added_kernels", float(np.median(with_it) - np.median(without)) / unit, "-", must=1.0),
        Figure("object_added_p95_kernels", float(np.percentile(with_it, 95) - np.percentile(without, 95)) / unit, "-"),
        Figure("fixed_base_step_kernels", float(np.median(without)) / unit, "-"),
        Figure("fixed_base_ratio", float(np.median(without) / np.median(feet)), "-", must=1.0),
    ]


def _find_hands(model: RobotModel) -> tuple[int, int]:
    hands = model.effector_of_hand("left"), model.effector_of_hand("right")
    assert hands[0] is not None, "the robot has a left hand"
    assert hands[1] is not None, "the robot has a right hand"
    return hands[0], hands[1]
