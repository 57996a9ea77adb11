"""Why no description can be proposed."""

from handhold.robots.errors import RobotError


class NotProposed(RobotError):
    """A URDF is not that of a humanoid whose description can be proposed."""

    def __init__(self, source: str, problem: str) -> None:
        self.source = source
        super().__init__(
            f"{source}: {problem}; write its description by hand (docs/robots) and try it with 'handhold robot check'"
        )
