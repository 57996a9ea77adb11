"""Hand targets in the frame of a walking body, moved by the operator relative to it."""

from __future__ import annotations

import numpy as np

from handhold.retarget.command import HandCommand


class HandTargets:
    """Keeps the targets of the hands, relative to the body.

    A hand's target is the operator's, as if the body had stayed where it was when his clutch closed; where the body has gone
    since, the target goes too.
    """

    def __init__(self) -> None:
        """Begin with hands that nobody has moved."""
        self._targets: dict[int, np.ndarray] = {}
        self._bodies: dict[int, np.ndarray] = {}

    def follow(self, effector: int, hand: HandCommand, body: np.ndarray) -> None:
        """Take over the target that the operator commands, while the body is at a pose, homogeneous, shape ``(4, 4)``."""
        if not hand.engaged:
            self._bodies.pop(effector, None)
            return
        self._bodies.setdefault(effector, body)
        self._targets[effector] = np.linalg.solve(self._bodies[effector], hand.target)

    def freeze(self, poses: np.ndarray, body: np.ndarray) -> None:
        """Want the hands where they are, their poses in world among those of all effectors, shape ``(effectors, 4, 4)``."""
        self._targets = {effector: np.linalg.solve(body, poses[effector]) for effector in self._targets}

    def is_held(self, effector: int) -> bool:
        """Whether a hand's clutch is closed."""
        return effector in self._bodies

    def compute_offset(self, effector: int, body: np.ndarray) -> np.ndarray:
        """Compute how far the body has taken a hand along that is held, since its clutch closed, shape ``(4, 4)``."""
        return np.asarray(body @ np.linalg.inv(self._bodies[effector]))

    def compute_targets(self, body: np.ndarray) -> dict[int, np.ndarray]:
        """Return the desired poses in world of the hands that were ever moved, by the indices of the effectors."""
        return {effector: body @ pose for effector, pose in self._targets.items()}
