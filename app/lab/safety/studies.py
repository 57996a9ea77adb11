"""All that the safety of a session is measured by: a new study is a function and a line here."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from handhold.app.errors import AppError
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.session.commit import current_commit

MAX_STOP_TIME = 20.0
"""A stop is latched this soon, also under a flood [ms]."""

MAX_SILENCE = 20.0
"""A robot whose commands cease is damped this soon [ms]."""

MAX_LOG_LOST = 100.0
"""What a killed host's log may lose [ms]."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a study has measured: its figures, and what else the JSON object has."""

    figures: Sequence[Figure]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SafetyStudy:
    """A study of what protects the robot and its operator.

    Attributes:
        name: Name on the command line.
        title: What is tried, in a line for people.
        measure: Does so many trials.
        few: Trials of ``handhold bench safety``; 0 where it takes too long for that.
        many: Trials of ``handhold acceptance safety``.
        alone: Whether it is disturbed by, or disturbs, what runs beside it.
        robot: Whose safety it is.
    """

    name: str
    title: str
    measure: Callable[[int], Measured]
    few: int
    many: int
    alone: bool = True
    robot: str = "talos"


def measure_link_attacks(count: int) -> Measured:
    """Send so many foreign messages over the wire while an operator stops a thousandth as often, at least 100 times."""
    from handhold.app.lab.safety.link_attacks import attack_links

    report = attack_links(count, stops=max(100, count // 1000))
    times = 1e3 * np.array(report.stop_times)
    return Measured(
        (
            Figure("foreign_accepted", report.accepted, "-", must=0.0),
            Figure("stop_under_flood", float(times.max()), "ms", must=MAX_STOP_TIME),
            Figure("stop_under_flood_p99", float(np.percentile(times, 99)), "ms"),
            Figure("stop_under_flood_median", float(np.median(times)), "ms"),
            Figure("stops_lost", report.lost_stops, "-", must=0.0),
            Figure("stops", report.stops, "-", larger_is_better=True),
            Figure("messages_sent", report.sent, "-", must=float(count), larger_is_better=True),
            Figure("messages_refused", report.refused, "-", must=1.0, larger_is_better=True),
        )
    )


def measure_page_attacks(count: int) -> Measured:
    """Attack the page by raw HTTP and websockets, with so many mutated messages among it."""
    from handhold.app.lab.safety.page_attacks import attack_page

    attacks = attack_page(count)
    return Measured(
        (
            Figure("page_accepted", sum(attack.accepted for attack in attacks), "-", must=0.0),
            Figure("page_attacks", len(attacks), "-", must=float(count), larger_is_better=True),
        )
    )


def measure_late_links(count: int) -> Measured:
    """Reach over links that are late by so many times between 60 and 2,000 ms, each there, back and both."""
    from handhold.app.lab.safety.late_link import LATENESSES, try_late_links

    count = min(count, len(LATENESSES))
    report = try_late_links(LATENESSES[:count])
    return Measured(
        (
            Figure("late_link_moved", 1e3 * report.moved, "mm", must=0.0),
            Figure("late_link_engaged", report.engaged, "-", must=0.0),
            Figure("late_links", report.links, "-", must=3.0 * count, larger_is_better=True),
            Figure("late_links_told", report.notified, "-", must=float(report.links), larger_is_better=True),
            Figure("prompt_link_moved", 1e3 * report.driven, "mm", must=10.0, larger_is_better=True),
        )
    )


def measure_frozen_hosts(count: int) -> Measured:
    """Freeze the host in mid-reach so many times for 0.1 to 2 s."""
    from handhold.app.lab.safety.frozen_host import freeze_hosts

    report = freeze_hosts(count)
    return Measured(
        (
            Figure("frozen_host_moved", 1e3 * report.moved, "mm", must=0.0),
            Figure("frozen_host_engaged", report.engaged, "-", must=0.0),
            Figure("frozen_host_stopping", 1e3 * report.stopping, "mm"),
            Figure("freezes", report.freezes, "-", must=float(count), larger_is_better=True),
        )
    )


def measure_killed_logs(count: int) -> Measured:
    """Kill so many processes that record, half of them beside a busy disk."""
    from handhold.app.lab.safety.log_kills import kill_logs

    figures = []
    for busy, kills in ((False, count - count // 2), (True, count // 2)):
        if not kills:
            continue
        with tempfile.TemporaryDirectory(prefix="handhold-", dir=_find_disk()) as folder:
            killed = kill_logs(kills, seed=int(busy), folder=Path(folder), busy_disk=busy)
        losses = 1e3 * np.array(killed.losses)
        name = "busy" if busy else "idle"
        figures += [
            Figure(f"log_lost_{name}", float(losses.max()), "ms", must=MAX_LOG_LOST),
            Figure(f"log_lost_{name}_median", float(np.median(losses)), "ms"),
            Figure(f"kills_{name}", len(losses), "-", must=float(kills), larger_is_better=True),
            Figure(f"kills_before_first_cycle_{name}", killed.before_first, "-"),
        ]
    worst = max(figure.value for figure in figures if figure.name in ("log_lost_idle", "log_lost_busy"))
    return Measured((Figure("log_lost", worst, "ms", must=MAX_LOG_LOST), *figures))


def measure_mutants(count: int) -> Measured:
    """Change the code that protects in so many ways (0: all there are), and count the changes that a test notices."""
    from handhold.app.lab.safety.mutants import run_mutants

    report = run_mutants(sample=count or None, say=lambda line: print(line, file=sys.stderr, flush=True))
    return Measured(report.figures, report.to_json())


def _find_disk() -> str:
    """Return a folder on the disk that logs are written to; the system's folder for temporary files may be memory."""
    from handhold.app.session.config import default_log_folder

    folder = default_log_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def measure_lost_drivers(count: int) -> Measured:
    """Let a robot that stands in lose its driver so many times, killed and frozen by turns."""
    from handhold.app.lab.live.losses import SIGNALS, lose_driver

    ways = tuple(SIGNALS)
    silences = np.array([lose_driver(ways[k % len(ways)], seed=k) for k in range(count)])
    in_time = silences <= MAX_SILENCE
    return Measured(
        (
            Figure("silence_to_damping", float(silences.max()), "ms", must=MAX_SILENCE),
            Figure("silence_to_damping_median", float(np.median(silences)), "ms"),
            Figure("damped_in_time", float(in_time.sum()), "-", must=float(count), larger_is_better=True),
        )
    )


STUDIES = (
    SafetyStudy("link-attacks", "messages forged, replayed, reordered and flooded", measure_link_attacks, 100_000, 1_000_000),
    SafetyStudy("page-attacks", "pages, requests and messages that are not the operator's", measure_page_attacks, 500, 20_000),
    SafetyStudy("late-links", "links that are late by a constant time", measure_late_links, 2, 8),
    SafetyStudy("frozen-hosts", "a host that stands still in mid-reach", measure_frozen_hosts, 5, 200),
    SafetyStudy("killed-logs", "hosts that are killed while they record", measure_killed_logs, 10, 200),
    SafetyStudy(
        "lost-drivers", "a robot that stands in whose driver is killed or frozen", measure_lost_drivers, 0, 100, robot="g1"
    ),
    SafetyStudy("mutants", "changes of the code that protects, which tests must notice", measure_mutants, 0, 0, alone=False),
)


def find_study(name: str) -> SafetyStudy:
    """Return a study by its name.

    Raises:
        AppError: There is none of that name.
    """
    for study in STUDIES:
        if study.name == name:
            return study
    raise AppError(f"no study '{name}'; take one of {', '.join(study.name for study in STUDIES)}")


def run_study(study: SafetyStudy, count: int) -> Outcome:
    """Run a study with so many trials."""
    start = time.monotonic()
    return describe(study.name, study.measure(count), time.monotonic() - start, study.robot)


def describe(name: str, measured: Measured, duration: float, robot: str = "talos") -> Outcome:
    """Return the outcome of studies of a robot that took so long [s]."""
    return Outcome(
        name=name,
        robot=robot,
        engine="mujoco",
        seed=0,
        commit=current_commit(),
        duration_s=duration,
        fell=None,
        figures=measured.figures,
        extra=measured.extra,
    )
