"""What an operator does about a refusal: just what its reason says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handhold.app.lab.scenarios.score import (
    Step,
    ask,
    contact_is,
    press,
    push_stick,
    release,
    squeeze,
    wait,
    wait_until,
)
from handhold.app.lab.scenarios.wander_acts import HELD, SIDES, Acts, wait_for_feet
from handhold.render.snapshot import Snapshot
from handhold.retarget.mode_report import ContactState

STANDING_UP = 8.0
"""Time that a robot that follows a person is given to stand up as well [s]."""

_SWITCHED = (ContactState.LOADING, ContactState.UNLOADING)


def follow_hint(reason: str, snapshot: Snapshot, acts: Acts) -> Sequence[Step]:
    """Do what a refusal says."""
    if "stopped" in reason:
        return (wait_until("resumed", lambda observed: not observed.stop, 20.0),)
    remedies = {"bracing": _remedy_bracing, "motions": _remedy_motions, "whole-body": _remedy_whole_body}
    found = remedies[snapshot.mode](reason, snapshot, acts) if snapshot.mode in remedies else ()
    return found or (wait(1.0),)


def is_switching(snapshot: Snapshot) -> bool:
    """Whether a contact under the operator's command is being loaded or unloaded."""
    return any(status.contact in _SWITCHED for status in (snapshot.left, snapshot.right))


def _remedy_bracing(reason: str, snapshot: Snapshot, acts: Acts) -> Sequence[Step]:
    if "centre of mass" in reason:
        return acts.lean_to_middle(), wait(0.5)
    if "stand up" in reason:
        return push_stick("right", 0.0, 1.0, 4.0), wait(0.5)
    named = re.search(r"(left|right) (hand|foot)", reason)
    if named is None:
        return ()
    side = SIDES[named[1] == "right"]
    done = wait_until(f"{named[0]} done", lambda observed: not is_switching(observed), 20.0), wait(0.2)
    if "is being" in reason:
        return done
    pressed = *acts.select(side, f"{named[1]}_{named[2]}", snapshot), press(side, "primary")
    if "half-way" in reason:
        return *pressed, *done
    return *pressed, contact_is(side, "free" if "release" in reason else "loaded", 20.0), wait(0.2)


def _remedy_motions(reason: str, snapshot: Snapshot, _acts: Acts) -> Sequence[Step]:
    in_progress = any(switch.on for switch in snapshot.report.toggles)
    if "stand up" in reason and not in_progress:
        bracing = wait_until("bracing", lambda observed: observed.mode == "bracing", 10.0)
        return ask("mode:bracing"), bracing, push_stick("right", 0.0, 1.0, 4.0), wait(0.5)
    if any(words in reason for words in ("foot in the air", "down first", "stand up")):
        return press("left", "secondary", HELD), wait_for_feet(15.0)
    for words, motion in (("joint", "wave"), ("side by side", "feet-together")):
        if words in reason:
            return ask(f"switch:{motion}"), wait(8.0)
    return ()


def _remedy_whole_body(reason: str, _snapshot: Snapshot, _acts: Acts) -> Sequence[Step]:
    """Let the robot follow the person, who stands upright once a mode was refused, until it stands so on both feet as well."""
    if not any(words in reason for words in ("down first", "half-way", "release the", "stand up")):
        return ()
    upright = (wait(STANDING_UP),) if "stand up" in reason else ()
    return squeeze("left"), wait(2.0), wait_for_feet(20.0), *upright, release("left"), wait(0.5)
