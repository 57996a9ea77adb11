"""Robots that the tests of bracing share: two on soles, one on points."""

import pytest

from handhold.robots.model import load_model


@pytest.fixture(scope="session", params=["talos", "g1", "anymal"])
def model(request):
    return load_model(request.param)


@pytest.fixture(scope="session")
def talos():
    return load_model("talos")
