r"""Contact retargeting: a hand that comes near a surface is moved along it to where the robot would stand better.

By the margin :math:`m` that SEIKO predicts with the hand in contact there and the robot leaning (``predicted_margin``),

.. math:: \dot p_h = v_{max} \, Clip_{[0, 1]} \left( \frac{\|\nabla m\|}{s_{min}} - 1 \right) \frac{\nabla m}{\|\nabla m\|}

or by the rule of [McCrory2024]_, along the gradient of the area A of the region that the hand would make where it is now,

.. math:: \dot p_h = k_c (I - n n^T) \nabla A(p_k) \quad (14)

A hand for which the operator has taken a place is drawn there instead (``snap``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from handhold.perception.surface import Surface
from handhold.retarget.bracing.candidates.places import Place
from handhold.retarget.bracing.margin.margin_slope import MarginSlope
from handhold.retarget.bracing.margin.predicted_margin import PredictedMargin
from handhold.retarget.bracing.margin.preview_region import compute_preview_region
from handhold.retarget.bracing.margin.region_monitor import describe_region
from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import StabilityRegion
from handhold.retarget.stability.region_area import compute_area_position_gradient
from handhold.retarget.stability.support_region import NoRegion
from handhold.robots.contact_kind import ContactKind
from handhold.robots.control.clamp import clamp_norm
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_distance_inside

CAPTURED, RELEASED = 0.15, 0.25
"""Distances beside a place up to which a hand is drawn to it fully, and from which on not at all [m]."""

FACING = 0.7
"""Minimum cosine of the angle between a surface's normal and a hand's own for the hand to be on its way there [-]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ContactPreview:
    """The region with a hand in contact where it is.

    Attributes:
        region: The region, for display.
        gradient: Of its area with respect to the hand's position, shape ``(3,)`` [m].
    """

    region: StabilityRegion
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
        distance = compute_distance_before(pose[:3, 3], surface)
        if distance < best and float(surface.pose[:3, 2] @ pose[:3, 2]) > FACING:
            best, found = distance, surface
    return found


def compute_distance_before(point: np.ndarray, surface: Surface) -> float:
    """Compute the distance of a point in world, shape ``(3,)``, in front of a surface from it [m]; infinite behind it."""
    x, y, height = (surface.pose[:3, :3].T @ (point - surface.pose[:3, 3])).tolist()
    if height < 0.0:
        return float("inf")
    return math.hypot(height, max(0.0, -compute_distance_inside(x, y, surface.boundary)))


def snap(offset: np.ndarray, desired: np.ndarray, place: Place, dt: float, max_speed: float) -> np.ndarray:
    r"""Move a hand's contact towards a place that was taken; a function of its arguments.

    .. math:: o^* = Clip_{[0, 1]} \left( \frac{d_1 - \|l\|}{d_1 - d_0} \right) l, \qquad
        l = (I - n n^T) (p - p_h)

    with ``CAPTURED`` and ``RELEASED`` for :math:`d_0, d_1`: nothing is added along the normal, and a hand that the operator
    takes away from the place is let go bit by bit.

    Args:
        offset: From where the operator has the hand to where it is asked to go, in world, shape ``(3,)`` [m].
        desired: Where the operator has the hand, in world, shape ``(3,)`` [m].
        place: The place.
        dt: Length of the step [s].
        max_speed: Fastest change of the offset [m/s].
    """
    lateral = place.position - desired
    lateral -= (place.normal @ lateral) * place.normal
    distance = math.sqrt(lateral @ lateral)
    ratio = min(1.0, max(0.0, (RELEASED - distance) / (RELEASED - CAPTURED)))
    return np.asarray(offset + clamp_norm(ratio * lateral - offset, dt * max_speed))


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
    rate = clamp_norm(parameters.contact_gain * along, parameters.max_move_speed)
    return clamp_norm(offset + dt * rate, parameters.max_displacement)


def ascend_margin(offset: np.ndarray, slope: np.ndarray, dt: float, parameters: StabilityParameters) -> np.ndarray:
    """Move a hand's contact by one step up the predicted margin, at full speed where it pays at all; within the same cap.

    A rate in proportion to the slope would take longer than the hand is on its way.

    Args:
        offset: From where the operator has the hand to where it is asked to go, in world, shape ``(3,)`` [m].
        slope: Of the predicted margin along the surface, shape ``(3,)`` [-].
        dt: Length of the step [s].
        parameters: Speed and caps.
    """
    slope_norm = math.sqrt(slope.dot(slope))
    if slope_norm < parameters.min_slope:
        return offset
    # Between once and twice the minimum slope the speed rises, so that the hand does not chatter about the top.
    speed = parameters.max_move_speed * min(1.0, slope_norm / parameters.min_slope - 1.0)
    return clamp_norm(offset + dt * speed / slope_norm * slope, parameters.max_displacement)


