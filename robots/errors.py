"""Errors of the robots package."""

import difflib


class RobotError(Exception):
    """Something about a robot, its description or its body is not as it must be."""


class DescriptionError(RobotError):
    """A robot or world description cannot be used.

    Attributes:
        source: File (or name) that was read.
        key: Key within the file, dotted, or empty where the file as a whole is at fault.
        remedy: How the author of the file can correct it.
    """

    def __init__(self, source: str, key: str, problem: str, remedy: str) -> None:
        self.source = source
        self.key = key
        self.remedy = remedy
        where = f"{source}: {key}" if key else source
        super().__init__(f"{where}: {problem}; {remedy}")


class FrameNotFound(RobotError):
    """A frame is named that the robot's URDF does not have."""

    def __init__(self, name: str, known: tuple[str, ...], source: str = "") -> None:
        self.name = name
        self.known = known
        near = ", ".join(closest(name, known))
        prefix = f"{source}: " if source else ""
        super().__init__(f"{prefix}no frame '{name}' in the URDF; did you mean one of: {near}?")


class HandNotFound(RobotError):
    """A hand is named that the robot does not have."""

    def __init__(self, source: str, hand: str, purpose: str) -> None:
        self.source, self.hand = source, hand
        super().__init__(f"{source}: no {hand} hand {purpose}; take another robot, or a world without it")


class EngineNotAvailable(RobotError):
    """A physics engine is asked for that this Python cannot import."""

    def __init__(self, engine: str, remedy: str) -> None:
        self.engine = engine
        self.remedy = remedy
        super().__init__(f"the physics engine '{engine}' is not available; {remedy}")


class BaseNotObserved(RobotError):
    """A robot is to find where its base is, and nothing of it tells."""

    def __init__(self, source: str) -> None:
        self.source = source
        super().__init__(
            f"{source}: the estimate of its base (--sensors real) needs feet whose force is measured (sensed = true), "
            "or a robot that is bolted down; take --sensors ideal"
        )


class CommandNotFinite(RobotError):
    """A joint command has a NaN or an infinity in it; the body goes on with the one before."""

    def __init__(self, time: float) -> None:
        self.time = time
        super().__init__(f"the joint command of {time:.3f} s has a NaN or an infinity in it; send finite numbers")


class WrongGripperCount(RobotError):
    """A joint command is for another number of grippers than the robot has."""

    def __init__(self, commanded: int, count: int) -> None:
        self.commanded, self.count = commanded, count
        super().__init__(
            f"the joint command closes {commanded} grippers, the robot has {count}; give one closing each, or none"
        )


class TimeStepMismatch(RobotError):
    """A simulated robot is asked to advance by a time that is no multiple of its time step."""

    def __init__(self, dt: float, timestep: float) -> None:
        self.dt = dt
        self.timestep = timestep
        super().__init__(f"cannot advance by {dt} s in steps of {timestep} s; choose a multiple of the step")


def closest(name: str, known: tuple[str, ...], count: int = 4, *, min_similarity: float = 0.0) -> list[str]:
    """Return the known names most similar to ``name`` (a likeness from ``min_similarity`` to 1), the nearest first."""
    return difflib.get_close_matches(name, known, n=count, cutoff=min_similarity)
