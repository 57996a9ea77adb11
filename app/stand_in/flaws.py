"""How late and how much too weak the motors of what stands in are, as an option says it."""

from __future__ import annotations

from handhold.app.errors import AppError
from handhold.robots.unitree.stand_in_motors import MotorFlaws


def read_flaws(words: str | None) -> MotorFlaws | None:
    """Read how late [ms] motors are and by which part too weak, such as ``4,0.3``; None for what is usual.

    Raises:
        AppError: That is no such pair.
    """
    if words is None:
        return None
    try:
        delay, error = (float(word) for word in words.split(","))
    except ValueError:
        delay, error = -1.0, -1.0
    if not (0.0 <= delay <= 20.0 and 0.0 <= error <= 0.9):
        raise AppError(f"--motors {words}: give a delay of 0 to 20 ms and a part of the torque of 0 to 0.9, such as 4,0.3")
    return MotorFlaws(delay=1e-3 * delay, torque_error=error)