class ContactRetargeting:
    """Moves the hands that the operator brings near a surface, and previews the region with them in contact.

    Attributes:
        offsets: How far the effectors are moved from where the operator has them, in world, shape ``(effectors, 3)`` [m].
        moved: Hands whose offset is not zero.
        absorbed: Hands that were moved and now count as where the operator has them: their clutches begin anew there.
        preview: Of the hand that is on its way; None where none is.
    """

    def __init__(self, model: RobotModel, seiko: Seiko, parameters: StabilityParameters) -> None:
        self._model = model
        self._seiko = seiko
        self._parameters = parameters
        self.offsets = np.zeros((len(model.effectors), 3))
        self.moved: set[int] = set()
        self.absorbed: frozenset[int] = frozenset()
        # How long the clutches of hands that are moved have been open [s].
        self._open = np.zeros(len(model.effectors))
        self._since = self._unpredicted = 0.0
        # The hand that is on its way.
        self._previewed: int | None = None
        self.preview: ContactPreview | None = None
        self._slope = MarginSlope(PredictedMargin(model, seiko, parameters.lean), parameters.probe)

    def move(
        self,
        hand: int,
        desired: np.ndarray,
        surfaces: tuple[Surface, ...],
        dt: float,
        *,
        engaged: bool,
        place: Place | None = None,
    ) -> np.ndarray:
        """Return the target pose of a hand for the pose that the operator commands, shape ``(4, 4)`` both.

        Args:
            hand: Index of the hand.
            desired: Pose that the operator commands.
            surfaces: Surfaces that could support it.
            dt: Length of the step [s].
            engaged: Whether the operator moves it now.
            place: Where it is to brace; it is drawn there and to nothing else.
        """
        surface = self._find_surface(hand, surfaces) if engaged and place is None else None
        if engaged and place is not None:
            self._forget(hand)
            self._displace(hand, snap(self.offsets[hand], desired[:3, 3], place, dt, self._parameters.max_move_speed))
        elif surface is None:
            self._forget(hand)
        else:
            self._follow(hand, surface, dt)
        moved = desired
        if hand in self.moved:
            moved = desired.copy()
            moved[:3, 3] += self.offsets[hand]
        # What is reported to the clutch counts from the next step on.
        self._absorb_offset(hand, dt, engaged=engaged)
        return moved

    def _find_surface(self, hand: int, surfaces: tuple[Surface, ...]) -> Surface | None:
        """Return the surface on which a hand is on its way to brace; None where it is on none."""
        about = self._model.effectors[hand]
        # The other hand of one that braces is there to grasp.
        if about.is_foot or about.contact is not ContactKind.POINT or self._seiko.bracing_hands:
            return None
        return find_bracing_surface(self._seiko.kinematics.poses[hand], surfaces, self._parameters.preview_distance)

    def _absorb_offset(self, hand: int, dt: float, *, engaged: bool) -> None:
        """Absorb the offset of a hand that is in contact, or was released a moment ago, into the operator's pose."""
        self.absorbed -= {hand}
        self._open[hand] = 0.0 if engaged else self._open[hand] + dt
        in_contact = hand in self._seiko.stance.effectors
        if hand in self.moved and (in_contact or self._open[hand] > self._parameters.settling):
            self.offsets[hand] = 0.0
            self.moved.remove(hand)
            self.absorbed |= {hand}

    def _forget(self, hand: int) -> None:
        if self._previewed == hand:
            self._previewed, self.preview = None, None
            self._slope.reset()

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
            self._displace(hand, after)

    def _displace(self, hand: int, offset: np.ndarray) -> None:
        self.offsets[hand] = offset
        self.moved = self.moved | {hand} if offset.any() else self.moved - {hand}

    def _predict(self, surface: Surface, hand: int, dt: float) -> None:
        """Go on with a prediction of the margin, in cycles that make no preview."""
        self._unpredicted += dt
        if self._unpredicted < self._parameters.prediction_period:
            return
        self._unpredicted, normal = 0.0, surface.pose[:3, 2]
        position = self._seiko.kinematics.poses[hand, :3, 3]
        height = float(normal @ (position - surface.pose[:3, 3])) - self._model.effectors[hand].radius
        self._slope.update(hand, normal, -height * normal)

    def _nears_edge(self, surface: Surface, hand: int, step: np.ndarray) -> bool:
        """Whether a step takes a hand nearer to the edge of its surface than it may come."""
        rotation, position = surface.pose[:3, :3], self._seiko.kinematics.poses[hand, :3, 3]
        x, y, _ = ((position - surface.pose[:3, 3]) @ rotation).tolist()
        dx, dy, _ = (step @ rotation).tolist()
        clearance = compute_distance_inside(x + dx, y + dy, surface.boundary)
        return clearance < self._parameters.min_edge_distance and clearance < compute_distance_inside(x, y, surface.boundary)


def preview_contact(model: RobotModel, seiko: Seiko, hand: int, normal: np.ndarray) -> ContactPreview | None:
    """Preview the region with a hand in contact where it is now; None where nothing would hold the robot up.

    Args:
        model: Robot.
        seiko: The reference, with its contacts.
        hand: Index of the hand, which is not in contact yet.
        normal: Outward normal of the surface in world, unit, shape ``(3,)``.
    """
    try:
        region, memory, edge, contact = compute_preview_region(model, seiko, hand, normal)
    except NoRegion:
        return None
    gradient = compute_area_position_gradient(memory, model.weight)
    return ContactPreview(
        region=describe_region(model, edge, memory.positions, region, seiko.ground_height),
        gradient=gradient[region.points.owners == contact].sum(axis=0),
    )
