r"""A body that gives way to who pushes it: its centre of mass goes along, on top of what the operator commands.

The admittance of a hand (``retarget/admittance.py``) on the sum of the forces at the touch points, across the vertical. What
it displaces is where the centre of mass :math:`c^*` is commanded, a place that goes on with the operator's own velocity,

.. math:: \dot c = \dot c^*_{operator} + \dot x + k (c^* + x - c) .

The forces are part of the balance, as those on hands are: the soles' pressure goes towards the push, and where they have no
more room the robot leans against it.
"""

from __future__ import annotations

import math

import numpy as np

from handhold.retarget.admittance import Admittance, AdmittanceParameters
from handhold.retarget.bracing.compliance.balance_filter import fade_in, smooth
from handhold.retarget.bracing.compliance.body_touch import BodyTouch
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.mode_report import Toggle
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_distance_inside

TOGGLE = "compliant-body"

BODY = AdmittanceParameters(
    damping=2e3, return_time=1.0, response_time=0.3, max_speed=0.05, max_displacement=0.03, max_lag=0.01
)
"""How the centre of mass gives way: in the end by 1 cm for 20 N above the dead zone. As soft as a hand it went to the edge of
what the balance has room for, and the next push tipped Talos over."""

TIME_CONSTANT = 0.015
"""Time constant of the force that balance and controller reckon with [s]: half of a hand's, because 60 N ahead on the chest of
Talos that swell in 0.6 s topple it with 0.03 s."""

PULL = 2.0
"""Rate k at which the centre of mass comes to where it is commanded [1/s]."""

AT_REST = 1e-3
"""Speed of the centre of mass under which it has come back as far as it goes [m/s]."""

MAX_MISSING = 10.0
"""Force that is not balanced from which on the body does not give way but leans against it [N]."""

ROOM = (0.03, 0.04)
"""Distance of the centre of mass from the edge of where it could rest under the push: within the first the body does not give
way, beyond the second it does as the admittance says [m]. That much is left to the controller: where a body gave way to 51 N
until 9 mm were left, the centre of mass ran away from the reference within a second."""

DISPLACED = 1e-3
"""Displacement below which a body that is not pushed counts as where it was commanded [m]."""

HORIZONTAL = np.array([1.0, 1.0, 0.0])
"""Axes along which a body gives way."""


