"""Compiled code that does not fit together is said to be so in one line."""

import pytest

from handhold.app import main
from handhold.app.errors import AppError

DAMAGED = "CPUDispatcher(<function survey at 0x7f4b9e6e7380>) returned a result with an exception set"


@pytest.fixture
def failing(monkeypatch):
    def fail_with(text):
        def build_app(_words):
            raise SystemError(text)

        monkeypatch.setattr(main, "build_app", build_app)

    return fail_with


def test_it_names_the_folder_to_delete(failing, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/some/folder")
    failing(DAMAGED)
    assert main.run(["doctor"]) == main.EXIT_CODES[AppError]
    printed = capsys.readouterr().err
    assert "/some/folder" in printed
    assert printed.count("\n") == 1


def test_with_debug_its_traceback_is_shown(failing):
    failing(DAMAGED)
    with pytest.raises(SystemError):
        main.run(["doctor", "--debug"])


def test_another_error_of_the_system_is_none_of_these(failing):
    failing("error return without exception set")
    with pytest.raises(SystemError):
        main.run(["doctor"])
