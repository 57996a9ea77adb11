"""The page in the browser while the robot's host is silent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from browser import open_chromium, open_details, open_page, wait_until
from playwright.sync_api import Browser
from snapshots import make_snapshot

from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.station.program import StationLoop
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
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

    open_details(tab)
    tab.get_by_text("robot OLD").wait_for()
    for age in OLD:
        wait_until(tab, lambda age=age: read_age() >= age, f"an age of {age:.0f} s")
        assert read_age() <= time.monotonic() - measured

    def is_fresh_again() -> bool:
        page.show(replace(SNAPSHOT, measured_at=time.monotonic()))
        return "OLD" not in tab.inner_text("body")

    wait_until(tab, is_fresh_again, "the robot to be heard of again")
    tab.close()


class Headset:
    """A device that has nothing to do with the page, and that nobody wears; also the robot that it is linked to."""

    name = description = stop_control = "headset"
    paced = False

    def __init__(self) -> None:
        self.stop = Stop.NONE

    def read(self, _take_interim: object = None) -> OperatorInput:
        return OperatorInput(time=time.monotonic(), device="headset", focused=False)

    def send(self, sample: OperatorInput) -> None:
        self.stop = sample.stop or self.stop

    def newest_snapshot(self) -> Snapshot:
        return replace(SNAPSHOT, stop=self.stop)

    def offer(self) -> tuple[()]:
        return ()

    describe = pulses = offer

    def show(self, _snapshot: Snapshot) -> None:
        pass


@pytest.mark.parametrize("way", ["button", "Space", "Escape"])
def test_a_page_stops_the_robot_that_a_headset_drives_and_does_not_resume_it(page: Page, browser: Browser, way: str) -> None:
    tab, _ = open_page(browser, page.server)
    headset: Any = Headset()
    loop = StationLoop(headset, page, headset, lambda: None)

    def run_until(holds: Any) -> None:
        loop.run(lambda: bool((tab.wait_for_timeout(10), holds())[1]))

    bar = tab.get_by_role("button", name="STOP")
    run_until(bar.is_visible)
    assert not tab.get_by_role("button", name="Help").count(), "there are no controls to explain"
    bar.click() if way == "button" else tab.keyboard.press(way)
    run_until(lambda: headset.stop == Stop.HOLD)
    run_until(tab.get_by_text("Stopped: the robot holds").is_visible)
    assert not tab.get_by_role("button", name="Resume").is_visible()
    assert "stop:resume" not in page.server.actions.table
    tab.close()


def test_a_page_that_has_chosen_another_session_keeps_its_stop_until_this_one_ends(tmp_path: Path, browser: Browser) -> None:
    config = SessionConfig(page_port=0, link_port=1, log_folder=str(tmp_path), choice_pipe=1)
    page = Page(config)
    page.load(config)
    page.show(SNAPSHOT)
    tab, _ = open_page(browser, page.server)
    loading, bar = tab.locator("#hh-loading"), tab.get_by_role("button", name="STOP")
    loading.wait_for(state="hidden")
    tab.locator(".hh-name").click()
    tab.get_by_role("button", name="Start").click()
    wait_until(tab, lambda: page.chosen is not None, "the choice")
    bar.click()
    wait_until(tab, lambda: page.stop.read(time.monotonic()) == Stop.HOLD, "the stop")
    port = page.server.get_port()
    page.close()
    loading.get_by_text("Starting another session").wait_for()
    same = Page(msgspec.structs.replace(config, page_port=port))  # no other session has begun: this one is back
    loading.wait_for(state="hidden")
    bar.wait_for()
    tab.close()
    same.close()
