"""A score: what a scripted operator does, step after step, as a list that reads like one.

A step is a function of the operator's hands when it began, that time, the time now and the last snapshot; it keeps nothing.
Displacements and turns are in the axes of the world, as the operator's space is laid over it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.scenario import OPERATOR_RATE
from handhold.app.limbs import Side
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.render.snapshot import Snapshot

Button = Literal["primary", "secondary", "menu", "stick"]
Vector = tuple[float, float, float]

SAMPLE = 1.0 / OPERATOR_RATE
"""Time between two samples [s]."""

PRESS = 0.1
"""Time a button is held down, and then left alone [s]."""

ASKING = 0.25
"""Time for which something is asked for in words [s], as the wheel asks."""

SELECT = 0.7
"""Time the secondary button is held to pass to the side's next effector [s]."""

_SPAN = {"left": 0.2, "right": -0.2}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Hands:
    """Both hands of the operator, and what is asked for in words (see ``OperatorInput.request``)."""

    left: HandInput
    right: HandInput
    request: str = ""

    def of(self, side: Side) -> HandInput:
        """Return the hand of a side."""
        return self.left if side == "left" else self.right

    def change(self, side: Side, **changes: object) -> Hands:
        """Return the hands with some of what one of them does changed, see ``HandInput``."""
        hand = replace(self.of(side), **changes)  # type: ignore[arg-type]
        return replace(self, left=hand) if side == "left" else replace(self, right=hand)


@dataclass(frozen=True, eq=False, slots=True)
class Beat:
    """Where a step stands: the hands now, whether it is over, and what was waited for in vain."""

    hands: Hands
    over: bool
    missed: str = ""


Step = Callable[[Hands, float, float, Snapshot | None], Beat]
"""A step of a score: hands when it began, when that was [s], the time now [s], the last snapshot."""


def resting_hands() -> Hands:
    """Return hands held in front of the body, nothing pressed."""
    poses = {side: pin.SE3(np.eye(3), np.array([0.3, y, 1.0])) for side, y in _SPAN.items()}
    return Hands(
        left=HandInput(pose=poses["left"], aim=poses["left"]),
        right=HandInput(pose=poses["right"], aim=poses["right"]),
    )


def squeeze(side: Side) -> Step:
    """Close the clutch of a hand."""
    return _set(side, squeeze=1.0)


def release(side: Side) -> Step:
    """Open the clutch of a hand."""
    return _set(side, squeeze=0.0)


def stick(side: Side, right: float, forward: float) -> Step:
    """Push the stick of a hand and keep it there."""
    return _set(side, stick=np.array([right, forward]))


def _set(side: Side, **changes: object) -> Step:
    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        # Two samples: what changes within one would never be noticed.
        return Beat(hands.change(side, **changes), now - begun >= 2.0 * SAMPLE)

    return step


def move(side: Side, displacement: Vector, speed: float, turn: Vector = (0.0, 0.0, 0.0)) -> Step:
    """Move a hand straight by a displacement [m] at a speed [m/s], turning it meanwhile by a rotation vector [rad].

    A mere turn takes its angle in radians as its distance in metres.
    """
    length = float(np.linalg.norm(displacement)) or float(np.linalg.norm(turn))

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        ratio = min(1.0, speed * (now - begun) / length) if length > 0.0 else 1.0
        return Beat(_displace(hands, side, displacement, turn, ratio), ratio >= 1.0)

    return step


def move_along(
    side: Side, displacements: Sequence[Vector], speed: float, turn: Vector = (0.0, 0.0, 0.0), *, turning: int | None = None
) -> Step:
    """Move a hand along several displacements [m] at a speed [m/s], turning it evenly meanwhile by a rotation vector [rad].

    It turns over all of them, or over the first ``turning`` ones.
    """
    corners = np.vstack([np.zeros(3), np.cumsum(np.array(displacements), axis=0)])
    distances = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.array(displacements), axis=1))])

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        gone = min(speed * (now - begun), float(distances[-1]))
        x, y, z = (float(np.interp(gone, distances, corners[:, axis])) for axis in range(3))
        turned = min(1.0, gone / float(distances[-1 if turning is None else turning]))
        a, b, c = (turned * angle for angle in turn)
        return Beat(_displace(hands, side, (x, y, z), (a, b, c), 1.0), gone >= float(distances[-1]))

    return step


def push_stick(side: Side, right: float, forward: float, duration: float, then: tuple[float, float] = (0.0, 0.0)) -> Step:
    """Push the stick of a hand for a duration [s], and leave it as it is to be then."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        over = now - begun >= duration
        return Beat(hands.change(side, stick=np.array(then if over else (right, forward))), over)

    return step


def jump(side: Side, displacement: Vector) -> Step:
    """Move a hand by a displacement [m] from one sample to the next."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        return Beat(_displace(hands, side, displacement, (0.0, 0.0, 0.0), 1.0), now - begun >= 2.0 * SAMPLE)

    return step


