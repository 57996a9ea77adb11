"""Motions that a robot can do: read from a file and checked against the model, once, before anything moves."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.retarget.motions.check import Examination, Violation, examine
from handhold.retarget.motions.errors import MotionUnfit
from handhold.retarget.motions.motion import Motion
from handhold.retarget.motions.motion_file import find_motion_file, known_motions, read_motion
from handhold.robots.model import RobotModel


class MotionRefused(MotionUnfit):
    """A motion asks of a robot what it cannot do.

    Attributes:
        violations: All that it cannot do.
    """

    def __init__(self, motion: Motion, violations: tuple[Violation, ...]) -> None:
        self.violations = violations
        first = violations[0]
        more = f" (and {len(violations) - 1} more: handhold motion check tells all)" if len(violations) > 1 else ""
        super().__init__(motion.source, f"at {first.time:.2f} s: {first.problem}", first.remedy + more)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CheckedMotion:
    """A motion that a robot can do, and its contact forces.

    Attributes:
        motion: The motion.
        examination: What its check found; nothing is violated.
    """

    motion: Motion
    examination: Examination


def load_motion(name_or_file: str, model: RobotModel) -> CheckedMotion:
    """Load a shipped motion of a robot by its name, or any by its path, and check it.

    Raises:
        MotionFileError: There is none of this name, or its file cannot be used.
        MotionUnfit: It is for another robot.
        MotionRefused: The robot cannot do it.
    """
    return check_motion(read_motion(find_motion_file(name_or_file, model.description.name)), model)


def check_motion(motion: Motion, model: RobotModel) -> CheckedMotion:
    """Check a motion.

    Raises:
        MotionUnfit: It is for another robot.
        MotionRefused: The robot cannot do it.
    """
    examination = examine(motion, model)
    if examination.violations:
        raise MotionRefused(motion, examination.violations)
    return CheckedMotion(motion=motion, examination=examination)


def load_known_motions(model: RobotModel) -> tuple[tuple[CheckedMotion, ...], tuple[str, ...]]:
    """Load all motions that are shipped for a robot of this name, in the order of their names.

    Returns:
        The motions that it can do, and what it cannot (another description of it may have other limits), in words.
    """
    motions, left_out = [], []
    for name in known_motions(model.description.name):
        try:
            motions.append(load_motion(name, model))
        except MotionUnfit as error:
            left_out.append(f"motion {name} left out: {error}")
    return tuple(motions), tuple(left_out)
