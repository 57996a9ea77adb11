"""What the whole-body mode takes of a control cycle while it follows a person, for ``bench suit``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from handhold.app.lab.benches.timing import KernelClock, Stopwatch
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.moving_person import MovingPerson
from handhold.devices.tracked_human import TrackedHuman
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.mode import WholeBodyMode
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import CONTROL_PERIOD, RobotState

STANDING, DURATION = 4.0, 30.0
"""Time in which the person stands to be calibrated, and time of all [s]."""

KERNEL_EVERY = 20
"""Cycles from one timing of the kernel to the next."""


def measure_update() -> list[Figure]:
    """Measure the mode's updates on Talos, a kernel of the same run for the unit: all of them, and those that step."""
    updates, kernel = time_updates(load_model("talos"))
    cycles = round(PERIOD / CONTROL_PERIOD)
    whole = np.array(updates)[: len(updates) // cycles * cycles].reshape(-1, cycles) / 1e3 / kernel
    return [
        Figure("update_kernels", float(np.median(whole.mean(axis=1))), "-", must=3.0, aim=1.5),
        Figure("step_kernels", float(np.median(whole.max(axis=1))), "-"),
    ]


def time_updates(model: RobotModel) -> tuple[list[int], float]:
    """Return the time of each cycle's update while somebody is followed [ns], and the kernel's [us]."""
    mapping = find_mapping(model)
    assert mapping is not None, f"{model.description.name} follows nobody"
    mode, stopwatch, kernel = WholeBodyMode(model, mapping, DaqpSolver()), Stopwatch(), KernelClock()
    person, output = MovingPerson(np.random.default_rng(0)), mode.enter(_stand(model, model.q_nominal, 0.0))
    for cycle, time in enumerate(_list_times()):
        command = _command(person.track(time, moves=output.report.follows_person), squeezes=time > STANDING)
        state = _stand(model, output.reference.q, time)
        stopwatch.start()
        output = mode.update(command, state, (), CONTROL_PERIOD, hold=time <= STANDING)
        stopwatch.mark("followed" if output.report.follows_person else "other")
        if cycle % KERNEL_EVERY == 0:
            kernel.tick()
    return stopwatch.stages["followed"], kernel.microseconds


def _list_times() -> Iterator[float]:
    return (cycle * CONTROL_PERIOD for cycle in range(round(DURATION / CONTROL_PERIOD)))


def _command(human: TrackedHuman, *, squeezes: bool) -> OperatorCommand:
    hand = replace(HandCommand.released(np.eye(4)), engaged=squeezes)
    return replace(OperatorCommand.of_hands(hand, hand), human=human)


def _stand(model: RobotModel, q: np.ndarray, time: float) -> RobotState:
    return RobotState(
        time=time,
        q=q,
        v=np.zeros(model.nv),
        joint_torques=np.zeros(model.n),
        contact_wrenches=np.zeros((len(model.effectors), 6)),
    )
