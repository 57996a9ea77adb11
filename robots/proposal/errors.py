"""Why no description can be proposed."""

from handhold.robots.errors import RobotError


class NotProposed(RobotError):
    """A URDF is not that of a humanoid whose description can be proposed."""

    def __init__(self, source: str, problem: str) -> None:
        self.source = source
        super().__init__(
            f"{source}: {problem}; write its description by hand (docs/robots) and try it with 'handhold robot check'"
        )


class NoUrdf(RobotError):
    """There is no such URDF."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no file {name}: give that of a URDF or MJCF, or PACKAGE:PATH for one of a package")
