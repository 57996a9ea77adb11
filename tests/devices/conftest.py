"""A real OpenXR runtime for the tests of the device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from monado import Session, open_monado


@pytest.fixture
def session(runtime_json: Path, tmp_path: Path) -> Iterator[Session]:
    with open_monado(runtime_json, tmp_path) as opened:
        yield opened
