"""Who moves a hand on the page: keys, a pointer, or nobody."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from handhold.devices.browser.gizmo import HandGizmo

PAGE, OTHER_PAGE = 0, 1
DT = 0.02
FORWARD, REST = np.array([1.0, 0.0, 0.0]), np.zeros(3)


@pytest.fixture
def gizmo() -> HandGizmo:
    handle = SimpleNamespace(on_update=lambda _callback: None, wxyz=None, position=None, visible=False)
    server: Any = SimpleNamespace(
        scene=SimpleNamespace(add_transform_controls=lambda *_args, **_options: handle),
        atomic=contextlib.nullcontext,
        get_clients=lambda: {PAGE: None, OTHER_PAGE: None},
    )
    made = HandGizmo(server, "left", lambda _page, _handle: True)
    made.place(np.eye(4), 1.0)
    return made


def drag(gizmo: HandGizmo, phase: str, x: float, page: int = PAGE) -> bool:
    """Let a page drag it, and say whether it could."""
    target = SimpleNamespace(wxyz=(1.0, 0.0, 0.0, 0.0), position=(x, 0.0, 0.0))
    event: Any = SimpleNamespace(client_id=page, phase=phase, target=target)
    return gizmo._follow(event)


def test_a_hand_that_is_squeezed_where_it_is_can_be_dragged_and_stays_squeezed_after_that(gizmo: HandGizmo) -> None:
    gizmo.steer(REST, 2.0)
    assert gizmo.read(2.0).dragged
    assert drag(gizmo, "start", 0.0)
    for k in range(1, 6):
        gizmo.steer(REST, 2.0 + k * DT)
        assert drag(gizmo, "update", 0.01 * k)
        sample = gizmo.read(2.0 + k * DT)
        assert sample.dragged
        assert sample.pose is not None
        assert sample.pose.translation[0] == pytest.approx(0.01 * k)
    assert gizmo.is_dragged_by_page
    assert drag(gizmo, "end", 0.05)
    assert gizmo.read(2.1).dragged, "nor is it let go of for a moment"
    gizmo.steer(REST, 2.2)
    assert gizmo.read(2.2).dragged
    assert not gizmo.is_dragged_by_page
    gizmo.steer(None, 2.3)
    assert not gizmo.read(2.3).dragged


def test_a_hand_that_keys_move_is_not_dragged(gizmo: HandGizmo) -> None:
    gizmo.steer(FORWARD, 2.0)
    assert not drag(gizmo, "start", 0.1)
    gizmo.steer(None, 2.1)
    assert drag(gizmo, "start", 0.1)


def test_the_end_of_a_drag_that_was_refused_moves_nothing(gizmo: HandGizmo) -> None:
    gizmo.steer(FORWARD, 2.0)
    assert not drag(gizmo, "start", 0.5)
    gizmo.steer(REST, 2.1)
    assert not drag(gizmo, "end", 0.5)
    sample = gizmo.read(2.1)
    assert sample.pose is not None
    assert abs(sample.pose.translation[0]) < 0.1


def test_a_drag_that_began_before_the_squeeze_or_on_another_page_is_not_taken_over(gizmo: HandGizmo) -> None:
    gizmo.steer(REST, 2.0)
    assert not drag(gizmo, "update", 0.1)
    assert drag(gizmo, "start", 0.0)
    assert not drag(gizmo, "start", 0.2, OTHER_PAGE)
    assert drag(gizmo, "update", 0.1)
