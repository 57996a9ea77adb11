r"""Contact retargeting: a hand that comes near a surface is moved along it to where the robot would stand better.

By the margin :math:`m` that SEIKO predicts with the hand bearing there and the robot leaning (``predicted_margin``),

.. math:: \dot p_h = v_{max} \, Clip_{[0, 1]} \left( \frac{\|\nabla m\|}{s_{min}} - 1 \right) \frac{\nabla m}{\|\nabla m\|}

or by the rule of [McCrory2024]_, along the gradient of the area A of the region that the hand would make where it is now,

.. math:: \dot p_h = k_c (I - n n^T) \nabla A(p_k) \quad (14)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.coming_region import compute_coming_region
from handhold.retarget.bracing.margin_slope import MarginSlope
from handhold.retarget.bracing.predicted_margin import PredictedMargin
from handhold.retarget.bracing.region_area import compute_area_position_gradient
from handhold.retarget.bracing.seiko import Seiko
from handhold.retarget.bracing.stability_parameters import StabilityParameters
from handhold.retarget.bracing.stability_sight import describe_region
from handhold.retarget.bracing.support_region import NoRegion
from handhold.retarget.bracing.surfaces import compute_distance_to_boundary, is_inside
from handhold.retarget.mode import StabilitySight
from handhold.robots.clamp import clamp_norm
from handhold.robots.model import RobotModel

FACING = 0.7
"""Least cosine of the angle between a surface's normal and a hand's own for the hand to be on its way there [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ContactPreview:
    """The region that a hand would make where it is.

    Attributes:
        stability: The region, for the eye.
        gradient: Of its area with respect to the hand's position, shape ``(3,)`` [m].
    """

    stability: StabilitySight
    gradient: np.ndarray


def find_bracing_surface(pose: np.ndarray, surfaces: tuple[Surface, ...], within: float) -> Surface | None:
    """Return the nearest surface that a hand faces; None where none is near.

    Args:
        pose: Pose of the hand's contact frame in world, z away from the surface, shape ``(4, 4)``.
        surfaces: What is known of the surroundings.
        within: How near it must be [m].
    """
    best, found = within, None
    for surface in surfaces:
        distance = _compute_distance(pose[:3, 3], surface)
        if distance < best and float(surface.pose[:3, 2] @ pose[:3, 2]) > FACING:
            best, found = distance, surface
    return found


def _compute_distance(point: np.ndarray, surface: Surface) -> float:
    """Compute the distance of a point in front of a surface from it [m]; infinite behind it."""
    x, y, height = surface.pose[:3, :3].T @ (point - surface.pose[:3, 3])
    if height < 0.0:
        return float("inf")
    local = np.array([x, y])
    beside = 0.0 if is_inside(local, surface.boundary) else compute_distance_to_boundary(local, surface.boundary)
    return float(np.hypot(height, beside))


def step_contact(
    offset: np.ndarray, preview: ContactPreview, normal: np.ndarray, dt: float, parameters: StabilityParameters
) -> np.ndarray:
    """Move a hand's contact by one step of eq. 14, no further than a cap; a function of its arguments.

    Args:
        offset: From where the operator has the hand to where it is asked to go, in world, shape ``(3,)`` [m].
        preview: Of a contact where the hand is.
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
        dt: Length of the step [s].
        parameters: Gain and caps.
    """
    along = preview.gradient - (normal @ preview.gradient) * normal
    rate = clamp_norm(parameters.contact_gain * along, parameters.fastest_move)
    return clamp_norm(offset + dt * rate, parameters.most_moved)


def ascend_margin(offset: np.ndarray, slope: np.ndarray, dt: float, parameters: StabilityParameters) -> np.ndarray:
    """Move a hand's contact by one step up the predicted margin, at full speed where it pays at all; within the same cap.

    A rate in proportion to the slope would take longer than the hand is on its way.

    Args:
        offset: From where the operator has the hand to where it is asked to go, in world, shape ``(3,)`` [m].
        slope: Of the predicted margin along the surface, shape ``(3,)`` [-].
        dt: Length of the step [s].
        parameters: Speed and caps.
    """
    steep = math.sqrt(slope.dot(slope))
    if steep < parameters.min_slope:
        return offset
    # Between once and twice the least slope the speed rises, so that the hand does not chatter about the top.
    speed = parameters.fastest_move * min(1.0, steep / parameters.min_slope - 1.0)
    return clamp_norm(offset + dt * speed / steep * slope, parameters.most_moved)


class ContactRetargeting:
    """Moves the hands that the operator brings near a surface, and tells the region they would make.

    Attributes:
        offsets: How far the effectors are moved from where the operator has them, in world, shape ``(effectors, 3)`` [m].
        moved: Hands whose offset is not zero.
        settled: Hands that were moved and now count as where the operator has them: their clutches begin anew there.
        preview: Of the hand that is on its way; None where none is.
    """

    def __init__(self, model: RobotModel, seiko: Seiko, parameters: StabilityParameters) -> None:
        self._model = model
        self._seiko = seiko
        self._parameters = parameters
        self.offsets = np.zeros((len(model.effectors), 3))
        self.moved: set[int] = set()
        self.settled: frozenset[int] = frozenset()
        # How long the clutches of hands that are moved have been open [s].
        self._open = np.zeros(len(model.effectors))
        self._since = self._unpredicted = 0.0
        # The hand that is on its way.
        self._previewed: int | None = None
        self.preview: ContactPreview | None = None
        self._slope = MarginSlope(PredictedMargin(model, seiko, parameters.lean), parameters.probe)

    def move(self, hand: int, wanted: np.ndarray, surfaces: tuple[Surface, ...], dt: float, *, engaged: bool) -> np.ndarray:
        """Return where a hand is to go that the operator wants at a pose, shape ``(4, 4)`` both.

        Args:
            hand: Place of the hand.
            wanted: What the operator asks.
            surfaces: What it could bear on.
            dt: Length of the step [s].
            engaged: Whether the operator moves it now.
        """
        surface = self._find_surface(hand, surfaces) if engaged else None
        if surface is None:
            self._forget(hand)
        else:
            self._follow(hand, surface, dt)
        moved = wanted
        if hand in self.moved:
            moved = wanted.copy()
            moved[:3, 3] += self.offsets[hand]
        # What the clutch is told counts from the next step on.
        self._settle(hand, dt, engaged=engaged)
        return moved

    def _find_surface(self, hand: int, surfaces: tuple[Surface, ...]) -> Surface | None:
        """Return the surface on which a hand is on its way to brace; None where it is on none."""
        about = self._model.effectors[hand]
        # The other hand of one that braces is there to grasp.
        if about.is_foot or about.contact != "point" or self._seiko.bracing_hands:
            return None
        return find_bracing_surface(self._seiko.kinematics.poses[hand], surfaces, self._parameters.preview_distance)

    def _settle(self, hand: int, dt: float, *, engaged: bool) -> None:
        """Let a hand that bears, or was let go a moment ago, count as where the operator has it."""
        self.settled -= {hand}
        self._open[hand] = 0.0 if engaged else self._open[hand] + dt
        bears = hand in self._seiko.stance.effectors
        if hand in self.moved and (bears or self._open[hand] > self._parameters.settling):
            self.offsets[hand] = 0.0
            self.moved.remove(hand)
            self.settled |= {hand}

    def _forget(self, hand: int) -> None:
        if self._previewed == hand:
            self._previewed, self.preview = None, None
            self._slope.forget()

    def _follow(self, hand: int, surface: Surface, dt: float) -> None:
        if self._previewed not in (None, hand):
            return
        normal, by_margin = surface.pose[:3, 2], self._parameters.contact_rule == "margin"
        self._since += dt
        if self._previewed is None or self._since >= self._parameters.period:
            self._since, self._previewed = 0.0, hand
            self.preview = preview_contact(self._model, self._seiko, hand, normal)
        elif by_margin:
            self._predict(surface, hand, dt)
        if self.preview is None:
            return
        before = self.offsets[hand].copy()
        if by_margin:
            after = ascend_margin(before, self._slope.gradient, dt, self._parameters)
        else:
            after = step_contact(before, self.preview, normal, dt, self._parameters)
        if not self._nears_edge(surface, hand, after - before):
            self.offsets[hand] = after
            self.moved = self.moved | {hand} if after.any() else self.moved - {hand}

    def _predict(self, surface: Surface, hand: int, dt: float) -> None:
        """Go on with a prediction of the margin, in cycles that make no preview."""
        self._unpredicted += dt
        if self._unpredicted < self._parameters.prediction_period:
            return
        self._unpredicted, normal = 0.0, surface.pose[:3, 2]
        place = self._seiko.kinematics.poses[hand, :3, 3]
        height = float(normal @ (place - surface.pose[:3, 3])) - self._model.effectors[hand].radius
        self._slope.look(hand, normal, -height * normal)

    def _nears_edge(self, surface: Surface, hand: int, step: np.ndarray) -> bool:
        """Whether a step takes a hand nearer to the edge of its surface than it may come."""
        rotation, place = surface.pose[:3, :3], self._seiko.kinematics.poses[hand, :3, 3]
        here = ((place - surface.pose[:3, 3]) @ rotation)[:2]
        clearance = _compute_clearance(here + (step @ rotation)[:2], surface)
        return clearance < self._parameters.min_edge_distance and clearance < _compute_clearance(here, surface)


def _compute_clearance(place: np.ndarray, surface: Surface) -> float:
    """Compute how far inside its boundary a place of a surface is, negative outside [m]."""
    distance = compute_distance_to_boundary(place, surface.boundary)
    return distance if is_inside(place, surface.boundary) else -distance


def preview_contact(model: RobotModel, seiko: Seiko, hand: int, normal: np.ndarray) -> ContactPreview | None:
    """Preview the region with a hand that bears where it is now; None where nothing would hold the robot up.

    Args:
        model: Robot.
        seiko: The reference, with its contacts.
        hand: Place of the hand, which does not bear yet.
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
    """
    try:
        region, memory, edge, contact = compute_coming_region(model, seiko, hand, normal)
    except NoRegion:
        return None
    gradient = compute_area_position_gradient(memory, model.weight)
    return ContactPreview(
        stability=describe_region(edge, memory.positions, region, seiko.ground_height),
        gradient=gradient[region.points.owners == contact].sum(axis=0),
    )
