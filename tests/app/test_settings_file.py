"""The operator's settings between sessions."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handhold.app.station.settings_file import default_settings_file, load_settings, save_settings
from handhold.render.interface.settings import TURN_ANGLES, PicturePosition, Settings, Viewpoint

ANY_SETTINGS = st.builds(
    Settings,
    view=st.sampled_from(Viewpoint),
    picture=st.sampled_from(PicturePosition),
    turn_angle=st.sampled_from(TURN_ANGLES),
    haptics=st.floats(0.0, 1.0),
    seated=st.booleans(),
    left_handed=st.booleans(),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(chosen=ANY_SETTINGS)
def test_settings_come_back_as_they_were_kept(tmp_path: Path, chosen: Settings) -> None:
    file = tmp_path / "deep" / "settings.json"
    assert save_settings(file, chosen) == ""
    assert load_settings(file) == (chosen, "")
    assert [entry.name for entry in file.parent.iterdir()] == ["settings.json"]


def test_without_a_file_everything_is_as_shipped(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.json") == (Settings(), "")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"\xff\xfe", "malformed"),
        (b'{"seated": 3}', "seated"),
        (b'{"view": "sideways"}', "sideways"),
        (b'{"haptics": 7.0}', "haptics"),
        (b'{"turn_angle": 31}', "15, 30, 45, 90"),
        (b"[1, 2]", "object"),
        (b'{"new": ' + b"[" * 30_000, "recursion"),
        (b" " * 100_000, "larger than"),
    ],
)
def test_a_bad_file_is_told_in_one_line_and_gives_what_is_shipped(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    loaded, message = load_settings(file)
    assert loaded == Settings()
    assert told in message
    assert str(file) in message
    assert "\n" not in message


def test_a_pipe_in_place_of_the_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    os.mkfifo(file)
    loaded, message = load_settings(file)
    assert loaded == Settings()
    assert "not a regular file" in message


def test_a_file_of_another_release_gives_what_it_can(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"seated": true, "something_new": 4}')
    assert load_settings(file) == (replace(Settings(), seated=True), "")


def test_settings_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    (tmp_path / "handhold").write_text("a file where the folder should be")
    assert "could not be kept" in save_settings(tmp_path / "handhold" / "settings.json", Settings())


def test_the_users_own_folder_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_settings_file() == tmp_path / "handhold" / "settings.json"
