"""How a runtime puts what is drawn together with the real room (OpenXR's environment blend modes)."""

from __future__ import annotations

from typing import Any

from handhold.devices.display import Display


def read_blend_modes(instance: Any, system: Any) -> tuple[Any, ...]:
    """Return the blend modes that a headset has for two eyes, the one that its runtime prefers first.

    Args:
        instance: The ``xr.Instance``.
        system: The runtime's handle of the headset.
    """
    import xr

    modes = xr.enumerate_environment_blend_modes(instance, system, xr.ViewConfigurationType.PRIMARY_STEREO)
    return tuple(xr.EnvironmentBlendMode(int(mode)) for mode in modes)


def find_display(modes: tuple[Any, ...]) -> Display:
    """Return what a display of these blend modes can do; of one that can do both, blending keeps texts more readable."""
    import xr

    if xr.EnvironmentBlendMode.ALPHA_BLEND in modes:
        return Display.BLENDING
    return Display.OPAQUE if xr.EnvironmentBlendMode.OPAQUE in modes else Display.ADDITIVE


def choose_blend_mode(modes: tuple[Any, ...], *, see_through: bool) -> Any:
    """Return the mode for a frame: the one that hides the room, or lets it be seen, where there is one; else the preferred.

    A display without an opaque mode that blends shows pictures without a gap, which hide the room as well.
    """
    import xr

    preferred = xr.EnvironmentBlendMode.ALPHA_BLEND if see_through else xr.EnvironmentBlendMode.OPAQUE
    return preferred if preferred in modes else modes[0]
