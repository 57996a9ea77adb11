"""``bench touch``: what it costs that a hand gives way or holds an object, and how well the force on it is known."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.modes import ModeChoices
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.benches.held_object import time_held_object
from handhold.app.lab.benches.stances import make_seiko
from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE
from handhold.app.lab.scenarios.score import ScoredOperator, Step, Vector, ask, move, press, squeeze, together, wait, wait_till
from handhold.app.limbs import Side
from handhold.app.session.commit import current_commit
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.compliance.compliant_hands import CompliantHands
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import make_solver
from handhold.robots.robot import CONTROL_PERIOD, RobotState
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

LED: Side = "left"
MOVED: Side = "right"
"""Hands of the person who leads, and of the operator whose hand is led while steps are timed."""

TICKS, KERNEL_EVERY = 1200, 10

STIFFNESS, AHEAD, RADIUS, SPEED = 200.0, 0.2, 0.1, 0.2
"""The person's grip [N/m], how far ahead its other end goes [m], the circle it describes there [m], and its speed [m/s]."""

UNTOUCHED = 0.6
"""How long nobody touches the hand at first [s]: its sensor's offset is learnt by then."""

SENSED, ESTIMATED, BOLTED_DOWN = "talos", "g1", "dual-panda"
"""Robots whose hands have a sensor, and have none, and one with two palms that is bolted down."""

DIRECTIONS: tuple[Vector, ...] = ((0.8, 0.0, 0.6), (0.0, 0.8, -0.6))
"""In which the hand is pushed, one after the other, in world, unit: ahead and up, outwards and down."""

LARGEST, SMALLEST, PULSE = 0.0678, 10.0, 1.2
"""Largest force of a push as a part of the weight [-], 60 N of Talos; least one that is judged [N]; duration of a push [s]."""

NOMINAL = 50.0
"""Force from which on an error counts relatively to it [N]: 10 % of less would be less than 5 N."""

BEGINS, RESUMING, SLOW = 1.0, 0.7, 0.05
"""When the pushes begin, how long going on takes until the next ones do [s], and the operator's speed meanwhile [m/s]."""


class NotStanding(AssertionError):
    """A robot that is pushed fell, or did not go on: its forces are those of something else."""


def run_touch_bench(ticks: int = TICKS, directions: Sequence[Vector] = DIRECTIONS) -> Outcome:
    r"""Time steps of SEIKO with a hand that is led, and measure the error of the force that is taken for what pushes it.

    - ``added_kernels``: difference of the medians of admittance and SEIKO's step while a hand is led and its force balanced,
      and of the same with nothing compliant, in calibration kernels; ``added_p95_kernels``: of the 95th percentiles.
    - ``wrench_error``: :math:`\max_t |\hat f - f| / \max(|f|, 50 N)`, of all periods in which the simulator applies a force f
      of at least 10 N, with :math:`\hat f` what ``Contacts.measure_touch`` says in that period: the filters' lag counts.
      ``_estimated``: of hands without a sensor. ``balance_``: of what the balance is to reckon with, which is smoothed over
      30 ms more, and fades towards the dead zone.

    And what ``time_held_object`` says of an object between two palms, and of a robot that is bolted down.
    """
    start = time.monotonic()
    talos = load_model(SENSED)
    costs = [*time_steps(talos, ticks), *time_held_object(load_model(BOLTED_DOWN), talos, ticks)]
    sensed, estimated = (measure_errors(load_model(robot), directions) for robot in (SENSED, ESTIMATED))
    return Outcome(
        name="touch",
        robot=None,
        engine="mujoco",
        seed=0,
        commit=current_commit(),
        duration_s=time.monotonic() - start,
        fell=None,
        figures=[
            *costs,
            Figure("wrench_error", sensed[0], "%", must=10.0),
            Figure("wrench_error_estimated", estimated[0], "%"),
            Figure("balance_wrench_error", sensed[1], "%"),
            Figure("balance_wrench_error_estimated", estimated[1], "%"),
        ],
    )


