"""A network of a robot that cannot be joined, by the maker's own compiled library."""

from __future__ import annotations

import subprocess
import sys

import pytest

JOIN = """
from handhold.robots.unitree.network import NetworkNotJoined
from handhold.robots.unitree.h1 import H1
from handhold.robots.unitree.wiring import Wiring
from handhold.robots.unitree.{module} import {link}
try:
    {link}("nowhere0", Wiring(H1, H1.joints))
except NetworkNotJoined as error:
    print(error)
"""


# A process of its own: once it has failed, the library takes any interface for joined.
@pytest.mark.parametrize(("module", "link"), [("sdk_link", "SdkLink"), ("stand_in_link", "StandInLink")])
def test_an_interface_that_there_is_not_is_told_in_one_line_by_its_name(module: str, link: str) -> None:
    program = JOIN.format(module=module, link=link)
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    (line,) = told.splitlines()
    assert "'nowhere0' cannot be joined" in line
    assert "domain" in line
