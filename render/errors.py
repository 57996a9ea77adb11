"""Errors of the render package."""


class RenderError(Exception):
    """Something cannot be shown."""


class ContextNotAvailable(RenderError):
    """OpenGL cannot be used on this machine in the way asked for."""

    def __init__(self, kind: str, reason: str, mend: str = "install a graphics driver with OpenGL") -> None:
        self.kind = kind
        self.reason = reason
        self.mend = mend
        super().__init__(f"no OpenGL context by {kind} ({reason}); {mend}")
