"""Errors of the retarget package."""


class RetargetError(Exception):
    """What the operator does cannot be turned into references for this robot."""
