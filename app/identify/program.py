"""Moves the joints of a robot that hangs, one after another, with somebody who consents to each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from handhold.app.errors import AppError
from handhold.app.identify.bodies import BodyChoice, reach_body
from handhold.app.identify.consent import Answer, Operator
from handhold.app.identify.drives_text import merge_drives, write_drives
from handhold.app.identify.recorder import record_excitation
from handhold.robots.drives import Drives
from handhold.robots.estimation.identification.find_drives import JointRecords, find_drives
from handhold.robots.estimation.identification.found_drive import FoundDrive
from handhold.robots.estimation.identification.plan import JointPlan, plan_joint
from handhold.robots.model import RobotModel
from handhold.robots.unitree.held_robot import HeldRobot
from handhold.robots.unitree.makers_robots import find_makers_robot

HANGS = (
    "Does the robot hang, its feet off the ground, with nothing within 0.2 m of its limbs, and is somebody at its emergency "
    "stop? It will be held as it is"
)

LOOKING = 0.05
"""How often an answer is looked for while the robot is not held [s]."""


class NothingFound(AppError):
    """Nobody has consented to any step."""

    def __init__(self) -> None:
        super().__init__("no joint has moved: nothing is known, and nothing is written")


def identify(
    model: RobotModel,
    choice: BodyChoice,
    joints: Sequence[int],
    operator: Operator,
    say: Callable[[str], None],
    output: Path,
) -> tuple[list[FoundDrive], Drives]:
    """Find out what the drives of a robot are like, and write it into a copy of its description.

    Args:
        model: The robot as it is described.
        choice: Which robot it is.
        joints: Which to move, in which order.
        operator: Consents to each step.
        say: Tells people how far things are.
        output: The copy's file.

    Returns:
        What has been found of each joint that moved, and what is written.

    Raises:
        NothingFound: Nobody has consented to anything.
        RobotError: The robot cannot be held, or has been damped.
        AppError: It cannot be driven from here, or what is found cannot be written.
    """
    with reach_body(model, choice) as robot:
        if ask_before(operator, HANGS, time.sleep) is not Answer.YES:
            raise NothingFound
        robot.hold()
        records = move_joints(robot, joints, operator, say, np.random.default_rng(choice.seed))
        robot.let_go()
    say(f"the robot is damped; now it is computed what {len(records)} joints are like")
    found = list(find_drives(model, records, robot.posture, find_makers_robot(model).unit))
    if not found:
        raise NothingFound
    drives = merge_drives(model.description.drives, found)
    write_drives(model.description, drives, output)
    return found, drives


def move_joints(
    robot: HeldRobot, joints: Sequence[int], operator: Operator, say: Callable[[str], None], random: np.random.Generator
) -> dict[int, JointRecords]:
    """Move joints of a robot that is held, and return what came of each, by their indices.

    Nothing is computed meanwhile: a robot that is held is to be commanded every few milliseconds.

    Args:
        robot: It is held already.
        joints: Which to move, in which order.
        operator: Consents to each; who says stop ends it with what there is.
        say: Tells people how far things are.
        random: Draws the torques that change.

    Raises:
        RobotError: The robot has been damped, see ``HeldRobot.wait``.
    """
    records: dict[int, JointRecords] = {}
    for number, joint in enumerate(joints, 1):
        name = robot.model.joint_names[joint]
        plan = plan_joint(robot.model, robot.posture, joint, random)
        if plan is None:
            say(f"{name}: left out, too near a limit of its range")
            continue
        answer = ask_while_held(robot, operator, f"{number} of {len(joints)}: {_describe(name, plan)}")
        if answer is Answer.STOP:
            break
        if answer is Answer.YES:
            records[joint] = _move(robot, plan)
    return records


def ask_before(operator: Operator, question: str, sleep: Callable[[float], None]) -> Answer:
    """Ask while nobody holds the robot yet, and wait for the answer."""
    operator.ask(question)
    while (answer := operator.poll()) is None:
        sleep(LOOKING)
    return answer


def ask_while_held(robot: HeldRobot, operator: Operator, question: str) -> Answer:
    """Hold the robot until somebody has answered.

    Raises:
        RobotError: The robot has been damped, see ``HeldRobot.wait``.
    """
    operator.ask(question)
    while (answer := operator.poll()) is None:
        robot.wait()
        robot.send({})
    return answer


def _move(robot: HeldRobot, plan: JointPlan) -> JointRecords:
    return JointRecords(
        travel=record_excitation(robot, plan.joint, plan.travel),
        steps=record_excitation(robot, plan.joint, plan.steps),
        swing=record_excitation(robot, plan.joint, plan.swing),
    )


def _describe(name: str, plan: JointPlan) -> str:
    travel, steps, swing = plan.travel, plan.steps, plan.swing
    return (
        f"{name} travels from {travel.lower:+.2f} to {travel.upper:+.2f} rad of where it is, trembles with "
        f"{steps.amplitude:.2g} Nm, and swings by {swing.reach:.2f} rad, {plan.duration:.0f} s in all?"
    )
