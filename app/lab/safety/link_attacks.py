"""A link under attack while its operator drives and stops: nothing of the attacker's is taken, and every stop is quick."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import dataclass

from handhold.app.lab.safety.link_attacker import TOPICS, Attack, count_sent, start_attack
from handhold.app.lab.safety.rig import RigOperator, operator_of, read_cycles, robot_host, wait_for
from handhold.app.link import make_key
from handhold.app.link.config import LinkConfig
from handhold.app.logs.recording import CycleRecord
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.devices.stop import Stop

HONEST = "honest"
"""Name of the station whose messages are to be taken."""

RECORDED = 200
"""Samples that the attackers have heard on the wire before they begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAttackReport:
    """What became of the attacks.

    Attributes:
        sent: Messages that the attackers sent.
        refused: Messages of theirs that got past zenoh's limits and were refused.
        accepted: Messages of theirs that the host took: samples, stops and resumes that the operator did not send.
        stops: Stops that the operator asked for under attack.
        lost_stops: Those of them that no cycle followed.
        stop_times: Time from the operator's station to the end of the cycle that latched it, of each stop [s].
    """

    sent: int
    refused: int
    accepted: int
    stops: int
    lost_stops: int
    stop_times: tuple[float, ...]


def attack_links(messages: int, stops: int, seed: int = 0) -> LinkAttackReport:
    """Attack a real host over the wire while an operator drives and stops.

    Args:
        messages: Messages that the attackers send at least, those of one who has a connection and of one who has not together.
        stops: Stops of the operator meanwhile.
        seed: Seed of the attacks.
    """
    with tempfile.TemporaryDirectory(prefix="handhold-") as folder:
        config = SessionConfig(link_port=find_free_port(), log_folder=folder)
        with robot_host(config):
            with operator_of(config.link, HONEST) as operator:
                recording = _Recording(operator, config.link)
                wait_for("the operator drives", lambda: operator.link.drives)
                _stop_and_resume(operator)
                operator.wait_samples(RECORDED)
                attackers = [start_attack(attack) for attack in _plan(config, recording.messages, messages, seed)]
                while operator.stops_asked < stops + 1 or any(attacker.poll() is None for attacker in attackers):
                    _stop_and_resume(operator)
                sent = sum(map(count_sent, attackers))
                assert operator.snapshot is not None
                refused = operator.snapshot.counters.refused_messages
            # the operator is gone: whatever was heard of him to the last is sent again
            sent += sum(map(count_sent, [start_attack(_plan(config, recording.messages, messages // 10, seed)[0])]))
        records = read_cycles(config)
    return _judge(records, operator, sent, refused)


def _plan(config: SessionConfig, recorded: dict[str, list[bytes]], messages: int, seed: int) -> list[Attack]:
    heard = {topic: tuple(recorded[topic]) for topic in TOPICS}
    return [
        Attack(
            robot=config.robot, port=config.link_port, transport_key=key, recorded=heard, count=messages // 2, seed=seed + n
        )
        for n, key in enumerate((config.link_key, make_key()))
    ]


class _Recording:
    """What a station puts on the wire, as one would hear it who listens there."""

    def __init__(self, operator: RigOperator, config: LinkConfig) -> None:
        self.messages: dict[str, list[bytes]] = {topic: [] for topic in TOPICS}
        self._subscribers = [
            operator.link.listen(config.topic(topic), lambda sample, heard=heard: heard.append(sample.payload.to_bytes()))  # type: ignore[misc]
            for topic, heard in self.messages.items()
        ]


def _stop_and_resume(operator: RigOperator) -> None:
    """Stop once, wait until the robot shows it, and resume it."""
    operator.ask_stop(Stop.HOLD)
    wait_for("the robot stops", lambda: operator.stopped is Stop.HOLD)
    while operator.stopped:
        operator.ask_stop(Stop.RESUME)
        operator.wait_samples(9)


def _judge(records: list[CycleRecord], operator: RigOperator, sent: int, refused: int) -> LinkAttackReport:
    latched = [record for record in records if record.sample.stop is Stop.HOLD]
    resumed = sum(record.sample.stop is Stop.RESUME for record in records)
    asked = operator.stop_times
    followed = zip(latched, asked, strict=False)
    return LinkAttackReport(
        sent=sent,
        refused=refused,
        accepted=_count_foreign(records) + max(0, len(latched) - len(asked)) + max(0, resumed - operator.resumes_asked),
        stops=len(asked),
        lost_stops=max(0, len(asked) - len(latched)),
        stop_times=tuple(record.host_time + record.cpu_time - time for record, time in followed),
    )


def _count_foreign(records: list[CycleRecord]) -> int:
    """Count the samples that the operator did not send, or did not send then."""
    samples = [after.sample for before, after in itertools.pairwise(records) if after.sample is not before.sample]
    foreign = sum(not sample.device.startswith(HONEST) for sample in samples if sample.device)
    return foreign + sum(
        after.sequence < before.sequence for before, after in itertools.pairwise(samples) if after.device == before.device
    )
