"""The picture of an acceptance: a table of every figure with its bounds, for docs/results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROW_HEIGHT = 0.26  # [inch]
_HEADER = ("run", "figure", "value", "must", "aim", "unit")
_WIDTHS = (0.32, 0.26, 0.13, 0.11, 0.11, 0.07)
_GOOD, _BAD = "#dff2df", "#f6d6d6"


def draw_results(content: dict[str, Any], file: Path) -> None:
    """Draw the results of a part (see ``write_results``) as a PNG table; runs that fail are red."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    rows = [row for run in content["runs"] for row in _rows(run)]
    colours = [_GOOD if run["holds"] else _BAD for run in content["runs"] for _ in _rows(run)]
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


def _rows(run: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    if run["outcome"] is None:
        yield (run["run"], "no outcome", "", "", "", "")
        return
    for number, figure in enumerate(run["outcome"]["figures"]):
        values = (_number(figure[key]) for key in ("value", "must", "aim"))
        yield (run["run"] if number == 0 else "", figure["name"], *values, figure["unit"])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
