"""The page in the browser while the robot's host is silent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import open_chromium, open_page, wait_until
from playwright.sync_api import Browser
from snapshots import make_snapshot

from handhold.app.page import Page
from handhold.app.session import SessionConfig
from handhold.robots.model import load_model

SNAPSHOT = make_snapshot(load_model("talos"))
OLD = 1.0, 3.0
"""Ages that are told one after the other [s]."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as chromium:
        yield chromium


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    config = SessionConfig(page_port=0, link_port=1, log_folder=str(tmp_path))
    page = Page(config)
    page.load(config)
    yield page
    page.close()


def test_a_host_that_falls_silent_is_told_by_an_age_that_counts_up(page: Page, browser: Browser) -> None:
    tab, _ = open_page(browser, page.server)
    measured = time.monotonic()
    page.show(replace(SNAPSHOT, measured_at=measured))

    def read_age() -> float:
        found = re.search(r"robot OLD: ([\d.]+) (s|ms)", tab.inner_text("body"))
        assert found is not None
        return float(found[1]) * (1.0 if found[2] == "s" else 1e-3)

    tab.get_by_text("robot OLD").wait_for()
    for age in OLD:
        wait_until(tab, lambda age=age: read_age() >= age, f"an age of {age:.0f} s")
        assert read_age() <= time.monotonic() - measured

    def is_fresh_again() -> bool:
        page.show(replace(SNAPSHOT, measured_at=time.monotonic()))
        return "OLD" not in tab.inner_text("body")

    wait_until(tab, is_fresh_again, "the robot to be heard of again")
    tab.close()
