"""Comparison of recorded and computed values, bit by bit."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Difference:
    """The first position at which two values differ.

    Attributes:
        field: Name of the field, with the index of the first element that differs.
        recorded: The element as recorded.
        computed: The element as computed now.
    """

    field: str
    recorded: float
    computed: float

    @property
    def size(self) -> float:
        """Size of the difference in the element's own unit."""
        return abs(self.computed - self.recorded)


def find_difference(name: str, recorded: Any, computed: Any) -> Difference | None:
    """Return where two values of one dataclass of numbers differ first, or None.

    They differ where a bit differs: -0 is not 0, and NaN is NaN of the same bits.
    """
    if not is_dataclass(recorded):
        return _compare(name, np.atleast_1d(recorded), np.atleast_1d(computed))
    for field in fields(recorded):
        one, other = getattr(recorded, field.name), getattr(computed, field.name)
        difference = find_difference(f"{name}.{field.name}", one, other)
        if difference is not None:
            return difference
    return None


def _compare(name: str, recorded: np.ndarray, computed: np.ndarray) -> Difference | None:
    if recorded.shape != computed.shape or recorded.dtype != computed.dtype:
        return Difference(f"{name} (length)", float(recorded.size), float(computed.size))
    one, other = recorded.tobytes(), computed.tobytes()
    if one == other:
        return None
    index = next(i for i in range(len(one)) if one[i] != other[i]) // recorded.dtype.itemsize
    return Difference(f"{name}[{index}]", float(recorded.flat[index]), float(computed.flat[index]))
