"""One hand of the operator at a page: a gizmo that is dragged or steered by keys, and the buttons of its controller."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from handhold.devices.browser.controls import ClickButton, HoldButton
from handhold.devices.browser.gizmo import HandGizmo
from handhold.devices.browser.grip import GripButton
from handhold.devices.browser.page_server import PageServer
from handhold.devices.browser.push import PushButton
from handhold.devices.operator_input import Buttons, HandInput

PRESS = 0.1
"""A click counts as a button pressed this long [s]."""
STEPS = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
"""Where a hand is steered to, in a frame that faces as the robot does."""


class BrowserHand:
    """The controls of one hand."""

    def __init__(self, server: PageServer, hand: str, clock: Callable[[], float]) -> None:
        """Put the hand on the page.

        Args:
            server: Where the page comes from.
            hand: ``"left"`` or ``"right"``.
            clock: Monotonic clock of the station [s].
        """
        self.gizmo = HandGizmo(server, hand, server.pages.may_use)
        self.heading = 0.0
        """Heading of the robot [rad]."""
        self._server = server
        self._primary, self._secondary = ClickButton(PRESS), ClickButton(PRESS)
        self._push = PushButton(clock)
        self.grip = GripButton()
        self._steps = {name: HoldButton(clock) for name in STEPS}
        self._slider = server.gui.add_slider(f"Push {hand}", min=0.0, max=1.0, step=0.01, initial_value=0.0)
        self._actions = {
            f"{hand}:primary": self._primary.to_action(),
            f"{hand}:secondary": self._secondary.to_action(),
            f"{hand}:push": self._push.to_action(),
            f"{hand}:grip": self.grip.to_action(),
            **{f"{hand}:{name}": button.to_action() for name, button in self._steps.items()},
        }
        for name, action in self._actions.items():
            server.actions.add(name, action)

    def read(self, stick: np.ndarray, now: float) -> HandInput:
        """Return what the hand does at time ``now`` [s]; ``stick`` is how its stick is deflected, shape ``(2,)``."""
        pushes, push = self._push.read_push(now)
        direction = self._read_direction(now)
        moved = direction is not None or self.gizmo.is_dragged_by_page
        grips, pull = self.grip.read_grip(now, dragged=moved)
        self.gizmo.steer(np.zeros(3) if (pushes or grips) and direction is None else direction, now)
        sample = self.gizmo.read(now)
        return HandInput(
            pose=sample.pose,
            squeeze=1.0 if sample.dragged else 0.0,
            trigger=pull if grips else max(float(self._slider.value), push, pull),
            stick=stick,
            buttons=Buttons(primary=self._primary.read(now), secondary=self._secondary.read(now)),
        )

    def drop(self) -> None:
        """Let go of all that was held or clicked."""
        for click in (self._primary, self._secondary, self.grip):
            click.drop()
        for held in (self._push, *self._steps.values()):
            held.drop()
        self.gizmo.drop()

    def remove(self) -> None:
        """Take the hand off the page."""
        self._server.actions.remove(*self._actions)
        self._slider.remove()
        self.gizmo.remove()

    def _read_direction(self, now: float) -> np.ndarray | None:
        """Return where keys steer the hand, a unit vector in world, or None where none is held."""
        held = [np.array(STEPS[name]) for name, button in self._steps.items() if button.read(now)]
        if not held:
            return None
        direction = np.sum(held, axis=0)
        direction = direction / max(1.0, float(np.linalg.norm(direction)))
        c, s = math.cos(self.heading), math.sin(self.heading)
        return np.array([c * direction[0] - s * direction[1], s * direction[0] + c * direction[1], direction[2]])
