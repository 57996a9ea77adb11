"""A mode of teleoperation: from what the operator commands to what the robot should track."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.retarget.mode_profile import ModeProfile
from handhold.retarget.mode_report import ContactState, ModeReport, Preview
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState


class NoSuchToggle(RetargetError):
    """A mode is asked to turn over a toggle that it does not have."""

    def __init__(self, mode: str, name: str) -> None:
        self.mode = mode
        self.name = name
        super().__init__(f"mode '{mode}' has no toggle '{name}'; ask for one of those it reports")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModeStatus:
    """What the cycle has to know of a mode: everything here may change what the robot does.

    Attributes:
        hands: Effectors that the operator's left and right hand command now.
        hand_offsets: How far the mode itself has moved a hand since its clutch closed, by effector, homogeneous, shape
            ``(4, 4)``, in world: a body that goes takes hands along, contact retargeting moves one along a surface. A hand's
            target is where it would be without.
        restarted: Effectors whose clutch must begin anew, because something else than the operator has moved them.
        contacts: State of every effector's contact; empty where all are free.
        busy: Whether a motion that a button began is under way: it goes on without a clutch.
        led: Whether somebody beside the robot moves it, or it goes back from where it was led: without a clutch, too.
        stepping: Whether feet are in the air and come down by themselves, so that how the robot will stand is not known yet.
        at_rest: Whether the robot is at rest and nothing is under way, so that another mode may take charge.
        hold_reason: Why the robot must hold, in words; empty where nothing is wrong.
        rest_obstacle: Why the mode does not come to rest by itself, in words that say what to do; empty where it does.
        messages: What the operator should know.
        failures: Quadratic programs without a solution so far.
        failures_in_a_row: How many of them since the last that had one, or since the robot was last held at rest.
        refused: Commands of the operator refused so far.
    """

    hands: tuple[int | None, int | None] = (None, None)
    hand_offsets: Mapping[int, np.ndarray] = field(default_factory=dict)
    restarted: frozenset[int] = frozenset()
    contacts: tuple[ContactState, ...] = ()
    busy: bool = False
    led: bool = False
    stepping: bool = False
    at_rest: bool = True
    hold_reason: str = ""
    rest_obstacle: str = ""
    messages: tuple[str, ...] = ()
    failures: int = 0
    failures_in_a_row: int = 0
    refused: int = 0

    def find_contact(self, effector: int) -> ContactState:
        """Return the state of an effector's contact."""
        return self.contacts[effector] if self.contacts else ContactState.FREE


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ModeOutput:
    """What a mode returns.

    Attributes:
        reference: What the robot should track; the same object until there is another.
        status: What the cycle has to know.
        report: What people read; only viewers use it.
    """

    reference: Reference
    status: ModeStatus = field(default_factory=ModeStatus)
    report: ModeReport = field(default_factory=ModeReport)


class Mode(Protocol):
    """One way to drive the robot.

    Attributes:
        profile: Its names, and what it reads of the controls.
    """

    profile: ModeProfile

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps the mode from taking charge of a robot that tracks a reference, in words that say what to do.

        Empty where nothing does. The reference is that of the mode in charge; its motion does not count, it is stopped first.
        """
        ...

    def preview(self, reference: Reference, /) -> Preview:
        """Return the posture that taking charge there leads to, and whether it is possible; nothing moves."""
        ...

    def prepare(self, before: Reference, /) -> bool:
        """Do a part of the work of ``enter``, as long as a cycle has time for; says whether that is ready.

        Called once a cycle, while another mode is in charge and the robot is at rest.

        Args:
            before: What the robot tracks, as ``enter`` will be given.
        """
        ...

    def enter(self, state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        """Take charge; whatever the mode kept of an earlier time in charge is forgotten, but for its toggles.

        Args:
            state: What the robot measures.
            before: What it tracked so far, at rest: the posture to begin in. None to begin in the measured one.

        Raises:
            RetargetError: The mode cannot begin here, with what would remedy it.
        """
        ...

    def leave(self) -> None:
        """Come to rest where another mode may take charge; called once, then every update must hold."""
        ...

    def toggle(self, name: str) -> ModeOutput:
        """Turn a toggle over, at once; nothing jumps, and the mode keeps it when it is entered again.

        Returns:
            What there is to know now; the reference is that of before.

        Raises:
            NoSuchToggle: The mode has none of this name.
        """
        ...

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Return what the robot should track in this control period; with ``hold`` it comes to rest and stays."""
        ...
