"""Finding the machine's OpenXR runtime and starting it; nothing of OpenXR is imported before it is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from handhold.devices.errors import RuntimeNotFound

HEADLESS = "XR_MND_headless"
TIMESPEC = "XR_KHR_convert_timespec_time"
LOCAL_FLOOR = "XR_EXT_local_floor"
USER_PRESENCE = "XR_EXT_user_presence"
DEPTH_LAYER = "XR_KHR_composition_layer_depth"
VISIBILITY_MASK = "XR_KHR_visibility_mask"
REFRESH_RATE = "XR_FB_display_refresh_rate"
HAND_INTERACTION = "XR_EXT_hand_interaction"
HAND_TRACKING = "XR_EXT_hand_tracking"
BODY_TRACKING_FB = "XR_FB_body_tracking"
BODY_TRACKING_BD = "XR_BD_body_tracking"
VIVE_TRACKERS = "XR_HTCX_vive_tracker_interaction"


def enumerate_extensions() -> set[str]:
    """Ask the loader for the runtime's extensions.

    Returns:
        Their names.

    Raises:
        RuntimeNotFound: No runtime answers.
    """
    # The loader reports a missing runtime on stderr in several lines; ours is one, with the remedy.
    os.environ.setdefault("XR_LOADER_DEBUG", "none")
    try:
        import xr
    except (ImportError, OSError, AttributeError) as error:
        raise RuntimeNotFound(f"pyopenxr does not load: {error}") from error
    try:
        return {properties.extension_name.decode() for properties in xr.enumerate_instance_extension_properties()}
    except xr.exception.XrException as error:
        raise RuntimeNotFound(str(error)) from error


def create_instance(extensions: Sequence[str]) -> Any:
    """Create the instance, which starts the runtime or connects to it.

    Args:
        extensions: Names of extensions that the runtime offers.

    Returns:
        The ``xr.Instance``.

    Raises:
        RuntimeNotFound: The runtime does not start.
    """
    import xr

    _keep_results()
    application = xr.ApplicationInfo(application_name="Handhold", api_version=xr.XR_API_VERSION_1_0)
    try:
        return xr.create_instance(
            xr.InstanceCreateInfo(application_info=application, enabled_extension_names=list(extensions))
        )
    except xr.exception.XrException as error:
        raise RuntimeNotFound(str(error)) from error


def _keep_results() -> None:
    """Let pyopenxr look the result of each call up, where it would make an enumeration's member of it: 1 us a call."""
    import xr

    known = _Results({result.value: result for result in xr.Result})
    for name in xr.raw_functions.__all__:
        function = getattr(xr.raw_functions, name)
        if getattr(function, "restype", None) is xr.Result:
            function.restype = known.__getitem__


class _Results(dict[int, Any]):
    """The members of ``xr.Result`` by their numbers."""

    def __missing__(self, code: int) -> Any:
        import xr

        return xr.Result(code)