def _displace(hands: Hands, side: Side, displacement: Vector, turn: Vector, ratio: float) -> Hands:
    pose = hands.of(side).pose
    if pose is None:
        return hands
    rotation = pin.exp3(ratio * np.array(turn)) @ pose.rotation
    moved = pin.SE3(rotation, pose.translation + ratio * np.array(displacement))
    return hands.change(side, pose=moved, aim=moved)


def press(side: Side, button: Button, held: float = PRESS) -> Step:
    """Press a button, hold it for a time [s], release it and leave it alone for as long as a press takes."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        elapsed = now - begun
        buttons = Buttons(**{button: elapsed < held})
        return Beat(hands.change(side, buttons=buttons), elapsed >= held + PRESS)

    return step


def select_next(side: Side) -> Step:
    """Pass to the side's next effector: from the hand to the foot, from there on or back."""
    return press(side, "secondary", SELECT)


def ask(request: str) -> Step:
    """Ask the host for something in words, as the wheel does: ``"mode:NAME"``, ``"preview:NAME"``, ``"switch:NAME"``."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        over = now - begun >= ASKING
        return Beat(replace(hands, request="" if over else request), over)

    return step


def trigger(side: Side, value: float, duration: float = 2.0 * SAMPLE) -> Step:
    """Bring a trigger to a value (0 released, 1 pulled), evenly over a duration [s]."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        ratio = min(1.0, (now - begun) / duration)
        first = hands.of(side).trigger
        return Beat(hands.change(side, trigger=first + ratio * (value - first)), ratio >= 1.0)

    return step


def wait(duration: float) -> Step:
    """Do nothing new for a duration [s]."""

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        return Beat(hands, now - begun >= duration)

    return step


def wait_till(time: float) -> Step:
    """Do nothing new until a time of the script [s]."""

    def step(hands: Hands, _begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        return Beat(hands, now >= time)

    return step


def wait_until(what: str, holds: Callable[[Snapshot], bool], timeout: float) -> Step:
    """Do nothing new until something holds of the last snapshot; after a timeout [s] it was waited for in vain."""

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        if snapshot is not None and holds(snapshot):
            return Beat(hands, True)
        late = now - begun >= timeout
        return Beat(hands, late, f"{what} (at {now:.1f} s)" if late else "")

    return step


def contact_is(side: Side, word: str, timeout: float = 12.0) -> Step:
    """Wait until the contact of the effector under a side's command is in a state (see ``HandStatus.contact``)."""

    def holds(snapshot: Snapshot) -> bool:
        return (snapshot.left if side == "left" else snapshot.right).contact == word

    return wait_until(f"{side} contact {word}", holds, timeout)


def effector_is(side: Side, name: str) -> Step:
    """Wait until an effector is under a side's command."""

    def holds(snapshot: Snapshot) -> bool:
        return (snapshot.left if side == "left" else snapshot.right).effector == name

    return wait_until(f"{name} under the {side} hand's command", holds, 1.0)


def together(*steps: Step) -> Step:
    """Do several things at once, each with what is its own; over when all are."""

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        over, missed = True, ""
        for each in steps:
            beat = each(hands, begun, now, snapshot)
            hands, over, missed = beat.hands, over and beat.over, missed or beat.missed
        return Beat(hands, over, missed)

    return step


class ScoredOperator:
    """An operator who plays a score.

    Where he waits in vain he releases both squeezes and does no more.

    Attributes:
        missed: What was waited for in vain, with the time.
    """

    def __init__(self, steps: Sequence[Step], *, begun: float = 0.0) -> None:
        """Take what is played, and since when it is [s]."""
        self.missed: tuple[str, ...] = ()
        self._remaining = list(steps)
        self._hands = self._start = resting_hands()
        self._begun = begun
        self._samples = 0

    @property
    def notes(self) -> Mapping[str, float]:
        """Nothing: a score counts nothing itself."""
        return {}

    @property
    def over(self) -> bool:
        """Whether the last step was played."""
        return not self._remaining

    def sample(self, time: float, snapshot: Snapshot | None) -> OperatorInput:
        """Play on until a time [s] and return the hands then."""
        while self._remaining:
            beat = self._remaining[0](self._start, self._begun, time, snapshot)
            self._hands = beat.hands
            if beat.missed:
                self._abort(beat.missed)
            if not beat.over:
                break
            self._remaining = self._remaining[1:]
            self._start, self._begun = self._hands, time
        self._samples += 1
        hands = self._hands
        return OperatorInput(
            time=time, sequence=self._samples, device="script", left=hands.left, right=hands.right, request=hands.request
        )

    def _abort(self, missed: str) -> None:
        self.missed = (*self.missed, missed)
        self._hands = self._hands.change("left", squeeze=0.0).change("right", squeeze=0.0)
        self._remaining = []
