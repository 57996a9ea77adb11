"""What of each eye's picture the lenses hide, so that nothing is drawn there."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from handhold.devices.openxr.runtime import VISIBILITY_MASK
from handhold.devices.openxr.session import OpenXrSession

WITHOUT_MASK = ("Monado: Remote HMD",)
"""Headsets that offer a mask and have none: Monado 25.0.0 calls a function of theirs that is not there, and crashes."""


def read_hidden_area(session: OpenXrSession, eye: int) -> np.ndarray | None:
    """Read what of an eye's picture cannot be seen.

    Args:
        session: A session with pictures.
        eye: 0 the left eye, 1 the right one.

    Returns:
        Triangles, their corners as tangents of the angles to the right and up, shape ``(k, 3, 2)``; None where nothing
        is hidden or the runtime does not report it.

    Raises:
        RuntimeLost: The runtime is gone.
    """
    if VISIBILITY_MASK not in session.extensions or session.system in WITHOUT_MASK:
        return None
    mask = _call(session, eye, 0, 0)
    vertices, indices = _call_into(session, eye, mask.vertex_count_output, mask.index_count_output)
    return vertices[indices].reshape(-1, 3, 2) if len(indices) else None


def _call_into(session: OpenXrSession, eye: int, vertex_count: int, index_count: int) -> tuple[np.ndarray, np.ndarray]:
    vertices = np.zeros((vertex_count, 2), dtype=np.float32)
    indices = np.zeros(index_count, dtype=np.uint32)
    if vertex_count and index_count:
        _call(session, eye, vertex_count, index_count, vertices.ctypes.data, indices.ctypes.data)
    return vertices, indices


def _call(session: OpenXrSession, eye: int, vertex_count: int, index_count: int, vertices: int = 0, indices: int = 0) -> Any:
    """Call the runtime, which pyopenxr does without room for the answer."""
    import xr

    mask = xr.VisibilityMaskKHR(
        vertex_capacity_input=vertex_count,
        vertices=ctypes.cast(vertices, ctypes.POINTER(xr.Vector2f)) if vertices else None,
        index_capacity_input=index_count,
        indices=ctypes.cast(indices, ctypes.POINTER(ctypes.c_uint32)) if indices else None,
    )
    with session.losing():
        function = ctypes.cast(
            xr.get_instance_proc_addr(session.instance, "xrGetVisibilityMaskKHR"), xr.PFN_xrGetVisibilityMaskKHR
        )
        result = xr.check_result(
            function(
                session.handle,
                xr.ViewConfigurationType.PRIMARY_STEREO.value,
                eye,
                xr.VisibilityMaskTypeKHR.HIDDEN_TRIANGLE_MESH.value,
                ctypes.byref(mask),
            )
        )
        if result.is_exception():
            raise result
    return mask
