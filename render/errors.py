"""Errors of the render package."""


class RenderError(Exception):
    """Something cannot be shown."""


class ContextNotAvailable(RenderError):
    """OpenGL cannot be used on this machine in the way asked for."""

    def __init__(self, kind: str, reason: str, remedy: str = "install a graphics driver with OpenGL") -> None:
        self.kind = kind
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"no OpenGL context by {kind} ({reason}); {remedy}")


class FormatNotOffered(RenderError):
    """The OpenXR runtime has no texture of a kind that can be drawn into."""

    def __init__(self, requested: tuple[int, ...], offered: tuple[int, ...]) -> None:
        self.requested = requested
        self.offered = offered
        names = ", ".join(f"{number:#x}" for number in requested)
        super().__init__(f"the OpenXR runtime offers no texture of the formats {names}; take another runtime")


class DrawingFailed(RenderError):
    """OpenGL refused to do something."""

    def __init__(self, doing: str, code: int) -> None:
        self.doing = doing
        self.code = code
        super().__init__(f"OpenGL refuses while {doing} (error {code:#06x}); update the graphics driver")


class RobotWithoutMeshes(RenderError):
    """A scene shows a robot whose meshes the renderer was not given."""

    def __init__(self, robot: str, known: tuple[str, ...]) -> None:
        self.robot = robot
        self.known = known
        super().__init__(f"no meshes of {robot!r} to draw (there are: {', '.join(known) or 'none'}); load them first")


class ShaderRefused(RenderError):
    """The graphics driver does not take a shader."""

    def __init__(self, name: str, log: str) -> None:
        self.name = name
        self.log = log
        super().__init__(f"the driver refuses the shader {name}: {log.strip()}; update the graphics driver")
