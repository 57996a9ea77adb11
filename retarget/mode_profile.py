"""What is always the same about a mode, as data: its names, and what it reads of the operator's controls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeHints:
    """What a mode does with the controls that it reads, in words; empty for those it does not read.

    Attributes:
        left_stick: What the left stick does (the right one where the operator has swapped them).
        right_stick: What the other one does.
        trigger: What a trigger does with its own hand.
        primary: What A or X does with its own hand.
        secondary: What B or Y does, with its own hand where the mode has hands.
        right_stick_up: Whether the right stick is read up and down as well.
    """

    left_stick: str = ""
    right_stick: str = ""
    trigger: str = ""
    primary: str = ""
    secondary: str = ""
    right_stick_up: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeProfile:
    """A mode as everybody knows it.

    Attributes:
        name: Name for the switcher, logs and requests.
        title: Name for people.
        hints: What it does with the controls.
        secondary_request: What B or Y of either hand asks for where the mode itself does not read them, as the wheel asks;
            empty for nothing.
        toggles_title: Title of the page of the wheel that has its toggles.
        walks: Whether the robot goes where the sticks tell it: the page shows how far, and how to begin.
        braces: Whether A or X makes a contact of what its hand commands.
    """

    name: str
    title: str
    hints: ModeHints = ModeHints()
    secondary_request: str = ""
    toggles_title: str = "Balance"
    walks: bool = False
    braces: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeOffer:
    """A mode that the operator may ask for.

    Attributes:
        profile: The mode.
        obstacle: What keeps it from taking charge now, in words; empty where nothing does.
    """

    profile: ModeProfile
    obstacle: str = ""

    @property
    def name(self) -> str:
        """Name of the mode."""
        return self.profile.name

    @property
    def title(self) -> str:
        """Name of the mode for people."""
        return self.profile.title


UNKNOWN = ModeProfile(name="", title="")


def find_profile(offers: tuple[ModeOffer, ...], name: str) -> ModeProfile:
    """Return the profile of a mode by its name; one without any hints where nobody has said what it is."""
    return next((offer.profile for offer in offers if offer.name == name), UNKNOWN)
