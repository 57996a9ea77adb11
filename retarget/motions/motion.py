"""A motion: postures over time, and which effectors support when."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from handhold.retarget.motions.chart import ChartState

ORDER = 5
"""Order of the splines between the knots: velocity and acceleration are nothing at both ends, and continuous between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactInterval:
    """A time in which an effector is in contact with the environment and stays where it is.

    Attributes:
        effector: Name of the effector.
        start: When it begins to support [s].
        end: When it is taken away [s].
    """

    effector: str
    start: float
    end: float


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Motion:
    """A motion as its file has it; sampled by quintic splines through the knots, at rest at both ends.

    Attributes:
        name: Name on the command line.
        title: Name for people.
        robot: Name of the robot it was made for.
        world: Name of the world it takes place in, such as one with a step.
        joints: Names of the joints, in the order of the coordinates.
        contacts: Which effectors support when.
        times: Times of the knots, the first 0, shape ``(k,)`` [s].
        postures: Motion coordinates of the knots (see ``chart``), shape ``(k, 6 + joints)``.
        source: File it was read from, or what made it.
    """

    name: str
    title: str
    robot: str
    world: str
    joints: tuple[str, ...]
    contacts: tuple[ContactInterval, ...]
    times: np.ndarray
    postures: np.ndarray
    source: str
    _splines: tuple[BSpline, BSpline, BSpline] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        boundary = [(1, np.zeros(self.postures.shape[1])), (2, np.zeros(self.postures.shape[1]))]
        spline = make_interp_spline(self.times, self.postures, k=ORDER, bc_type=(boundary, boundary))
        object.__setattr__(self, "_splines", (spline, spline.derivative(), spline.derivative(2)))

    @property
    def duration(self) -> float:
        """How long it lasts [s]."""
        return float(self.times[-1])

    def sample(self, time: float) -> ChartState:
        """Return the posture at a time of the motion [s], and how it changes when played at its own speed."""
        x, rate, acceleration = (spline(min(max(time, 0.0), self.duration)) for spline in self._splines)
        return ChartState(x=x, rate=rate, acceleration=acceleration)

    def list_supporting(self, time: float) -> tuple[str, ...]:
        """Return the names of the effectors that support at a time of the motion [s]."""
        return tuple(contact.effector for contact in self.contacts if contact.start <= time <= contact.end)
