"""Errors of the perception package."""


class PerceptionError(Exception):
    """The environment cannot be perceived: no camera, no depth, or a map that cannot be used."""
