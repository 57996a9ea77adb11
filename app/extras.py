"""What Handhold can be installed without: the extras of its package, and what is said where one is missing.

``pip install handhold`` is what a robot's host needs. ``[sim]`` adds the simulators, ``[vr]`` the headset, ``[browser]`` the
page, ``[camera]`` depth cameras, and ``[lab]`` all of these with what scenarios, benchmarks, pictures and new robots need
besides. ``[unitree]`` speaks with robots of that maker. ``[video]`` (H.264 for pictures that cross a network) and ``[clouds]``
(planes in points without order) nothing else needs.
"""

from __future__ import annotations

from importlib.util import find_spec

from handhold.app.errors import AppError

EXTRAS = {
    "av": "video",
    "fast_simplification": "browser",
    "glfw": "vr",
    "matplotlib": "browser",
    "mujoco": "sim",
    "OpenGL": "vr",
    "PIL": "browser",
    "open3d": "clouds",
    "pybullet": "sim",
    "pyrealsense2": "camera",
    "tomlkit": "lab",
    "trimesh": "browser",
    "unitree_interface": "unitree",
    "viser": "browser",
    "websockets": "browser",
    "xr": "vr",
}
"""The extra that brings a module along; of several the one that is needed most often."""


class ExtraMissing(AppError):
    """Something was asked for that is installed with an extra only.

    Attributes:
        module: The module that is not there.
        extra: The extra that has it.
    """

    def __init__(self, module: str, extra: str) -> None:
        self.module, self.extra = module, extra
        super().__init__(f"'{module}' is not installed, which comes with the extra '{extra}': pip install 'handhold[{extra}]'")


def require_extra(extra: str) -> None:
    """Look for all modules of an extra.

    Raises:
        ExtraMissing: One of them is not installed.
    """
    for module in (module for module, has_it in EXTRAS.items() if has_it == extra):
        if find_spec(module) is None:
            raise ExtraMissing(module, extra)


def find_missing_extra(error: ModuleNotFoundError) -> ExtraMissing | None:
    """Return what a failed import lacks of the extras; None where it is no module of theirs."""
    module = (error.name or "").partition(".")[0]
    return ExtraMissing(module, EXTRAS[module]) if module in EXTRAS else None
