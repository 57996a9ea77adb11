"""Another robot and world, chosen on a real page of a real session."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handhold.app.lab.benches.page_chromium import DRAWN, TIMEOUT, new_page, open_chromium
from handhold.app.session.config import find_free_port

pytestmark = pytest.mark.alone


@contextmanager
def running(folder: Path, *words: str) -> Iterator[str]:
    """Run a session that serves the page until the end; returns its address."""
    command = ["handhold", "run", "--log", str(folder), "--port", str(find_free_port()), "--device", "browser", *words]
    program = Path(sys.executable).parent / "handhold"
    with subprocess.Popen(command, executable=program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.match(r"ready \(browser\): open (\S+)", line):
                    yield found[1]
                    break
            else:
                pytest.fail("the session ended before it was ready")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def test_another_robot_and_world_are_chosen_on_the_page(tmp_path: Path) -> None:
    with running(tmp_path, "--world", "flat") as address, open_chromium() as browser:
        tab = new_page(browser)
        tab.goto(f"{address}&fixedDpr=0.25")
        tab.locator(DRAWN).wait_for(state="attached")
        assert "There is nothing to lean on here" in tab.locator(".hh-steps").inner_text()
        tab.locator(".hh-name").click()
        dialog = tab.locator("#hh dialog")
        dialog.get_by_role("combobox").first.select_option("g1")
        dialog.get_by_role("combobox").last.select_option("wall")
        with tab.expect_event("load", timeout=1e3 * TIMEOUT):  # the page comes back by itself
            tab.get_by_role("button", name="Start").click()
        tab.locator(DRAWN).wait_for(state="attached")
        assert "wall" in tab.locator(".hh-name").inner_text()
        assert "G1" in tab.title()
        tab.get_by_role("button", name="Lean on, left hand").wait_for()
