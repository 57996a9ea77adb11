"""All of a robot that gives way to people: its hands and its body."""

from __future__ import annotations

import numpy as np

from handhold.retarget.bracing.compliance.compliant_body import CompliantBody
from handhold.retarget.bracing.compliance.compliant_hands import CompliantHands
from handhold.retarget.bracing.compliance.unbalanced import Unbalanced
from handhold.retarget.bracing.contacts.contacts import Contacts
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.robots.model import RobotModel

HELD = 10.0
"""Force on a hand or the body from which on no other mode takes charge: none but bracing balances it [N]."""


class Compliance:
    """Hands and body that give way, and what of the forces on them is not balanced.

    Attributes:
        hands: The operator's hands.
        body: The body.
    """

    def __init__(self, model: RobotModel) -> None:
        """Take a robot, stiff or compliant as its description has it; ``begin`` comes first."""
        self.hands, self.body = CompliantHands(model), CompliantBody(model)
        self._unbalanced = Unbalanced(model)

    def begin(self, seiko: Seiko, contacts: Contacts) -> None:
        """Begin with hands and body where they are, of a reference and its contacts; what gives way stays as it was."""
        self._seiko = seiko
        self.hands.begin(seiko, contacts)
        self.body.begin(seiko)

    @property
    def held(self) -> bool:
        """Whether somebody holds on to the robot, so that no other mode may take charge."""
        external = self._seiko.external
        if not external.pushed:
            return False
        forces = np.vstack([external.balanced, external.measured])
        return bool((np.linalg.norm(forces, axis=1) > HELD).any())

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """What gives way."""
        return (*self.hands.toggles, *self.body.toggles)

    @property
    def busy(self) -> bool:
        """Whether anything gives way, or goes back."""
        return self.hands.busy or self.body.busy

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        return (*self.hands.messages, *self.body.messages, *self._unbalanced.messages)

    def absorb(self) -> None:
        """Let everything stay where it was led."""
        self.hands.absorb_others(())
        self.body.absorb()

    def turn_over(self, name: str) -> bool:
        """Turn a toggle over; says whether there is one of this name."""
        return self.hands.turn_over(name) or self.body.turn_over(name)

    def measure_forces(self, on_points: np.ndarray, dt: float) -> dict[int, np.ndarray]:
        """Measure what the balance is to reckon with, by effector and then touch point, in world, shape ``(3,)`` [N].

        Args:
            on_points: What is estimated at the body's touch points, shape ``(points, 3)`` [N].
            dt: Length of a period [s].
        """
        self._unbalanced.update(self._seiko.external, dt)
        return {**self.hands.measure_forces(dt), **self.body.measure_forces(on_points, dt)}
