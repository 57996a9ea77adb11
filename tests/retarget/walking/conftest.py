"""What the tests of walking share."""

import pytest

from handhold.robots.description import load_description


@pytest.fixture(scope="session")
def walking():
    return load_description("talos").walking
