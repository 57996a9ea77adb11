"""Where station and host meet, and what they prove to each other."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field

from handhold.app.errors import AppError

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 7460

KEY_BYTES = 32
"""Length of a session's key [bytes]."""


class LinkError(AppError):
    """The link between station and host cannot be opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """Certificates for a link between two machines; both sides show theirs, none is shipped.

    Attributes:
        authority: Certificate of the authority that signed both sides.
        certificate: This side's certificate.
        private_key: This side's private key.
    """

    authority: str
    certificate: str
    private_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    """Where station and host meet, and the key that both have.

    Attributes:
        robot: Name of the robot; many robots may share a network.
        key: Key of the session, ``KEY_BYTES`` long: who does not have it gets no connection, and no message of his is taken.
            It authenticates; it does not encrypt.
        address: Address the host listens on and the station connects to. Loopback unless told otherwise; give ``tls`` with
            anything else, for what is not encrypted can be read by others.
        port: TCP port.
        tls: Certificates, or None for plain TCP.
    """

    robot: str
    key: bytes = field(repr=False)
    address: str = LOOPBACK
    port: int = DEFAULT_PORT
    tls: TlsFiles | None = None

    def __post_init__(self) -> None:
        """Refuse a key that could be guessed.

        Raises:
            LinkError: The key is of another length.
        """
        if len(self.key) != KEY_BYTES:
            raise LinkError(f"a key of the link has {KEY_BYTES} bytes, this one {len(self.key)}; make one by make_key()")

    @property
    def endpoint(self) -> str:
        """Zenoh's name of the endpoint, such as ``tcp/127.0.0.1:7460``."""
        return f"{'tls' if self.tls else 'tcp'}/{self.address}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether both sides are on one machine."""
        return is_loopback(self.address)

    def topic(self, name: str) -> str:
        """Return the key expression of a topic of this robot."""
        return f"handhold/{self.robot}/{name}"


def is_loopback(address: str) -> bool:
    """Whether an address is that of the machine itself."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def make_key() -> bytes:
    """Return a new key of a session, from the system's source of secrets."""
    return secrets.token_bytes(KEY_BYTES)
