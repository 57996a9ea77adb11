"""Errors of the perception package."""


class PerceptionError(Exception):
    """The environment cannot be perceived: no camera, no depth, or a map that cannot be used."""


class BadFrame(PerceptionError):
    """What came from a camera or a file is no depth image that can be used.

    Attributes:
        found: What it is, in words.
        remedy: What to do about it.
    """

    def __init__(self, found: str, remedy: str) -> None:
        self.found, self.remedy = found, remedy
        super().__init__(f"{found}: {remedy}")