class HandStep:
    """A step of SEIKO with the hand that may be led, on its own contacts.

    Attributes:
        stopwatch: Times of ``admittance`` and ``step`` of those ticks that count.
    """

    def __init__(self, model: RobotModel, *, compliant: bool) -> None:
        """Begin in the standing posture."""
        self.seiko = make_seiko(model)
        self._contacts, self._hands = Contacts(model, self.seiko), CompliantHands(model)
        self._hands.begin(self.seiko, self._contacts)
        if compliant:
            self._hands.turn_over(f"compliant-{LED}")
        self.stopwatch = Stopwatch()

    def advance(self, hand: int, poses: np.ndarray, force: np.ndarray, *, counts: bool) -> np.ndarray:
        """Take a step and return the pose that its hand was sent to, shape ``(4, 4)``.

        Args:
            hand: Index of the hand's effector.
            poses: What is commanded of all effectors, shape ``(effectors, 4, 4)``.
            force: What is measured at the hand, in world, shape ``(3,)`` [N].
            counts: Whether the times count.
        """
        watch = self.stopwatch if counts else Stopwatch()
        watch.start()
        self.seiko.measure_external(self._hands.measure_forces(PERIOD))
        moved = self._hands.move(hand, poses[hand], PERIOD, hold=False)
        self._hands.absorb_others((hand,))
        watch.mark("admittance")
        led = self._hands.is_led(hand)
        command = EffectorCommand(desired_pose=moved, engaged=False, pressed=False, push=0.0, led=led)
        forces = np.zeros((len(poses), 3))
        forces[hand] = force
        measured = self.seiko.kinematics.poses.copy(), forces
        # What measures the force does so with nothing compliant as well.
        self._contacts.begin_step({hand: command}, measured, (), PERIOD, hold=False)
        targets = poses.copy()
        targets[hand] = moved
        watch.start()
        self.seiko.step(SeikoTargets(effector_poses=targets, velocity_com_in_world=np.full(3, np.nan)), PERIOD)
        watch.mark("step")
        return moved


def time_steps(model: RobotModel, ticks: int) -> list[Figure]:
    """Time steps with a hand that is led and with one that is commanded to go the same way, tick by tick in turns."""
    hand, other = model.effector_of_hand(LED), model.effector_of_hand(MOVED)
    assert hand is not None, "the robot has a hand that can be led"
    assert other is not None, "the robot has a hand that can be moved"
    led, stiff, kernel = HandStep(model, compliant=True), HandStep(model, compliant=False), KernelClock()
    start = led.seiko.kinematics.poses.copy()
    for tick in range(ticks):
        elapsed, poses = tick * PERIOD - UNTOUCHED, start.copy()
        poses[other, 2, 3] += RADIUS * np.sin(SPEED / RADIUS * tick * PERIOD)
        place = led.seiko.kinematics.poses[hand, :3, 3]
        force = STIFFNESS * (start[hand, :3, 3] + _lead(elapsed) - place) if elapsed > 0.0 else np.zeros(3)
        counts = hand in led.seiko.external.pushed and bool(led.seiko.external.balanced.any())
        moved = led.advance(hand, poses, force, counts=counts)
        poses[hand] = moved
        stiff.advance(hand, poses, np.zeros(3), counts=counts)
        if tick % KERNEL_EVERY == 0:
            kernel.tick()
    return _compare(led.stopwatch, stiff.stopwatch, kernel)


def _lead(elapsed: float) -> np.ndarray:
    """Return where the person's end of the grip is, from where it was taken, shape ``(3,)`` [m]."""
    angle = SPEED / RADIUS * elapsed
    return np.array([min(AHEAD, SPEED * elapsed), RADIUS * np.sin(angle), RADIUS * (1.0 - np.cos(angle))])


def _compare(led: Stopwatch, stiff: Stopwatch, kernel: KernelClock) -> list[Figure]:
    unit = 1e3 * kernel.microseconds
    with_it, without = (np.sum([np.array(times) for times in watch.stages.values()], axis=0) / unit for watch in (led, stiff))
    stages = {stage: np.median(led.stages[stage]) - np.median(stiff.stages[stage]) for stage in led.stages}
    return [
        Figure("added_kernels", float(np.median(with_it) - np.median(without)), "-", must=1.0),
        Figure("added_p95_kernels", float(np.percentile(with_it, 95) - np.percentile(without, 95)), "-"),
        *(Figure(f"added_{stage}_kernels", float(more) / unit, "-") for stage, more in stages.items()),
        Figure("step_kernels", float(np.median(without)), "-"),
        Figure("kernel", kernel.microseconds, "us"),
    ]


