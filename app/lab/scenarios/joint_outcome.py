"""Several scenarios as one outcome: of every figure the worst."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handhold.app.lab.figures import Figure, Outcome


def join_outcomes(name: str, outcomes: Sequence[Outcome]) -> Outcome:
    """Join outcomes of one robot in one engine, at least one; each of them is kept whole under ``runs``.

    Args:
        name: What they are called together.
        outcomes: What is joined.
    """
    first = outcomes[0]
    names = dict.fromkeys(figure.name for outcome in outcomes for figure in outcome.figures)
    return Outcome(
        name=name,
        robot=first.robot,
        engine=first.engine,
        seed=first.seed,
        commit=first.commit,
        duration_s=sum(outcome.duration_s for outcome in outcomes),
        fell=any(outcome.fell for outcome in outcomes),
        figures=[_find_worst(each, outcomes) for each in names],
        extra={"runs": [outcome.to_json() for outcome in outcomes]},
    )


def _find_worst(name: str, outcomes: Sequence[Outcome]) -> Figure:
    return max((figure for outcome in outcomes for figure in outcome.figures if figure.name == name), key=_badness)


def _badness(figure: Figure) -> tuple[bool, float]:
    value = -figure.value if figure.larger_is_better else figure.value
    return not figure.holds, math.inf if math.isnan(value) else value