class CompliantBody:
    """The admittance of the body, switched on by the description or the operator."""

    def __init__(self, model: RobotModel, parameters: AdmittanceParameters = BODY) -> None:
        """Take the robot's touch points, stiff or compliant as its description has them; ``begin`` comes first."""
        self._model, self._parameters = model, parameters
        self._points = range(len(model.effectors), len(model.touched_joints))
        self.on = any(point.compliant for point in model.touch_points)

    def begin(self, seiko: Seiko) -> None:
        """Begin with a body that nobody pushes, of a reference; whether it gives way stays as it was."""
        self._seiko = seiko
        self._forget()

    def _forget(self) -> None:
        self._touch = BodyTouch(len(self._points), self._model.weight)
        self._smoothed = np.zeros((len(self._points), 3))
        self._admittance: Admittance | None = None

    @property
    def toggles(self) -> tuple[Toggle, ...]:
        """Whether the body gives way; none on a robot without touch points."""
        return (Toggle(name=TOGGLE, title="Let people push my body", on=self.on),) if self._points else ()

    @property
    def busy(self) -> bool:
        """Whether the body gives way, or goes back."""
        return self._admittance is not None

    @property
    def _pushed(self) -> bool:
        """Whether it is to give way to a push."""
        return self._touch.pushed and self.on

    @property
    def messages(self) -> tuple[str, ...]:
        """What the operator should know."""
        if self.on and not self._touch.known:
            return ("the body learns what is no push: do not touch it",)
        return (f"the body {'is pushed' if self._touch.pushed else 'goes back'}",) if self.busy else ()

    def turn_over(self, name: str) -> bool:
        """Turn the toggle over; says whether it is its name."""
        if name != TOGGLE or not self._points:
            return False
        self.on = not self.on
        return True

    @property
    def observed(self) -> bool:
        """Whether forces on it are to be estimated: a push that is balanced is, until it ends, though it is made stiff."""
        return self.on or bool(self._smoothed.any())

    def measure_forces(self, estimated: np.ndarray, dt: float) -> dict[int, np.ndarray]:
        """Measure what the balance is to reckon with, by index after those of the effectors, in world, shape ``(3,)`` [N].

        Args:
            estimated: Forces on the touch points, shape ``(points, 3)`` [N].
            dt: Length of a period [s].
        """
        if not self.observed:
            return {}
        self._touch.update(estimated, dt)
        self._smoothed = smooth(self._smoothed, fade_in(self._touch.forces, self._touch.dead_zone), dt, TIME_CONSTANT)
        return dict(zip(self._points, self._smoothed, strict=True)) if self._smoothed.any() else {}

    def absorb(self) -> None:
        """Let the body count as where it was pushed to."""
        self._admittance = None

    def lead(self, velocity: np.ndarray, dt: float, *, hold: bool) -> np.ndarray:
        """Return the velocity of the centre of mass for the one that is commanded, shape ``(3,)`` both [m/s].

        Args:
            velocity: What is commanded; NaN along axes that are not.
            dt: Length of the step [s].
            hold: Whether everything holds: nothing gives way any further, and nothing goes back.
        """
        pushed = self._pushed
        if not (pushed or self.busy):
            return velocity
        if self._admittance is None:
            self._admittance = Admittance(self._parameters)
            self._commanded = self._seiko.kinematics.position_com_in_world.copy()
        if hold:
            self._stay(self._admittance)
            return velocity
        commanded, before = np.nan_to_num(velocity), self._admittance.displacement
        ratio = self._find_yielding_ratio()
        lag = self._give_way(self._admittance, commanded, ratio, dt)
        displacement = self._admittance.displacement
        if not pushed and self._is_back(displacement):
            self._admittance = None
            return velocity
        if ratio == 0.0:
            return velocity
        led = commanded + (displacement - before) / dt + PULL * lag
        return np.array([led[0], led[1], velocity[2]])

    def _stay(self, admittance: Admittance) -> None:
        """Let the body count as where it has been pushed to."""
        admittance.stop()
        self._commanded = self._seiko.kinematics.position_com_in_world - admittance.displacement
        if not self._pushed and self._is_small(admittance.displacement):
            self._admittance = None

    def _give_way(self, admittance: Admittance, commanded: np.ndarray, ratio: float, dt: float) -> np.ndarray:
        """Let the admittance go on, and return how far the centre of mass lags behind what it displaces, shape ``(3,)`` [m].

        What is commanded stays near what was reached: nothing is wound up at the edge of what is feasible.

        Args:
            admittance: Displaces what is commanded.
            commanded: Velocity of the centre of mass by the operator, shape ``(3,)`` [m/s].
            ratio: How much of the push counts [-].
            dt: Length of the step [s].
        """
        present = self._seiko.kinematics.position_com_in_world
        self._commanded = self._commanded + dt * commanded
        lag = self._commanded + admittance.displacement - present
        force = (ratio if self.on else 0.0) * self._touch.forces.sum(axis=0) * HORIZONTAL
        displacement = admittance.update(force, lag * HORIZONTAL, dt, dead_zone=self._touch.dead_zone)
        lag = self._commanded + displacement - present
        max_lag = self._parameters.max_lag
        lag *= min(1.0, max_lag / max(math.hypot(lag[0], lag[1]), max_lag))
        self._commanded = present - displacement + lag
        return lag

    def _find_yielding_ratio(self) -> float:
        """Return how much of the admittance balance and the room that is left allow, none to all [-].

        What the balance has no room for is leant against: going along with it would take more of the room.
        """
        seiko = self._seiko
        balanced = max(0.0, 1.0 - seiko.external.max_missing / MAX_MISSING)
        vertices = seiko.balance.vertices
        if not len(vertices):
            return balanced
        pressure = seiko.kinematics.position_com_in_world[:2] + seiko.pressure_shift
        least, enough = ROOM
        left = compute_distance_inside(float(pressure[0]), float(pressure[1]), vertices)
        return balanced * min(1.0, max(0.0, (left - least) / (enough - least)))

    @staticmethod
    def _is_small(displacement: np.ndarray) -> bool:
        return float(displacement.dot(displacement)) < DISPLACED**2

    def _is_back(self, displacement: np.ndarray) -> bool:
        """Whether the centre of mass has come back, or as near as it comes."""
        velocity = self._seiko.velocity_com
        return self._is_small(displacement) and float(velocity.dot(velocity)) < AT_REST**2
