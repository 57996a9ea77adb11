"""The contacts under the operator: made where they are felt, loaded, pushed, unloaded; one switch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contact_making import (
    AT_EDGE,
    NOTHING_THERE,
    OUT_OF_REACH,
    TOO_LIGHT,
    TURN,
    ContactMaking,
    EffectorMeasurement,
    find_axis,
    step_contact_making,
)
from handhold.retarget.bracing.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contact_switch import ContactSwitch, SwitchKind, SwitchPhase, call_off, suspend
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.surfaces import SurfaceAhead, find_normal, find_surface_ahead, is_at_edge
from handhold.retarget.bracing.switching import (
    abandon_switch,
    advance_switch,
    can_do_without,
    finish_switch,
    follow_forces,
    let_weights_return,
    start_adding,
    start_removing,
    wait_with_switch,
)
from handhold.robots.model import RobotModel

TOLD_FOR = 4.0
"""Time for which the end of a switch is told [s]."""

RETRY_AFTER = 5.0
"""Time after which a slipping hand that could not be unloaded is tried again, so that others can be switched meanwhile [s]."""

LEAST_LOOK = 0.25
"""Time between two looks whether a hand that bears nothing any more could be done without [s]."""

LEAST_PUSH = 0.05
"""Trigger under which no force is commanded [-]."""

_TOLD = (NOTHING_THERE, OUT_OF_REACH, TOO_LIGHT, TURN, AT_EDGE, "stopped by an impact")
"""Beginnings of the ends of an approach that the operator is told."""

_MOVING = ("approaching", "touched", "returning")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EffectorCommand:
    """What the operator asks of one effector in one step.

    Attributes:
        wanted: Pose in world, shape ``(4, 4)``.
        engaged: Whether the operator's clutch moves it.
        pressed: Whether the contact button was pressed.
        push: Commanded normal force, 0 to 1 of the largest the effector may bear.
    """

    wanted: np.ndarray
    engaged: bool
    pressed: bool
    push: float


class Contacts:
    """Makes, loads and unloads the contacts of one SEIKO.

    Attributes:
        switch: Switch under way, or None.
        suspended: Whether that switch was stopped half-way and goes on only when the operator says so.
        commanded: Normal forces that the operator commands now, by effector [N].
        refused: Presses of the contact button refused so far.
        restarted: Effectors whose pose is not the operator's in this step or has just become so again: a clutch begins anew.
    """

    def __init__(self, model: RobotModel, seiko: Seiko) -> None:
        """Begin with the contacts of the stance."""
        self._model = model
        self._seiko = seiko
        count = len(model.effectors)
        self._parameters = [choose_contact_making(model, effector) for effector in range(count)]
        self._makings = [ContactMaking() for _ in range(count)]
        # Where free effectors stay that nobody moves.
        self._places = seiko.kinematics.poses.copy()
        self.switch: ContactSwitch | None = None
        self.suspended = False
        self.commanded: dict[int, float] = {}
        self.refused = 0
        self.restarted: frozenset[int] = frozenset()
        self._time = 0.0
        self._told: dict[str, float] = {}
        # When a hand that could not be unloaded, or not be done without, is tried again [s].
        self._retry_at: dict[int, float] = {}
        self._look_at: dict[int, float] = {}

    @property
    def busy(self) -> bool:
        """Whether something that a button began is still under way."""
        switching = self.switch is not None and not self.suspended
        return switching or any(making.phase in _MOVING for making in self._makings)

    @property
    def hold_reason(self) -> str:
        """Why everything must hold, in words: a foot that slips or bears nothing; empty where nothing is wrong."""
        for effector, making in enumerate(self._makings):
            if making.demand == "hold" and effector != self._unloading:
                return f"{self._name(effector)}: {making.message}"
        return ""

    @property
    def _unloading(self) -> int | None:
        """The effector whose contact is to go: it may be gone before the reference has let it go."""
        return self.switch.effector if self.switch is not None and self.switch.unloads else None

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know of the contacts."""
        lasting = [
            f"{say_name(effector.name)}: {making.message}"
            for effector, making in zip(self._model.effectors, self._makings, strict=True)
            if making.message and making.demand != "hold"
        ]
        if self.suspended and self.switch is not None:
            lasting.append(f"{self._name(self.switch.effector)} is half-way: press A/X to go on")
        return (*lasting, *(text for text, until in self._told.items() if until > self._time))

    @property
    def unrest(self) -> str:
        """What stands half-way and must be brought to an end first, in words; empty where nothing does."""
        if self.switch is None:
            return ""
        name = self._name(self.switch.effector)
        if self.suspended:
            return f"{name} is half-way: press A/X to go on, and wait until it is done"
        return f"{name} is being {'unloaded' if self.switch.unloads else 'loaded'}: wait until it is done"

    def is_moving(self, effector: int) -> bool:
        """Whether an effector is on a way of its own, which a button began."""
        return self._makings[effector].phase in _MOVING

    def describe(self, effector: int) -> str:
        """Return the state of an effector's contact in a word (see ``HandStatus.contact``)."""
        if self.switch is not None and self.switch.effector == effector:
            loads = self.switch.kind is SwitchKind.ADD and not self.switch.unloads
            return "loading" if loads else "unloading"
        if effector in self._seiko.stance.effectors:
            return "loaded"
        phase = self._makings[effector].phase
        return {"approaching": "approaching", "touched": "touching", "blocked": "touching"}.get(phase, "free")

    def begin_step(
        self,
        commands: Mapping[int, EffectorCommand],
        felt: tuple[np.ndarray, np.ndarray],
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        hold: bool,
        frozen: bool = False,
    ) -> np.ndarray:
        """Follow the buttons and what is felt, and return where the free effectors are to go, shape ``(effectors, 4, 4)``.

        Args:
            commands: What the operator asks of the effectors under command.
            felt: Measured poses of all effectors in world, shape ``(effectors, 4, 4)``, and the forces exerted on them by the
                environment, measured or estimated, in world axes, shape ``(effectors, 3)`` [N].
            surfaces: What an effector could bear on.
            dt: Length of the step [s].
            hold: Whether everything holds for a reason: nothing goes on.
            frozen: Whether no step of SEIKO will follow.
        """
        self._time += dt
        self._told = {text: until for text, until in self._told.items() if until > self._time}
        if not frozen:
            self._finish_switch()
        self._suspend(hold)
        approaches = {e for e, command in commands.items() if command.pressed and not hold and self._press(e, dt)}
        restarted = set()
        for effector in range(len(self._makings)):
            before = self._makings[effector]
            command = commands.get(effector)
            measurement = self._measure(effector, command, felt, surfaces, pressed=effector in approaches, hold=hold)
            making = step_contact_making(before, measurement, dt, self._parameters[effector])
            self._makings[effector] = making
            if making.phase in _MOVING or (making.phase == "loaded") != (before.phase == "loaded"):
                restarted.add(effector)
            self._tell_end(effector, making)
            self._seiko.terms.approaching[effector] = making.phase in _MOVING
        self.restarted = frozenset(restarted)
        if not frozen:
            self._give_up_lost_hands(dt)
        if not hold:
            self._follow_demands(surfaces)
        self._push(commands, 0.0 if frozen else dt)
        return self._place(commands)

    def end_step(self, active: tuple[str, ...], dt: float, *, hold: bool) -> None:
        """Move the switch on after a step of SEIKO, whose constraints held it back by the names given."""
        if self.switch is None or hold:
            return
        before = self.switch
        if self.suspended:
            self.switch = wait_with_switch(self._seiko, before, dt)
            return
        self.switch = advance_switch(self._seiko, before, active, dt)
        if self.switch.phase is SwitchPhase.GOING_BACK and before.phase is SwitchPhase.UNDER_WAY:
            self._tell_failure(self.switch)

    def _tell_failure(self, switch: ContactSwitch) -> None:
        stays = switch.kind is SwitchKind.REMOVE
        if stays:
            self._retry_at[switch.effector] = self._time + RETRY_AFTER
        what = "stays" if stays else "cannot bear"
        self._tell(f"{self._name(switch.effector)} {what}: {list_names(switch.obstacles)} in the way")

    def _suspend(self, hold: bool) -> None:
        """Stop a switch half-way in a hold; one that was on its way back is over, and leaves the robot where it is."""
        if self.switch is None or not (hold or self.suspended):
            self.suspended = False
            return
        self.suspended = True
        if not self.switch.over and suspend(self.switch).over:
            abandon_switch(self._seiko, self.switch)
            self.switch = None
            self.suspended = False

    def _finish_switch(self) -> None:
        if self.switch is not None and self.switch.over:
            finish_switch(self._seiko, self.switch)
            self.switch = None

    def _press(self, effector: int, dt: float) -> bool:
        """Follow the contact button; says whether an approach is to begin or to stop."""
        if self.is_moving(effector):
            return True
        if self.switch is not None:
            return self._press_while_switching(effector, self.switch)
        if effector not in self._seiko.stance.effectors:
            return True
        self._begin_unloading(effector, dt)
        return False

    def _press_while_switching(self, effector: int, switch: ContactSwitch) -> bool:
        if switch.effector != effector:
            self._refuse(f"wait: {self._name(switch.effector)} first")
            return False
        if not self.suspended:
            self.switch = call_off(switch)
        self.suspended = False
        return False

    def _begin_unloading(self, effector: int, dt: float) -> None:
        if self._bears_all(effector):
            self._refuse(f"{self._name(effector)} must stay: nothing else bears the robot")
        elif self._makings[effector].demand == "hold" and can_do_without(self._seiko, effector, dt):
            # A foot that is lost bears nothing, but the reference may still count on it.
            self._give_up(effector)
        else:
            self.switch = start_removing(self._seiko, effector)

    def _bears_all(self, effector: int) -> bool:
        described = self._model.effectors
        return all(e == effector or described[e].hand is not None for e in self._seiko.stance.effectors)

    def _refuse(self, why: str) -> None:
        self.refused += 1
        self._tell(f"refused: {why}")

    def _measure(
        self,
        effector: int,
        command: EffectorCommand | None,
        felt: tuple[np.ndarray, np.ndarray],
        surfaces: tuple[Surface, ...],
        *,
        pressed: bool,
        hold: bool,
    ) -> EffectorMeasurement:
        seiko = self._seiko
        bears = effector in seiko.stance.effectors
        described = self._model.effectors[effector]
        point = described.contact == "point"
        approaching = self._makings[effector].phase == "approaching"
        poses, forces = felt
        pose = poses[effector].copy()
        if bears:
            # A ball that rolls does not slip: it counts where it would be, had it only turned.
            pose[:3, 3] -= seiko.terms.rolled[effector]
        return EffectorMeasurement(
            force=forces[effector],
            pose=pose,
            reference=seiko.kinematics.poses[effector],
            wanted=self._places[effector] if command is None else command.wanted,
            engaged=command is not None and command.engaged,
            in_contact=bears,
            wanted_force=seiko.compute_normal_force(effector),
            pressed=pressed,
            hold=hold,
            normal=seiko.terms.normals[effector] if bears and point else None,
            at_edge=approaching and is_at_edge(described, pose, surfaces),
            ahead=self._look_ahead(effector, pose, surfaces) if approaching or pressed else None,
        )

    def _look_ahead(self, effector: int, pose: np.ndarray, surfaces: tuple[Surface, ...]) -> SurfaceAhead | None:
        parameters = self._parameters[effector]
        return find_surface_ahead(
            self._model.effectors[effector],
            pose,
            find_axis(pose, parameters),
            surfaces,
            within=parameters.approach_distance,
            largest_tilt=parameters.largest_tilt,
        )

    def _follow_demands(self, surfaces: tuple[Surface, ...]) -> None:
        for effector, making in enumerate(self._makings):
            # One that was just given up still asks to be unloaded.
            if making.demand == "unload" and effector not in self._seiko.stance.effectors:
                continue
            if self.switch is not None:
                if making.demand == "unload" and self.switch.effector == effector and self.switch.kind is SwitchKind.ADD:
                    self.switch = call_off(self.switch)
            elif making.demand == "add":
                normal = find_normal(making.start, surfaces)
                self.switch = start_adding(self._seiko, effector, normal)
            elif making.demand == "unload" and self._time >= self._retry_at.get(effector, 0.0):
                self.switch = start_removing(self._seiko, effector)

    def _give_up_lost_hands(self, dt: float) -> None:
        """Let hands go at once that slipped away and bear nothing any more, where the others can do without.

        Unloaded bit by bit like any other, such a hand would be counted on for seconds, and what it should bear be missing.
        """
        for effector, making in enumerate(self._makings):
            if making.demand != "unload" or float(np.linalg.norm(making.force)) > self._parameters[effector].lost_force:
                continue
            if self._time < self._look_at.get(effector, 0.0):
                continue
            self._look_at[effector] = self._time + LEAST_LOOK
            if can_do_without(self._seiko, effector, dt):
                self._give_up(effector)

    def _give_up(self, effector: int) -> None:
        self._seiko.remove_contact(effector)
        if self.switch is not None and self.switch.effector == effector:
            self.switch = None
        self._tell(f"{self._name(effector)} is given up")

    def _push(self, commands: Mapping[int, EffectorCommand], dt: float) -> None:
        described = self._model.effectors
        switching = None if self.switch is None else self.switch.effector
        self.commanded = {
            effector: command.push * described[effector].max_normal_force
            for effector, command in commands.items()
            if described[effector].hand is not None and command.push > LEAST_PUSH and effector != switching
        }
        let_weights_return(self._seiko, self.switch, dt)
        follow_forces(self._seiko, self.commanded, None if self.suspended else self.switch, dt)

    def _place(self, commands: Mapping[int, EffectorCommand]) -> np.ndarray:
        poses = self._seiko.kinematics.poses
        for effector, making in enumerate(self._makings):
            command = commands.get(effector)
            if effector in self._seiko.stance.effectors:
                self._places[effector] = self._seiko.terms.poses[effector]
            elif making.target is not None:
                self._places[effector] = making.target
            elif effector in self.restarted:
                self._places[effector] = poses[effector]
            elif command is not None:
                self._places[effector] = command.wanted
        return self._places.copy()

    def _tell_end(self, effector: int, making: ContactMaking) -> None:
        unwanted = making.event in ("slipping", "contact lost") and effector != self._unloading
        if unwanted or making.event.startswith(_TOLD):
            self._tell(f"{self._name(effector)}: {making.event}")

    def _tell(self, text: str) -> None:
        self._told[text] = self._time + TOLD_FOR

    def _name(self, effector: int) -> str:
        return say_name(self._model.effectors[effector].name)


def say_name(name: str) -> str:
    """Return an effector's or a constraint's name as people say it."""
    return name.replace("_", " ")


def list_names(names: tuple[str, ...]) -> str:
    """Return the first few different names as people say them."""
    different = list(dict.fromkeys(say_name(name) for name in names))
    return ", ".join(different[:3]) if different else "nothing known"
