"""A whole session on a real page in the world ``wall``, with the keyboard; by mouse and by touch where that is asked for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_session import OPERATORS, list_steps, open_session

from handhold.app.lab.benches.page_chromium import open_chromium
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def done(operators: tuple[str, ...], report_outcome: Callable[[Outcome], None]) -> Iterator[Counter[str]]:
    """How many steps each operator has done; reported when all is over."""
    count: Counter[str] = Counter()
    start = time.monotonic()
    yield count
    figures = tuple(
        Figure(f"steps_by_{name}", float(count[name]), "-", must=float(len(list_steps())), larger_is_better=True)
        for name in operators
    )
    lasted = time.monotonic() - start
    report_outcome(Outcome("page-session", "talos", "mujoco", 0, current_commit(), lasted, None, figures))


def test_a_whole_session_on_the_page(operators: tuple[str, ...], done: Counter[str], tmp_path: Path) -> None:
    assert set(operators) <= set(OPERATORS)
    for name in operators:
        with open_chromium() as browser, open_session(browser, tmp_path, name) as operator:
            for step in list_steps().values():
                step(operator)
                done[name] += 1
