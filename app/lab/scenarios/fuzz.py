"""``fuzz``: a seeded random operator does whatever an operator, a headset or a link could do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.measures import measure_failures
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.random_hand import RandomHand
from handhold.app.lab.scenarios.scenario import OPERATOR_RATE, Operator, Scenario
from handhold.app.lab.scenarios.trace import Trace
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel

SILENCES, REQUESTS, ABSENCES, STOPS, RESUMPTIONS = 0.05, 0.1, 0.05, 0.03, 1.0
"""How often the link falls silent, nonsense is asked for, the headset is taken off, both sticks are clicked, and, once
stopped, clicked again [1/s]."""

CLICK = 0.2
"""Time both sticks are down: far from the second that damps the robot [s]."""


class RandomOperator:
    """Two random hands, and what else can go wrong.

    Attributes:
        requests: Nonsense asked for so far.
        unexplained: Times a refused command was counted and no message said why.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._hands = {"left": RandomHand(random, 0.2), "right": RandomHand(random, -0.2)}
        self._sequence = 0
        self._last = OperatorInput(time=0.0, device="script")
        self._until = dict.fromkeys(("silent", "absent", "clicking", "letting go"), -1.0)
        self._refused = 0
        self.requests = 0
        self.unexplained = 0

    over = False
    missed: tuple[str, ...] = ()

    @property
    def notes(self) -> Mapping[str, float]:
        """What the operator counted himself."""
        return {
            "refused_samples": float(sum(hand.refused for hand in self._hands.values())),
            "requests": float(self.requests),
            "unexplained": float(self.unexplained),
        }

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Do something at a time [s]; the same sample again while the link is silent."""
        self._check_refusals(snapshot)
        self._choose(time, stopped=snapshot is not None and snapshot.stop is Stop.HOLD)
        if self._lasts("silent", time):
            return self._last
        self._sequence += 1
        request = self._ask()
        self._last = OperatorInput(
            time=time,
            sequence=self._sequence,
            device="script",
            focused=not self._lasts("absent", time),
            left=self._move("left", time),
            right=self._move("right", time),
            request=request,
        )
        return self._last

    def _check_refusals(self, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            return
        reported = any(message.startswith("refused") for message in snapshot.messages)
        self.unexplained += snapshot.counters.refused_commands > self._refused and not reported
        self._refused = snapshot.counters.refused_commands

    def _choose(self, time: float, *, stopped: bool) -> None:
        if self._happens(SILENCES):
            self._until["silent"] = time + self._random.uniform(0.02, 0.4)
            # After a silence there is no last pose to jump away from: what must be refused would be unclear.
            for hand in self._hands.values():
                hand.recover()
        if self._happens(ABSENCES):
            self._until["absent"] = time + self._random.uniform(0.02, 1.0)
        if self._happens(RESUMPTIONS if stopped else STOPS):
            # A stop ends only where both squeezes were let go before.
            self._until["letting go"] = time + 2.0 * CLICK
            self._until["clicking"] = time + 2.0 * CLICK

    def _move(self, side: str, time: float) -> HandInput:
        clicking = self._lasts("clicking", time) and time >= self._until["clicking"] - CLICK
        return self._hands[side].sample(Buttons(stick=clicking), released=self._lasts("letting go", time))

    def _ask(self) -> str:
        if not self._happens(REQUESTS):
            return ""
        self.requests += 1
        return f"mode:nonsense {self.requests}"

    def _happens(self, rate: float) -> bool:
        return bool(self._random.random() < rate / OPERATOR_RATE)

    def _lasts(self, what: str, time: float) -> bool:
        return time < self._until[what]


def script_fuzz(_model: RobotModel, _effector_poses: np.ndarray, random: np.random.Generator) -> Operator:
    """Script the operator: whatever comes."""
    return RandomOperator(random)


def measure_fuzz(_model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure residuals, and whether everything that was refused is accounted for."""
    contact, equilibrium, _ = trace.worst_residuals
    counters, notes = trace.counters, trace.notes
    return [
        Figure("falls", float(trace.fell), "-", must=0.0),
        Figure("contact_error", float(contact), "m", must=1e-3),
        Figure("equilibrium_error", float(equilibrium), "N", must=1.0),
        measure_failures(trace),
        Figure("refused_samples", float(counters.refused_samples), "-"),
        Figure("unaccounted_samples", abs(counters.refused_samples - notes["refused_samples"]), "-", must=0.0),
        Figure("refused_commands", float(counters.refused_commands), "-"),
        Figure("unaccounted_requests", max(0.0, notes["requests"] - counters.refused_commands), "-", must=0.0),
        Figure("unexplained_commands", notes["unexplained"], "-", must=0.0),
        Figure("lost_tracking", float(counters.lost_tracking), "-"),
        Figure("lost_link", float(counters.lost_link), "-"),
    ]


FUZZ = Scenario(
    name="fuzz",
    title="a random operator: poses, jumps, buttons, forces, lost tracking, nonsense (--seed, --duration)",
    world="half_wall",
    duration=60.0,
    script=script_fuzz,
    measure=measure_fuzz,
    needs=(any_hand,),
    endless=True,
)