def measure_errors(model: RobotModel, directions: Sequence[Vector]) -> tuple[float, float]:
    """Measure the largest errors of the force on a hand, as it is measured and as the balance reckons with it [%]."""
    forces = np.array([sample for sample in play_pushes(model, directions) if np.linalg.norm(sample[0]) >= SMALLEST])
    applied, allowed = forces[:, 0], np.maximum(np.linalg.norm(forces[:, 0], axis=1), NOMINAL)
    measured, balance = (100.0 * float((np.linalg.norm(forces[:, k] - applied, axis=1) / allowed).max()) for k in (1, 2))
    return measured, balance


def play_pushes(model: RobotModel, directions: Sequence[Vector]) -> Iterator[np.ndarray]:
    """Push the hand in all directions while the robot is stopped, and once more while the operator moves it.

    Yields:
        Of every control period the force that acts, the one that is measured, and the one that the balance is to reckon with,
        in world, shape ``(3, 3)`` [N].
    """
    hand, mode = model.effector_of_hand(LED), BracingMode(model, make_solver("daqp"))
    assert hand is not None, "the robot has a hand that can be led"
    duration = len(directions) * PULSE
    with contextlib.closing(make_robot("mujoco", model, load_world("flat"))) as body:
        state = body.reset(find_standing_posture(model))
        operate = _Operating(model, state, mode, duration)
        for tick in range(round((BEGINS + 2.0 * duration + RESUMING) / CONTROL_PERIOD)):
            now = tick * CONTROL_PERIOD - BEGINS
            force = LARGEST * model.weight * _push(now if now < duration else now - duration - RESUMING, directions)
            body.send(operate.cycle.advance(operate.sample(tick), state, (), CONTROL_PERIOD))
            body.push(force, f"handhold/{model.effectors[hand].name}")
            body.advance(CONTROL_PERIOD)
            state, external = body.read(), mode.seiko.external
            touch = mode.contacts.measure_touch(hand, CONTROL_PERIOD)
            reckoned = dict(zip(external.pushed, external.measured, strict=True)).get(hand, np.zeros(3))
            yield np.array([force, touch.force, reckoned])
        if operate.cycle.headline.stop is not Stop.NONE:
            raise NotStanding(model.description.name)


def _push(elapsed: float, directions: Sequence[Vector]) -> np.ndarray:
    """Return the push at a time since they began [s] as a part of the largest, shape ``(3,)``: a squared sine a direction."""
    number, phase = divmod(elapsed / PULSE, 1.0)
    if not 0 <= number < len(directions):
        return np.zeros(3)
    push: np.ndarray = np.sin(np.pi * phase) ** 2 * np.array(directions[int(number)])
    return push


class _Operating:
    """The cycle and its operator, who stops the robot while its hand is pushed, goes on, and moves that hand up and down."""

    def __init__(self, model: RobotModel, state: RobotState, mode: BracingMode, duration: float) -> None:
        def make_mode(_model: RobotModel, _choices: ModeChoices) -> BracingMode:
            return mode

        self.cycle = Cycle(model, state, modes=(make_mode,))
        self._operator = ScoredOperator(_script(duration))
        self._snapshot: Snapshot | None = None
        self._newest = self._operator.sample(0.0, None)
        self._number = 0

    def sample(self, tick: int) -> OperatorInput:
        """Return the operator's newest sample in a control period."""
        now = tick * CONTROL_PERIOD
        if int(now * OPERATOR_RATE) != self._number:
            self._number, self._snapshot = int(now * OPERATOR_RATE), self.cycle.report()
            self._newest = self._operator.sample(now, self._snapshot)
        return self._newest


def _script(duration: float) -> list[Step]:
    way = 0.5 * SLOW * duration
    # Hands that are stopped are not led, and the mode still balances what pushes them.
    clicks = together(press("left", "stick"), press("right", "stick"))
    stop = (wait(0.1), ask(f"switch:compliant-{LED}"), wait_till(BEGINS - 0.25), clicks)
    resume = (wait_till(BEGINS + duration), clicks, squeeze(LED), wait_till(BEGINS + duration + RESUMING))
    return [*stop, *resume, move(LED, (0.0, 0.0, way), SLOW), move(LED, (0.0, 0.0, -way), SLOW)]
