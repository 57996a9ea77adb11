r"""Stability-aware retargeting: what the operator asks, changed where the robot would stand better for it [McCrory2024]_.

Before contact, a hand is moved along the surface it comes near to where the stability region would grow (contact
retargeting, eq. 14). While hands brace, pelvis, chest, height and the hands' orientations follow the gradient of the stability
margin (posture retargeting, eq. 15). With both switched off, and wherever the posture has nothing to do with the margin, the
operator's commands are passed on untouched. What had been changed when one is switched off does not jump: the posture goes
back at its rate first, and a hand that was moved stays so until its clutch has been open for a moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.place_choice import PlaceChoice
from handhold.retarget.bracing.margin.contact_retargeting import ContactRetargeting
from handhold.retarget.bracing.margin.margin_ascent import find_ascent
from handhold.retarget.bracing.margin.near_edges import NearEdges, find_near_edges
from handhold.retarget.bracing.margin.postural_sensitivity import compute_postural_sensitivity, project_rows
from handhold.retarget.bracing.margin.posture_retargeting import PosturalStability, PostureDeviation, step_posture
from handhold.retarget.bracing.margin.retargeting_choice import NOMINAL, Retargeting
from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.retarget.bracing.seiko.preferred_posture import PreferredPosture
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.mode_report import StabilityRegion
from handhold.retarget.stability.region_gradients import ConfigurationGradients
from handhold.robots.model import RobotModel


class StabilityAware:
    """Changes the commands for one SEIKO.

    Attributes:
        choice: Which retargetings are switched on; may be changed at any time.
        assessment: What was last known of stability and posture; None before, and while the posture is not retargeted.
        deviation: How far the posture's setpoints are from nominal.
        contacts: Contact retargeting, and the preview of the region with an approaching hand.
        places: Places that are offered to brace on, and which one the operator has taken.
    """

    def __init__(
        self,
        model: RobotModel,
        seiko: Seiko,
        choice: Retargeting = NOMINAL,
        parameters: StabilityParameters | None = None,
    ) -> None:
        self._model = model
        self._seiko = seiko
        self._parameters = parameters or StabilityParameters()
        self.choice = choice
        self.contacts = ContactRetargeting(model, seiko, self._parameters)
        self.places = PlaceChoice(model)
        self.assessment: PosturalStability | None = None
        # What asks for the nominal posture.
        self._insensitive = PosturalStability(margin=np.inf, gradient=np.zeros(model.nv), sensitivity=0.0)
        self._posture = PreferredPosture(model)
        self._gradients = ConfigurationGradients(model, seiko.kinematics)
        self.deviation = PostureDeviation.none(1 + len(model.trunk_frames), model.n)
        self._projector = np.eye(model.nv)
        self._since = np.inf

    def follow_places(self, surfaces: tuple[Surface, ...], hands: Iterable[int | None]) -> str:
        """Follow the places that are offered, and say in words why what was taken is not any more; empty for nothing.

        Args:
            surfaces: What is known, with the places on it.
            hands: What the operator's hands command; what is in contact is offered nothing.
        """
        supporting = self._seiko.stance.effectors
        return self.places.update(surfaces, [hand for hand in hands if hand is not None and hand not in supporting])

    @property
    def preview_region(self) -> StabilityRegion | None:
        """Region that a hand on its way would make, or that the place taken would; None where neither is known."""
        preview = self.contacts.preview
        return self.places.describe_region(self._seiko.ground_height) if preview is None else preview.region

    def move_hand(
        self, hand: int, desired: np.ndarray, surfaces: tuple[Surface, ...], dt: float, *, engaged: bool
    ) -> np.ndarray:
        """Return the target pose of a hand for the pose that the operator commands, shape ``(4, 4)`` both.

        A hand for which the operator has taken a place is drawn there. Otherwise, while contacts are not retargeted, nothing
        moves a hand any further; what it was moved by stays until it is released.

        Args:
            hand: Index of the hand.
            desired: Pose that the operator commands.
            surfaces: Surfaces that could support it.
            dt: Length of the step [s].
            engaged: Whether the operator moves it now.
        """
        place = self.places.find_place(hand)
        considered = surfaces if self.choice.contact else ()
        return self.contacts.move(hand, desired, considered, dt, engaged=engaged, place=place)

    def prefer(self, targets: SeikoTargets, dt: float, *, hold: bool) -> SeikoTargets:
        """Return the targets of a step with the posture that stability prefers.

        While the posture is not retargeted its setpoints go back to nominal; from then on, the targets are untouched.

        Args:
            targets: What the step is asked for.
            dt: Length of the step [s].
            hold: Whether everything holds: setpoints stay where they are.
        """
        if not self.choice.posture:
            # Switched on again, it evaluates at once.
            self.assessment, self._since = None, np.inf
            if not self.deviation.remains:
                return targets
        else:
            self._update_assessment(dt)
        self._posture.update(self._seiko.kinematics, self._seiko.q[7:])
        if not hold:
            self._deviate(targets, self.assessment or self._insensitive, dt)
        return self._turn_hands(replace(targets, preferences=self.deviation.prefer(self._posture, self._projector)))

    def _deviate(self, targets: SeikoTargets, assessment: PosturalStability, dt: float) -> None:
        kinematics = self._seiko.kinematics
        hands = {int(e): kinematics.jacobians[e, 3:] for e in self._seiko.bracing_hands}
        self.deviation = step_posture(
            self.deviation, self._posture, hands, assessment, dt, self._parameters, self._yield_to_hands(targets)
        )
        raising = np.isfinite(targets.velocity_com_in_world[2])
        if raising and self.deviation.nominal is not None:
            # The stick decides about the height: what it has made of it is nominal.
            nominal = replace(self.deviation.nominal, height=self._posture.height - self.deviation.rise)
            self.deviation = replace(self.deviation, nominal=nominal)

    def _yield_to_hands(self, targets: SeikoTargets) -> float:
        """Return how much the posture may insist, 0 to 1: the less, the further a free hand that comes no nearer lacks."""
        free, parameters, kinematics = self._list_free_hands(), self._parameters, self._seiko.kinematics
        missing = targets.effector_poses[free, :3, 3] - kinematics.poses[free, :3, 3]
        lag = np.linalg.norm(missing, axis=1)
        velocities = kinematics.jacobians[free, :3] @ self._seiko.v
        # Positive where a hand comes nearer to its target.
        closing_speed = np.einsum("hi,hi->h", velocities, missing) / np.maximum(lag, 1e-6)
        lacking = 1.0 - np.clip((parameters.max_lag - lag) / parameters.yielding, 0.0, 1.0)
        stuck = 1.0 - np.clip(closing_speed / parameters.min_closing_speed, 0.0, 1.0)
        return 1.0 - float((lacking * stuck).max(initial=0.0))

    def _turn_hands(self, targets: SeikoTargets) -> SeikoTargets:
        turns = {e: turn for e, turn in self.deviation.hands.items() if turn.any() and e in self._seiko.stance.effectors}
        if not turns:
            return targets
        poses = targets.effector_poses.copy()
        for effector, turn in turns.items():
            poses[effector, :3, :3] = pin.exp3(turn) @ poses[effector, :3, :3]
        return replace(targets, effector_poses=poses)

    def _update_assessment(self, dt: float) -> None:
        """Evaluate margin, gradient and sensitivity anew, now and then."""
        self._since += dt
        if self._since < self._parameters.period:
            return
        self._since = 0.0
        seiko = self._seiko
        edge = seiko.balance.edge
        if edge is None:
            # No hand is in contact: setpoints go back to nominal.
            self.assessment = self._insensitive
            return
        edges = find_near_edges(
            edge, seiko.balance.vertex_memory, seiko.kinematics.position_com_in_world[:2], self._parameters.near_edge
        )
        tasks = self._list_tasks()
        self._projector = project_rows(np.eye(self._model.nv), tasks)
        ascent = find_ascent(
            edges.margins,
            self._differentiate(edges),
            tasks,
            seiko.q[7:],
            (self._model.lower, self._model.upper),
            reach=self._parameters.reach,
            near=self._parameters.near_limit,
        )
        self.assessment = PosturalStability(
            margin=edge.margin, gradient=ascent, sensitivity=compute_postural_sensitivity(ascent)
        )

    def _differentiate(self, edges: NearEdges) -> np.ndarray:
        """Compute the gradients of distances from edges with respect to the configuration, the centre of mass where it is."""
        region = self._seiko.balance.region
        if region is None:
            raise AssertionError("an edge without a region")
        first, contact_points = region.program.first_torque, region.points.positions
        return np.array(
            [
                self._gradients.compute(region.joints, contact_points, forces, prices[first:])
                for forces, prices in zip(edges.forces, edges.prices, strict=True)
            ]
        )

    def _list_tasks(self) -> np.ndarray:
        """Return the Jacobians of what must not be disturbed: contacts, free hands, the centre of mass from above."""
        seiko = self._seiko
        kinematics = seiko.kinematics
        free = [kinematics.jacobians[hand] for hand in self._list_free_hands()]
        return np.vstack([seiko.program.contacts.jacobian, *free, kinematics.jacobian_com[:2]])

    def _list_free_hands(self) -> list[int]:
        supporting = self._seiko.stance.effectors
        return [e for e, about in enumerate(self._model.effectors) if about.hand is not None and e not in supporting]
