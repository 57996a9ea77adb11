"""What protects the robot from its operator, his link and his devices, and the tests that must notice any change of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Protecting:
    """A module whose every line, branch and effect is tested.

    Attributes:
        module: Its name.
        tests: The files of tests that cover it, from the checkout's root; the fewer and faster, the better.
        threads: Whether the tests start threads, as those of the link do.
    """

    module: str
    tests: tuple[str, ...]
    threads: bool = False


PROTECTING = (
    Protecting("handhold.retarget.engagement.screening", ("tests/retarget/test_screening.py",)),
    Protecting("handhold.retarget.engagement.filters", ("tests/retarget/test_filter_steps.py",)),
    Protecting("handhold.retarget.engagement.attention", ("tests/retarget/test_attention.py",)),
    Protecting("handhold.retarget.engagement.presence", ("tests/retarget/test_presence.py",)),
    Protecting(
        "handhold.retarget.engagement.latched_stop",
        (
            "tests/retarget/test_latched_stop.py",
            "tests/retarget/test_engagement.py",
        ),
    ),
    Protecting("handhold.retarget.engagement.stick_stop", ("tests/retarget/test_stick_stop.py",)),
    Protecting("handhold.retarget.engagement.clutch", ("tests/retarget/test_clutch.py",)),
    Protecting("handhold.retarget.engagement.controls", ("tests/retarget/test_controls.py",)),
    Protecting("handhold.retarget.engagement.sticks", ("tests/retarget/test_sticks.py",)),
    Protecting("handhold.retarget.engagement.hand_engagement", ("tests/retarget/test_engagement.py",)),
    Protecting(
        "handhold.retarget.engagement.engagement",
        (
            "tests/retarget/test_engagement.py",
            "tests/retarget/test_engagement_of_the_right_hand.py",
        ),
    ),
    Protecting("handhold.retarget.engagement.requests", ("tests/retarget/test_requests.py",)),
    Protecting("handhold.retarget.switcher", ("tests/retarget/test_switcher_changes.py", "tests/retarget/test_switcher.py")),
    Protecting("handhold.app.link.messages", ("tests/app/test_message_limits.py", "tests/app/test_messages.py")),
    Protecting("handhold.app.link.seal", ("tests/app/link/test_seal.py",)),
    Protecting("handhold.app.link.replay_window", ("tests/app/link/test_replay_window.py",)),
    Protecting("handhold.app.link.clock_bound", ("tests/app/link/test_clock_bound.py",)),
    Protecting("handhold.app.link.lease", ("tests/app/link/test_lease.py",)),
    Protecting("handhold.app.link.lease_switches", ("tests/app/link/test_lease_switches.py",)),
    Protecting("handhold.app.link.stop_outbox", ("tests/app/link/test_stop_outbox.py",)),
    Protecting("handhold.app.link.inbox", ("tests/app/link/test_inbox.py",)),
    Protecting("handhold.app.link.gate", ("tests/app/link/test_gate.py",)),
    Protecting("handhold.app.link.host_link", ("tests/app/link/test_ends.py",)),
    Protecting("handhold.app.link.station_link", ("tests/app/link/test_ends.py",)),
)
"""One line a module; ``python -m handhold.app.lab.safety.mutants MODULE`` tells what its tests do not notice."""
