"""Which mode is in charge, how another takes over, and when everything stops."""

from __future__ import annotations

from collections.abc import Sequence

from handhold.perception.surface import Surface
from handhold.retarget.blend import Blend
from handhold.retarget.command import OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.retarget.mode import Mode, ModeOutput, ModeStatus
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import Preview
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

MAX_FAILURES = 50
"""Quadratic programs of the retargeting without a solution in a row that make the robot hold."""

REST_TIMEOUT = 8.0
"""Longest time in which the mode in charge may come to rest for another; then the change is refused [s]."""

MESSAGE_TIME = 4.0
"""Time for which the end of a change is reported, and a pose that was asked for is shown [s]."""

SURVEY_EVERY = 0.1
"""Time between two surveys of what keeps the other modes from taking charge [s]."""


class Switcher:
    """Passes each cycle to the mode in charge, makes it hold when it must, and lets another take over.

    A mode takes over when the one in charge has come to rest, from the reference that was tracked last. Whatever the first
    reference of the new mode differs by fades away.

    Attributes:
        mode: Mode in charge.
        output: What it returned last.
        holding: Why the robot holds though motion may be commanded; empty while nothing is wrong. What the operator can do
            about a stop or a lost link stands in the command's own messages.
        offers: All modes, the one in charge without an obstacle.
        changed: Whether another mode has taken charge in the last update: all clutches begin anew.
        refused: Changes refused so far.
    """

    def __init__(self, modes: Sequence[Mode]) -> None:
        """Begin with the first of the modes in charge."""
        self._modes = {mode.profile.name: mode for mode in modes}
        self._statuses = dict.fromkeys(self._modes, ModeStatus())
        self.mode = modes[0]
        self.holding = ""
        self.changed = False
        self.refused = 0
        self.offers = tuple(ModeOffer(profile=mode.profile) for mode in modes)
        # Set by too many failures in a row, until nothing is commanded any more.
        self._exhausted = False
        self._next: Mode | None = None
        self._blend: Blend | None = None
        self._own: Reference | None = None
        self._shown: Reference | None = None
        self._preview: Preview | None = None
        self._message = ""
        self._waited = self._message_age = self._surveyed = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all modes."""
        return tuple(self._modes)

    @property
    def preview(self) -> Preview | None:
        """The posture that was asked about: of another mode for a while, else the mode's own."""
        return self._preview or self.output.report.preview

    @property
    def message(self) -> str:
        """What becomes of the change that was asked for, in words; empty where there is nothing to report."""
        if self._next is not None:
            return f"{self._next.profile.title} as soon as the robot stands still"
        return self._message

    @property
    def failures(self) -> int:
        """Quadratic programs of all modes without a solution so far."""
        return sum(status.failures for status in self._statuses.values())

    @property
    def refused_commands(self) -> int:
        """Changes, and commands of the operator that the modes have refused so far."""
        return self.refused + sum(status.refused for status in self._statuses.values())

    def enter(self, state: RobotState) -> Reference:
        """Let the first mode take charge (see ``Mode.enter``)."""
        return self.begin(self.mode.enter(state))

    def begin(self, output: ModeOutput) -> Reference:
        """Begin with the first mode, which has taken charge and returned this."""
        self._note(output)
        self._own = self._shown = output.reference
        return output.reference

    def ask(self, name: str) -> None:
        """Ask for a mode by its name: it takes charge when the one in charge has come to rest, or is refused at once."""
        mode = self._modes[name]
        self._preview = None
        if mode is self.mode:
            self._next = None
            return
        if obstacle := self._find_obstacle(mode):
            self._refuse(mode, obstacle)
        else:
            self._next, self._waited = mode, 0.0
            self.mode.leave()

    def preview_mode(self, name: str) -> None:
        """Show for a while the posture that a mode would take the robot to."""
        mode = self._modes[name]
        self._preview = None if mode is self.mode else mode.preview(self._reference)
        self._message_age = 0.0

    def toggle(self, name: str) -> None:
        """Turn over a toggle of the mode in charge.

        Raises:
            NoSuchToggle: It has none of this name.
        """
        self._note(self.mode.toggle(name))

    def _note(self, output: ModeOutput) -> None:
        self.output = output
        self._statuses[self.mode.profile.name] = output.status

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, *, fault: str = ""
    ) -> Reference:
        """Return the reference of this cycle; a ``fault`` of the robot, in words, makes it hold."""
        commanded = _commands_motion(command)
        self._exhausted = commanded and (self._exhausted or self.output.status.failures_in_a_row >= MAX_FAILURES)
        stop = fault or self._find_reason_to_hold(command)
        self._change_at_rest(state, dt, stop=stop)
        self.holding = stop or self.output.status.hold_reason
        # Whatever was lost, let go or stopped: nothing moves before the operator commands a motion again.
        moved = commanded or self.output.status.busy or self.output.status.led
        hold = bool(self.holding) or self._next is not None or not moved
        self._note(self.mode.update(command, state, surfaces, dt, hold=hold))
        self._expire_message(dt)
        return self._show(self.output.reference, dt)

    @property
    def _reference(self) -> Reference:
        assert self._shown is not None, "a mode must have been entered"
        return self._shown

    def _change_at_rest(self, state: RobotState, dt: float, *, stop: str) -> None:
        """Let the mode that was asked for take charge once the robot is at rest; nothing changes while it is stopped."""
        self.changed = False
        if self._next is None:
            return
        following, self._waited = self._next, self._waited + dt
        if stop:
            self._refuse(following, stop)
        elif rest_obstacle := self.output.status.rest_obstacle:
            self._refuse(following, rest_obstacle)
        elif self._waited > REST_TIMEOUT:
            self._refuse(following, f"{self.mode.profile.title} does not come to rest: let go of everything and ask again")
        elif self.output.status.at_rest and self._blend is None and following.prepare(self._reference):
            self._change(following, state)

    def _find_obstacle(self, mode: Mode) -> str:
        """Find what keeps a mode from taking charge; how a robot that steps will stand is not known yet."""
        if mode is self.mode:
            return ""
        status = self.output.status
        return status.rest_obstacle or ("" if status.stepping else mode.find_obstacle(self._reference))

    def _change(self, following: Mode, state: RobotState) -> None:
        if obstacle := following.find_obstacle(self._reference):
            self._refuse(following, obstacle)
            return
        try:
            first = following.enter(state, self._reference)
        except RetargetError as error:
            self._refuse(following, str(error))
            return
        self._blend = Blend(self._reference, first.reference)
        self.mode, self._next, self._own, self.changed = following, None, None, True
        self._note(first)
        self._exhausted = False
        self._survey()

    def _refuse(self, mode: Mode, reason: str) -> None:
        self.refused += 1
        self._next, self._message_age = None, 0.0
        self._message = f"{mode.profile.title} refused: {reason}"

    def _expire_message(self, dt: float) -> None:
        self._message_age += dt
        if self._message_age > MESSAGE_TIME:
            self._message, self._preview = "", None
        self._surveyed += dt
        if self._surveyed >= SURVEY_EVERY and self._shown is not None:
            self._survey()

    def _survey(self) -> None:
        self._surveyed = 0.0
        self.offers = tuple(
            ModeOffer(profile=mode.profile, obstacle=self._find_obstacle(mode)) for mode in self._modes.values()
        )

    def _show(self, own: Reference, dt: float) -> Reference:
        """Return the mode's reference, blended while it is new in charge; the same object until the mode has another."""
        blend = self._blend
        if blend is None:
            self._shown = own
            return own
        blend.advance(dt)
        if own is not self._own:
            self._own, self._shown = own, blend.apply(own)
        if blend.over:
            self._blend = None
        return self._reference

    def _find_reason_to_hold(self, command: OperatorCommand) -> str:
        if command.stop:
            return f"stopped by the operator: {command.stop}"
        if command.speed <= 0.0:
            return "operator lost"
        if self._exhausted:
            return "no feasible motion found: release and squeeze again"
        return ""


def _commands_motion(command: OperatorCommand) -> bool:
    """Whether a clutch is closed or a stick is pushed."""
    return command.left.engaged or command.right.engaged or bool(command.com_velocity.any()) or command.yaw_rate != 0.0
