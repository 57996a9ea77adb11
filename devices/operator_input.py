"""What the operator does at one moment, whatever the device, in the robot's world."""

from __future__ import annotations

from dataclasses import field

import numpy as np
import pinocchio as pin

from handhold.devices.frame_value import frame_value
from handhold.devices.stop import Stop
from handhold.devices.tracked_human import TrackedHuman


@frame_value
class Buttons:
    """Buttons of one hand, true while pressed.

    Attributes:
        primary: A or X.
        secondary: B or Y.
        menu: Menu button (either hand).
        stick: Click of the stick.
    """

    primary: bool = False
    secondary: bool = False
    menu: bool = False
    stick: bool = False


def _centred_stick() -> np.ndarray:
    return np.zeros(2)


@frame_value
class HandInput:
    """One hand of the operator.

    Attributes:
        pose: Grip pose of the hand in world, or None where it is not tracked (guessed poses are None too).
        aim: Pointing pose of the hand in world (its x axis points where the operator points), or None where not tracked.
        trigger: 0 released, 1 pulled.
        squeeze: 0 released, 1 squeezed.
        stick: Deflection, shape ``(2,)``: right and forward are positive, -1 to 1.
        buttons: Buttons of that hand.
    """

    pose: pin.SE3 | None = None
    aim: pin.SE3 | None = None
    trigger: float = 0.0
    squeeze: float = 0.0
    stick: np.ndarray = field(default_factory=_centred_stick)
    buttons: Buttons = field(default_factory=Buttons)


@frame_value
class OperatorInput:
    """One sample of the operator in the robot's world: what the operator does there the robot is asked to do.

    What a headset tells is an ``OperatorSample``, in a room of the operator's own, which is placed in the world first.

    Attributes:
        time: Monotonic clock of the station when sampled [s].
        sequence: Number of the sample within this run of the device.
        device: Name of the device and, within a device, of its run: another name means that nothing latched holds.
        origin: Counts recentrings: another number means that poses before and after cannot be compared.
        focused: Whether the operator is there: session focused, headset worn, page open.
        stop: What a device with buttons of its own for it asks for, as long as it does. A station turns the clicks of a
            headset's sticks into these words; a device whose clicks come as they are is understood as well.
        can_stop: Whether the device has a control that stops the robot; without one nothing engages.
        head: Pose of the head in world, or None where it is not tracked.
        left: Left hand.
        right: Right hand.
        request: What the operator asks of the robot host besides, in a word: ``"mode:NAME"`` switches to a mode,
            ``"preview:NAME"`` asks for its preview, ``"switch:NAME"`` turns a switch of the mode over; the same words in
            the samples that follow ask nothing new.
        human: The person who is tracked besides, by the newest sample of a suit; None where nobody is.
        age: Time since this sample arrived at the robot host [s]; set by the host, by its own clock.
    """

    time: float
    sequence: int = 0
    device: str = ""
    origin: int = 0
    focused: bool = True
    stop: Stop = Stop.NONE
    can_stop: bool = True
    head: pin.SE3 | None = None
    left: HandInput = field(default_factory=HandInput)
    right: HandInput = field(default_factory=HandInput)
    request: str = ""
    human: TrackedHuman | None = None
    age: float = 0.0
