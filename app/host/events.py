"""What happened between two cycles, in words for the log."""

from __future__ import annotations

from dataclasses import fields

from handhold.render.snapshot import Snapshot


def find_events(before: Snapshot | None, now: Snapshot) -> tuple[str, ...]:
    """Name what changed: mode, stop, clutches, messages and everything that is counted."""
    if before is None:
        return (f"begin in mode {now.mode}",)
    events = []
    if now.mode != before.mode:
        events.append(f"mode {now.mode}")
    if now.stop != before.stop:
        events.append(f"stop {now.stop}" if now.stop else "stop lifted")
    for hand in ("left", "right"):
        engaged = getattr(now, hand).engaged
        if engaged != getattr(before, hand).engaged:
            events.append(f"{hand} hand {'engaged' if engaged else 'let go'}")
    events += [f"message: {message}" for message in now.messages if message not in before.messages]
    for counter in fields(now.counters) if now.counters != before.counters else ():
        count = getattr(now.counters, counter.name)
        if count != getattr(before.counters, counter.name):
            events.append(f"{counter.name} {count}")
    return tuple(events)
