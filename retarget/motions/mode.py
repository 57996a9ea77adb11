"""Motions mode: the operator chooses a motion, sees where it leads, plays it, pauses it and lets it run back."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.command import OperatorCommand
from handhold.retarget.mode import ComingPose, ComingStep, NoSuchSwitch, StabilitySight, Switch
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


class MotionMode:
    """Plays motions.

    Attributes:
        performer: What plays them.
        failures: Quadratic programs without a solution so far: none, they were all solved before anything moves.
        failures_in_a_row: Likewise.
        active: Names of the constraints that hold the reference back now: none.
    """

    name = "motions"
    title = "Motions"

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
        self._surfaces: tuple[Surface, ...] = ()
        self._chosen, self._pending = 0, 0.0
        self._asked = self._message = ""
        # Whether the press that is going on has paused: letting go does not go on.
        self._paused_by_press = False
        self._coming: ComingPose | None = None
        self.refused = 0
        self.failures = 0
        self.failures_in_a_row = 0
        self.active: tuple[str, ...] = ()

    @property
    def hands(self) -> tuple[int | None, int | None]:
        """The effectors that the operator's hands command: none, the motion moves all of the robot."""
        return None, None

    @property
    def restarted(self) -> frozenset[int]:
        """Effectors whose clutch must begin anew: none is commanded."""
        return frozenset()

    @property
    def busy(self) -> bool:
        """Whether a motion plays or was asked for; one that is paused, or has ended, does not."""
        player = self.performer.player
        playing = player is not None and player.wanted != 0 and not player.finished
        return bool(self._asked) or playing or self.performer.waiting

    @property
    def hold_reason(self) -> str:
        """Why the robot must hold, in words: nothing that the mode itself could not deal with."""
        return ""

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        missed = tuple(f"{name.replace('_', ' ')} finds no ground" for name in self.performer.missed)
        return (*missed, *(text for text in (self._message, self._tell()) if text), *self._left_out)

    @property
    def coming(self) -> ComingPose | None:
        """Where the motion that is chosen leads, while none plays."""
        return None if self._is_under_way() else self._coming

    @property
    def coming_stability(self) -> StabilitySight | None:
        """Where the centre of mass could be, did a hand bear that comes near a surface: not told."""
        return None

    @property
    def stability(self) -> StabilitySight | None:
        """Where the centre of mass may be: not told, what holds it is in the reference."""
        return None

    @property
    def footsteps(self) -> tuple[ComingStep, ...]:
        """Footsteps to come: not told, the coming pose shows where feet go."""
        return ()

    @property
    def stepping(self) -> bool:
        """Whether a motion moves, and brings the feet down that it lifts."""
        return self.performer.moving

    @property
    def unrest(self) -> str:
        """Why the robot does not come to rest by itself: a motion that is paused while a foot is in the air."""
        if self.performer.moving or self.performer.stands or not self._is_under_way():
            return ""
        return (
            "the motion is paused with a foot in the air: press B or Y to go on, or hold it to run back, until both feet stand"
        )

    def leave(self) -> None:
        """Let a motion stop at the next place where it may and all stand that the robot stands on."""
        self._asked = ""
        self.performer.leave()

    @property
    def settled(self) -> bool:
        """Whether the robot is at rest on all that it stands on."""
        return self.performer.stands

    def carry(self, _effector: int, /) -> np.ndarray | None:
        """Return the way that the mode has moved a hand of the operator: it moves none."""
        return None

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The motions: one that plays is on."""
        playing = self._find_playing()
        return tuple(
            Switch(name=each.motion.name, title=each.motion.title, on=each.motion.name == playing) for each in self._motions
        )

    def switch(self, name: str) -> None:
        """Play a motion, or let it run back while it plays.

        Raises:
            NoSuchSwitch: There is none of this name.
        """
        if name not in (each.motion.name for each in self._motions):
            raise NoSuchSwitch(self.name, name)
        self._asked = name

    def describe_contact(self, effector: int) -> str:
        """Return the state of an effector's contact in a word."""
        return "contact" if self.performer.bearing[effector] else "free"

    def find_obstacle(self, reference: Reference, /) -> str:
        """Find what keeps a motion from beginning: a brace that bears, or a foot that does not."""
        for bears, effector in zip(reference.contacts, self._model.effectors, strict=True):
            if bears != effector.standing:
                name = effector.name.replace("_", " ")
                return f"release the {name} first" if bears else f"put the {name} down first"
        return ""

    def foresee(self, reference: Reference, /) -> ComingPose:
        """Return the pose that the mode begins in: the present one."""
        obstacle = self.find_obstacle(reference)
        names = ", ".join(each.motion.name for each in self._motions)
        return ComingPose(title=f"{self.title}: {names}", q=reference.q, feasible=not obstacle, reason=obstacle)

    def prepare(self, _before: Reference, /) -> bool:
        """Be ready at once: taking charge takes a few milliseconds."""
        return True

    def enter(self, state: RobotState, before: Reference | None = None, /) -> Reference:
        """Take charge of a robot that stands; the first reference is its present posture."""
        self._pending, self._asked, self._message, self._button = 0.0, "", "", HeldButton()
        self._reference = self.performer.enter(state, state.q if before is None else before.q)
        self._choose(self._chosen, state)
        return self._reference

    def update(
        self, command: OperatorCommand, state: RobotState, surfaces: tuple[Surface, ...], dt: float, /, *, hold: bool
    ) -> Reference:
        """Do what the buttons ask, and go on when the period is up; with ``hold`` a motion that plays pauses."""
        self._surfaces = surfaces
        stopped = bool(command.stop) or command.speed <= 0.0
        if hold and (self.busy or stopped):
            self.performer.pause()
        self._obey(self._button.read(command, dt), state, stopped=stopped)
        self._pending += dt
        if self._pending < self._period - 0.5 * dt:
            return self._reference
        elapsed, self._pending = self._pending, 0.0
        return self.follow(state, elapsed)

    def follow(self, state: RobotState, dt: float) -> Reference:
        """Go on by a period of the mode, and return the reference."""
        before = self._is_under_way()
        self._reference = self.performer.step(state, dt)
        if before and not self._is_under_way():
            self._choose(self._chosen, state)
        return self._reference

    def _obey(self, press: Press, state: RobotState, *, stopped: bool) -> None:
        asked, self._asked = self._asked, ""
        if stopped:
            # A stop has paused what plays, and nothing begins; nor does a button that is still held when it ends.
            if asked or press in (Press.SHORT, Press.HELD):
                self._refuse("stopped")
        elif self._is_under_way():
            if press is Press.HELD or asked:
                self.performer.run_back()
            elif press is Press.DOWN:
                self._paused_by_press = self.busy
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
        if self._coming is not None and not self._coming.feasible:
            self._refuse(self._coming.reason)
            return
        self.performer.start(self._motions[self._chosen], state)

    def _refuse(self, reason: str) -> None:
        self.refused += 1
        self._message = f"refused: {reason}"

    def _choose(self, number: int, state: RobotState) -> None:
        """Choose a motion and look where it leads from here."""
        self._chosen, self._message = number, ""
        checked = self._motions[number]
        self._measured.update(state.q)
        q = self.performer.find_configuration()
        frame, reason = pin.SE3.Identity(), ""
        try:
            frame = plan_path(checked, self._model, q, self._measured.poses).frame
            reason = find_wrong_ground(self._landings[number], frame, self._surfaces)
            postures = checked.motion.postures
            furthest = int(np.linalg.norm(postures - postures[0], axis=1).argmax())
            q = compute_body_state(ChartState.at_rest(postures[furthest]), frame).q
        except CannotStart as error:
            reason = str(error)
        title = f"{checked.motion.title}: {checked.motion.duration:.0f} s"
        self._coming = ComingPose(title=title, q=q, feasible=not reason, reason=reason)

    def _is_under_way(self) -> bool:
        """Whether a motion plays or is paused: neither at its end nor where it began."""
        player = self.performer.player
        return player is not None and not player.finished

    def _find_playing(self) -> str:
        player = self.performer.player
        return player.path.checked.motion.name if player is not None and self._is_under_way() else ""

    def _tell(self) -> str:
        player, title = self.performer.player, self._motions[self._chosen].motion.title
        if player is None or not self._is_under_way():
            return f"{title}: hold B or Y to play, press for the next"
        if self.performer.waiting:
            return f"{title} waits for a foot to touch"
        if player.wanted == 0:
            return f"{title} paused: press B or Y to go on, hold it to run back"
        if player.wanted < 0:
            return f"{title} runs back"
        return f"{title}: press B or Y to pause"
