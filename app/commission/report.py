"""The report of a commissioning: Markdown for people, and JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handhold.app.commission.finding import Finding
from handhold.app.commission.item import Result, Verdict
from handhold.app.errors import AppError


class ReportNotWritten(AppError):
    """A report cannot be written where it is to be.

    Attributes:
        file: The file.
    """

    def __init__(self, file: Path, problem: str) -> None:
        self.file = file
        super().__init__(f"--output {file}: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a commissioning.

    Attributes:
        robot: Name of the robot's description.
        body: What was driven.
        started: Date and time [UTC].
        commit: Of the sources that ran.
        count: How many items the list has.
        results: Of the items that were come to, in order.
        ending: What has become of the robot, in words.
    """

    robot: str
    body: str
    started: str
    commit: str
    count: int
    results: Sequence[Result]
    ending: str

    @property
    def passed(self) -> bool:
        """Whether the whole list has been gone through and nothing failed."""
        failed = any(result.verdict is Verdict.FAILED for result in self.results)
        return len(self.results) == self.count and not failed

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            "robot": self.robot,
            "body": self.body,
            "started": self.started,
            "commit": self.commit,
            "passed": self.passed,
            "items": self.count,
            "results": [result.to_json() for result in self.results],
            "ending": self.ending,
        }

    def to_markdown(self) -> str:
        """Return it as a page for people."""
        outcome = "passed" if self.passed else "not passed"
        lines = [
            f"# Commissioning of {self.robot}: {outcome}",
            "",
            f"{self.started}, {self.body}, commit {self.commit}. {len(self.results)} of {self.count} items; {self.ending}.",
            "",
            "| item | verdict | found | limit |",
            "|---|---|---|---|",
        ]
        for result in self.results:
            lines += _to_rows(result)
        problems = [f"- {result.item.title}: {result.problem}" for result in self.results if result.problem]
        return "\n".join([*lines, *(["", "## To be looked at", "", *problems] if problems else []), ""])


def _to_rows(result: Result) -> list[str]:
    findings: Sequence[Finding | None] = result.findings or (None,)
    rows = []
    for number, finding in enumerate(findings):
        title, verdict = (result.item.title, result.verdict) if number == 0 else ("", "")
        found, limit = ("", "") if finding is None else (finding.words, finding.limit_words)
        rows.append(f"| {title} | {verdict} | {found} | {limit} |")
    return rows


def find_json_file(file: Path) -> Path:
    """Return where the JSON beside a report goes.

    Raises:
        ReportNotWritten: The report is no Markdown file, or has no folder.
    """
    if file.suffix != ".md":
        raise ReportNotWritten(file, "name a file that ends in .md; the JSON goes beside it")
    if not file.parent.is_dir():
        raise ReportNotWritten(file, "there is no such folder")
    return file.with_suffix(".json")


def write_report(report: Report, file: Path) -> None:
    """Write a report and the JSON beside it, each whole or not at all.

    Raises:
        ReportNotWritten: It is no Markdown file, or has no folder.
        OSError: The disk is full, or the folder may not be written to.
    """
    beside = find_json_file(file)
    content = json.dumps(report.to_json(), indent=2, allow_nan=False) + "\n"
    partials = [(path, path.with_name(f"{path.name}.partial")) for path in (beside, file)]
    for (_, partial), text in zip(partials, (content, report.to_markdown()), strict=True):
        partial.write_text(text, encoding="utf-8")
    for path, partial in partials:
        partial.replace(path)
