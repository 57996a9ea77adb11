"""A process that tries mutants of one module: takes one JSON object on stdin, answers with JSON lines on stdout."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from handhold.app.lab.safety.mutant_tests import MutantTests


def main() -> None:
    """Tell the baseline, then the verdict on each mutant as soon as it is known."""
    task: dict[str, Any] = json.load(sys.stdin)
    tests = MutantTests(task["module"], task["tests"], Path(task["root"]), threads=task["threads"])
    baseline = tests.run_baseline()
    print(json.dumps(asdict(baseline)), flush=True)
    if baseline.failed:
        return
    for source, line in task["mutants"]:
        print(json.dumps(asdict(tests.run(source, line, baseline))), flush=True)


if __name__ == "__main__":
    main()
