"""What a headset reports of the operator: in the operator's own room, which stands somewhere in the robot's world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

import numpy as np
import pinocchio as pin

from handhold.devices.frame_value import frame_value
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.tracked_human import Segment

NO_JOINTS: Mapping[Segment, np.ndarray] = MappingProxyType({})
"""What is known of a body of which nothing is seen but head and hands."""

NO_TRACKERS: Mapping[Segment, pin.SE3] = MappingProxyType({})
"""What is worn by an operator who wears no trackers."""


@frame_value
class HandSample:
    """One hand of the operator.

    Attributes:
        pose: Grip pose of the hand in the operator's room, or None where it is not tracked (guessed poses are None too).
        aim: Pointing pose of the hand in the room (its x axis points where the operator points), or None where not tracked.
        trigger: 0 released, 1 pulled.
        squeeze: 0 released, 1 squeezed.
        stick: Deflection, shape ``(2,)``: right and forward are positive, -1 to 1.
        buttons: Buttons of that hand.
    """

    pose: pin.SE3 | None = None
    aim: pin.SE3 | None = None
    trigger: float = 0.0
    squeeze: float = 0.0
    stick: np.ndarray = field(default_factory=lambda: np.zeros(2))
    buttons: Buttons = field(default_factory=Buttons)


@frame_value
class OperatorSample:
    """One sample of an operator in a room: z up, x forward, y left, its origin where the operator last recentred.

    Attributes:
        time: Monotonic clock of the station when sampled [s].
        sequence: Number of the sample within this run of the device.
        device: Name of the device and, within a device, of its run: another name means that nothing latched holds.
        origin: Counts recentrings: another number means that poses before and after cannot be compared.
        focused: Whether the operator is there: session focused, headset worn.
        can_stop: Whether the device has a control that stops the robot; without one nothing engages.
        head: Pose of the head in the room, or None where it is not tracked.
        left: Left hand.
        right: Right hand.
        joints: Places in the room of joints of the operator's body that the headset sees besides, by the segment that begins
            there (see ``TrackedHuman``), each of shape ``(3,)`` [m].
        trackers: Poses in the room of trackers that the operator wears, by the segment that they are worn on.
    """

    time: float
    sequence: int = 0
    device: str = ""
    origin: int = 0
    focused: bool = True
    can_stop: bool = True
    head: pin.SE3 | None = None
    left: HandSample = field(default_factory=HandSample)
    right: HandSample = field(default_factory=HandSample)
    joints: Mapping[Segment, np.ndarray] = field(default_factory=lambda: NO_JOINTS)
    trackers: Mapping[Segment, pin.SE3] = field(default_factory=lambda: NO_TRACKERS)


def place_in_world(sample: OperatorSample, transform_room_to_world: pin.SE3, request: str = "") -> OperatorInput:
    r"""Return a sample in the robot's world: :math:`T^{world} = T_{room}^{world}\, T^{room}` for head and hands.

    Args:
        sample: The sample.
        transform_room_to_world: Where the room stands, in double precision: a hand is commanded by it.
        request: What the operator asks of the robot host besides.
    """
    return OperatorInput(
        time=sample.time,
        sequence=sample.sequence,
        device=sample.device,
        origin=sample.origin,
        focused=sample.focused,
        can_stop=sample.can_stop,
        head=None if sample.head is None else transform_room_to_world * sample.head,
        left=place_hand(sample.left, transform_room_to_world),
        right=place_hand(sample.right, transform_room_to_world),
        request=request,
    )


def place_hand(hand: HandSample, transform_room_to_world: pin.SE3) -> HandInput:
    """Return a hand in the robot's world (see ``place_in_world``)."""
    return HandInput(
        pose=None if hand.pose is None else transform_room_to_world * hand.pose,
        aim=None if hand.aim is None else transform_room_to_world * hand.aim,
        trigger=hand.trigger,
        squeeze=hand.squeeze,
        stick=hand.stick,
        buttons=hand.buttons,
    )
