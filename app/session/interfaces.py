"""The network interfaces of this machine."""

from __future__ import annotations

import socket

from handhold.app.errors import AppError


def check_interface(name: str) -> None:
    """Check that there is a network interface of a name.

    Raises:
        AppError: There is none.
    """
    known = [each for _, each in socket.if_nameindex()]
    if name not in known:
        raise AppError(f"no network interface '{name}'; take one of: {', '.join(known)}")
