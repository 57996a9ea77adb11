"""Another robot or world, chosen on the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from handhold.app.session.config import SessionConfig
from handhold.app.session.processes import ProcessSpec, Supervisor
from handhold.app.session.session_choice import CHOSEN, SessionChoice, list_choices, receive_choice, send_choice

CONFIG = SessionConfig(link_port=1, log_folder="")
CHOICE = SessionChoice("g1", "table")


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def test_what_is_shipped_may_be_chosen(pipe: tuple[int, int]) -> None:
    assert CHOICE in list_choices()
    send_choice(pipe[1], CHOICE)
    assert receive_choice(pipe[0]) == CHOICE
    other = CHOICE.apply(CONFIG)
    assert (other.robot, other.world) == ("g1", "table")
    assert (other.link_key, other.page_port) == (CONFIG.link_key, CONFIG.page_port)


@pytest.mark.parametrize(
    "told",
    [
        b"{}",
        b"[1",
        msgspec.json.encode(SessionChoice("../g1", "table")),
        msgspec.json.encode(SessionChoice("g1", "/tmp/world.toml")),
    ],
)
def test_nothing_else_may_be_chosen(pipe: tuple[int, int], told: bytes) -> None:
    os.write(pipe[1], told)
    assert receive_choice(pipe[0]) is None


def test_a_station_that_has_said_nothing_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text(f"import sys\nsys.exit({CHOSEN})\n")
    table = (ProcessSpec(name="station", module="silent", environment={"PYTHONPATH": str(tmp_path)}, chooses=True),)
    supervisor = Supervisor(CONFIG, lambda _words: None, table)
    assert supervisor.run() == CHOSEN
    assert supervisor.chosen is None


def test_a_station_that_chooses_ends_the_session_and_says_what_follows(tmp_path: Path) -> None:
    (tmp_path / "waiting.py").write_text("import time\ntime.sleep(600.0)\n")
    (tmp_path / "choosing.py").write_text(
        "import sys, msgspec\n"
        "from handhold.app.session.config import SessionConfig\n"
        "from handhold.app.session.session_choice import CHOSEN, SessionChoice, send_choice\n"
        "config = msgspec.json.decode(sys.stdin.buffer.read(), type=SessionConfig)\n"
        "send_choice(config.choice_pipe, SessionChoice('g1', 'table'))\n"
        "sys.exit(CHOSEN)\n"
    )
    found = {"PYTHONPATH": str(tmp_path)}
    table = (
        ProcessSpec(name="robot host", module="waiting", environment=found),
        ProcessSpec(name="station", module="choosing", restarted=True, environment=found, chooses=True),
    )
    supervisor = Supervisor(CONFIG, lambda _words: None, table)
    assert supervisor.run() == CHOSEN
    assert supervisor.chosen == CHOICE
