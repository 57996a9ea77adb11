"""The moments that turn free hands, filtered, less what their sensors measure of nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handhold.retarget.bracing.contacts.sensor_offset import SensorOffset

OFFSET_TIME = 1.0
"""Time in which a sensor's offset is learnt at first, while nothing pushes the hand [s]."""

FILTER_TIME = 0.03
"""Time constant of the filter [s]."""

DRIFT_TIME = 30.0
"""Time constant with which the offset is followed while nothing pushes or turns the hand [s]."""


@dataclass(slots=True)
class _Sensor:
    """What is known of one hand: offset in its frame [Nm], and what is filtered, in world [Nm]."""

    offset: SensorOffset = field(default_factory=SensorOffset)
    moment: np.ndarray = field(default_factory=lambda: np.zeros(3))


class HandMoments:
    """The moments on hands about their frames' origins."""

    def __init__(self, dead_zone: float) -> None:
        """Know nothing yet; a moment within a dead zone [Nm] may be the sensor's drift."""
        self._dead_zone = dead_zone
        self._sensors: dict[int, _Sensor] = {}

    def get(self, hand: int) -> np.ndarray:
        """Return the moment on a hand, in world, shape ``(3,)`` [Nm]: none before its sensor's offset is known."""
        sensor = self._sensors.get(hand)
        return np.zeros(3) if sensor is None else sensor.moment

    def forget(self, hand: int) -> None:
        """Forget what turned a hand: it is in contact now, or stiff. The offset stays."""
        if hand in self._sensors:
            self._sensors[hand].moment = np.zeros(3)

    def update(self, hand: int, measured: np.ndarray, rotation: np.ndarray, dt: float, *, pushed: bool) -> None:
        """Take in what is measured.

        Args:
            hand: Index of the effector.
            measured: Moment in the contact frame about its origin, shape ``(3,)`` [Nm].
            rotation: Of the contact frame in world, shape ``(3, 3)``.
            dt: Length of the period [s].
            pushed: Whether a force is on the hand: what is measured then is no offset.
        """
        sensor = self._sensors.setdefault(hand, _Sensor())
        if sensor.offset.learnt_for < OFFSET_TIME:
            if not pushed:
                sensor.offset = sensor.offset.take(measured, dt)
            return
        moment = rotation @ (measured - sensor.offset.value)
        sensor.moment = sensor.moment + dt / (FILTER_TIME + dt) * (moment - sensor.moment)
        if not pushed and float(sensor.moment @ sensor.moment) < self._dead_zone**2:
            sensor.offset = sensor.offset.follow(rotation.T @ sensor.moment, dt, DRIFT_TIME)
