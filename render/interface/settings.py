"""What an operator may choose about how the robot is shown, kept between sessions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Viewpoint(Enum):
    """From where the operator looks."""

    THIRD_PERSON = "third person"
    SHOULDER = "over the shoulder"
    FIRST_PERSON = "first person"


class PicturePosition(Enum):
    """Where the camera's picture is."""

    SCREEN = "on a screen"
    HEAD = "at the head"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """An operator's choices.

    Attributes:
        view: From where the robot is seen.
        picture: Where the camera's picture is.
        cloud: Whether the cloud of points is shown.
        left_handed: The left hand is the skilled one: the small region is worn on the right wrist, and the view over the
            shoulder is over the robot's left one.
        swap_sticks: Each stick does what the other does without this.
        seated: The operator sits, and is raised to the height of one who stands.
        turn_angle: How far the room turns with one push of the stick [deg].
        passthrough: Whether the real room is seen in place of the robot's world, where the headset can show it.
        refresh_rate: Frames a second that the headset is asked for, at most [Hz]; 0 for as many as it has.
        vignette: Whether the edge of the picture darkens while the room moves.
        wrist_region: Whether a small copy of the stability region is worn on the wrist.
        balance_disc: Whether a larger one stands at the waist.
        hints: Whether the controls are named at the controllers.
        haptics: Strength of what the hands feel, 0 none to 1.
    """

    view: Viewpoint = Viewpoint.THIRD_PERSON
    picture: PicturePosition = PicturePosition.SCREEN
    cloud: bool = True
    left_handed: bool = False
    swap_sticks: bool = False
    seated: bool = False
    turn_angle: int = 30
    passthrough: bool = False
    refresh_rate: float = 0.0
    vignette: bool = True
    wrist_region: bool = True
    balance_disc: bool = True
    hints: bool = True
    haptics: float = 1.0


TURN_ANGLES = (15, 30, 45, 90)
"""Angles the room can turn by [deg]."""

HAPTIC_STRENGTHS = (0.0, 0.3, 0.6, 1.0)
"""Strengths of what the hands feel."""
