"""What ``robot check`` plays: the first two seconds of a far reach, as short as shows that the robot can be used at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from handhold.app.host.starting_place import compute_reach_ahead
from handhold.app.lab.authoring.robot_findings import Finding, join_names
from handhold.app.lab.authoring.robot_posture import list_near_limits
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.far_reach import (
    BEYOND_REACH,
    FAR_REACH,
    HAND_SPEED,
    LEAVE_TIME,
    SQUEEZE_TIME,
)
from handhold.app.lab.scenarios.margins import compute_cone_ratio
from handhold.app.lab.scenarios.measures import ROUNDING, measure_failures, measure_reference
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import Operator
from handhold.app.lab.scenarios.score import ScoredOperator, move, squeeze, wait_till
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.limbs import choose_hand, find_hands
from handhold.robots.model import RobotModel

DURATION = 2.0
"""Simulated time of the trial [s]."""

AT_LIMIT = 0.01
"""Part of a joint's range within which it counts as at a limit [-]."""

_ENGINE, _SEED = "mujoco", 0


def try_reaching(model: RobotModel) -> tuple[list[Figure], list[Finding]]:
    """Let a simulated robot reach ahead, and return its figures and what goes wrong.

    Raises:
        RobotError: The engine cannot be had, or cannot build the robot.
        RetargetError: The robot cannot stand.
    """
    trace = play(CHECK_REACH, model, _ENGINE, _SEED)
    figures = list(CHECK_REACH.measure(model, trace))
    findings = [_explain(figure) for figure in figures if not figure.holds]
    if trace.fell:
        findings.append(Finding(f"it falls {trace.fell_at:.1f} s after it was put down; {_CHECK_SOLES}", error=True))
    elif trace.damped:
        findings.append(Finding(f"it was damped while it reached ahead ({trace.damped}); {_CHECK_SOLES}", error=True))
    near = list_near_limits(model, _list_positions(trace), AT_LIMIT)
    if near:
        findings.append(Finding(f"at their limits while it reached ahead: {join_names(near)}; that may be right for an elbow"))
    return figures, findings


def script_reach(model: RobotModel, effector_poses: np.ndarray, _random: np.random.Generator) -> Operator:
    """Script the operator: squeeze, and reach straight ahead until time is over."""
    side, effector = choose_hand(model)
    distance = compute_reach_ahead(model, effector, effector_poses[effector, :3, 3]) + BEYOND_REACH
    reach = move(side, (distance, 0.0, 0.0), HAND_SPEED)
    return ScoredOperator([wait_till(SQUEEZE_TIME), squeeze(side), wait_till(LEAVE_TIME), reach, wait_till(DURATION)])


def measure_reach(model: RobotModel, trace: Trace) -> Sequence[Figure]:
    """Measure whether programs were solved, contacts held and joints kept off limits, and how high the hands are at first."""
    contact = next(figure for figure in measure_reference(trace) if figure.name == "contact_error")
    near = list_near_limits(model, _list_positions(trace), AT_LIMIT)
    heights = trace.effectors_reference[0][:, 2].tolist()
    return [
        measure_failures(trace),
        contact,
        Figure("cone_ratio", compute_cone_ratio(model, trace, reference=False), "-", must=1.0 + ROUNDING),
        Figure("joints_at_limits", float(len(near)), "-"),
        *(Figure(f"{side}_hand_height", heights[i], "m") for side, i in find_hands(model).items()),
    ]


CHECK_REACH = replace(
    FAR_REACH,
    name="robot-check",
    title="a hand is commanded ahead for two seconds",
    duration=DURATION,
    script=script_reach,
    measure=measure_reach,
)

_CHECK_SOLES = "look at the soles in the picture (--picture), at [scales] and at [posture]"
_REMEDIES = {
    "qp_failures": "programs have no solution; do soles, normal forces and torque limits fit the robot's weight?",
    "contact_error": "the reference slides off its contacts; look at the joints of the legs",
    "cone_ratio": "a contact slips; is friction that of its material, and are the soles where they touch?",
}


def _explain(figure: Figure) -> Finding:
    expected = "it is no number" if figure.must is None else f"at most {figure.must:.4g} is right"
    remedy = _REMEDIES.get(figure.name, _CHECK_SOLES)
    return Finding(f"{figure.name} is {figure.value:.4g} and {expected}: {remedy}", error=True)


def _list_positions(trace: Trace) -> np.ndarray:
    return np.array(trace.configurations)[:, 7:]
