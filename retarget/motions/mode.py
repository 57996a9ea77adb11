"""Motions mode: the operator chooses a motion, sees where it leads, plays it, pauses it and lets it run back."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import ModeOutput, ModeStatus, NoSuchToggle
from handhold.retarget.mode_profile import ModeHints, ModeProfile
from handhold.retarget.mode_report import ContactState, ModeReport, Preview, Toggle
from handhold.retarget.motions.body_sweep import BodySweep
from handhold.retarget.motions.button import HeldButton, Press
from handhold.retarget.motions.chart import ChartState, compute_body_state
from handhold.retarget.motions.errors import CannotStart
from handhold.retarget.motions.landing import find_wrong_ground, list_landings
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.path import plan_path
from handhold.retarget.motions.performer import Performer
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

PERIOD = 2e-3
"""The mode's own period [s]; the controller goes on from its velocity in between."""

HALF_WAY = "the motion is paused with a foot in the air: press B or Y to go on, or hold it to run back, until both feet stand"
"""Why a motion that is paused does not come to rest by itself."""

_CONTACTS = (ContactState.FREE, ContactState.LOADED)


class MotionMode:
    """Plays motions.

    Attributes:
        performer: What plays them.
    """

    profile = ModeProfile(
        name="motions",
        title="Motions",
        hints=ModeHints(secondary="next motion, pause; held: play, run back"),
        toggles_title="Play",
    )

    def __init__(
        self,
        model: RobotModel,
        motions: tuple[CheckedMotion, ...],
        *,
        left_out: tuple[str, ...] = (),
        period: float = PERIOD,
    ) -> None:
        """Offer motions, at least one; the first is chosen.

        Args:
            model: The robot.
            motions: What it can do.
            left_out: What it cannot, and why, in words for the operator.
            period: The mode's own period [s].
        """
        self._model, self._motions, self._period = model, motions, period
        self._left_out = left_out
        self.performer = Performer(model)
        self._measured = EffectorKinematics(model)
        self._standing = np.array([effector.standing for effector in model.effectors])
        self._button = HeldButton()
        self._landings = [list_landings(each.motion, model) for each in motions]
        self._sweeps = [BodySweep(each.motion, model) for each in motions]
        self._surfaces: tuple[Surface, ...] = ()
        self._chosen, self._pending = 0, 0.0
        self._asked = self._message = ""
        # Whether the press that is going on has paused: its release does not go on.
        self._paused_by_press = False
        self._preview: Preview | None = None
        self._refused = 0
        # by what plays
        self._toggles: dict[str, tuple[Toggle, ...]] = {}

    def describe(self) -> ModeOutput:
        """Return what there is to know of the mode now: it commands no hand and solves no quadratic program."""
        under_way = self._is_under_way()
        missed = tuple(f"{name.replace('_', ' ')} finds no ground" for name in self.performer.missed)
        messages = (*missed, *(text for text in (self._message, self._describe_playing()) if text), *self._left_out)
        status = ModeStatus(
            contacts=tuple(_CONTACTS[bool(in_contact)] for in_contact in self.performer.in_contact),
            busy=self._is_busy(),
            stepping=self.performer.moving,
            at_rest=self.performer.at_rest,
            rest_obstacle=HALF_WAY if under_way and not (self.performer.moving or self.performer.at_rest) else "",
            messages=messages,
            refused=self._refused,
        )
        report = ModeReport(preview=None if under_way else self._preview, toggles=self._list_toggles())
        return ModeOutput(reference=self._reference, status=status, report=report)

    def _is_busy(self) -> bool:
        """Return whether a motion plays or was asked for; one that is paused, or has ended, does not."""
        player = self.performer.player
        playing = player is not None and player.desired_direction != 0 and not player.finished
        return bool(self._asked) or playing or self.performer.waiting

    def _list_toggles(self) -> tuple[Toggle, ...]:
        """Return the motions: one that plays is on."""
        playing = self._find_playing()
        if playing not in self._toggles:
            motions = [each.motion for each in self._motions]
            self._toggles[playing] = tuple(Toggle(name=m.name, title=m.title, on=m.name == playing) for m in motions)
        return self._toggles[playing]

    def leave(self) -> None:
        """Let a motion stop at the next sample where it may and all feet support."""
        self._asked = ""
        self.performer.leave()

    def toggle(self, name: str) -> ModeOutput:
        """Play a motion, or let it run back while it plays.

        Raises:
            NoSuchToggle: There is none of this name.
        """
        if name not in (each.motion.name for each in self._motions):
            raise NoSuchToggle(self.profile.name, name)
        self._asked = name
        self._output = self.describe()
        return self._output

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps a motion from beginning: a brace that is loaded, or a foot that is not."""
        for in_contact, effector in zip(reference.contacts, self._model.effectors, strict=True):
            if in_contact != effector.standing:
                name = effector.name.replace("_", " ")
                return f"release the {name} first" if in_contact else f"put the {name} down first"
        return ""

    def preview(self, reference: Reference, /) -> Preview:
        """Return the pose that the mode begins in: the present one."""
        obstacle = self.find_obstacle(reference)
        names = ", ".join(each.motion.name for each in self._motions)
        return Preview(title=f"{self.profile.title}: {names}", q=reference.q, feasible=not obstacle, reason=obstacle)

    def prepare(self, _before: Reference, /) -> bool:
        """Be ready at once: taking charge takes a few milliseconds."""
        return True

    def enter(self, state: RobotState, before: Reference | None = None, /) -> ModeOutput:
        """Take charge of a robot that stands; the first reference is its present posture."""
        self._pending, self._asked, self._message, self._button = 0.0, "", "", HeldButton()
        self._reference = self.performer.enter(state, state.q if before is None else before.q)
        self._choose(self._chosen, state)
        self._output = self.describe()
        return self._output

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> ModeOutput:
        """Do what the buttons ask, and go on when the period is up; with ``hold`` a motion that plays pauses."""
        self._surfaces = surfaces
        stopped = bool(command.stop) or command.speed <= 0.0
        if hold and (self._is_busy() or stopped):
            self.performer.pause()
        self._handle_press(self._button.read(command, dt), state, stopped=stopped)
        self._pending += dt
        if self._pending >= self._period - 0.5 * dt:
            elapsed, self._pending = self._pending, 0.0
            self.follow(state, elapsed)
        self._output = self.describe()
        return self._output

    def follow(self, state: RobotState, dt: float) -> Reference:
        """Go on by a period of the mode, and return the reference."""
        before = self._is_under_way()
        self._reference = self.performer.step(state, dt)
        if before and not self._is_under_way():
            self._choose(self._chosen, state)
        return self._reference

    def _handle_press(self, press: Press, state: RobotState, *, stopped: bool) -> None:
        asked, self._asked = self._asked, ""
        if stopped:
            # A stop has paused what plays, and nothing begins; nor does a button that is still held when it ends.
            if asked or press in (Press.SHORT, Press.HELD):
                self._refuse("stopped")
        elif self._is_under_way():
            if press is Press.HELD or asked:
                self.performer.run_back()
            elif press is Press.DOWN:
                self._paused_by_press = self._is_busy()
                self.performer.pause()
            elif press is Press.SHORT and not self._paused_by_press:
                self.performer.go_on()
        elif asked:
            self._choose([each.motion.name for each in self._motions].index(asked), state)
            self._play(state)
        elif press is Press.SHORT:
            self._choose((self._chosen + 1) % len(self._motions), state)
        elif press is Press.HELD:
            self._play(state)

    def _play(self, state: RobotState) -> None:
        self._choose(self._chosen, state)
        if self._preview is not None and not self._preview.feasible:
            self._refuse(self._preview.reason)
            return
        self.performer.start(self._motions[self._chosen], state)

    def _refuse(self, reason: str) -> None:
        self._refused += 1
        self._message = f"refused: {reason}"

    def _choose(self, number: int, state: RobotState) -> None:
        """Choose a motion and preview where it leads from here."""
        self._chosen, self._message = number, ""
        checked = self._motions[number]
        self._measured.update(state.q)
        q = self.performer.find_configuration()
        frame, reason = pin.SE3.Identity(), ""
        try:
            frame = plan_path(checked, self._model, q, self._measured.poses).frame
            reason = find_wrong_ground(self._landings[number], frame, self._surfaces)
            reason = reason or self._sweeps[number].find_obstacle(frame, self._surfaces)
            postures = checked.motion.postures
            furthest = int(np.linalg.norm(postures - postures[0], axis=1).argmax())
            q = compute_body_state(ChartState.at_rest(postures[furthest]), frame).q
        except CannotStart as error:
            reason = str(error)
        title = f"{checked.motion.title}: {checked.motion.duration:.0f} s"
        self._preview = Preview(title=title, q=q, feasible=not reason, reason=reason)

    def _is_under_way(self) -> bool:
        """Whether a motion plays or is paused: neither at its end nor where it began."""
        player = self.performer.player
        return player is not None and not player.finished

    def _find_playing(self) -> str:
        player = self.performer.player
        return player.path.checked.motion.name if player is not None and self._is_under_way() else ""

    def _describe_playing(self) -> str:
        player, title = self.performer.player, self._motions[self._chosen].motion.title
        if player is None or not self._is_under_way():
            return f"{title}: hold B or Y to play, press for the next"
        if self.performer.waiting:
            return f"{title} waits for a foot to touch"
        if player.desired_direction == 0:
            return f"{title} paused: press B or Y to go on, hold it to run back"
        if player.desired_direction < 0:
            return f"{title} runs back"
        return f"{title}: press B or Y to pause"
