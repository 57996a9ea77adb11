"""All studies: a new one is a function and a line here."""

from __future__ import annotations

from handhold.app.errors import AppError
from handhold.app.lab.figures import Outcome
from handhold.app.lab.scenarios.ablation import describe_ablations, play_ablation, plot_ablations
from handhold.app.lab.scenarios.box_handover import BOX_HANDOVER
from handhold.app.lab.scenarios.carry_ablation import compare_carrying, describe_carry_ablation, plot_carrying
from handhold.app.lab.scenarios.carry_two_arms import CARRY_TWO_ARMS
from handhold.app.lab.scenarios.impulses import describe_impulses, plot_impulses, probe_impulses
from handhold.app.lab.scenarios.shoved_object import SHOVED_OBJECT
from handhold.app.lab.scenarios.stabiliser_ablation import compare_stabiliser, describe_stabiliser, plot_stabiliser
from handhold.app.lab.scenarios.study import Study, StudyRequest
from handhold.app.lab.scenarios.table import ALL_RETRIEVALS, RETRIEVALS, find_scenario, list_retrievals
from handhold.app.lab.scenarios.walk_impulses import describe_walk_impulses, plot_walk_impulses, probe_walk
from handhold.app.lab.scenarios.walk_push import WALK_PUSH


def study_retargeting(request: StudyRequest) -> Outcome:
    """Play retrievals with and without each retargeting, and compare margins."""
    ablations = [
        play_ablation(find_scenario(name), RETRIEVALS[name], request.model, request.engine)
        for name in list_retrievals(request.name)
    ]
    outcome = describe_ablations(request.name, request.model, request.engine, ablations)
    if request.plot is not None:
        plot_ablations(outcome, ablations, request.plot)
    return outcome


def study_stabiliser(request: StudyRequest) -> Outcome:
    """Play a scenario in a suit with and without the stabiliser, and compare centres of mass and ZMPs."""
    ablation = compare_stabiliser(find_scenario(request.name), request.model, request.engine, request.seed)
    outcome = describe_stabiliser(request.name, request.model, request.engine, request.seed, ablation)
    if request.plot is not None:
        plot_stabiliser(outcome, ablation, request.plot)
    return outcome


def study_carrying(request: StudyRequest) -> Outcome:
    """Play a scenario in which something is held with and without its retargeting, and compare friction and torques."""
    runs = compare_carrying(find_scenario(request.name), request.model, request.engine, request.seed)
    outcome = describe_carry_ablation(request.name, request.model, request.engine, request.seed, runs)
    if request.plot is not None:
        plot_carrying(outcome, runs, request.plot)
    return outcome


def study_impulses_while_bracing(request: StudyRequest) -> Outcome:
    """Find the largest pushes survived in retrievals."""
    probes = [
        probe
        for name in list_retrievals(request.name)
        for probe in probe_impulses(find_scenario(name), RETRIEVALS[name], request.model, request.engine)
    ]
    outcome = describe_impulses(request.name, request.model, request.engine, probes)
    if request.plot is not None:
        plot_impulses(outcome, probes, request.plot)
    return outcome


def study_impulses_while_walking(request: StudyRequest) -> Outcome:
    """Find the largest pushes survived while walking."""
    outcome = describe_walk_impulses(request.model, request.engine, probe_walk(request.model, request.engine))
    if request.plot is not None:
        plot_walk_impulses(outcome, request.plot)
    return outcome


ABLATION, IMPULSES = "ablation", "impulses"
_BRACED = (*RETRIEVALS, ALL_RETRIEVALS)

STUDIES = (
    Study(option=ABLATION, names=_BRACED, make=study_retargeting),
    Study(option=ABLATION, names=(BOX_HANDOVER.name,), make=study_stabiliser, random=True),
    Study(option=ABLATION, names=(CARRY_TWO_ARMS.name, SHOVED_OBJECT.name), make=study_carrying, random=True),
    Study(option=IMPULSES, names=_BRACED, make=study_impulses_while_bracing),
    Study(option=IMPULSES, names=(WALK_PUSH.name,), make=study_impulses_while_walking),
)


class NoStudy(AppError):
    """A study is asked for of a scenario that it is not for."""

    def __init__(self, option: str, name: str) -> None:
        self.option, self.name = option, name
        names = (each for study in STUDIES if study.option == option for each in study.names)
        super().__init__(f"--{option} is not for {name}, but for {', '.join(names)}")


def find_study(option: str, name: str) -> Study:
    """Return a study by its option and the scenario that it is made of.

    Raises:
        NoStudy: It is not for that one.
    """
    for study in STUDIES:
        if study.option == option and name in study.names:
            return study
    raise NoStudy(option, name)
