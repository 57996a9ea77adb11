"""How often the preview of a contact switch says what then happens, over random stances of a simulated robot."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from multiprocessing import get_context

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.benches.random_stances import RandomStance, draw_stance
from handhold.app.lab.figures import Figure, Outcome
from handhold.app.lab.scenarios.needs import any_hand
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.app.limbs import Side
from handhold.app.session.commit import current_commit
from handhold.perception.surface import Surface
from handhold.retarget.bracing.braced_body import PERIOD
from handhold.retarget.bracing.contacts.effector_choice import HOLDING_TIME, list_effectors
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.bracing.preview import SETTLING_TIME, SwitchPreview, SwitchPreviewResult
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import ModeStatus
from handhold.retarget.switcher import Switcher
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.estimation.fall import has_fallen
from handhold.robots.model import RobotModel, load_model
from handhold.robots.qp import make_solver
from handhold.robots.simulation.engines import make_robot

CONTROL_PERIOD = 1e-3
"""Control period [s]."""

LANDING = 0.5
"""Time the robot stands before anything is asked: it is put down without a load [s]."""

MAX_DURATION = 20.0
"""Time after which a switch that has not ended counts as failed [s]."""

LINGERING = 2.0
"""Time a run goes on after the switch: the robot may fall late, or take long to go back [s]."""

MAX_PREVIEW = 30.0
"""Maximum time of a preview [s]; every switch ends long before."""

LEFT_ALONE = 0.02
"""How far a failed switch may leave the centre of mass from where it was [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the preview said of one switch, and what then happened.

    Attributes:
        stance: Number of the stance in the draw.
        effector: Name of the effector.
        adds: Whether its contact was to be added, not removed.
        contacts: Names of all contacts before.
        predicted: Whether the preview said that it will succeed.
        happened: Whether it did.
        obstacles: Names of the constraints that the preview saw in the way.
        fell: Whether the robot fell.
        moved_com: How far the centre of mass was in the end from where it was [m].
        kept_stance: Whether the contacts in the end were those at the start.
        cost: Processor time of the preview over its horizon [-].
        failures: Quadratic programs without a solution, of reference and controller.
        said: The last message to the operator.
    """

    stance: int
    effector: str
    adds: bool
    contacts: tuple[str, ...]
    predicted: bool
    happened: bool
    obstacles: tuple[str, ...]
    fell: bool
    moved_com: float
    kept_stance: bool
    cost: float
    failures: int
    said: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether the preview said what then happened."""
        return self.predicted == self.happened

    @property
    def restored(self) -> bool:
        """Whether a switch that failed left the robot as it stood; true of one that succeeded."""
        return self.happened or (self.kept_stance and self.moved_com <= LEFT_ALONE)


def compute_preview_agreement(robot: str, count: int, seed: int, processes: int) -> Outcome:
    """Compare previews with what then happens in MuJoCo, over random stances.

    Args:
        robot: Name or file of the robot.
        count: Number of stances.
        seed: Seed of the draw: stance k is the same whatever the count.
        processes: How many of them are tried at the same time; no figure depends on it but the time it all takes.

    Raises:
        RobotError: The robot cannot be had.
        RobotUnfit: It has no hand.
    """
    model = load_model(robot)
    if lack := any_hand(model):
        raise RobotUnfit(model.description.source, "bench preview", lack)
    began = time.monotonic()
    trials = _try_at_once(robot, count, seed, processes)
    return Outcome(
        name="preview",
        robot=model.description.name,
        engine="mujoco",
        seed=seed,
        commit=current_commit(),
        duration_s=time.monotonic() - began,
        fell=any(trial.fell for trial in trials),
        figures=summarise(trials),
        extra={"disagreements": [describe(trial) for trial in trials if not (trial.agrees and trial.restored)]},
    )


def _try_at_once(robot: str, count: int, seed: int, processes: int) -> list[Trial]:
    chunks = [range(first, count, processes) for first in range(processes)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(_try_chunk, repeat(robot), chunks, repeat(seed)))
    return sorted((trial for part in parts for trial in part), key=lambda trial: trial.stance)


def _try_chunk(robot: str, stances: range, seed: int) -> list[Trial]:
    return list(try_stances(load_model(robot), stances, seed))


def try_stances(model: RobotModel, stances: range, seed: int) -> Iterator[Trial]:
    """Try the stances of a draw by their numbers."""
    for number in stances:
        yield _try(model, draw_stance(model, np.random.default_rng((seed, number))), number)


def summarise(trials: list[Trial]) -> list[Figure]:
    """Return the figures of some trials."""

    def percentage(*holds: bool) -> float:
        return 100.0 * float(np.mean(holds))

    return [
        Figure("preview_agreement", percentage(*(trial.agrees for trial in trials)), "%", must=98.0, larger_is_better=True),
        Figure("preview_share_yes", percentage(*(trial.predicted for trial in trials)), "%"),
        Figure("share_of_adding", percentage(*(trial.adds for trial in trials)), "%"),
        Figure("preview_cost", float(np.median([trial.cost for trial in trials])), "-", must=0.25),
        Figure("falls", float(sum(trial.fell for trial in trials)), "-", must=0.0),
        Figure("not_left_as_it_stood", float(sum(not trial.restored for trial in trials)), "-", must=0.0),
        Figure("qp_failures", float(sum(trial.failures for trial in trials)), "-", must=0.0),
    ]


def describe(trial: Trial) -> dict[str, object]:
    """Return a trial as a JSON object."""
    return {
        "stance": trial.stance,
        "effector": trial.effector,
        "adds": trial.adds,
        "contacts": list(trial.contacts),
        "predicted": trial.predicted,
        "happened": trial.happened,
        "obstacles": list(trial.obstacles),
        "fell": trial.fell,
        "moved_com": trial.moved_com,
        "kept_stance": trial.kept_stance,
        "said": list(trial.said),
    }


def _try(model: RobotModel, drawn: RandomStance, number: int) -> Trial:
    names = tuple(model.effectors[e].name for e in drawn.seiko.stance.effectors)
    run = _Lockstep(model, drawn)
    try:
        run.wait(LANDING)
        run.choose(drawn.effector)
        before, stance = run.position_com, run.mode.seiko.stance.effectors
        adds = drawn.effector not in stance
        result, cost = _run_preview(model, run.mode.seiko, drawn.effector, list_surfaces(drawn.world))
        run.press()
        run.wait(MAX_DURATION, until_idle=True)
        run.wait(LINGERING)
        return Trial(
            stance=number,
            effector=model.effectors[drawn.effector].name,
            adds=adds,
            contacts=names,
            predicted=result.feasible,
            happened=(drawn.effector in run.mode.seiko.stance.effectors) is adds and not run.fell,
            obstacles=result.obstacles,
            fell=run.fell,
            moved_com=float(np.linalg.norm(run.position_com - before)),
            kept_stance=run.mode.seiko.stance.effectors == stance,
            cost=cost,
            failures=drawn.failures + run.failures,
            said=run.said,
        )
    finally:
        run.close()


def _run_preview(
    model: RobotModel, seiko: Seiko, effector: int, surfaces: tuple[Surface, ...]
) -> tuple[SwitchPreviewResult, float]:
    """Run the preview to its end; returns it and its processor time over its horizon."""
    began = time.thread_time()
    preview = SwitchPreview(model, seiko, effector, surfaces)
    preview.advance(round(MAX_PREVIEW / PERIOD), PERIOD)
    elapsed = time.thread_time() - began
    if preview.result is None:
        raise AssertionError(f"a preview goes on for more than {MAX_PREVIEW} s")
    return preview.result, elapsed / (preview.result.duration + SETTLING_TIME)


class _Lockstep:
    """A robot in MuJoCo in a random stance, bracing mode and controller, and an operator who presses one button."""

    def __init__(self, model: RobotModel, drawn: RandomStance) -> None:
        self._model = model
        self._surfaces = list_surfaces(drawn.world)
        self._body = make_robot("mujoco", model, drawn.world)
        self._state = self._body.reset(drawn.seiko.q)
        self.mode = BracingMode(model, make_solver("daqp"))
        self._switcher = Switcher((self.mode,))
        self._reference = self._switcher.begin(self.mode.enter_with(drawn.seiko, self._state))
        self._rest_poses = self._reference.effector_poses
        self._controller = WholeBodyController(model, make_solver("daqp"))
        self._side: Side = "left"
        self.fell = False
        self.said: tuple[str, ...] = ()

    @property
    def position_com(self) -> np.ndarray:
        """The measured centre of mass in world, shape ``(3,)`` [m]."""
        return np.array(self._controller.position_com_in_world)

    @property
    def failures(self) -> int:
        """Quadratic programs without a solution so far, of reference and controller."""
        return self.mode.failures + self._controller.failures

    def choose(self, effector: int) -> None:
        """Take an effector under command, by holding the button of its side as often as it takes."""
        self._side = "left" if effector in list_effectors(self._model, "left").effectors else "right"
        while self._commanded != effector:
            self._step_for(HOLDING_TIME + PERIOD, secondary_held=True)
            self._step_for(PERIOD)

    def press(self) -> None:
        """Press the contact button."""
        self._step(primary_pressed=True)
        self._step_for(PERIOD)

    def wait(self, duration: float, *, until_idle: bool = False) -> None:
        """Let time pass [s], or until the switch is over."""
        for _ in range(round(duration / CONTROL_PERIOD)):
            self._step()
            idle = self.mode.contacts.switch is None and not self._status.busy
            if self.fell or (until_idle and idle):
                return

    def close(self) -> None:
        """Let the robot go."""
        self._body.close()

    @property
    def _status(self) -> ModeStatus:
        return self._switcher.output.status

    @property
    def _commanded(self) -> int | None:
        return self._status.hands[0 if self._side == "left" else 1]

    def _step_for(self, duration: float, *, secondary_held: bool = False) -> None:
        for _ in range(round(duration / CONTROL_PERIOD)):
            self._step(secondary_held=secondary_held)

    def _step(self, *, primary_pressed: bool = False, secondary_held: bool = False) -> None:
        command = self._make_command(primary_pressed, secondary_held)
        self._reference = self._switcher.update(command, self._state, self._surfaces, CONTROL_PERIOD)
        self._body.send(self._controller.track(self._reference, self._state))
        self._body.advance(CONTROL_PERIOD)
        self._state = self._body.read()
        self.fell = self.fell or has_fallen(self._model, self._state)
        self.said = self._status.messages or self.said

    def _make_command(self, primary_pressed: bool, secondary_held: bool) -> OperatorCommand:
        left, right = (self._make_hand(effector) for effector in self._status.hands)
        chosen = replace(
            left if self._side == "left" else right, primary_pressed=primary_pressed, secondary_held=secondary_held
        )
        return OperatorCommand.of_hands(chosen if self._side == "left" else left, chosen if self._side == "right" else right)

    def _make_hand(self, effector: int | None) -> HandCommand:
        """A hand of the operator that is not squeezed: its effector stays where it was."""
        return HandCommand.released(np.full((4, 4), np.nan) if effector is None else self._rest_poses[effector])
