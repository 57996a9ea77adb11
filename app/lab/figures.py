"""Figures: what a scenario or a benchmark measured, and whether it is good enough."""

from __future__ import annotations

import json as json_module
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    Attributes:
        name: Name of the figure, such as ``contact_error``.
        value: What was measured, in ``unit``; NaN where it could not be.
        unit: Unit as people write it: ``m``, ``N``, ``us``; ``-`` for a pure number.
        must: Bound that the value has to keep, or None for a figure that is only reported.
        aim: Bound that we would like it to keep.
        larger_is_better: Whether the bounds are lower bounds; otherwise they are upper bounds.
    """

    name: str
    value: float
    unit: str
    must: float | None = None
    aim: float | None = None
    larger_is_better: bool = False

    @property
    def holds(self) -> bool:
        """Whether the value keeps its ``must``; a NaN never does, not even where nothing is asked of it."""
        return self.keeps(self.must)

    def keeps(self, bound: float | None) -> bool:
        """Return whether the value keeps a bound (None is kept by every number)."""
        if math.isnan(self.value):
            return False
        if bound is None:
            return True
        return self.value >= bound if self.larger_is_better else self.value <= bound

    def to_json(self) -> dict[str, Any]:
        """Return the figure as a JSON object; numbers that JSON cannot write become null."""
        return {
            "name": self.name,
            "value": _json_number(self.value),
            "unit": self.unit,
            "must": _json_number(self.must),
            "aim": _json_number(self.aim),
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a scenario or a benchmark ran, and its figures.

    Attributes:
        name: Name of the scenario or benchmark.
        robot: Robot's name, or None where no robot took part.
        engine: Physics engine, or None where none took part.
        seed: Seed of all randomness.
        commit: Commit of the sources that ran, see ``current_commit``.
        duration_s: Simulated duration of a scenario, wall time of a benchmark [s].
        fell: Whether the robot fell; None for what is no scenario.
        figures: The figures, in the order to show them.
        extra: Further keys of the JSON object, such as ``constraint_activity``.
    """

    name: str
    robot: str | None
    engine: str | None
    seed: int
    commit: str
    duration_s: float
    fell: bool | None
    figures: Sequence[Figure]
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every figure keeps its ``must`` and the robot did not fall."""
        return not self.fell and all(figure.holds for figure in self.figures)

    @property
    def exit_code(self) -> int:
        """Exit code of the command that ran it: 0 where it holds, 1 otherwise."""
        return 0 if self.holds else 1

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as one JSON object."""
        head: dict[str, Any] = {
            "name": self.name,
            "robot": self.robot,
            "engine": self.engine,
            "seed": self.seed,
            "commit": self.commit,
            "duration_s": self.duration_s,
        }
        fell = {} if self.fell is None else {"fell": self.fell}
        figures = [figure.to_json() for figure in self.figures]
        return head | fell | {"figures": figures} | dict(self.extra)


def print_outcome(outcome: Outcome, json: bool) -> None:
    """Print an outcome on stdout: as one JSON object and nothing else, or as a table for people."""
    if json:
        print(json_module.dumps(outcome.to_json(), allow_nan=False), flush=True)
        return
    console = Console()
    console.print(_table(outcome))
    if outcome.fell:
        console.print("[red]the robot fell[/]")


def _json_number(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _table(outcome: Outcome) -> Table:
    where = ", ".join(part for part in (outcome.robot, outcome.engine) if part)
    title = f"{outcome.name} ({where})" if where else outcome.name
    caption = f"seed {outcome.seed}, commit {outcome.commit}, {outcome.duration_s:.1f} s"
    table = Table("figure", title=title, caption=caption)
    for column in ("value", "must", "aim"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    table.add_column("")
    for figure in outcome.figures:
        table.add_row(*_row(figure))
    return table


def _row(figure: Figure) -> tuple[str, ...]:
    sign = ">=" if figure.larger_is_better else "<="
    bounds = ("" if bound is None else f"{sign} {bound:.4g}" for bound in (figure.must, figure.aim))
    return (figure.name, f"{figure.value:.4g}", *bounds, figure.unit, _verdict(figure))


def _verdict(figure: Figure) -> str:
    if not figure.holds:
        return "[red]fails[/]"
    if figure.aim is not None and figure.keeps(figure.aim):
        return "[green]aim reached[/]"
    return "" if figure.must is None else "[green]holds[/]"
