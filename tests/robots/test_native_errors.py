"""What native libraries say on standard error is found however much they say."""

from __future__ import annotations

import os

import pytest

from handhold.robots.native_errors import catch_native_errors


def test_an_error_behind_many_warnings_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    with catch_native_errors() as native:
        for number in range(500):
            os.write(2, f"Warning: link {number} has no material that is known\n".encode())
        os.write(2, b"Error: an inertia that is none\n")
    assert native.lines[-1] == "Error: an inertia that is none"
    assert capfd.readouterr().err == ""
    native.pass_on()
    assert capfd.readouterr().err.count("\n") == 501
