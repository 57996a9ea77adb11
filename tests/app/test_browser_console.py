"""What the browser's console says on the page's controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import open_chromium, open_page, wait_until
from snapshots import make_snapshot

from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.station.browser_console import BrowserConsole, choose_words
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState, Grip
from handhold.robots.model import load_model


def make_one_handed() -> Snapshot:
    """Return a snapshot of a robot that has a left hand only."""
    snapshot = make_snapshot(load_model("anymal"))
    return replace(snapshot, right=replace(snapshot.right, engaged=False, target=np.full((4, 4), np.nan)))


@pytest.mark.parametrize(("mode", "secondary"), [("bracing", "Preview"), ("walking", ""), ("motions", "Next motion, pause")])
def test_what_has_a_button_of_its_own_has_none_at_the_hands(mode: str, secondary: str) -> None:
    words = choose_words(make_snapshot(load_model("talos"), mode=mode))
    assert words.left is not None
    assert words.right is not None
    assert words.left.secondary == words.right.secondary == secondary


@pytest.mark.parametrize(("grip", "word", "opens"), [("", "", False), ("open", "Close", False), ("holding", "Drop", True)])
def test_a_gripper_is_opened_or_closed_as_it_is_and_while_its_hand_is_free(grip: str, word: str, opens: bool) -> None:
    snapshot = make_snapshot(load_model("talos"))
    left = replace(snapshot.left, grip=Grip(grip), contact=ContactState.FREE)
    words = choose_words(replace(snapshot, left=left)).left
    assert words is not None
    assert (words.grip, words.grip_opens) == (word, opens)
    bearing = choose_words(replace(snapshot, left=replace(left, contact=ContactState.LOADED))).left
    assert bearing is not None
    assert bearing.grip == ""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    config = SessionConfig(robot="anymal", page_port=0, link_port=1, log_folder=str(tmp_path), device="browser")
    page = Page(config)
    page.load(config)
    yield page
    page.close()


@pytest.fixture
def console(page: Page) -> Iterator[BrowserConsole]:
    console = BrowserConsole(page, SessionConfig(link_port=1, log_folder=""))
    yield console
    console.close()


def test_a_hand_that_the_robot_lacks_has_neither_card_nor_key(page: Page, console: BrowserConsole) -> None:
    def live() -> bool:
        console.read()
        console.show(make_one_handed())
        page.show(make_one_handed())
        return False

    with open_chromium() as browser:
        tab, _ = open_page(browser, page.server)
        chosen, right = tab.locator(".hh-chosen"), tab.get_by_role("region", name="Right hand")
        wait_until(tab, lambda: live() or (chosen.count() and not right.count()), "the one card")
        tab.keyboard.press("2")
        tab.keyboard.press("l")
        wait_until(tab, lambda: console.read().left.buttons.primary, "the key to be the left hand's")


def test_help_lists_the_keys_and_does_not_close_the_first_steps(page: Page, console: BrowserConsole) -> None:
    with open_chromium() as browser:
        tab, _ = open_page(browser, page.server)
        console.show(make_one_handed())
        steps, keys = tab.get_by_role("region", name="First steps"), tab.get_by_label("Keys")
        steps.wait_for()
        assert not keys.is_visible()
        page.show(make_one_handed())
        tab.locator("#hh-loading").wait_for(state="hidden")
        tab.get_by_role("button", name="Help").click()
        assert "Space, Esc" in keys.inner_text()
        tab.get_by_role("button", name="Help").click()
        assert not steps.is_visible()
