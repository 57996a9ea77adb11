"""Options and fixtures of all tests."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from handhold.app.figures import Outcome


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--repeats", type=int, default=5, help="How often tests that repeat an accident do so (default 5).")


@pytest.fixture
def repeats(request: pytest.FixtureRequest) -> int:
    """How often a test that repeats an accident should do so."""
    return int(request.config.getoption("--repeats"))


@pytest.fixture
def report_outcome() -> Callable[[Outcome], None]:
    """Write an outcome as JSON to the file that HANDHOLD_RESULTS names, where it does (`./handhold acceptance`)."""

    def report(outcome: Outcome) -> None:
        file = os.environ.get("HANDHOLD_RESULTS")
        if file:
            Path(file).write_text(json.dumps(outcome.to_json(), allow_nan=False), encoding="utf-8")

    return report
