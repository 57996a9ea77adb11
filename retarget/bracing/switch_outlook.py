"""The preview of a contact switch that the operator has asked for, as long as it is valid."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.preview import SwitchPreview
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Preview
from handhold.retarget.timed_messages import list_names, say_name
from handhold.robots.model import RobotModel

STEPS = 3
"""Steps of a preview per step of the robot's own: three times as fast, at three times a step's cost."""

STALE_AFTER = 0.01
"""How far the centre of mass or an effector may go from where a preview began before it is invalid [m]."""


class SwitchPreviewMonitor:
    """Previews the switches of one SEIKO; a preview from another posture, or on other contacts, is invalid."""

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        """Begin without a preview."""
        self._model, self._seiko = model, seiko
        self._stance = seiko.stance
        self._preview: SwitchPreview | None = None
        self._start_positions = self._list_positions()

    def begin(self, effector: int, surfaces: tuple[Surface, ...], forces: Mapping[int, float]) -> None:
        """Begin the preview of an effector's switch (see ``SwitchPreview``)."""
        self._preview = SwitchPreview(self._model, self._seiko, effector, surfaces, forces)
        self._start_positions = self._list_positions()

    def clear(self) -> None:
        """Discard the preview."""
        self._preview = None

    def check_stance(self) -> None:
        """Discard the preview where the contacts have changed."""
        if self._seiko.stance is not self._stance:
            self._stance = self._seiko.stance
            self._preview = None

    def advance(self, dt: float) -> None:
        """Advance the preview, by some steps of ``dt`` [s]."""
        if self._preview is None:
            return
        if np.linalg.norm(self._list_positions() - self._start_positions, axis=1).max() > STALE_AFTER:
            self._preview = None
        else:
            self._preview.advance(STEPS, dt)

    def describe(self) -> Preview | None:
        """Return the posture that the switch would lead to, once that is known."""
        result = None if self._preview is None else self._preview.result
        if result is None:
            return None
        name = say_name(self._model.effectors[result.effector].name)
        verb = "unload" if result.effector in self._stance.effectors else "load"
        return Preview(
            title=f"{verb} {name}: {result.duration:.1f} s" if result.feasible else f"{name} cannot be {verb}ed",
            q=result.q,
            feasible=result.feasible,
            reason="" if result.feasible else f"{list_names(result.obstacles)} in the way",
            region=result.region,
        )

    def _list_positions(self) -> np.ndarray:
        """Return where the centre of mass and the effectors are in the reference, shape ``(1 + effectors, 3)`` [m]."""
        kinematics = self._seiko.kinematics
        return np.vstack([kinematics.position_com_in_world, kinematics.poses[:, :3, 3]])
