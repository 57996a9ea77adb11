"""Makes the modules that these tests share importable, and lets them draw on a processor, without a screen."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from easel import Easel, make_software_context


@pytest.fixture(scope="package")
def easel() -> Iterator[Easel]:
    """Something to draw with, shared because shaders take long to compile for a processor."""
    context = make_software_context()
    easel = Easel(context)
    yield easel
    easel.close()
    context.close()
