"""A process of a session: told to stop while it starts, it leaves without a word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handhold.app.session.config import SessionConfig
from handhold.app.session.process import start_process

STARTING = """
import signal
import sys
from handhold.app.session.process import run_process

def call_back(_item):
    try:
        signal.raise_signal(signal.SIGTERM)
    except BaseException as error:
        print("raised in a call-back:", repr(error), file=sys.stderr)

class Finaliser:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

def load_compiled_module():
    try:
        signal.raise_signal(signal.SIGTERM)
    except SystemExit:
        raise ImportError("initialization failed") from None

def starts(config, stop, say):
    {body}

run_process(starts)
"""


def end_of(body: str, config: SessionConfig) -> tuple[int, str]:
    """Run a process whose start is ``body``; return its exit code and what it said on standard error."""
    program = STARTING.format(body=body)
    process = start_process([sys.executable, "-c", program], config, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read().decode()
    return process.wait(), said


@pytest.fixture
def config(tmp_path: Path) -> SessionConfig:
    return SessionConfig(link_port=1, log_folder=str(tmp_path))


@pytest.mark.parametrize(
    "body", ["signal.raise_signal(signal.SIGTERM)", "load_compiled_module()", "call_back(0)", "Finaliser()"]
)
def test_told_to_stop_while_starting_it_leaves_without_a_word(body: str, config: SessionConfig) -> None:
    assert end_of(body, config) == (0, "")


def test_a_module_that_is_missing_is_still_told(config: SessionConfig) -> None:
    code, said = end_of("import no_such_module", config)
    assert code == 1
    assert "no_such_module" in said
