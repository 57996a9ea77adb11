"""Which mode is in charge, how another takes over, and when everything stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from handhold.perception.surface import Surface
from handhold.retarget.blend import Blend
from handhold.retarget.command import OperatorCommand
from handhold.retarget.errors import RetargetError
from handhold.retarget.mode import ComingPose, Mode
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

MOST_FAILURES = 50
"""Quadratic programs of the retargeting without a solution in a row that make the robot hold."""

PATIENCE = 8.0
"""Longest time in which the mode in charge may come to rest for another; then the change is given up [s]."""

TOLD_FOR = 4.0
"""Time for which the end of a change is told, and a pose that was asked for is shown [s]."""

LOOK_EVERY = 0.1
"""Time between two looks at what keeps the other modes from taking charge [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A mode that the operator may ask for.

    Attributes:
        name: Its name.
        title: Its name for people.
        obstacle: What keeps it from taking charge now, in words; empty where nothing does.
    """

    name: str
    title: str
    obstacle: str


class Switcher:
    """Passes each cycle to the mode in charge, makes it hold when it must, and lets another take over.

    A mode takes over when the one in charge has come to rest, from the reference that was tracked last. Whatever the first
    reference of the new mode differs by fades away.

    Attributes:
        mode: Mode in charge.
        holding: Why the robot holds though motion may be commanded; empty while nothing is wrong. What the operator can do
            about a stop or a lost link stands in the command's own messages.
        offers: All modes, the one in charge without an obstacle.
        changed: Whether another mode has taken charge in the last update: all clutches begin anew.
        refused: Changes refused so far.
    """

    def __init__(self, modes: Sequence[Mode]) -> None:
        """Begin with the first of the modes in charge."""
        self._modes = {mode.name: mode for mode in modes}
        self.mode = modes[0]
        self.holding = ""
        self.changed = False
        self.refused = 0
        self.offers = tuple(Offer(name=mode.name, title=mode.title, obstacle="") for mode in modes)
        # Set by too many failures in a row, until nothing is commanded any more.
        self._exhausted = False
        self._wanted: Mode | None = None
        self._blend: Blend | None = None
        self._own: Reference | None = None
        self._shown: Reference | None = None
        self._coming: ComingPose | None = None
        self._message = ""
        self._waited = self._told = self._looked = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all modes."""
        return tuple(self._modes)

    @property
    def coming(self) -> ComingPose | None:
        """The pose that was asked to be seen: of another mode for a while, else the mode's own."""
        return self._coming or self.mode.coming

    @property
    def message(self) -> str:
        """What becomes of the change that was asked for, in words; empty where there is nothing to tell."""
        if self._wanted is not None:
            return f"{self._wanted.title} as soon as the robot stands still"
        return self._message

    @property
    def failures(self) -> int:
        """Quadratic programs of all modes without a solution so far."""
        return sum(mode.failures for mode in self._modes.values())

    @property
    def refused_commands(self) -> int:
        """Changes, and commands of the operator that the modes have refused so far."""
        return self.refused + sum(mode.refused for mode in self._modes.values())

    def enter(self, state: RobotState) -> Reference:
        """Let the first mode take charge (see ``Mode.enter``)."""
        self._own = self._shown = self.mode.enter(state)
        return self._shown

    def ask(self, name: str) -> None:
        """Ask for a mode by its name: it takes charge when the one in charge has come to rest, or is refused at once."""
        mode = self._modes[name]
        self._coming = None
        if mode is self.mode:
            self._wanted = None
            return
        if obstacle := self._find_obstacle(mode):
            self._refuse(mode, obstacle)
        else:
            self._wanted, self._waited = mode, 0.0
            self.mode.leave()

    def look(self, name: str) -> None:
        """Show for a while the pose that a mode would take the robot to."""
        mode = self._modes[name]
        self._coming = None if mode is self.mode else mode.foresee(self._reference)
        self._told = 0.0

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, *, fault: str = ""
    ) -> Reference:
        """Return the reference of this cycle; a ``fault`` of the robot, in words, makes it hold."""
        commanded = _commands_motion(command)
        self._exhausted = commanded and (self._exhausted or self.mode.failures_in_a_row >= MOST_FAILURES)
        stop = fault or self._find_reason_to_hold(command)
        self._follow_wish(state, dt, stop=stop)
        self.holding = stop or self.mode.hold_reason
        # Whatever was lost, let go or stopped: nothing moves before the operator commands a motion again.
        hold = bool(self.holding) or self._wanted is not None or not (commanded or self.mode.busy)
        own = self.mode.update(command, state, surfaces, dt, hold=hold)
        self._forget_what_was_told(dt)
        return self._show(own, dt)

    @property
    def _reference(self) -> Reference:
        assert self._shown is not None, "a mode must have been entered"
        return self._shown

    def _follow_wish(self, state: RobotState, dt: float, *, stop: str) -> None:
        """Let the mode that is wanted take charge once the robot stands still; nothing changes while it is stopped."""
        self.changed = False
        if self._wanted is None:
            return
        wanted, self._waited = self._wanted, self._waited + dt
        if stop:
            self._refuse(wanted, stop)
        elif unrest := self.mode.unrest:
            self._refuse(wanted, unrest)
        elif self._waited > PATIENCE:
            self._refuse(wanted, f"{self.mode.title} does not come to rest: let go of everything and ask again")
        elif self.mode.settled and self._blend is None and wanted.prepare(self._reference):
            self._change(wanted, state)

    def _find_obstacle(self, mode: Mode) -> str:
        """Find what keeps a mode from taking charge; how a robot that steps will stand is not known yet."""
        if mode is self.mode:
            return ""
        return self.mode.unrest or ("" if self.mode.stepping else mode.find_obstacle(self._reference))

    def _change(self, wanted: Mode, state: RobotState) -> None:
        if obstacle := wanted.find_obstacle(self._reference):
            self._refuse(wanted, obstacle)
            return
        try:
            first = wanted.enter(state, self._reference)
        except RetargetError as error:
            self._refuse(wanted, str(error))
            return
        self._blend = Blend(self._reference, first)
        self.mode, self._wanted, self._own, self.changed = wanted, None, None, True
        self._exhausted = False
        self._look_around()

    def _refuse(self, mode: Mode, reason: str) -> None:
        self.refused += 1
        self._wanted, self._told = None, 0.0
        self._message = f"{mode.title} refused: {reason}"

    def _forget_what_was_told(self, dt: float) -> None:
        self._told += dt
        if self._told > TOLD_FOR:
            self._message, self._coming = "", None
        self._looked += dt
        if self._looked >= LOOK_EVERY and self._shown is not None:
            self._look_around()

    def _look_around(self) -> None:
        self._looked = 0.0
        self.offers = tuple(
            Offer(
                name=mode.name,
                title=mode.title,
                obstacle=self._find_obstacle(mode),
            )
            for mode in self._modes.values()
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
