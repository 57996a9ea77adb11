"""What one measurement found, and what it is held against."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One measured number with its limits.

    Attributes:
        name: What was measured.
        value: Its value, in ``unit``; NaN where it could not be measured.
        unit: Its unit; empty for a pure number.
        least: What it is at least to be; None where nothing is asked.
        most: What it is at most to be, likewise.
        where: At what of the robot it was found; empty for the whole of it.
    """

    name: str
    value: float
    unit: str = ""
    least: float | None = None
    most: float | None = None
    where: str = ""

    @property
    def holds(self) -> bool:
        """Whether it keeps its limits; what could not be measured does not."""
        above = self.least is None or self.value >= self.least
        return math.isfinite(self.value) and above and (self.most is None or self.value <= self.most)

    @property
    def words(self) -> str:
        """What was found: ``largest lag 0.004 rad (left knee)``."""
        place = f" ({self.where})" if self.where else ""
        return f"{self.name} {_write(self.value, self.unit)}{place}"

    @property
    def limit_words(self) -> str:
        """What is asked of it: ``at most 0.03 rad``; empty for nothing."""
        limits = (("at least", self.least), ("at most", self.most))
        return ", ".join(f"{word} {_write(limit, self.unit)}" for word, limit in limits if limit is not None)

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object; a number that JSON cannot write is null."""
        return {
            "name": self.name,
            "value": self.value if math.isfinite(self.value) else None,
            "unit": self.unit,
            "least": self.least,
            "most": self.most,
            "where": self.where,
            "holds": self.holds,
        }


def _write(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}".strip()
