"""What a session's log says happened."""

from dataclasses import replace

from snapshots import make_snapshot

from handhold.app.host.events import find_events
from handhold.devices.stop import Stop
from handhold.render.snapshot import Counters
from handhold.robots.model import load_model


def test_events_name_what_changed_and_nothing_else():
    before = make_snapshot(load_model("g1"))
    after = replace(
        before,
        stop=Stop.HOLD,
        left=replace(before.left, engaged=not before.left.engaged),
        messages=(*before.messages, "left hand not seen"),
        counters=Counters(lost_tracking=before.counters.lost_tracking + 1),
    )
    events = find_events(before, after)
    assert "stop hold" in events
    assert "message: left hand not seen" in events
    assert f"lost_tracking {before.counters.lost_tracking + 1}" in events
    assert any(event.startswith("left hand") for event in events)
    assert find_events(before, before) == ()


def test_the_first_cycle_tells_the_mode():
    assert find_events(None, make_snapshot(load_model("g1"))) == ("begin in mode bracing",)
