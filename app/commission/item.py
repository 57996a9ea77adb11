"""One item of the check list: a question to the operator, a measurement, or both; and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from handhold.app.commission.finding import Finding
from handhold.app.commission.rig import Rig
from handhold.robots.model import RobotModel


class Verdict(StrEnum):
    """What came of an item."""

    PASSED = "passed"
    FAILED = "failed"
    ADVISED = "to be looked at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item.

    Attributes:
        name: Its name, in a word or two with dashes.
        title: What holds where it passes.
        ask: Makes the question that comes first; who does not say yes fails it. None where nothing is asked.
        measure: Measures; None where the answer is all.
        advisory: Whether the list goes on where it does not hold.
    """

    name: str
    title: str
    ask: Callable[[RobotModel], str] | None = None
    measure: Callable[[Rig], Sequence[Finding]] | None = None
    advisory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of an item.

    Attributes:
        item: The item.
        verdict: What came of it.
        findings: What was measured.
        problem: Why it failed, in words; empty where it did not.
    """

    item: Item
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "name": self.item.name,
            "title": self.item.title,
            "verdict": self.verdict,
            "problem": self.problem,
            "findings": [finding.to_json() for finding in self.findings],
        }


def judge(item: Item, findings: Sequence[Finding]) -> Result:
    """Judge what was measured of an item."""
    broken = [f"{finding.words}, {finding.limit_words} is allowed" for finding in findings if not finding.holds]
    verdict = Verdict.PASSED if not broken else Verdict.ADVISED if item.advisory else Verdict.FAILED
    return Result(item=item, verdict=verdict, findings=tuple(findings), problem="; ".join(broken))
