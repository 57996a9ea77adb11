"""The picture of an acceptance: a table of every figure with its bounds, for docs/results.

Runs that differ by their seed alone are shown as one, with the minimum and the maximum of each figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

_ROW_HEIGHT = 0.26  # [inch]
_HEADER = ("run", "figure", "value", "must", "aim", "unit")
_WIDTHS = (0.32, 0.26, 0.13, 0.11, 0.11, 0.07)
_SEED = re.compile(r"-seed-\d+")
_GOOD, _BAD = "#dff2df", "#f6d6d6"


def draw_results(content: dict[str, Any], file: Path) -> None:
    """Draw the results of a part (see ``write_results``) as a PNG table; runs that fail are red."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    groups = [list(runs) for _, runs in groupby(content["runs"], key=lambda run: _SEED.sub("", run["run"]))]
    rows = [row for runs in groups for row in list_rows(runs)]
    colours = [_GOOD if all(run["holds"] for run in runs) else _BAD for runs in groups for _ in list_rows(runs)]
    figure, axes = pyplot.subplots(figsize=(10.0, _ROW_HEIGHT * (len(rows) + 3)))
    axes.axis("off")
    verdict = "holds" if content["holds"] else "does not hold"
    axes.set_title(
        f"{content['part']} at {content['commit']}: {verdict}\n{content['processor']}, {content['cores']} cores", fontsize=9
    )
    table = axes.table(
        rows,
        colLabels=_HEADER,
        colWidths=_WIDTHS,
        cellColours=[[c] * len(_HEADER) for c in colours],
        cellLoc="left",
        bbox=(0.0, 0.0, 1.0, 1.0),
    )
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    figure.savefig(file, dpi=110, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(figure)


def list_rows(runs: Sequence[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """List the figures of runs that differ by their seed alone."""
    name = _name(runs)
    figures = [figure for run in runs if run["outcome"] is not None for figure in run["outcome"]["figures"]]
    if not figures:
        yield (name, "no outcome", "", "", "", "")
        return
    by_name: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        by_name.setdefault(figure["name"], []).append(figure)
    for number, (figure_name, same) in enumerate(by_name.items()):
        shown = (_range([figure["value"] for figure in same]), _number(same[0]["must"]), _number(same[0]["aim"]))
        yield (name if number == 0 else "", figure_name, *shown, same[0]["unit"])


def _name(runs: Sequence[dict[str, Any]]) -> str:
    if len(runs) == 1:
        return str(runs[0]["run"])
    return f"{_SEED.sub('', runs[0]['run'])}: {sum(run['holds'] for run in runs)} of {len(runs)} seeds"


def _range(values: Sequence[float | None]) -> str:
    """Return the minimum and the maximum, a single one where they are written alike; and that some are none."""
    known = [value for value in values if value is not None]
    ends = [_number(end) for end in (min(known, default=None), max(known, default=None)) if end is not None]
    shown = " to ".join(dict.fromkeys(ends))
    return shown if len(known) == len(values) else ", ".join([*filter(None, [shown]), "none"])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
