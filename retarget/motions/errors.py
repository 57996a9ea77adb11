"""Errors of motions."""

from __future__ import annotations

from handhold.retarget.errors import RetargetError


class MotionFileError(RetargetError):
    """A file of a motion or of key postures cannot be used.

    Attributes:
        source: File that was read.
        mend: What its author can do about it.
    """

    def __init__(self, source: str, problem: str, mend: str) -> None:
        self.source = source
        self.mend = mend
        super().__init__(f"{source}: {problem}; {mend}")


class MotionUnfit(RetargetError):
    """A motion is asked of a robot that cannot do it."""

    def __init__(self, source: str, problem: str, mend: str) -> None:
        self.source = source
        self.mend = mend
        super().__init__(f"{source}: {problem}; {mend}")


class CannotStart(RetargetError):
    """A motion cannot begin where the robot stands."""

    def __init__(self, motion: str, problem: str, mend: str) -> None:
        self.motion = motion
        self.mend = mend
        super().__init__(f"{motion}: {problem}; {mend}")


class NoMotionFound(RetargetError):
    """Key postures do not lead to a motion."""

    def __init__(self, source: str, problem: str, mend: str) -> None:
        self.source = source
        self.mend = mend
        super().__init__(f"{source}: {problem}; {mend}")
