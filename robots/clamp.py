"""SEIKO's ClampNorm: how far an error pulls."""

from __future__ import annotations

import math

import numpy as np


def clamp_norm(vector: np.ndarray, most: float) -> np.ndarray:
    """Return a vector, shape ``(n,)``, no longer than ``most``, in its own direction and unit."""
    norm = math.sqrt(vector.dot(vector))
    return vector if norm <= most else most / norm * vector
