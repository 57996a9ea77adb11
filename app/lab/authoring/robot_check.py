"""Whether a robot's description can be used: all that a session loads is loaded, looked at, and tried for two seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from handhold.app.errors import AppError, to_line
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.authoring.robot_faults import list_faults
from handhold.app.lab.authoring.robot_findings import Finding, list_lacks, list_near_pairs
from handhold.app.lab.authoring.robot_posture import list_posture_findings
from handhold.app.lab.authoring.robot_trial import try_reaching
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.needs import any_hand
from handhold.retarget.errors import RetargetError
from handhold.robots.description import load_description
from handhold.robots.errors import RobotError
from handhold.robots.model import RobotModel
from handhold.robots.self_collision import Clearance, measure_nominal_clearances
from handhold.robots.simulation.links import build_links


@dataclass(slots=True)
class RobotCheck:
    """What a check found.

    Attributes:
        model: The robot.
        findings: All that is to be said of it.
        figures: What the trial measured; none of a robot that was not tried.
        nearest: The nearest pair of bodies in the nominal posture, or None without pairs.
    """

    model: RobotModel
    findings: list[Finding] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    nearest: Clearance | None = None

    @property
    def errors(self) -> list[str]:
        """What keeps the robot from being used."""
        return [finding.text for finding in self.findings if finding.error]

    @property
    def warnings(self) -> list[str]:
        """What a person should check."""
        return [finding.text for finding in self.findings if not finding.error]

    @property
    def exit_code(self) -> int:
        """Exit code of the command: 0 where the robot can be used, 1 otherwise."""
        return 1 if self.errors else 0


class SeveralFaults(RobotError):
    """A description cannot be loaded for more than one reason.

    Attributes:
        faults: The reasons.
    """

    def __init__(self, faults: list[RobotError]) -> None:
        self.faults = tuple(faults)
        super().__init__("; also ".join(str(fault) for fault in faults))


def load_checked(name_or_file: str) -> RobotModel:
    """Load a robot, and where that fails tell of everything that its description names and its URDF does not have.

    Raises:
        RobotError: It cannot be loaded.
    """
    description = load_description(name_or_file)
    try:
        return RobotModel(description)
    except RobotError as first:
        # The fault that the model stopped at is in the list as well, where it is one of a name.
        faults = list_faults(description)
        if len(faults) > 1:
            raise SeveralFaults(faults) from None
        raise first from None


def check_robot(name_or_file: str) -> RobotCheck:
    """Load all that a session loads of a robot, look at it, and let it reach ahead in a simulator.

    Raises:
        RobotError: Its description or its URDF cannot be loaded at all.
    """
    check = RobotCheck(model=load_checked(name_or_file))
    _load_shapes(check)
    check.findings += [*list_lacks(check.model), *list_posture_findings(check.model)]
    _try(check, "it does not stand", partial(find_standing_posture, check.model))
    lacks_hand = any_hand(check.model)
    if not check.errors and not lacks_hand:
        _try(check, "it cannot be simulated", partial(_reach, check))
    return check


def _load_shapes(check: RobotCheck) -> None:
    model = check.model
    _try(check, "its shapes to be seen cannot be loaded", lambda: model.visuals)
    if _try(check, "its shapes that touch cannot be loaded", partial(build_links, model)):
        _try(check, "its bodies cannot be kept apart", partial(_measure_pairs, check))


def _measure_pairs(check: RobotCheck) -> None:
    distances = measure_nominal_clearances(check.model)
    pairs = [Clearance(bodies=bodies, distance=distance) for bodies, distance in distances.items()]
    pairs.sort(key=lambda pair: pair.distance)
    check.nearest = next(iter(pairs), None)
    check.findings += list_near_pairs(check.model, pairs)


def _reach(check: RobotCheck) -> None:
    figures, findings = try_reaching(check.model)
    check.figures += figures
    check.findings += findings


def _try(check: RobotCheck, problem: str, act: Callable[[], object]) -> bool:
    """Do something and return whether that was possible; what kept it from being is an error of the check."""
    try:
        act()
    except (RobotError, RetargetError, AppError) as error:
        check.findings.append(Finding(f"{problem}: {to_line(error)}", error=True))
        return False
    return True
