"""What the browser's panel says of a snapshot, in words (pure: no viser)."""

from __future__ import annotations

import html
import math
from dataclasses import fields, replace

from handhold.devices.stop import Stop
from handhold.render.elements.hud import StreamAge, describe_age, list_ages
from handhold.render.elements.person import describe_lags
from handhold.render.elements.strip import STOP_WORDS, describe_limits, describe_switches
from handhold.render.palette import ALARM, ENGAGED, HELD, Color, to_hex
from handhold.render.snapshot import Counters, HandStatus, Snapshot
from handhold.render.streams import Streams
from handhold.robots.health import RobotHealth
from handhold.robots.model import RobotModel

COUNTER_WORDS = {
    "refused_samples": "samples refused",
    "lost_tracking": "hands lost",
    "lost_link": "link lost",
    "qp_failures_reference": "reference QPs failed",
    "qp_failures_controller": "controller QPs failed",
    "qp_relaxed_controller": "controller QPs without joint limits",
    "overruns": "cycles over budget",
    "refused_commands": "requests refused",
    "refused_states": "robot states refused",
    "refused_messages": "messages refused",
}
AGE_STEP = 0.1
"""Ages are shown in steps [s]: the panel is sent again only when its words change."""


def describe_status(snapshot: Snapshot, model: RobotModel) -> str:
    """Return the stop, the mode, what is switched on in it, the hands, what lags and the warnings as HTML."""
    parts = [_stop(snapshot.stop), _line("Mode", html.escape(snapshot.mode))]
    parts += [f"<div>{html.escape(words)}</div>" for words in describe_switches(snapshot)]
    parts += [_hand("Left hand", snapshot.left), _hand("Right hand", snapshot.right)]
    parts += [_box(html.escape(message), ALARM) for message in (*describe_lags(snapshot, model), *snapshot.messages)]
    return f'<div style="padding:0.4em 0.8em;font-size:0.9em;line-height:1.5">{"".join(parts)}</div>'


def describe_details(snapshot: Snapshot, model: RobotModel) -> str:
    """Return the active constraints, how warm the motors are, and the counters as HTML."""
    active = ", ".join(html.escape(words) for words in describe_limits(snapshot, model)) or "nothing"
    counted = "".join(_counter(snapshot.counters, field.name) for field in fields(Counters))
    motors = "" if snapshot.health is None else _line("Motors", html.escape(describe_health(snapshot.health)))
    return (
        '<div style="padding:0.4em 0.8em;font-size:0.85em;line-height:1.4">'
        f"{_line('Limits', active)}{motors}<table>{counted}</table></div>"
    )


def describe_health(health: RobotHealth) -> str:
    """Return how a robot is, in words."""
    supply = "" if health.voltage is None else f", supply {health.voltage:.1f} V"
    return f"{health.hottest} {health.temperature:.0f} C, the others less{supply}"


def describe_ages(snapshot: Snapshot, streams: Streams) -> str:
    """Return how old everything is that is shown, as HTML, what is late as a warning."""
    ages = [(html.escape(_describe_age(age)), age.late) for age in list_ages(snapshot, streams)]
    lines = [_box(words, ALARM) if late else f"<div>{words}</div>" for words, late in ages]
    return f'<div style="padding:0 0.8em 0.4em;font-size:0.9em;line-height:1.5">{"".join(lines)}</div>'


def _describe_age(stream: StreamAge) -> str:
    if stream.age is None or stream.age >= AGE_STEP or stream.late:
        return describe_age(stream if stream.age is None else replace(stream, age=_round_down(stream.age)))
    return f"{stream.name} under {1e3 * AGE_STEP:.0f} ms"


def _round_down(age: float) -> float:
    return AGE_STEP * math.floor(age / AGE_STEP + 1e-6) if math.isfinite(age) and age >= AGE_STEP else age


def _stop(stop: Stop) -> str:
    if not stop:
        return ""
    return (
        f'<div style="background:{to_hex(ALARM)};color:white;font-weight:bold;font-size:1.35em;text-align:center;'
        f'padding:0.5em;border-radius:4px;margin-bottom:0.4em">{html.escape(STOP_WORDS[stop])}</div>'
    )


def _hand(title: str, status: HandStatus) -> str:
    words, color = ("moving the robot", ENGAGED) if status.engaged else (f"still ({status.waiting or 'released'})", HELD)
    dot = f'<span style="color:{to_hex(color)}">&#9679;</span>'
    return _line(title, f"{dot} {html.escape(words)}")


def _box(text: str, color: Color) -> str:
    return (
        f'<div style="border-left:4px solid {to_hex(color)};background:{to_hex(color)}22;'
        f'padding:0.2em 0.6em;margin:0.3em 0">{text}</div>'
    )


def _line(title: str, value: str) -> str:
    return f"<div><b>{title}:</b> {value}</div>"


def _counter(counters: Counters, name: str) -> str:
    value = getattr(counters, name)
    style = f' style="color:{to_hex(ALARM)};font-weight:bold"' if value else ""
    return f'<tr{style}><td style="text-align:right;padding-right:0.6em">{value}</td><td>{COUNTER_WORDS[name]}</td></tr>'
