"""SEIKO's ClampNorm: how much of an error counts."""

from __future__ import annotations

import math

import numpy as np


def clamp_norm(vector: np.ndarray, max_norm: float) -> np.ndarray:
    """Return a vector, shape ``(n,)``, no longer than ``max_norm``, in its own direction and unit."""
    norm = math.sqrt(vector.dot(vector))
    return vector if norm <= max_norm else max_norm / norm * vector
