"""A robot that does exactly what bracing mode asks, measures what the reference says, and has hands that touch springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.devices.stop import Stop
from handhold.retarget.bracing.contacts.effector_choice import list_effectors
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.robots.contact_kind import ContactKind
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState

DT = 2e-3
STIFFNESS = 5e3  # [N/m] of what a hand touches
AWAY = np.full((4, 4), np.nan)


class PerfectRobot:
    """Bracing mode in a loop with itself; hands touch something at the x ``wall``, and ``surfaces`` is what is known of it."""

    def __init__(self, seiko, *, wall=np.inf, surfaces=()):
        self.model = seiko._model
        self.wall = wall
        self.surfaces = surfaces
        self.mode = BracingMode(self.model, DaqpSolver())
        self.time = 0.0
        self.lost = set()
        self.reference = self.mode.enter_with(seiko, self._state(seiko.q, None)).reference
        self.rest = self.reference.effector_poses.copy()

    @property
    def contacts(self):
        return self.mode.contacts

    @property
    def in_contact(self):
        return self.mode.seiko.stance.effectors

    def wait(self, duration=DT, *, hold=False, stop=Stop.NONE, until=lambda: False, **hands):
        """Let time pass; ``left`` and ``right`` are changes to what the hands command."""
        command = self._command(stop, hands)
        for _ in range(max(1, round(duration / DT))):
            self.time += DT
            held = hold or bool(stop)
            state = self._state(self.reference.q, self.reference)
            self.reference = self.mode.update(command, state, self.surfaces, DT, hold=held).reference
            if until():
                return True
        return False

    def side_of(self, effector):
        return "left" if effector in list_effectors(self.model, "left").effectors else "right"

    def choose(self, effector):
        side = self.side_of(effector)
        for _ in range(4):
            if effector in self.mode.describe().status.hands:
                return
            self.wait(0.61, **{side: {"secondary_held": True}})
            self.wait()
        raise AssertionError("the effector is not to be had")

    def press(self, effector):
        """Press the contact button of an effector that is under command."""
        self.wait(**{self.side_of(effector): {"primary_pressed": True}})

    def settle(self, longest=16.0):
        assert self.wait(longest, until=lambda: self.contacts.switch is None and not self.contacts.busy)

    def _state(self, q, reference):
        rows = np.zeros((len(self.model.effectors), 6))
        if reference is not None:
            for e, about in enumerate(self.model.effectors):
                pose = reference.effector_poses[e]
                rows[e] = self._measure(e, about, pose, reference.contact_wrenches[e])
        return RobotState(
            time=self.time, q=q, v=np.zeros(self.model.nv), joint_torques=np.zeros(self.model.n), contact_wrenches=rows
        )

    def _measure(self, effector, about, pose, desired):
        if effector in self.lost:
            return np.zeros(6)
        measured = desired.copy()
        if about.contact is ContactKind.POINT:
            force = desired[:3].copy()
            if effector not in self.in_contact and about.hand is not None:
                force[0] -= STIFFNESS * max(0.0, pose[0, 3] + about.radius - self.wall)
            measured[:3] = pose[:3, :3].T @ force
        return measured

    def _command(self, stop, hands):
        sides = {}
        for side, effector in zip(("left", "right"), self.mode.describe().status.hands, strict=True):
            target = AWAY if effector is None else self.rest[effector]
            sides[side] = replace(HandCommand.released(target), **hands.get(side, {}))
        return replace(OperatorCommand.of_hands(**sides), stop=stop)
