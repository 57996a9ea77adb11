"""The suit that the operator wears besides the device: which one, and what becomes of a session when it fails."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

from handhold.app.errors import AppError
from handhold.devices.errors import DeviceError
from handhold.devices.suits.mvn_sockets import UdpSource
from handhold.devices.suits.open_recording import open_recording
from handhold.devices.suits.recording import RecordedSuit, hold_beginning
from handhold.devices.suits.suit import Suit
from handhold.devices.suits.xsens_mvn import MvnSuit
from handhold.devices.tracked_human import TrackedHuman

NO_SUIT, HEADSET, MVN = "none", "headset", "mvn"
"""Suits by name; anything else is a recording's file."""

HEADSET_DEVICE = "openxr"
"""The device whose wearer can be the person."""

PORT = 9763
"""Port that MVN sends to unless told otherwise."""

HOLDING = 10.0
"""For how long the first frame of a recording is held, each time it begins [s]: for calibration, and for a squeeze."""

REOPENING = 2.0
"""Time after which a suit that failed is opened again [s]."""


class UnknownSuit(AppError):
    """A suit is asked for that there is not."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"no suit '{name}'; take none, headset (whoever wears it), mvn (streamed to this machine's port {PORT}), "
            "mvn:ADDRESS[:PORT] (from another machine), or the file of a recording (.mvnx, .bvh, .npy, .npz)"
        )


class HeadsetNeeded(AppError):
    """Whoever wears the headset is to be the person, and there is no headset."""

    def __init__(self, device: str) -> None:
        self.device = device
        super().__init__(
            f"--suit {HEADSET} needs a headset, and this session is driven by '{device}'; connect one and take --device "
            f"{HEADSET_DEVICE}, which says what is missing, or wear another suit"
        )


def check_wearer(suit: str, device: str) -> None:
    """Look whether a device can tell of its wearer where that is asked for.

    Args:
        suit: The suit's name.
        device: Name of the device that drives.

    Raises:
        HeadsetNeeded: It is no headset.
    """
    if suit == HEADSET and device != HEADSET_DEVICE:
        raise HeadsetNeeded(device)


def make_suit(name: str, clock: Callable[[], float]) -> Suit | None:
    """Return the suit of a name, not yet open; None for none, and for the headset, whose console tells of its wearer itself.

    Args:
        name: ``"none"``, ``"headset"``, ``"mvn"``, ``"mvn:ADDRESS"``, ``"mvn:ADDRESS:PORT"``, or a recording's file, which is
            read.
        clock: The station's monotonic clock [s].

    Raises:
        UnknownSuit: The name is none of these.
        DeviceError: The recording is none of a person.
    """
    if name in (NO_SUIT, HEADSET):
        return None
    kind, _, rest = name.partition(":")
    if kind == MVN:
        sender, _, port = rest.partition(":")
        if not _is_address(sender) or (port and not (port.isdecimal() and 0 < int(port) < 1 << 16)):
            raise UnknownSuit(name)
        # Whoever is told from another machine is heard on all of this one's addresses, and nobody else is.
        address = "0.0.0.0" if sender else "127.0.0.1"
        return MvnSuit(UdpSource(address, int(port or PORT), sender), clock=clock)
    if not Path(name).is_file():
        raise UnknownSuit(name)
    return RecordedSuit(hold_beginning(open_recording(Path(name)), HOLDING), clock=clock, loops=True)


def _is_address(sender: str) -> bool:
    """Return whether a sender is an address, or nobody: datagrams tell addresses, and no names."""
    try:
        return not sender or bool(ip_address(sender))
    except ValueError:
        return False


class WornSuit:
    """A suit that may fail and is opened again, while the session goes on without it.

    Attributes:
        message: Why nothing comes from it, in words; empty where it is open.
    """

    def __init__(self, suit: Suit, clock: Callable[[], float]) -> None:
        """Take a suit that is not yet open.

        Args:
            suit: The suit.
            clock: The station's monotonic clock [s].
        """
        self._suit, self._clock = suit, clock
        self._open_at, self._is_open = 0.0, False
        self.message = ""

    def open(self) -> None:
        """Open it for the first time.

        Raises:
            DeviceError: It cannot be had: better known before anything moves.
        """
        self._suit.open()
        self._is_open = True

    def read(self) -> TrackedHuman | None:
        """Return the newest sample, or None where there is none or the suit is gone."""
        try:
            if not self._is_open:
                if self._clock() < self._open_at:
                    return None
                self.open()
                self.message = ""
            return self._suit.read()
        except DeviceError as error:
            self._suit.close()
            self._is_open, self._open_at = False, self._clock() + REOPENING
            self.message = f"suit: {error}"
            return None

    def close(self) -> None:
        """Let go of the suit."""
        self._suit.close()
