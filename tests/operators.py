"""An operator for the tests: what the hands do, and time that passes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin

from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.retarget.command import OperatorCommand
from handhold.retarget.engagement.engagement import Engagement

PERIOD = 1e-3  # [s] of the control cycle
FRAME = 11  # [cycles] between two samples of a headset at 90 Hz


def pose_at(x: float, y: float, z: float, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> pin.SE3:
    return pin.SE3(pin.exp3(np.array(turn)), np.array([x, y, z]))


def hand_at(pose: pin.SE3 | None, squeeze: float = 0.0, **controls: object) -> HandInput:
    return HandInput(pose=pose, squeeze=squeeze, **controls)


@dataclass
class Operator:
    """Moves, and lets the robot follow: its hands reach each target within the step."""

    engagement: Engagement = field(default_factory=Engagement)
    left: HandInput = field(default_factory=lambda: hand_at(pose_at(0.3, 0.3, 1.0)))
    right: HandInput = field(default_factory=lambda: hand_at(pose_at(0.3, -0.3, 1.0)))
    device: str = "headset 1"
    origin: int = 0
    focused: bool = True
    stop: Stop = Stop.NONE
    can_stop: bool = True
    age: float = 0.0
    silent: bool = False
    reached_left: np.ndarray = field(default_factory=lambda: pose_at(0.4, 0.2, 1.1, (0.3, 0.2, 0.1)).homogeneous)
    reached_right: np.ndarray = field(default_factory=lambda: pose_at(0.4, -0.2, 1.1, (0.1, 0.2, 0.3)).homogeneous)
    follows: bool = True
    command: OperatorCommand | None = None
    _sequence: int = 0
    _sample: OperatorInput | None = None

    def wait(self, duration: float = PERIOD) -> OperatorCommand:
        """Let time pass; samples come at the headset's rate, the first at once."""
        for cycle in range(round(duration / PERIOD)):
            if cycle % FRAME == 0 and not self.silent:
                self._take_sample()
            self._sample = replace(self._sample, age=self.age) if self.age != self._sample.age else self._sample
            self.step()
        return self.command

    def step(self) -> OperatorCommand:
        """Run one cycle on the newest sample there is."""
        self.command = self.engagement.update(self._sample, self.reached_left, self.reached_right, PERIOD)
        if self.follows:
            self.reached_left, self.reached_right = self.command.left.target, self.command.right.target
        return self.command

    def _take_sample(self) -> None:
        self._sequence += 1
        self._sample = OperatorInput(
            time=0.0,
            sequence=self._sequence,
            device=self.device,
            origin=self.origin,
            focused=self.focused,
            stop=self.stop,
            can_stop=self.can_stop,
            left=self.left,
            right=self.right,
            age=self.age,
        )

    def change_left(self, **changes: object) -> None:
        self.left = replace(self.left, **changes)

    def squeeze(self) -> OperatorCommand:
        """Release the left squeeze, then squeeze it."""
        self.change_left(squeeze=0.0)
        self.wait(0.2)
        self.change_left(squeeze=1.0)
        return self.wait()

    def move(self, x: float, duration: float = 1.0) -> OperatorCommand:
        """Move the left hand forward at a steady pace."""
        start, frames = self.left.pose, max(1, round(duration / PERIOD / FRAME))
        for k in range(1, frames + 1):
            displacement = np.array([x * k / frames, 0.0, 0.0])
            self.change_left(pose=pin.SE3(start.rotation, start.translation + displacement))
            self.wait(FRAME * PERIOD)
        return self.command

    def click(self, duration: float = 0.1) -> OperatorCommand:
        """Click both sticks."""
        before = self.left, self.right
        self.left, self.right = (replace(hand, buttons=Buttons(stick=True)) for hand in before)
        self.wait(duration)
        self.left, self.right = before
        return self.wait(0.05)
