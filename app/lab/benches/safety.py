"""``bench safety``: a part of every study of safety, in minutes (``handhold safety`` has them whole)."""

from __future__ import annotations

import time

from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.safety.studies import STUDIES, Measured, describe


def run_safety_bench() -> Outcome:
    """Run every study with the few trials that it names; attacks of the link and of the page are counted together."""
    start = time.monotonic()
    figures = [figure for study in STUDIES if study.few for figure in study.measure(study.few).figures]
    accepted = sum(figure.value for figure in figures if figure.name in ("foreign_accepted", "page_accepted"))
    others = [figure for figure in figures if figure.name != "foreign_accepted"]
    measured = Measured((Figure("foreign_accepted", accepted, "-", must=0.0), *others))
    return describe("safety", measured, time.monotonic() - start)
