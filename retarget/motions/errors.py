"""Errors of motions."""

from __future__ import annotations

from handhold.retarget.errors import RetargetError


class MotionFileError(RetargetError):
    """A file of a motion or of key postures cannot be used.

    Attributes:
        source: File that was read.
        remedy: What its author can do about it.
    """

    def __init__(self, source: str, problem: str, remedy: str) -> None:
        self.source = source
        self.remedy = remedy
        super().__init__(f"{source}: {problem}; {remedy}")


class MotionUnfit(RetargetError):
    """A motion is asked of a robot that cannot do it."""

    def __init__(self, source: str, problem: str, remedy: str) -> None:
        self.source = source
        self.remedy = remedy
        super().__init__(f"{source}: {problem}; {remedy}")


class CannotStart(RetargetError):
    """A motion cannot begin where the robot stands."""

    def __init__(self, motion: str, problem: str, remedy: str) -> None:
        self.motion = motion
        self.remedy = remedy
        super().__init__(f"{motion}: {problem}; {remedy}")


class NoMotionFound(RetargetError):
    """Key postures do not lead to a motion."""

    def __init__(self, source: str, problem: str, remedy: str) -> None:
        self.source = source
        self.remedy = remedy
        super().__init__(f"{source}: {problem}; {remedy}")
