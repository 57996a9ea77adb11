"""``bench identify``: what is found of the drives of a robot that stands in, against what they are made to be."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence

import numpy as np

from handhold.app.identify.bodies import STAND_IN, BodyChoice, reach_body
from handhold.app.identify.consent import Consenting
from handhold.app.identify.program import move_joints
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit
from handhold.app.stand_in.hung import hang_stand_in
from handhold.app.stand_in.program import find_model
from handhold.robots.estimation.identification.find_drives import find_drives
from handhold.robots.estimation.identification.found_drive import FoundDrive
from handhold.robots.model import RobotModel, load_model
from handhold.robots.unitree.makers_robots import find_makers_robot
from handhold.robots.unitree.stand_in_motors import MotorFlaws

ROBOT = "g1"

FLAWS = {"": MotorFlaws(), "_slow": MotorFlaws(delay=4e-3, bandwidth=30.0, friction=0.02, rotor_inertia=1e-3)}
"""Motors that are found out, by what comes after the figures' names."""

MAX_ERROR = 20.0
"""Of what is found [%]."""


def run_identify_bench() -> Outcome:
    """Find out all drives of a robot that hangs, with two kinds of motors.

    Raises:
        RobotError: The robot cannot be had.
    """
    model, begun = load_model(ROBOT), time.perf_counter()
    figures, errors = [], {}
    for suffix, flaws in FLAWS.items():
        found = find_on_stand_in(model, range(model.n), flaws)
        measured = measure_errors(model, found, flaws)
        figures += to_figures(measured, suffix)
        errors[f"errors{suffix}"] = {name: dict(zip(model.joint_names, each, strict=True)) for name, each in measured.items()}
    return Outcome(
        name="identify",
        robot=ROBOT,
        engine="mujoco",
        seed=0,
        commit=current_commit(),
        duration_s=time.perf_counter() - begun,
        fell=None,
        figures=figures,
        extra=errors,
    )


def find_on_stand_in(model: RobotModel, joints: Sequence[int], flaws: MotorFlaws) -> list[FoundDrive]:
    """Find out what joints of a robot that stands in are like, by their indices; nobody is asked.

    Raises:
        RobotError: It was damped.
    """

    def say(_line: str) -> None:
        pass

    with reach_body(model, BodyChoice(name=STAND_IN, flaws=flaws)) as robot:
        robot.hold()
        records = move_joints(robot, joints, Consenting(say), say, np.random.default_rng(0))
    return list(find_drives(model, records, robot.posture, find_makers_robot(model).unit))


def measure_errors(model: RobotModel, found: Sequence[FoundDrive], flaws: MotorFlaws) -> Mapping[str, Sequence[float | None]]:
    """Return by how much of the truth what was found of each joint is off [%]; None for a rotor that is not told."""
    limits = dict(zip(model.joint_names, hang_stand_in(model, find_model(ROBOT), 0).body.motors.limits.tolist(), strict=True))
    return {
        "friction_error": [_off(each.friction.coulomb, flaws.friction * limits[each.joint]) for each in found],
        "delay_error": [_off(each.response.delay, flaws.delay) for each in found],
        "bandwidth_error": [_off(each.response.bandwidth, flaws.bandwidth) for each in found],
        "rotor_inertia_error": [
            None if each.rotor_inertia is None else _off(each.rotor_inertia, flaws.rotor_inertia * limits[each.joint])
            for each in found
        ],
    }


def _off(value: float, truth: float) -> float:
    return 100.0 * (value / truth - 1.0)


def to_figures(errors: Mapping[str, Sequence[float | None]], suffix: str) -> list[Figure]:
    """Return the worst joint's error of each kind, and of how many joints the rotor is told."""
    figures = []
    for name, each in errors.items():
        told = [abs(error) for error in each if error is not None]
        must = MAX_ERROR if name in ("friction_error", "delay_error") else None
        figures.append(Figure(f"{name}{suffix}", max(told, default=math.nan), "%", must=must, aim=MAX_ERROR))
    rotors = sum(error is not None for error in errors["rotor_inertia_error"])
    return [*figures, Figure(f"rotors_told{suffix}", float(rotors), "-", larger_is_better=True)]
