"""The person who is tracked: calibrated, taken up, followed, let go."""

from __future__ import annotations

from enum import Enum, auto

from handhold.devices.tracked_human import TrackedHuman
from handhold.retarget.whole_body.body_mapping import BodyMapping
from handhold.retarget.whole_body.body_targets import BodyTargets, find_targets
from handhold.retarget.whole_body.calibration import CalibrationRefused, Calibrator, HumanCalibration, find_missing
from handhold.retarget.whole_body.human_body import HumanBody
from handhold.retarget.whole_body.human_stance import HumanStance

MAX_MISSING = 0.25
"""Time for which a segment may not be tracked before the person is lost [s]: meanwhile the last whole sample counts."""


class PersonState(Enum):
    """How far a person has taken charge."""

    UNTRACKED = auto()
    CALIBRATING = auto()
    READY = auto()
    FOLLOWED = auto()


class Person:
    """Whoever wears the suit; who was calibrated remains known until another suit comes.

    Attributes:
        state: How far the person has taken charge.
        targets: What the person asks of the robot; None while it does not follow.
        refused: Calibrations refused so far.
        refusal: Why the last one was, in words, until the next update; empty for nothing.
    """

    def __init__(self, mapping: BodyMapping) -> None:
        """Wait for somebody."""
        self._mapping = mapping
        self._calibrator = Calibrator()
        self._known: tuple[HumanCalibration, HumanStance] | None = None
        # The person as of the last whole sample since.
        self._body: HumanBody | None = None
        self._suit, self._missing = "", ""
        self._human: TrackedHuman | None = None
        self._losses = 0
        self.refused, self.refusal = 0, ""
        self.let_go()

    def let_go(self) -> None:
        """Begin with nobody in charge: the next one takes charge by another squeeze."""
        self.state = PersonState.UNTRACKED
        self.targets: BodyTargets | None = None
        self._must_release, self._missing_for = True, 0.0

    @property
    def known(self) -> bool:
        """Whether the person has been calibrated."""
        return self._known is not None

    @property
    def lifted(self) -> tuple[bool, bool]:
        """Whether the person's left and right foot are in the air."""
        return (False, False) if self._known is None else self._known[1].lifted

    def describe(self) -> str:
        """Say what the person has to do, in words; empty where nothing."""
        if self.state is PersonState.UNTRACKED:
            whole = "nobody is tracked: switch the suit on, and let it stream here"
            return f"the {self._missing} is not tracked: bring it into view" if self._missing else whole
        if self.state is PersonState.CALIBRATING:
            calibrator = self._calibrator
            return f"calibration: {calibrator.waits_for or f'stay like this, {100.0 * calibrator.progress:.0f} %'}"
        if self.state is PersonState.READY and self._must_release:
            return "let go, then squeeze again"
        return "squeeze, and the robot comes to where you are; let go, and it stays" if self.state is PersonState.READY else ""

    def update(self, human: TrackedHuman | None, losses: int, dt: float, *, squeezed: bool, pressed: bool, hold: bool) -> None:
        """Follow the person for a period.

        Args:
            human: The sample accepted last; None while nobody is tracked.
            losses: How often somebody was lost so far: one who is back since the last period was lost all the same.
            dt: Length of the period [s].
            squeezed: Whether a hand squeezes.
            pressed: Whether calibration was asked for; not while a hand squeezes.
            hold: Whether the robot must hold.
        """
        self.refusal = ""
        lost = self._note_missing(human, dt) or losses != self._losses
        self._losses = losses
        # What was lost and comes back moves nothing: it is taken up by another squeeze.
        self._must_release = squeezed and (self._must_release or lost or not self.known)
        if human is None or lost:
            self._stay(PersonState.UNTRACKED)
            self._calibrator = Calibrator()
            return
        new, self._human = human is not self._human, human
        if (pressed and not squeezed) or human.suit != self._suit:
            self._known, self._calibrator, self._suit = None, Calibrator(), human.suit
        if self._known is None:
            self._stay(PersonState.CALIBRATING)
            if new:
                self._calibrate(human)
            return
        calibration, stance = self._known
        if new and not self._missing:
            self._body = stance.read(human)
        if self._must_release or hold or not squeezed or self._body is None:
            self._stay(PersonState.READY)
            return
        self.state = PersonState.FOLLOWED
        if self.targets is None or new:
            self.targets = find_targets(self._body, calibration, self._mapping)

    def _note_missing(self, human: TrackedHuman | None, dt: float) -> bool:
        """Return whether nobody is tracked, or for too long not whole; in calibration it is said and waited for."""
        if human is not self._human:
            self._missing = "" if human is None or not self.known else find_missing(human)
        self._missing_for = self._missing_for + dt if self._missing else 0.0
        taken_up = self.targets is not None and self._missing_for < MAX_MISSING
        return human is None or bool(self._missing and not taken_up)

    def _stay(self, state: PersonState) -> None:
        self.state, self.targets = state, None

    def _calibrate(self, human: TrackedHuman) -> None:
        try:
            calibration = self._calibrator.add(human)
        except CalibrationRefused as error:
            self._calibrator = Calibrator()
            self.refused += 1
            self.refusal = str(error)
            return
        if calibration is not None:
            self._known, self._body = (calibration, HumanStance(calibration)), None
