"""A force on a hand of a simulated robot reaches the operator's hand in time."""

from __future__ import annotations

import contextlib

import numpy as np

from handhold.app.host.cycle import Cycle
from handhold.app.host.force_feedback import FREQUENCY
from handhold.app.host.program import NO_OPERATOR
from handhold.app.host.pulses import HapticState, find_pulses
from handhold.app.host.standing import find_standing_posture
from handhold.robots.model import load_model
from handhold.robots.robot import CONTROL_PERIOD
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

PUSHED_AT, DURATION = 0.2, 0.3
PUSH = np.array([20.0, 0.0, 0.0])
FELT_WITHIN = 0.05 - 0.02
"""What is left of 50 ms when the link and a station's frame have had their part [s]."""


def test_a_push_on_a_hand_is_felt_in_that_hand_in_time() -> None:
    model, times = load_model("talos"), {"left": [], "right": []}
    felt: HapticState | None = None
    names = [effector.name for effector in model.effectors]
    hand = model.effectors[model.effector_of_hand("left")].name
    with contextlib.closing(make_robot("mujoco", model, load_world("flat"))) as body:
        state = body.reset(find_standing_posture(model))
        cycle = Cycle(model, state)
        for tick in range(round(DURATION / CONTROL_PERIOD)):
            now = tick * CONTROL_PERIOD
            body.send(cycle.advance(NO_OPERATOR, state, (), CONTROL_PERIOD))
            felt, pulses = find_pulses(felt, cycle.report(), names)
            for pulse in pulses:
                times[pulse.hand] += [(now, pulse.frequency)] if now >= PUSHED_AT else []
            body.push(PUSH if now >= PUSHED_AT else np.zeros(3), f"handhold/{hand}")
            body.advance(CONTROL_PERIOD)
            state = body.read()
    assert not times["right"]
    (first, _), *later = times["left"]
    assert first <= PUSHED_AT + FELT_WITHIN
    assert {frequency for _, frequency in later} == {FREQUENCY}, "a touch, and then how hard it is"
