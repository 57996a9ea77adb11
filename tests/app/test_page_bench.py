"""``bench page`` notices whether the robot is in the first picture of a page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from handhold.app.lab.benches.page_brace import TIMELESS, PageSession
from handhold.app.lab.benches.page_chromium import open_chromium
from handhold.app.lab.benches.page_sight import is_robot_visible, send_away
from handhold.app.session.config import SessionConfig

pytestmark = pytest.mark.alone


class RobotlessSession(PageSession):
    """A session whose page is shown a robot that is far away."""

    def live(self) -> None:
        super().live()
        self.last = send_away(self.last)
        self.page.show(replace(self.last, measured_at=time.monotonic() + TIMELESS))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.mark.parametrize(("kind", "seen"), [(PageSession, True), (RobotlessSession, False)])
def test_a_robot_is_seen_where_it_is(browser: Browser, tmp_path: Path, kind: type[PageSession], seen: bool) -> None:
    config = SessionConfig(world="wall", page_port=0, link_port=1, log_folder=str(tmp_path), device="browser")
    with closing(kind(config)) as session:
        assert is_robot_visible(browser, session, wait=60.0 if seen else 3.0) is seen
