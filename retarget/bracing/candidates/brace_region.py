"""The stability region with hands in contact on surfaces, for the postures of one search one after the other.

As ``preview_region`` computes it of SEIKO, with all that is allocated kept from posture to posture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.candidates.held_posture import HeldPosture
from handhold.retarget.bracing.candidates.least_torques import find_torque_ratio
from handhold.retarget.bracing.candidates.region_worth import AREA_WORTH, measure_region
from handhold.retarget.bracing.margin.region_monitor import describe_region
from handhold.retarget.mode_report import StabilityRegion
from handhold.retarget.stability.region_edge import EdgeBuffer, check_edge
from handhold.retarget.stability.robot_region import make_reference_region
from handhold.retarget.stability.support_region import QUERIES, space_directions
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel

OWN_WEIGHT = 0.8
"""Largest part of a joint's torque that counts as gone for the arm's own weight where only an estimate is asked for [-].

An arm that is moved alone is strained more than it need be: the whole body helps it to carry itself.
"""

_DIRECTIONS = space_directions()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class BraceMargin:
    """What a region is worth.

    Attributes:
        margin: Distance of the centre of mass from its edge, negative outside [m].
        area: Area of the polygon of its vertices in equally spaced directions [m^2].
        saturated: Whether no torque limits the edge that is nearest, and it needs no force of the hands that are added:
            elsewhere they would not move it either.
        slope: Of the worth with the places of the hands that are added, in world, shape ``(3,)`` [-].
    """

    margin: float
    area: float
    saturated: bool
    slope: np.ndarray

    @property
    def worth(self) -> float:
        """Margin, and a little of the area: where the margin does not hang on the hand, the area tells places apart [m]."""
        return self.margin + AREA_WORTH * self.area


class BraceRegion:
    """The region of the contacts in force and of some hands, read from kinematics that somebody else updates."""

    def __init__(
        self, model: RobotModel, kinematics: EffectorKinematics, posture: HeldPosture, hands: tuple[int, ...] = ()
    ) -> None:
        """Take the contacts.

        Args:
            model: Robot.
            kinematics: Updated before every use.
            posture: The contacts in force.
            hands: Indices of the hands that are added; ``touch`` says on which surfaces.
        """
        self._model, self._kinematics, self._hands = model, kinematics, hands
        in_contact = np.zeros(len(model.effectors), dtype=np.bool_)
        in_contact[[*posture.effectors, *hands]] = True
        min_forces = posture.min_forces.copy()
        min_forces[list(hands)] = 0.0
        self._region = make_reference_region(model, kinematics, in_contact, posture.normals)
        self._region.points.min_forces[:] = min_forces[in_contact]
        program = self._region.program
        self._memory, self._edge, self._ratio = program.make_memory(QUERIES), EdgeBuffer(program), 0.0
        self._poses = posture.contact_poses.copy()
        self._points = np.isin(np.flatnonzero(in_contact)[self._region.points.owners], hands)
        loads = (model.effectors[e].min_normal_force if e in hands else min_forces[e] for e in np.flatnonzero(in_contact))
        self._loads = np.array(list(loads)) / model.weight
        self._ground = float(np.mean([self._poses[e, 2, 3] for e in posture.effectors if model.effectors[e].is_foot]))

    def touch(self, hand: int, frame: np.ndarray) -> None:
        """Let a hand touch a surface with tangents and outward normal in world as columns, shape ``(3, 3)``."""
        self._region.touch(hand, frame)

    def measure(self, point: np.ndarray | None = None) -> BraceMargin:
        """Measure the region with the hands where the kinematics have them.

        Args:
            point: Centre of mass seen from above, shape ``(2,)`` [m]; the kinematics' where it is None.

        Raises:
            NoRegion: Nothing would hold the robot up.
        """
        self._load()
        return self._solve(self._kinematics.position_com_in_world[:2] if point is None else point)

    def estimate(self, point: np.ndarray) -> BraceMargin:
        """Measure it for an arm that was moved alone (see ``OWN_WEIGHT``), with the centre of mass at a point.

        Raises:
            NoRegion: Nothing would hold the robot up.
        """
        self._load()
        torques = self._region.torques
        if torques is not None:
            np.clip(torques.gravity, -OWN_WEIGHT * torques.limits, OWN_WEIGHT * torques.limits, out=torques.gravity)
        self._region.program.fill(self._region.points, self._model.weight, torques)
        return self._solve(point)

    def describe(self, margin: float) -> StabilityRegion:
        """Describe the region that was measured last, for viewers, by its margin [m]."""
        edge = self._edge.describe(margin, self._ratio)
        return describe_region(self._model, edge, self._memory.positions, self._region, self._ground)

    def find_torque_ratio(self) -> float:
        """Find the largest part of its limit that a joint needs of the region measured last, with the hands loaded [-].

        Infinite where the robot would not stand there.
        """
        return find_torque_ratio(self._region.program, self._kinematics.position_com_in_world[:2], self._loads)

    def _load(self) -> None:
        for hand in self._hands:
            self._poses[hand] = self._kinematics.poses[hand]
        self._region.load_configuration(self._poses)

    def _solve(self, point: np.ndarray) -> BraceMargin:
        program, edge, slope = self._region.program, self._edge, np.zeros(3)
        status, margin, area, self._ratio, saturated = measure_region(
            program.simplex.state, program.centroid, program.weight, program.generators, _DIRECTIONS, self._memory, point,
            edge.normal, edge.positions, edge.forces, edge.prices, self._points, program.first_torque, slope,
        )  # fmt: skip
        check_edge(status)
        return BraceMargin(margin=margin, area=area, saturated=saturated, slope=slope)
