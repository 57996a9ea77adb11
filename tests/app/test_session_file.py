"""A second station finds the session that runs, and nobody else reads its key."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from handhold.app.logs import lock as log_lock
from handhold.app.session import session_file
from handhold.app.session.config import SessionConfig
from handhold.app.session.session_file import NoSession, find_session, published


def config(robot: str = "talos") -> SessionConfig:
    return SessionConfig(robot=robot, link_port=7, log_folder="")


def test_a_session_that_runs_is_found_with_its_key_and_is_gone_with_it(tmp_path: Path) -> None:
    session = config()
    with published(session, tmp_path / "sessions"):
        assert find_session(tmp_path / "sessions") == session
    with pytest.raises(NoSession, match="start one with 'handhold run'"):
        find_session(tmp_path / "sessions")


def test_only_its_user_can_read_it(tmp_path: Path) -> None:
    with published(config(), tmp_path / "sessions") as file:
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_session_is_found_by_its_robot(tmp_path: Path) -> None:
    with published(config("g1"), tmp_path):
        assert find_session(tmp_path, "g1").robot == "g1"
        with pytest.raises(NoSession, match="no session of talos"):
            find_session(tmp_path, "talos")


def test_what_a_session_that_died_has_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f"{2**22 + 1}.json"  # more than Linux has processes
    left.write_text("{}")
    with pytest.raises(NoSession):
        find_session(tmp_path)
    assert not left.exists()


def test_a_file_that_cannot_be_read_is_no_session(tmp_path: Path) -> None:
    (tmp_path / f"{os.getpid()}.json").write_text("half a fi")
    with pytest.raises(NoSession):
        find_session(tmp_path)


def test_a_file_of_a_process_that_lives_but_does_not_hold_it_is_no_session(tmp_path: Path) -> None:
    with published(SessionConfig(link_port=1, log_folder="logs"), tmp_path) as file:
        left = tmp_path / "1.json"
        left.write_bytes(file.read_bytes())
        assert find_session(tmp_path).link_port == 1
        assert not left.exists()


def test_what_is_printed_of_a_session_has_no_key() -> None:
    config = SessionConfig(link_port=1, log_folder="logs")
    assert repr(config.link_key) not in repr(config)
    assert "link_port=1" in repr(config)


def test_a_session_begins_though_another_station_looks_at_its_file_just_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks holds the file's lock for some microseconds."""
    real, looked = os.fdopen, []

    def open_and_look(handle: int, mode: str) -> BinaryIO:
        stream = real(handle, mode)
        looked.append((tmp_path / f"{os.getpid()}.json").open("rb"))
        fcntl.flock(looked[0], fcntl.LOCK_SH)
        return stream

    monkeypatch.setattr(session_file.os, "fdopen", open_and_look)
    monkeypatch.setattr(log_lock.time, "sleep", lambda _duration: looked[0].close())
    with published(SessionConfig(link_port=1, log_folder="logs"), tmp_path):
        assert find_session(tmp_path).link_port == 1
