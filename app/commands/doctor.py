"""``handhold doctor``: what this machine has and lacks, and what mends it."""

from __future__ import annotations

import json as json_module
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from handhold.app.session.doctor import Finding, FindingState, examine

_SIGNS = {
    FindingState.OK: "[green]ok[/]     ",
    FindingState.OPTIONAL: "[yellow]lacks[/]  ",
    FindingState.MISSING: "[red]MISSING[/]",
}


def command(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    port: Annotated[int, typer.Option(help="Port that the page in the browser would be served at.", min=0, max=65535)] = 8080,
) -> None:
    """Tell what this machine has and lacks, with the command that mends each; exits 0 where `handhold run` can start."""
    from handhold.app.logs.store import DEFAULT_CAP
    from handhold.app.session.config import default_log_folder

    findings = examine(port, default_log_folder(), DEFAULT_CAP)
    usable = all(finding.state is not FindingState.MISSING for finding in findings)
    if json:
        print(json_module.dumps({"usable": usable, "findings": [finding.to_json() for finding in findings]}))
    else:
        _print_for_people(findings, usable)
    raise typer.Exit(0 if usable else 1)


def _print_for_people(findings: tuple[Finding, ...], usable: bool) -> None:
    console = Console(highlight=False)
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        console.print(f"{_SIGNS[finding.state]} {finding.name:{width}}  {escape(finding.found)}", soft_wrap=True)
        if finding.mend:
            console.print(f"{'':8}{'':{width}}  [bold]{escape(finding.mend)}[/]", soft_wrap=True)
    verdict = "[green]handhold run can start.[/]" if usable else "[red]handhold run cannot start: mend what is MISSING.[/]"
    console.print(verdict)
